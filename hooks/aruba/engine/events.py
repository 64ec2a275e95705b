"""An object's story as Events: what a pass did or found, told once. Pure; `reconcile` hands them to Kubernetes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from hooks.aruba.engine.story import Done, Outcome, Story
from hooks.aruba.engine.values import Cloud, Raw, Step, Wish
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
    foreign = story.situation.cloud is Cloud.FOREIGN
    if step is Step.LET_GO and (story.situation.wish in (Wish.RELEASE, Wish.ORPHAN) or foreign):
        kept = story.past.resource_id or "whatever was made for it"
        stays = "was asked to go before" if story.past.asked_to_delete else "stays in the cloud"
        yield Event(False, "Released", f"Let go of this object; {kept} {stays}")
    if not isinstance(outcome, Done):
        return
    if step is Step.CREATE:
        new = outcome.live.id if outcome.live is not None else ""
        yield Event(False, "Created", f"The cloud took the request to create this {name}{f': {new}' if new else ''}")
    elif step is Step.ADOPT and not outcome.rival and story.observed.live is not None:
        yield Event(False, "Adopted", f"Stands for {story.observed.live.id} from now on; nothing was sent to the cloud")
    elif step is Step.CHANGE:
        changed = ", ".join(f"spec.{name}" for name in story.comparison.calls[0].fields)
        if story.drifted(story.comparison):
            yield Event(True, "DriftCorrected", f"{changed} was changed in the cloud by somebody else; putting it back")
        else:
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
    elif reason in CAUSES and (was.get("reason") != reason or (reason in WORDED and was.get("message") != message)):
        yield Event(reason in WARNINGS, reason, message)
    elif before == Phase.FAILED and after != Phase.FAILED:
        yield Event(False, "Recovered", f"No longer failed: now {after}")
    elif after != before and after == Phase.ACTIVE and before == Phase.UPDATING:
        yield Event(False, "Updated", "The cloud has it as the spec asks")
    elif after != before and after == Phase.ACTIVE:
        yield Event(False, "Active", f"Ready to use: {status.get('resourceID', '')}")
    elif after != before and after == Phase.DELETED:
        yield Event(False, "Deleted", "Gone from the cloud")
    elif reason == "Available" and message and was.get("message") != message:
        yield Event(True, "Noticed", message)


WARNINGS = frozenset(
    {
        "ChangeRefused",
        "DeleteRefused",
        "DeletionBlocked",
        "CredentialsUnavailable",
        "Forbidden",
        "ApiUnreachable",
        "CloudRefused",
        "Conflict",
        "Drifted",
        "AccountOrBilling",
        "TenantUnreadable",
        "SnapshotsExist",
    }
)
CAUSES = WARNINGS | {
    "WaitingForReferences",
    "DependencyNotReady",
    "DependencyFailed",
    "DependencyInUse",
    "ChildrenExist",
    "InUse",
}
WORDED = frozenset({"ChangeRefused", "Drifted"})
"""Causes that are another one when their words are."""
