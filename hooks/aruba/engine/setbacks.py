"""Verdicts on what did not work while the resource is wanted: a create or change, a look, a call to Kubernetes."""

from __future__ import annotations

from math import ceil

from hooks.aruba.engine import schedule, trouble
from hooks.aruba.engine.pace import again
from hooks.aruba.engine.sides import digest, wanted
from hooks.aruba.engine.story import Story
from hooks.aruba.engine.values import Mark
from hooks.aruba.engine.verdict import Verdict
from hooks.aruba.model.failure import Cause, Failure
from hooks.aruba.model.phases import TIMED, Phase, Reason
from hooks.contract.replies import Busy
from hooks.meta.outcomes import Trouble


def failed(story: Story, failure: Failure) -> Verdict | Busy:
    """Our create or change did not work."""
    if failure.cause is Cause.BUSY:
        return Busy(max(1, ceil(failure.retry_after or 1)), failure.text)
    row = trouble.effect(failure, deleting=False)
    began = None if story.edited else story.past.started  # another spec begins anew, with its pauses and its time-out
    elapsed = (story.now - (began or story.now)).total_seconds()
    wait = trouble.pause(failure, row, elapsed, story.parent.metadata.uid, flat=True)
    creating = not story.past.resource_id
    if failure.cause is Cause.SEMANTIC:
        text = f"The cloud refused the request: {failure.text}. {row.advice.capitalize()}"
        return Verdict(
            Phase.FAILED,
            Reason.VALIDATION_FAILED,
            text,
            row.reason,
            stalled=True,
            failure=failure,
            after=min(wait, schedule.NET),
            pause=wait,
            confirmed=not creating,
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
        restart=story.edited,
        after=min(wait + 0.1, schedule.NET),
        pause=None if creating and failure.sent else wait,
        confirmed=not creating,
    )


def unreachable(story: Story, failure: Failure) -> Verdict | Busy:
    """Looking did not work: the object stays where it is, and says so, unless it has worse to say."""
    row = trouble.effect(failure, deleting=False)
    failed = story.past.condition(Phase.FAILED)
    if failed.get("status") == "True" and failed.get("reason") == Reason.VALIDATION_FAILED:
        return again(story, schedule.NET)
    if failure.cause is Cause.BUSY or (failure.cause is Cause.THROTTLED and not story.past.phase):
        return Busy(max(1, ceil(failure.retry_after or 2)), failure.text)
    phase = Phase(story.past.phase) if story.past.phase in set(Phase) else Phase.PENDING
    reason = reason_now(story, phase)
    lead = "" if failure.cause is Cause.BLIND else "The cloud could not be asked: "
    text = f"{lead}{failure.text}; {row.advice}"
    after = min(schedule.NET, failure.retry_after or schedule.STEADY)
    told = story.past.condition("Ready")
    if phase is not Phase.ACTIVE:
        unknown = not story.past.resource_id and story.mark in (Mark.YOUNG, Mark.OLD)
        ready_reason = "CreateOutcomeUnknown" if unknown else row.reason
        return Verdict(phase, reason, text, ready_reason, failure=failure, after=after)
    fulfilled = told.get("status") == "True" and told.get("observedGeneration") == story.parent.metadata.generation
    if fulfilled and failure.cause in (Cause.THROTTLED, Cause.TRANSIENT):
        return Verdict(phase, reason, text, "Available", "True", after=after)
    return Verdict(phase, reason, text, row.reason, "Unknown" if _as_asked(story) else "False", after=after)


def _as_asked(story: Story) -> bool:
    """The cloud had at the last look what is asked for now; an edit since then is surely not applied."""
    if story.resolved.spec is None or not story.past.applied:
        return not story.past.applied
    return digest(wanted(story.kind, story.resolved)) == story.past.applied


def reason_now(story: Story, phase: Phase) -> Reason:
    told = str(story.past.condition(phase).get("reason") or "")
    if told in set(Reason):
        return Reason(told)
    return Reason.SYNCHRONIZING if phase in TIMED else Reason.SYNCHRONIZED


def refused_by_kubernetes(story: Story, refusal: Trouble) -> Verdict:
    """The Kubernetes API will not let us write or read: nothing was sent to the cloud, and a person must act."""
    phase = Phase(story.past.phase) if story.past.phase in set(Phase) else Phase.PENDING
    text = f"Kubernetes refused a call of the operator: {refusal.text}. Check its rights and the admission policies"
    reason = reason_now(story, phase)
    return Verdict(phase, reason, text, "KubernetesRefused", stalled=True, after=schedule.NET, error=text)
