"""Verdicts while the resource is wanted: one small function for each step that can be said something about."""

from __future__ import annotations

from typing import Any

from hooks.aruba.engine import schedule
from hooks.aruba.engine.findings import Refused
from hooks.aruba.engine.notes import DRIFT_POLICY, unreadable
from hooks.aruba.engine.recall import REFUSED, TAKEN
from hooks.aruba.engine.setbacks import failed
from hooks.aruba.engine.sides import actual, wanted
from hooks.aruba.engine.story import Done, Outcome, Story
from hooks.aruba.engine.values import Step
from hooks.aruba.engine.verdict import Verdict
from hooks.aruba.engine.waiting import held, waiting
from hooks.aruba.model.failure import Failure
from hooks.aruba.model.phases import Phase, Reason
from hooks.aruba.model.states import States
from hooks.contract.replies import Busy
from hooks.meta.text import one_line


def keeping(step: Step, story: Story, outcome: Outcome) -> Verdict | Busy:
    """What to say of an object whose resource is wanted."""
    verdict = _told(step, story, outcome)
    if step is Step.CHANGE and isinstance(verdict, Verdict):
        word = REFUSED if isinstance(outcome, Failure) else TAKEN
        return verdict._replace(change=f"{story.comparison.calls[0].digest} {word}")
    return verdict


def _told(step: Step, story: Story, outcome: Outcome) -> Verdict | Busy:
    if isinstance(outcome, Failure):
        return failed(story, outcome)
    if step is Step.REMARK:
        return Busy(2, "the mark of an earlier attempt was lost: waiting until its outcome can be known")
    if step is Step.CLAIM and story.past.phase == Phase.ACTIVE:
        return Busy(1, "its references were marked; the rest follows in the next pass")
    if step in (Step.CLAIM, Step.WAIT):
        return waiting(story)
    if step is Step.HOLD:
        return held(story)
    return {Step.ANNOUNCE: _announced, Step.CREATE: _created, Step.CHANGE: _changing, Step.SETTLE: _settled}[step](
        story, outcome
    )


def _announced(story: Story, outcome: Outcome) -> Verdict:
    text = "The resource is gone from the cloud and is made again" if story.past.resource_id else "About to be created"
    return Verdict(Phase.CREATING, Reason.SHALL_SYNCHRONIZE, text, "Creating", restart=True, forget=True, after=1.0)


def _created(story: Story, outcome: Outcome) -> Verdict:
    new = outcome.live.id if isinstance(outcome, Done) and outcome.live is not None else ""
    text = "Created; waiting until the cloud shows it" if new else "Asked to create; looking for the outcome"
    at_once = story.kind.states is States.EXISTS
    after = 0.0 if at_once and new else schedule.EARLY[0]
    return Verdict(
        Phase.CREATING,
        Reason.SYNCHRONIZING,
        text,
        "Created" if new else "CreateOutcomeUnknown",
        restart=True,
        resource_id=new,
        after=after,
    )


def _changing(story: Story, outcome: Outcome) -> Verdict:
    """It is not sent again before it could show. A cloud that takes it and never applies it meets the time-out."""
    what = ", ".join(f"spec.{name}" for name in story.comparison.calls[0].fields)
    elapsed = (story.now - (story.past.started or story.now)).total_seconds() if story.repeating else 0.0
    phase = Phase.UPDATING if story.past.was_active else Phase.WAITING
    return Verdict(
        phase,
        Reason.SYNCHRONIZING,
        f"Waiting until the cloud has applied {what}",
        str(phase),
        restart=not story.repeating,
        confirmed=True,
        after=schedule.EARLY[0],
        pause=max(schedule.CHANGE_SHOWS, min(elapsed / 2, 5 * schedule.CHANGE_SHOWS)),
    )


def _settled(story: Story, outcome: Outcome) -> Verdict:
    """The cloud has it as wanted; what nothing can change is told, and what is not there yet is waited for."""
    refused, drift = story.comparison.refused, story.comparison.calls
    if refused or drift:
        told = [_cannot(refused)] if refused else []
        told += [_drifted(story)] if drift else []
        reason = "ChangeRefused" if refused else "Drifted"
        settled = _active(story, ". ".join(told), reason, ready="False", stalled=bool(refused))
        return settled if drift else settled._replace(applied=story.comparison.asked)
    lacking = tuple(dict.fromkeys((*story.resolved.late_waits, *story.resolved.lacking, *story.comparison.awaited)))
    if lacking:
        text = story.resolved.waiting_for(lacking)
        if story.past.was_active:
            return _active(story, text, "WaitingForReferences", ready="False")
        return Verdict(Phase.WAITING, Reason.SYNCHRONIZING, text, "WaitingForReferences", confirmed=True)
    notes = [*_also(story), *unreadable(story.parent.metadata)]
    settled = _active(story, "; ".join(notes), "Available", ready="True")
    return settled._replace(applied=story.comparison.asked)


def _cannot(refused: tuple[Refused, ...]) -> str:
    """Each field with both values, and the way out."""
    told = "; ".join(f"spec.{r.field}: wanted {_shown(r.wanted)}, the cloud has {_shown(r.actual)}" for r in refused)
    return f"Cannot be changed once created: {told}. Set the old value again, or delete and create anew"


def _drifted(story: Story) -> str:
    """What somebody changed in the cloud, where it is only to be told."""
    live = story.observed.live
    asked = wanted(story.kind, story.resolved)
    has = actual(story.kind, live) if live is not None else {}
    names = [name for needed in story.comparison.calls for name in needed.fields]
    told = "; ".join(f"spec.{n}: wanted {_shown(asked[n])}, the cloud has {_shown(has.get(n))}" for n in names)
    left = f"It stays so, as {DRIFT_POLICY}: report asks; change the spec or the policy"
    return "; ".join((f"Changed in the cloud by somebody else: {told}. {left}", *unreadable(story.parent.metadata)))


def _also(story: Story) -> list[str]:
    """What is attached beyond the spec: left alone, but not hidden (cases 64)."""
    return [
        f"the cloud also has {', '.join(sorted(extra.ids))} at spec.{extra.field}, not by us; it is left alone: "
        f"name it in the spec, or detach it in the cloud"
        for extra in story.comparison.extra
    ]


def _active(story: Story, text: str, ready_reason: str, ready: str, stalled: bool = False) -> Verdict:
    age, uid = story.policy.listing_age, story.parent.metadata.uid
    after = (schedule.at_rest(age, story.path or "", uid, story.now)[1] - story.now).total_seconds() + 0.1
    if story.resolved.parting:
        after = min(after, schedule.STEADY)
    return Verdict(
        Phase.ACTIVE, Reason.SYNCHRONIZED, text, ready_reason, ready, stalled=stalled, confirmed=True, after=after
    )


def _shown(value: Any) -> str:
    if isinstance(value, frozenset) and value:
        return one_line("[" + ", ".join(sorted(map(str, value))) + "]", 400)
    return "nothing" if value in (None, frozenset()) else one_line(str(value), 200)
