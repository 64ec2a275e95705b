"""Verdicts while the resource is wanted and nothing was done: what is waited for, and what a person must do first."""

from __future__ import annotations

from math import ceil

from hooks.aruba.engine import schedule
from hooks.aruba.engine.findings import sentence
from hooks.aruba.engine.notes import ADOPTION_POLICY, RESOURCE_ID, is_owner_tag
from hooks.aruba.engine.pace import again, next_look
from hooks.aruba.engine.setbacks import unreachable
from hooks.aruba.engine.story import Story
from hooks.aruba.engine.values import Cloud, Mark, Memory, Refs
from hooks.aruba.engine.verdict import Verdict
from hooks.aruba.model.live import Live
from hooks.aruba.model.phases import Phase, Reason
from hooks.contract.replies import Busy


def waiting(story: Story) -> Verdict | Busy:
    """Nothing was done: say what is being waited for, by what the look showed."""
    s, observed = story.situation, story.observed
    if observed.failure is not None:
        return unreachable(story, observed.failure)
    if s.cloud in (Cloud.CHANGING, Cloud.STRANGE, Cloud.LEAVING, Cloud.FAILED):
        return _shown_state(story)
    if s.memory in (Memory.NEW, Memory.ANNOUNCED):
        if s.refs is Refs.WAITING and (s.cloud is Cloud.ABSENT or s.mark not in (Mark.YOUNG, Mark.OLD)):
            return _pending(story)
        if s.mark in (Mark.YOUNG, Mark.OLD):
            return _outcome_unknown(story)
        if s.cloud is Cloud.UNSEEN:
            return _listing_in_doubt(story)
    if s.refs is Refs.WRONG or s.memory is Memory.REJECTED:
        return held(story)
    if not story.past.phase:
        return Verdict(Phase.PENDING, Reason.SYNCHRONIZED, "Seen for the first time", "Pending", after=1.0)
    return again(story)


def _pending(story: Story) -> Verdict:
    ready_reason = "DependencyFailed" if story.resolved.failed else "WaitingForReferences"
    text = story.resolved.waiting_for(story.resolved.waits)
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


def _listing_in_doubt(story: Story) -> Verdict:
    text = "The cloud's listing is not complete, so it cannot be told whether this exists already; looking again"
    return Verdict(Phase.CREATING, Reason.SHALL_SYNCHRONIZE, text, "ListingIncomplete", after=schedule.STEADY)


def _shown_state(story: Story) -> Verdict:
    """The resource is there and not settled."""
    s, live, was = story.situation, story.observed.live, story.past.was_active
    if live is None:
        named = f"The resource {story.adopts[:64]}, which the annotation {RESOURCE_ID} names,"
        what = named if story.adopts else "A resource of this name"
        text = f"{what} is being deleted in the cloud; waiting until it is gone"
        return Verdict(Phase.CREATING, Reason.SHALL_SYNCHRONIZE, text, "NameTaken", after=schedule.STEADY)
    after = next_look(story)
    if s.cloud is Cloud.FAILED:
        why = f": {live.trouble}" if live.trouble else ""
        text = f"The cloud reports {live.state}{why}. It is looked at again; delete the object to be rid of it"
        return Verdict(
            Phase.FAILED, Reason.SYNCHRONIZED, text, "CloudFailed", stalled=True, confirmed=True, after=schedule.STEADY
        )
    held_up = Phase.WAITING in story.past.conditions  # also after a time-out, when the phase is Failed
    unsettled = Phase.UPDATING if was else (Phase.WAITING if held_up else Phase.PROVISIONING)
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
    text = f"The cloud reports {live.state or 'no state yet'}; waiting until it is done"
    return Verdict(unsettled, Reason.SYNCHRONIZING, text, str(unsettled), confirmed=True, after=after)


def held(story: Story) -> Verdict:
    """A person must act first."""
    if story.wrong:
        return _invalid(sentence(story.wrong), story.wrong[0].reason)
    if story.comparison.strays:
        told = sentence(story.comparison.strays)
        text = f"{told}. Nothing is sent; look at it in the cloud, and at what spec refers to"
        return Verdict(
            Phase.FAILED, Reason.POST_FAILED, text, "PostValidationFailed", stalled=True, error=told, confirmed=True
        )
    if story.observed.obstacle is not None:
        return _invalid(sentence((story.observed.obstacle,)))
    if story.situation.cloud in (Cloud.AMBIGUOUS, Cloud.FOREIGN) and story.observed.live is not None:
        return _whose(story, story.observed.live)
    if story.situation.memory is Memory.REJECTED:
        pause = story.past.next_attempt
        return again(story, None if pause is None else max(1.0, (pause - story.now).total_seconds()))
    told = (
        f"The resource {story.past.resource_id} is gone from the cloud. A new one would be another thing, so none is "
        f"made by itself: set the annotation arubacloud.com/on-external-delete: recreate, or delete the object"
    )
    return Verdict(
        Phase.FAILED, Reason.SYNCHRONIZED, told, "ExternallyDeleted", stalled=True, confirmed=True, after=schedule.NET
    )


def _whose(story: Story, live: Live) -> Verdict:
    """What is there is not this object's, or it cannot be told which one is."""
    reason = "Ambiguous" if story.situation.cloud is Cloud.AMBIGUOUS else "AlreadyExists"
    if story.observed.several:
        told = (
            f"several cloud resources are named {live.name!r}: {', '.join(story.observed.several)}. None is chosen: "
            f"set the annotation {RESOURCE_ID} to the one that is meant"
        )
    elif reason == "Ambiguous":
        told = f"several cloud resources carry this object's tag, {live.id} among them: delete all but one in the cloud"
    elif story.past.resource_id:
        whose = f"belongs to {story.rival}" if story.rival else "carries another object's tag"
        told = f"the recorded resource {live.id} {whose}: it is left alone. Delete this object"
    else:
        told = _already_there(story, live)
    return Verdict(Phase.FAILED, Reason.INTENTION_FAILED, told, reason, stalled=True, error=told)


def _already_there(story: Story, live: Live) -> str:
    """What is in the way, whose it is, and the annotation to paste where it is nobody's."""
    there = f"{live.name!r} already exists in the cloud with ID {live.id}"
    other = "Choose another metadata.name, or set the annotation arubacloud.com/resource-name"
    if story.rival:
        return f"{there} and belongs to {story.rival}. Nothing was touched. {other}"
    tagged = any(map(is_owner_tag, live.tags))
    whose = "carries the tag of an object that is not in this cluster" if tagged else "was not made for this object"
    paste = f"{RESOURCE_ID}: {live.id}" + (f" with {ADOPTION_POLICY}: always" if tagged else "")
    return f"{there} and {whose}. Nothing was touched. {other}; to adopt what is there, set {paste}"


def _invalid(told: str, reason: str = "IntentionValidationFailed") -> Verdict:
    """Nothing is sent before it is corrected, here or where the other side of the contradiction stands."""
    text = f"{told}. Nothing was sent; correct it, and this goes on by itself"
    return Verdict(Phase.FAILED, Reason.INTENTION_FAILED, text, reason, stalled=True, error=told)
