"""Calls to Kubernetes about the object of a pass itself: fenced annotations, and the read that shows a stale view."""

from __future__ import annotations

from hooks.aruba.engine.ports import Ports
from hooks.aruba.engine.story import Done, Outcome, Story
from hooks.meta.deadline import Deadline
from hooks.meta.outcomes import Patched, Stale, Trouble


async def annotate(
    story: Story,
    ports: Ports,
    deadline: Deadline,
    annotations: dict[str, str | None],
    labels: dict[str, str | None],
    resource_version: str | None = None,
) -> Outcome:
    patched = await patch(story, ports, deadline, annotations, labels, resource_version)
    return Done() if isinstance(patched, Patched) else patched


async def patch(
    story: Story,
    ports: Ports,
    deadline: Deadline,
    annotations: dict[str, str | None],
    labels: dict[str, str | None],
    resource_version: str | None = None,
) -> Patched | Stale | Trouble:
    """Merge annotations and labels, fenced by UID and the version that the hook was shown (or a later reply's)."""
    meta = story.parent.metadata
    version = resource_version or meta.resourceVersion
    if not version:
        return Stale("the call names no resourceVersion, so nothing can be fenced")
    return await ports.kube.annotate(
        story.kind.names.plural,
        meta.namespace or "",
        meta.name,
        uid=meta.uid,
        resource_version=version,
        annotations=annotations,
        labels=labels,
        deadline=deadline,
    )


async def unless_stale(story: Story, ports: Ports, deadline: Deadline) -> Stale | Trouble | None:
    """A live read, so that a view from before our own last answer does not repeat the call that it led to."""
    meta = story.parent.metadata
    raw = await ports.kube.read(story.kind.names.plural, meta.namespace or "", meta.name, deadline)
    if isinstance(raw, Trouble):
        return raw
    live = (raw or {}).get("metadata", {})
    if live.get("uid") != meta.uid or bool(live.get("deletionTimestamp")) != meta.deleting:
        return Stale("the live object is another one, or its deletion is seen otherwise")
    return None if live.get("resourceVersion") == meta.resourceVersion else Stale("the object has changed since")
