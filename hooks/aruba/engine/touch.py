"""Calls to Kubernetes about the object of a pass itself: fenced annotations, and the read that shows a stale view."""

from __future__ import annotations

from hooks.aruba.engine.ports import Ports
from hooks.aruba.engine.story import Done, Otherwise, Outcome, Story
from hooks.aruba.engine.values import Raw, Target
from hooks.contract.requests import Parent
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


async def unless_stale(
    story: Story, ports: Ports, deadline: Deadline, whole: bool = False
) -> Stale | Trouble | Otherwise | None:
    """A live read, so that a view from before our own last answer does not repeat the call that it led to.

    `whole`: nothing of the object is taken from the call; nobody who can reach the hooks makes them act on one that
    Kubernetes does not have like this.
    """
    meta = story.parent.metadata
    raw = await ports.kube.read(story.kind.names.plural, meta.namespace or "", meta.name, deadline)
    if isinstance(raw, Trouble):
        return raw
    live = (raw or {}).get("metadata", {})
    if live.get("uid") != meta.uid or bool(live.get("deletionTimestamp")) != meta.deleting:
        return Stale("the live object is another one, or its deletion is seen otherwise")
    if live.get("resourceVersion") != meta.resourceVersion:
        return Stale("the object has changed since")
    return _unlike(raw or {}, story.parent) if whole else None


def _unlike(raw: Raw, parent: Parent) -> Stale | Otherwise | None:
    """At one resourceVersion there is one object; a body that says something else was not made from it. One that says
    more or less may have been read under another schema: what that prunes, or fills in, is in no stored object.
    """
    live = Parent.model_validate(raw)
    if live.metadata == parent.metadata:
        ours, theirs = (live.spec, live.status or {}), (parent.spec, parent.status or {})
        if ours == theirs:
            return None
        if _agree(ours, theirs):
            return Otherwise(raw)
    return Stale("the live object says something else than the call")


def _agree(one: object, other: object) -> bool:
    """Wherever both say something, they say the same."""
    if isinstance(one, dict) and isinstance(other, dict):
        return all(_agree(one[name], other[name]) for name in one.keys() & other.keys())
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(_agree, one, other))
    return one == other


async def unless_moved(story: Story, ports: Ports, deadline: Deadline) -> Stale | Trouble | None:
    """Live reads of what is referred to: its IDs go into a request, so they must be those that Kubernetes has."""
    for target in story.resolved.targets:
        if target.raw is None:
            continue
        raw = await ports.kube.read(story.catalog[target.kind].names.plural, target.namespace, target.name, deadline)
        if isinstance(raw, Trouble):
            return raw
        if raw is None or _said(target._replace(raw=raw)) != _said(target):
            return Stale(f"{target.kind} {target.path} has changed since")
    return None


def _said(target: Target) -> Raw:
    """All that a request takes from a referenced object: its IDs and those on its path, and its tenant."""
    ids = {name: value for name, value in target.status.items() if name.endswith("ID")}
    return {**ids, "uid": target.uid, "tenant": target.spec.get("tenant"), "deleting": target.deleting}
