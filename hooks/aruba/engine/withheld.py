"""Verdicts on what was decided and may not happen: the call that would be sent, or that nothing is while suspended."""

from __future__ import annotations

from hooks.aruba.engine import plan, schedule
from hooks.aruba.engine.findings import NAMED
from hooks.aruba.engine.notes import MODE, SUSPEND, cloud_name
from hooks.aruba.engine.story import Story
from hooks.aruba.engine.values import Step, Wish
from hooks.aruba.engine.verdict import Verdict
from hooks.aruba.model.phases import Phase, Reason
from hooks.aruba.model.wire import Call

SUSPENDED = f"Suspended: nothing is looked at or sent until {SUSPEND} is gone from object, Namespace and settings"


def suspended(story: Story) -> Verdict:
    """Ready stays what it was; a deletion waits."""
    if story.wish is Wish.KEEP:
        phase = Phase(story.past.phase) if story.past.phase in set(Phase) else Phase.PENDING
        return Verdict(phase, Reason.SYNCHRONIZED, SUSPENDED, "Suspended", after=schedule.NET)
    text = f"{SUSPENDED}; its deletion waits. The annotation arubacloud.com/delete-policy: orphan lets the object go"
    return _leaving(story, text, "Suspended")


def proposed(story: Story) -> Verdict:
    """What would be done, told; the object is shown as it is."""
    text = f"{proposal(story)}. Nothing is sent until {MODE}: observe is gone from object, Namespace and settings"
    if story.wish is not Wish.KEEP:
        return _leaving(story, text, "Observing")
    there = bool(story.past.resource_id) and story.decided in (Step.CHANGE, Step.SETTLE)
    phase = Phase.ACTIVE if there else Phase.PENDING
    return Verdict(phase, Reason.SYNCHRONIZED, text, "Observing", confirmed=there, after=schedule.NET)


def _leaving(story: Story, text: str, ready_reason: str) -> Verdict:
    first = Phase.DELETING not in story.past.conditions
    return Verdict(
        Phase.DELETING,
        Reason.SHALL_SYNCHRONIZE,
        text,
        ready_reason,
        restart=first,
        untimed=True,
        after=schedule.NET,
    )


def proposal(story: Story) -> str:
    """The decided step in words, with its call where it has one."""
    live = story.observed.live
    if story.decided is Step.CREATE:
        ids = story.resolved.parents(story.kind) or {}
        path = story.kind.collection.at(ids)
        call = plan.creation(story.kind, story.catalog, story.parent.metadata, story.resolved, path)
        return f"Would send {_called(call)}, to create {cloud_name(story.parent.metadata)!r}"
    if story.decided is Step.CHANGE and live is not None:
        needed = story.comparison.calls[0]
        fields = ", ".join(f"spec.{name}" for name in needed.fields)
        return f"Would send {_called(plan.change(story, needed, live))}, to change {fields}"
    if story.decided is Step.DELETE:
        return f"Would send {_called(plan.deletion(story.item))}"
    if story.decided is Step.ADOPT and live is not None:
        return f"Would adopt {live.id}, which has the same name"
    if story.decided is Step.ANNOUNCE:
        return f"{story.past.resource_id or 'It'} is gone from the cloud: would create it again"
    if story.decided is Step.CASCADE:
        named = [child.path for child in story.kin.next_children()[:NAMED]]
        return f"Would delete first: {', '.join(named) or 'what belongs to it'}"
    return "Would look for the outcome of an earlier attempt to create"


def _called(call: Call) -> str:
    return f"{call.method} {call.path}"
