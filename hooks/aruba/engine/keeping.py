"""Verdicts while the resource is wanted: one small function for each step that can be said something about."""

from __future__ import annotations

from math import ceil
from typing import Any

from hooks.aruba.engine import schedule, trouble
from hooks.aruba.engine.findings import sentence
from hooks.aruba.engine.story import Done, Outcome, Story
from hooks.aruba.engine.values import Cloud, Mark, Memory, Refs, Step
from hooks.aruba.engine.verdict import Verdict
from hooks.aruba.model.failure import Cause, Failure
from hooks.aruba.model.phases import TIMED, Phase, Reason
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
        return _waiting(story)
    if step is Step.HOLD:
        return _held(story)
    return {Step.ANNOUNCE: _announced, Step.CREATE: _created, Step.CHANGE: _changing, Step.SETTLE: _settled}[step](
        story, outcome
    )


def _announced(story: Story, outcome: Outcome) -> Verdict:
    again = "The resource is gone from the cloud and is made again" if story.past.resource_id else "About to be created"
    return Verdict(Phase.CREATING, Reason.SHALL_SYNCHRONIZE, again, "Creating", restart=True, forget=True, after=1.0)


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
    if story.resolved.late_waits:
        text = f"Waiting: {'; '.join(story.resolved.late_waits)}"
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


def _waiting(story: Story) -> Verdict | Busy:
    """Nothing was done: say what is being waited for, by what the look showed."""
    s, observed = story.situation, story.observed
    if observed.failure is not None:
        return unreachable(story, observed.failure)
    if s.cloud in (Cloud.CHANGING, Cloud.STRANGE, Cloud.LEAVING, Cloud.FAILED):
        return _shown_state(story)
    if s.memory in (Memory.NEW, Memory.ANNOUNCED) and s.mark in (Mark.YOUNG, Mark.OLD):
        return _outcome_unknown(story)
    if s.memory in (Memory.NEW, Memory.ANNOUNCED) and s.refs is Refs.WAITING:
        return _pending(story)
    if s.refs is Refs.WRONG:
        return _held(story)
    if not story.past.phase:
        return Verdict(Phase.PENDING, Reason.SYNCHRONIZED, "Seen for the first time", "Pending", after=1.0)
    return again(story)


def again(story: Story) -> Verdict:
    """Nothing new is known: the status as it was, and the next appointment."""
    start = story.past.started
    after = schedule.NET
    if start is not None:
        after = (schedule.points(start, story.now, story.kind.states is States.EXISTS)[1] - story.now).total_seconds()
    if story.past.next_attempt is not None and story.past.next_attempt > story.now:
        after = min(after, (story.past.next_attempt - story.now).total_seconds() + 0.1)
    return Verdict(Phase.PENDING, Reason.SYNCHRONIZED, "", "", after=after, keep=story.past.raw)


def _pending(story: Story) -> Verdict:
    ready_reason = "DependencyFailed" if story.resolved.failed else "WaitingForReferences"
    text = f"Waiting: {'; '.join(story.resolved.waits)}"
    return Verdict(Phase.PENDING, Reason.SYNCHRONIZED, text, ready_reason)


def _outcome_unknown(story: Story) -> Verdict | Busy:
    """A status without the ID must not be written over one that may have it: no answer, until every call that could
    still know the ID has been given up by its caller (design §5.4).
    """
    at = story.pending.at or story.now
    wait = (schedule.points(at, story.now)[1] - story.now).total_seconds()
    if story.now - at < story.policy.hook_timeout:
        return Busy(max(1, ceil(wait)), "an attempt to create is under way")
    text = "An earlier attempt to create may have worked; looking for it before anything is tried again"
    return Verdict(Phase.CREATING, Reason.SYNCHRONIZING, text, "CreateOutcomeUnknown", after=max(1.0, wait))


def _shown_state(story: Story) -> Verdict:
    """The resource is there and not settled."""
    s, live, was = story.situation, story.observed.live, story.past.was_active
    if live is None:
        text = "A resource of this name is being deleted in the cloud; waiting until it is gone"
        return Verdict(Phase.CREATING, Reason.SHALL_SYNCHRONIZE, text, "NameTaken", after=schedule.STEADY)
    after = _next(story)
    if s.cloud is Cloud.FAILED:
        why = f": {live.trouble}" if live.trouble else ""
        text = f"The cloud reports {live.state}{why}. It is looked at again; delete the object to be rid of it"
        return Verdict(
            Phase.FAILED, Reason.SYNCHRONIZED, text, "CloudFailed", stalled=True, confirmed=True, after=schedule.STEADY
        )
    unsettled = Phase.UPDATING if was else (Phase.WAITING if story.past.phase == Phase.WAITING else Phase.PROVISIONING)
    if s.cloud is Cloud.STRANGE:
        text = f"The cloud reports the state {live.state!r}, which is not known here; looking again"
        return Verdict(
            unsettled,
            Reason.SYNCHRONIZING,
            text,
            "UnknownState",
            ready="Unknown",
            confirmed=True,
            after=schedule.STEADY,
        )
    if s.cloud is Cloud.LEAVING:
        text = "The resource is being deleted in the cloud, by somebody else; looking how that ends"
        return Verdict(unsettled, Reason.SYNCHRONIZING, text, "BeingDeleted", confirmed=True, after=after)
    text = f"The cloud reports {live.state or 'no state yet'}"
    return Verdict(unsettled, Reason.SYNCHRONIZING, text, str(unsettled), confirmed=True, after=after)


def _next(story: Story) -> float:
    start = story.past.started if story.past.phase in TIMED and story.past.started else story.now
    return (schedule.points(start, story.now)[1] - story.now).total_seconds()


def _held(story: Story) -> Verdict:
    """A person must act first."""
    if story.violations:
        told = sentence(story.violations)
        return Verdict(
            Phase.FAILED, Reason.INTENTION_FAILED, told, "IntentionValidationFailed", stalled=True, error=told
        )
    live = story.observed.live
    if story.situation.cloud is Cloud.AMBIGUOUS and live is not None:
        told = f"several cloud resources carry this object's tag, {live.id} among them: delete all but one in the cloud"
        return Verdict(Phase.FAILED, Reason.INTENTION_FAILED, told, "Ambiguous", stalled=True, error=told)
    if story.situation.cloud is Cloud.FOREIGN and live is not None:
        told = (
            f"{live.name!r} already exists in the cloud with ID {live.id} and was not made for this object. Nothing "
            f"was touched. Choose another metadata.name, or set the annotation arubacloud.com/resource-name"
        )
        return Verdict(Phase.FAILED, Reason.INTENTION_FAILED, told, "AlreadyExists", stalled=True, error=told)
    if story.situation.memory is Memory.REJECTED:
        return again(story)
    told = (
        f"The resource {story.past.resource_id} is gone from the cloud. A new one would be another thing, so none is "
        f"made by itself: set the annotation arubacloud.com/on-external-delete: recreate, or delete the object"
    )
    return Verdict(
        Phase.FAILED, Reason.SYNCHRONIZED, told, "ExternallyDeleted", stalled=True, confirmed=True, after=schedule.NET
    )


def failed(story: Story, failure: Failure) -> Verdict | Busy:
    """Our create or change did not work."""
    if failure.cause is Cause.BUSY:
        return Busy(max(1, ceil(failure.retry_after or 1)), failure.text)
    row = trouble.effect(failure, deleting=False)
    elapsed = (story.now - (story.past.started or story.now)).total_seconds()
    wait = trouble.pause(failure, row, elapsed, story.parent.metadata.uid)
    creating = not story.past.resource_id
    if failure.cause is Cause.SEMANTIC and creating:
        text = f"The cloud refused the request: {failure.text}. {row.advice.capitalize()}"
        return Verdict(
            Phase.FAILED,
            Reason.VALIDATION_FAILED,
            text,
            row.reason,
            stalled=True,
            failure=failure,
            after=wait,
            pause=wait,
        )
    phase = Phase.CREATING if creating else (Phase.UPDATING if story.past.was_active else Phase.WAITING)
    verb = "Creating" if creating else "Changing"
    text = f"{verb} it failed: {failure.text}; {row.advice}"
    ready_reason = "CreateOutcomeUnknown" if creating and failure.sent else row.reason
    reason = Reason.SYNCHRONIZING if creating and failure.sent else Reason.SHALL_SYNCHRONIZE
    return Verdict(
        phase,
        reason,
        text,
        ready_reason,
        stalled=row.stalled,
        failure=failure,
        after=min(wait + 0.1, schedule.NET),
        pause=None if creating and failure.sent else wait,
        confirmed=not creating,
    )


def unreachable(story: Story, failure: Failure) -> Verdict | Busy:
    """Looking did not work: the object stays where it is, and says so."""
    row = trouble.effect(failure, deleting=False)
    if failure.cause is Cause.BUSY or (failure.cause is Cause.THROTTLED and not story.past.phase):
        return Busy(max(1, ceil(failure.retry_after or 2)), failure.text)
    phase = Phase(story.past.phase) if story.past.phase in set(Phase) else Phase.PENDING
    reason = _reason_now(story, phase)
    text = f"The cloud could not be asked: {failure.text}; {row.advice}"
    after = min(schedule.NET, failure.retry_after or schedule.STEADY)
    told = story.past.condition("Ready")
    if phase is not Phase.ACTIVE:
        unknown = not story.past.resource_id and story.mark in (Mark.YOUNG, Mark.OLD)
        ready_reason = "CreateOutcomeUnknown" if unknown else row.reason
        return Verdict(phase, reason, text, ready_reason, failure=failure, after=after)
    fulfilled = told.get("status") == "True" and told.get("observedGeneration") == story.parent.metadata.generation
    if fulfilled and failure.cause in (Cause.THROTTLED, Cause.TRANSIENT):
        return Verdict(phase, reason, text, "Available", "True", after=after)
    return Verdict(phase, reason, text, row.reason, "Unknown", after=after)


def _reason_now(story: Story, phase: Phase) -> Reason:
    told = str(story.past.condition(phase).get("reason") or "")
    if told in set(Reason):
        return Reason(told)
    return Reason.SYNCHRONIZING if phase in TIMED else Reason.SYNCHRONIZED
