"""From what is known and seen to a `Situation`: the small enums that a step is decided by. Pure."""

from __future__ import annotations

from hooks.aruba.engine import trouble
from hooks.aruba.engine.decide import PRESENT
from hooks.aruba.engine.findings import Comparison, Kin, Needed
from hooks.aruba.engine.sendable import unfit_fields
from hooks.aruba.engine.story import Known, Observed
from hooks.aruba.engine.values import Cloud, Refs, Situation, Violation
from hooks.aruba.model.phases import Phase

LONGEST = 300.0
"""Seconds between two sendings of a change that the cloud took and does not show."""


def against(known: Known, observed: Observed, comparison: Comparison) -> tuple[Violation, ...]:
    """Rules that stand against going on: of the objects always, of values only where these are about to be sent."""
    wrong = known.violations
    if known.unfit and observed.cloud not in (*PRESENT, Cloud.ADOPTABLE):
        wrong += known.unfit
    calls = _calls(known, comparison)
    if calls:
        wrong += unfit_fields(known.kind, known.resolved, calls[0].fields)
    return wrong


def _calls(known: Known, comparison: Comparison) -> tuple[Needed, ...]:
    """The changes to make: drift may be only to be told."""
    told = not known.corrects and known.drifted(comparison)
    return () if told else comparison.calls


def _due(known: Known, calls: tuple[Needed, ...]) -> bool:
    """A pause is one of the call that it followed: another change goes at once, the same one waits. After an edit a
    refused one is tried again: the refusal was of the spec that it stood in.
    """
    if not calls or known.asked_anew:
        return known.due
    if known.edited and not known.past.change_taken:
        return True
    over = known.past.next_attempt is None or known.now >= known.past.next_attempt
    return over or calls[0].digest != known.past.last_change or not _still_told(known)


def _still_told(known: Known) -> bool:
    """Whether the status still speaks of that call. Where something else was to be told since, its words are lost, and
    the call is made again rather than waited for without a reason that anybody can see.
    """
    told = str(known.past.condition("Ready").get("reason"))
    longest = trouble.PAUSES.get(told, LONGEST if told in (Phase.UPDATING, Phase.WAITING, "Timeout") else 0.0)
    left = (known.past.next_attempt or known.now) - known.now
    return left.total_seconds() <= 1.2 * longest + 1


def situate(
    known: Known, observed: Observed, comparison: Comparison, wrong: tuple[Violation, ...], kin: Kin
) -> Situation:
    """Everything known and seen, reduced to the small enums that a step is decided by. Pure."""
    waits = Refs.WAITING if known.resolved.waits else Refs.READY
    calls = _calls(known, comparison)
    return Situation(
        wish=known.wish,
        claimed=known.claim.stands,
        refs=Refs.WRONG if wrong or comparison.strays else waits,
        cloud=observed.cloud,
        mark=known.mark,
        diff=comparison._replace(calls=calls).diff,
        family=kin.family,
        memory=known.memory,
        due=_due(known, calls),
        overdue=known.overdue,
        recreate=known.recreates,
    )
