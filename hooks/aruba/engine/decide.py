"""The one decision of a pass: total over the product of small enums, pure, and deaf to phase and reason.

The order of the rules is that of `first_step` in the create protocol's model (docs/decisions/0001); a test runs the
model's exhaustive search over this very function.
"""

from __future__ import annotations

from hooks.aruba.engine.values import Cloud, Diff, Family, Mark, Memory, Refs, Situation, Step, Wish

PRESENT = frozenset({Cloud.CHANGING, Cloud.SETTLED, Cloud.FAILED, Cloud.STRANGE, Cloud.LEAVING})


def decide(s: Situation) -> Step:
    """The next thing to do."""
    if s.wish is Wish.RELEASE:
        return Step.LET_GO
    if s.wish is Wish.KEEP:
        return _keep(s)
    return _delete(s) if s.wish is Wish.DELETE else _orphan(s)


def _keep(s: Situation) -> Step:
    """The claim first; then what is there, then what is not."""
    if not s.claimed:
        return Step.CLAIM
    if s.refs is Refs.WRONG or s.cloud in (Cloud.FOREIGN, Cloud.AMBIGUOUS):
        return Step.HOLD
    if s.cloud is Cloud.ADOPTABLE:
        return Step.ADOPT if s.refs is Refs.READY else Step.WAIT
    if s.cloud in PRESENT:
        return _present(s)
    if s.cloud is Cloud.ABSENT:
        return _absent(s)
    if s.memory is Memory.NEW and s.refs is Refs.READY and s.mark is not Mark.YOUNG:
        return Step.ANNOUNCE
    return Step.REMARK if _lost(s) and s.cloud is Cloud.UNSEEN else Step.WAIT


def _present(s: Situation) -> Step:
    """It is there: settle, change at most one thing, or wait for the platform."""
    if s.cloud is not Cloud.SETTLED:
        return Step.WAIT
    wants_change = s.diff in (Diff.CHANGE, Diff.BOTH)
    if not wants_change:
        return Step.SETTLE
    return Step.CHANGE if s.due else Step.WAIT


def _absent(s: Situation) -> Step:
    """It is proven not to be there: make it, once the past says that nothing can still be under way."""
    if _lost(s):
        return Step.REMARK
    if s.memory in (Memory.REPLIED, Memory.SEEN, Memory.GONE):
        if not _known_dead(s):
            return Step.WAIT
        return Step.ANNOUNCE if s.recreate or s.memory is not Memory.SEEN else Step.HOLD
    if s.memory is Memory.REJECTED:
        return Step.HOLD
    if s.refs is Refs.WAITING:
        return Step.WAIT
    if s.memory is Memory.NEW and s.mark is not Mark.YOUNG:
        return Step.ANNOUNCE
    return Step.CREATE if s.mark in (Mark.INTENT, Mark.OLD) and s.due else Step.WAIT


def _delete(s: Situation) -> Step:
    """Children first, then users, then our own DELETE, then its proof, then the finalizer."""
    if s.memory is Memory.GONE:
        return Step.LET_GO
    if s.family in (Family.UNREAD, Family.BLOCKED):
        return Step.WAIT
    if s.family is Family.SOME:
        return Step.CASCADE
    if s.cloud is Cloud.ADOPTABLE:
        return Step.ADOPT
    if s.cloud is Cloud.FOREIGN:
        return Step.LET_GO
    if s.cloud is Cloud.ABSENT:
        return _gone(s)
    stands = s.cloud in (Cloud.SETTLED, Cloud.FAILED, Cloud.STRANGE, Cloud.AMBIGUOUS)
    stuck = s.cloud is Cloud.CHANGING and s.overdue
    if (stands or stuck) and s.family is Family.NONE and s.due:
        return Step.DELETE
    return Step.REMARK if _lost(s) and s.cloud is Cloud.UNSEEN else Step.WAIT


def _orphan(s: Situation) -> Step:
    """The resource stays; what belongs to this object goes its way first. The cloud is not asked."""
    if s.family in (Family.UNREAD, Family.BLOCKED):
        return Step.WAIT
    return Step.CASCADE if s.family is Family.SOME else Step.LET_GO


def _gone(s: Situation) -> Step:
    if s.memory in (Memory.REPLIED, Memory.SEEN) and _known_dead(s):
        return Step.SETTLE
    if _lost(s):
        return Step.REMARK
    return Step.WAIT if s.mark is Mark.YOUNG else Step.SETTLE


def _lost(s: Situation) -> bool:
    """The mark is missing although an intent was once recorded: replaced metadata, not an untried create."""
    return s.mark is Mark.MISSING and s.memory is not Memory.NEW


def _known_dead(s: Situation) -> bool:
    """A read that finds nothing is believed once the resource had been seen, or the window has passed."""
    return s.memory is Memory.SEEN or not (s.mark is Mark.YOUNG or _lost(s))
