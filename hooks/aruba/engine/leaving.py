"""Verdicts while the resource is to go: children, users, the DELETE, its proof, and letting go."""

from __future__ import annotations

import re
from math import ceil

from hooks.aruba.engine import schedule, trouble
from hooks.aruba.engine.findings import NAMED, Member
from hooks.aruba.engine.notes import DELETE_POLICY
from hooks.aruba.engine.pace import again, next_look, unheard, unstored
from hooks.aruba.engine.setbacks import refused_by_kubernetes
from hooks.aruba.engine.story import Done, Outcome, Story
from hooks.aruba.engine.values import Cloud, Family, Memory, Step, Wish
from hooks.aruba.engine.verdict import Verdict
from hooks.aruba.model.failure import Cause, Failure
from hooks.aruba.model.phases import Phase, Reason
from hooks.aruba.model.states import Standing, States, standing
from hooks.contract.replies import Busy
from hooks.meta.outcomes import Trouble
from hooks.meta.times import parse_time

ORPHAN = ". The annotation arubacloud.com/delete-policy: orphan lets the object go and leaves the resource"
"""The way out where the cloud cannot be asked: it needs neither credentials nor an answer."""
SILENT = frozenset({Cause.TECHNICAL, Cause.CREDENTIALS, Cause.FORBIDDEN, Cause.BLIND})
NAMES = re.compile(r"[A-Z]\w+ [a-z0-9.-]+/[a-z0-9.-]+")
"""What `Member.path` looks like in a message."""


def leaving(step: Step, story: Story, outcome: Outcome) -> Verdict | Busy:
    """What to say of an object that is being deleted, or let go."""
    if step is Step.LET_GO:
        return _let_go(story)
    if isinstance(outcome, Failure):
        return _failed(story, outcome)
    if step is Step.REMARK:
        return Busy(2, "the mark of an earlier attempt was lost: waiting until its outcome can be known")
    if step is Step.ADOPT:
        return _found(story, outcome)
    if step is Step.SETTLE or (isinstance(outcome, Done) and outcome.gone):
        return Verdict(Phase.DELETED, Reason.SYNCHRONIZED, "", "Deleted", after=unstored(story))
    if step is Step.DELETE:
        at_once = story.kind.states is States.EXISTS
        return _deleting(
            story,
            Reason.SYNCHRONIZING,
            "Waiting until the cloud has deleted it",
            "Deleting",
            restart=True,
            after=0.0 if at_once else schedule.EARLY[0],
        )
    if step is Step.CASCADE:
        return _blocked(story, "Waiting until what belongs to it is gone: ", story.kin.children, "ChildrenExist")
    return _waiting(story)


def _found(story: Story, outcome: Outcome) -> Verdict:
    """What the Go operator made, and nobody wrote down, is to go with its object; unless it is another object's."""
    if isinstance(outcome, Done) and outcome.rival:
        if outcome.patient:
            text = f"{outcome.rival} wants the same resource, and is to step back first. It goes on by itself"
            return _deleting(story, Reason.SHALL_SYNCHRONIZE, text, "Deleting", after=2.0)
        return Verdict(Phase.DELETED, Reason.SYNCHRONIZED, "", "Deleted", after=unstored(story))
    live = story.observed.live
    told = _deleting(story, Reason.SHALL_SYNCHRONIZE, "Found what was made for it", "Deleting", after=0.05)
    return told._replace(resource_id=live.id if live is not None else "")


def _let_go(story: Story) -> Verdict:
    phase = Phase.DELETED if story.situation.wish is Wish.DELETE else Phase.PENDING
    keep = None if story.situation.wish is Wish.DELETE and not story.past.raw else story.past.raw
    return Verdict(phase, Reason.SYNCHRONIZED, "", "Deleted", finalized=True, keep=keep)


def _waiting(story: Story) -> Verdict | Busy:
    if story.kin.trouble is not None:
        return _unread(story, story.kin.trouble)
    if story.situation.family is Family.BLOCKED:
        return _protected(story)
    if story.situation.family is Family.USED:
        used = _blocked(story, "Still used by ", story.kin.outside or story.kin.users, "InUse")
        return used._replace(text=f"{used.text}. Delete that first, or take this out of its spec")
    if story.observed.failure is not None:
        return _unreachable(story, story.observed.failure)
    state = story.observed.live.state if story.observed.live is not None else ""
    if story.situation.cloud is Cloud.LEAVING:
        return _under_way(story, state)
    if story.situation.cloud is Cloud.CHANGING:
        text = f"Waiting until the cloud is done with it (it reports {state or 'no state yet'}), then it is deleted"
        return _deleting(story, Reason.SHALL_SYNCHRONIZE, text, "Deleting")
    return again(story) if story.past.asked_to_delete or _entered(story) else _first(story)


def _first(story: Story) -> Verdict:
    """The first word of a deletion that has to wait before anything can be done."""
    if story.situation.memory in (Memory.NEW, Memory.ANNOUNCED, Memory.REPLIED):
        text = "Waiting until the outcome of an earlier attempt to create can be known, so that nothing is left behind"
        return _deleting(story, Reason.SHALL_SYNCHRONIZE, text, "CreateOutcomeUnknown")
    return _deleting(story, Reason.SHALL_SYNCHRONIZE, "About to be deleted", "Deleting")


def _under_way(story: Story, state: str) -> Verdict:
    """The outcome of a DELETE that failed is not known: its words stand until the cloud shows it."""
    if story.past.next_attempt is not None and standing(story.kind.states, state) is not Standing.LEAVING:
        return again(story)
    return _deleting(story, Reason.SYNCHRONIZING, "Waiting until the cloud has deleted it", "Deleting")


def _unread(story: Story, listing: Trouble) -> Verdict | Busy:
    """Children and users could not be listed, so nothing may go yet."""
    if listing.lasting:
        told = refused_by_kubernetes(story, listing)
        return told._replace(phase=Phase.DELETING, reason=Reason.SHALL_SYNCHRONIZE, restart=not _entered(story))
    return unheard(story.parent, listing, story.now)


def _entered(story: Story) -> bool:
    return Phase.DELETING in story.past.conditions


def _deleting(
    story: Story, reason: Reason, text: str, ready_reason: str, restart: bool = False, after: float | None = None
) -> Verdict:
    return Verdict(
        Phase.DELETING,
        reason,
        text,
        ready_reason,
        restart=restart or not _entered(story),
        after=(next_look(story) if _entered(story) else schedule.EARLY[0]) if after is None else after,
    )


def _blocked(story: Story, lead: str, blockers: tuple[Member, ...], ready_reason: str) -> Verdict:
    """Names the first few. That one of them is gone, or that one made progress itself, is progress of this one."""
    named = [f"{m.path} ({m.phase or 'Pending'})" for m in blockers[:NAMED]]
    text = lead + ", ".join(named) + (", and more" if len(blockers) > NAMED else "")
    return Verdict(
        Phase.DELETING,
        Reason.SHALL_SYNCHRONIZE,
        text,
        ready_reason,
        restart=not _entered(story) or _fewer(story, blockers) or _moving(story, blockers),
        after=schedule.NET,
    )


def _protected(story: Story) -> Verdict:
    """A person has to decide; what was not touched yet is not touched."""
    way_out = f"To let go of all and leave it in the cloud, set {DELETE_POLICY}: orphan on this object"
    text = f"The deletion waits: {'; '.join(story.kin.blocked)}. {way_out}"
    waits = _deleting(story, Reason.SHALL_SYNCHRONIZE, text, "DeletionBlocked", after=schedule.NET)
    return waits._replace(stalled=True, untimed=True)


def _fewer(story: Story, blockers: tuple[Member, ...]) -> bool:
    """The last message named somebody who is no longer in the way."""
    before = set(NAMES.findall(str(story.past.raw.get("message") or "")))
    return bool(before - {m.path for m in blockers})


def _moving(story: Story, blockers: tuple[Member, ...]) -> bool:
    """A blocker's own clock was restarted after ours: a deep hierarchy may take longer than one phase may."""
    starts = [parse_time((m.raw.get("status") or {}).get("phaseStartTime")) for m in blockers]
    ours = story.past.started
    return ours is not None and any(start is not None and start > ours for start in starts)


def _failed(story: Story, failure: Failure) -> Verdict | Busy:
    """The DELETE was refused, or its outcome is not known; either way it is looked at again before it is repeated."""
    if failure.cause is Cause.BUSY:
        return Busy(max(1, ceil(failure.retry_after or 1)), failure.text)
    row = trouble.effect(failure, deleting=True)
    began = story.past.started if _entered(story) else None  # what went on before is no measure for this
    elapsed = (story.now - (began or story.now)).total_seconds()
    wait = trouble.pause(failure, row, elapsed, story.parent.metadata.uid, flat=False)
    text = f"Deleting it failed: {failure.text}; {row.advice}{ORPHAN if failure.cause in SILENT else ''}"
    return Verdict(
        Phase.DELETING,
        Reason.SYNCHRONIZING if failure.sent else Reason.SHALL_SYNCHRONIZE,
        text,
        row.reason,
        stalled=row.stalled,
        failure=failure,
        restart=not _entered(story),
        after=min(wait + 0.1, schedule.NET),
        pause=wait,
    )


def _unreachable(story: Story, failure: Failure) -> Verdict | Busy:
    if failure.cause is Cause.BUSY:
        return Busy(max(1, ceil(failure.retry_after or 2)), failure.text)
    row = trouble.effect(failure, deleting=True)
    taken = story.past.asked_to_delete and story.past.next_attempt is None
    reason = Reason.SYNCHRONIZING if taken else Reason.SHALL_SYNCHRONIZE
    lead = "" if failure.cause is Cause.BLIND else "The cloud could not be asked: "
    text = f"{lead}{failure.text}; {row.advice}{ORPHAN}"
    return Verdict(
        Phase.DELETING,
        reason,
        text,
        row.reason,
        failure=failure,
        restart=not _entered(story),
        after=min(schedule.NET, failure.retry_after or schedule.STEADY),
    )
