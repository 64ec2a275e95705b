"""Verdicts while the resource is wanted: one small function for each step that can be said something about."""

from __future__ import annotations

from typing import Any

from hooks.aruba.engine import schedule
from hooks.aruba.engine.setbacks import failed
from hooks.aruba.engine.story import Done, Outcome, Story
from hooks.aruba.engine.values import Step
from hooks.aruba.engine.verdict import Verdict
from hooks.aruba.engine.waiting import held, waiting
from hooks.aruba.model.failure import Failure
from hooks.aruba.model.phases import Phase, Reason
from hooks.aruba.model.states import States
from hooks.contract.replies import Busy


def keeping(step: Step, story: Story, outcome: Outcome) -> Verdict | Busy:
    """What to say of an object whose resource is wanted."""
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
    what = ", ".join(story.comparison.calls[0].change.fields)
    phase = Phase.UPDATING if story.past.was_active else Phase.WAITING
    return Verdict(
        phase,
        Reason.SYNCHRONIZING,
        f"Waiting until the cloud has applied {what}",
        str(phase),
        restart=True,
        confirmed=True,
        after=schedule.EARLY[0],
    )


def _settled(story: Story, outcome: Outcome) -> Verdict:
    """The cloud has it as wanted; what nothing can change is told, and what is not there yet is waited for."""
    refused = story.comparison.refused
    if refused:
        told = "; ".join(
            f"spec.{r.field}: wanted {_shown(r.wanted)}, the cloud has {_shown(r.actual)}" for r in refused
        )
        text = f"Cannot be changed once created: {told}. Set the old value again, or delete and create anew"
        return _active(story, text, "ChangeRefused", ready="False", stalled=True)
    lacking = tuple(dict.fromkeys((*story.resolved.late_waits, *story.resolved.lacking)))
    if lacking:
        text = f"Waiting: {'; '.join(lacking)}"
        if story.past.was_active:
            return _active(story, text, "WaitingForReferences", ready="False")
        return Verdict(Phase.WAITING, Reason.SYNCHRONIZING, text, "WaitingForReferences", confirmed=True)
    return _active(story, "", "Available", ready="True")


def _active(story: Story, text: str, ready_reason: str, ready: str, stalled: bool = False) -> Verdict:
    age, uid = story.policy.listing_age, story.parent.metadata.uid
    after = (schedule.at_rest(age, story.path or "", uid, story.now)[1] - story.now).total_seconds() + 0.1
    if story.resolved.parting:
        after = min(after, schedule.STEADY)
    return Verdict(
        Phase.ACTIVE, Reason.SYNCHRONIZED, text, ready_reason, ready, stalled=stalled, confirmed=True, after=after
    )


def _shown(value: Any) -> str:
    if isinstance(value, frozenset):
        return "[" + ", ".join(sorted(map(str, value))) + "]"
    return "nothing" if value is None else str(value)
