"""What is done in Kubernetes at the end: children are asked to go, what they inherit is written on them, and finalizers
of others that only we know of are taken off.
"""

from __future__ import annotations

from hooks.aruba.engine import notes
from hooks.aruba.engine.ports import Ports
from hooks.aruba.engine.story import Done, Outcome, Story
from hooks.aruba.engine.values import Wish
from hooks.meta.deadline import Deadline
from hooks.meta.outcomes import Patched, Trouble


async def cascade(story: Story, ports: Ports, deadline: Deadline) -> Outcome:
    """Ask Kubernetes to delete the children whose turn it is; each goes its own way from there."""
    inherited = await _inherit(story, ports, deadline)
    if inherited is not None:
        return inherited
    for child in story.kin.next_children():
        meta = child.raw["metadata"]
        outcome = await ports.kube.delete(
            child.kind.names.plural, meta["namespace"], meta["name"], meta["uid"], deadline
        )
        if isinstance(outcome, Trouble):
            return outcome
    return Done()


async def _inherit(story: Story, ports: Ports, deadline: Deadline) -> Outcome | None:
    """`orphan` goes down with the deletion: written on the children first, also on those that are on their way."""
    if story.wish is not Wish.ORPHAN or story.policies.deletion != "orphan":
        return None
    for child in story.kin.children:
        meta = child.raw["metadata"]
        if (meta.get("annotations") or {}).get(notes.DELETE_POLICY) == "orphan":
            continue
        outcome = await ports.kube.annotate(
            child.kind.names.plural,
            meta["namespace"],
            meta["name"],
            uid=meta["uid"],
            resource_version=meta["resourceVersion"],
            annotations={notes.DELETE_POLICY: "orphan"},
            labels={},
            deadline=deadline,
        )
        if not isinstance(outcome, Patched):
            return outcome
    return None


def leftover(story: Story) -> bool:
    """Whether the Go operator's finalizer would hold the object that is let go."""
    return notes.predecessor(story.kind.names.singular) in story.parent.metadata.finalizers


async def let_go(story: Story, ports: Ports, deadline: Deadline) -> Outcome:
    """The Go operator's finalizer leaves with ours."""
    meta, theirs = story.parent.metadata, notes.predecessor(story.kind.names.singular)
    outcome = await ports.kube.unfinalize(
        story.kind.names.plural,
        meta.namespace or "",
        meta.name,
        uid=meta.uid,
        resource_version=meta.resourceVersion,
        finalizers=[name for name in meta.finalizers if name != theirs],
        deadline=deadline,
    )
    return Done() if isinstance(outcome, Patched) else outcome
