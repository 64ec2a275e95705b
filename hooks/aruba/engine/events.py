"""An object's story as Events: what a pass did or found, told once. Pure; `reconcile` hands them to Kubernetes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from hooks.aruba.engine.story import Done, Outcome, Story
from hooks.aruba.engine.values import Raw, Step, Wish
from hooks.aruba.model.phases import Phase
from hooks.contract.replies import Reply, SyncReply
from hooks.meta.conditions import by_type


class Event(NamedTuple):
    """One Event; the reason is in CamelCase."""

    warning: bool
    reason: str
    message: str


def events(step: Step, story: Story, outcome: Outcome, reply: Reply) -> list[Event]:
    """What this pass has to tell: what it did, and what it found changed."""
    if not isinstance(reply, SyncReply):
        return []
    return [*_done(step, story, outcome), *_found(story, reply.status)]


def _done(step: Step, story: Story, outcome: Outcome) -> Iterator[Event]:
    name = story.kind.names.kind
    if step is Step.LET_GO and story.situation.wish is Wish.RELEASE:
        kept = story.past.resource_id or "whatever was made for it"
        yield Event(False, "Released", f"Let go of this object; {kept} stays in the cloud")
    if not isinstance(outcome, Done):
        return
    if step is Step.CREATE:
        new = outcome.live.id if outcome.live is not None else ""
        yield Event(False, "Created", f"The cloud took the request to create this {name}{f': {new}' if new else ''}")
    elif step is Step.CHANGE:
        changed = ", ".join(story.comparison.calls[0].change.fields)
        yield Event(False, "Changing", f"The cloud took the request to change {changed}")
    elif step is Step.DELETE:
        yield Event(False, "Deleting", f"The cloud took the request to delete {story.item.rsplit('/', 1)[-1]}")
    elif step is Step.CASCADE and (next_ones := story.kin.next_children()):
        yield Event(False, "DeletingChildren", "Deleting first " + ", ".join(child.path for child in next_ones))


def _found(story: Story, status: Raw) -> Iterator[Event]:
    """A phase that changed, or a new cause of waiting or failure."""
    before, after = story.past.phase, str(status.get("phase") or "")
    ready = by_type(status.get("conditions")).get("Ready", {})
    was = story.past.condition("Ready")
    reason, message = str(ready.get("reason") or ""), str(ready.get("message") or "")
    if after == Phase.FAILED and (before != Phase.FAILED or was.get("reason") != reason):
        yield Event(True, reason or "Failed", message)
    elif before == Phase.FAILED and after != Phase.FAILED:
        yield Event(False, "Recovered", f"No longer failed: now {after}")
    elif after != before and after == Phase.ACTIVE:
        yield Event(False, "Active", f"Ready to use: {status.get('resourceID', '')}")
    elif after != before and after == Phase.DELETED:
        yield Event(False, "Deleted", "Gone from the cloud")
    elif was.get("reason") != reason and reason in CAUSES:
        yield Event(reason in WARNINGS, reason, message)


WARNINGS = frozenset(
    {
        "ChangeRefused",
        "DeleteRefused",
        "CredentialsUnavailable",
        "Forbidden",
        "ApiUnreachable",
        "CloudRefused",
        "Conflict",
    }
)
CAUSES = WARNINGS | {"WaitingForReferences", "DependencyNotReady", "DependencyFailed", "ChildrenExist", "InUse"}
