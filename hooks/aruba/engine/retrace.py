"""At the end references are not shown any more: what is still needed of them is read live. Called by `reconcile`."""

from __future__ import annotations

from dataclasses import replace

from hooks.aruba.engine.ports import KubePort
from hooks.aruba.engine.story import Known
from hooks.aruba.engine.values import Raw, Wish
from hooks.aruba.model.fields import FieldSpec
from hooks.meta.deadline import Deadline


async def retraced(known: Known, kube: KubePort, deadline: Deadline) -> Known:
    """Where the resource is, if status was lost, and whose it is, if that was never recorded, of what may be there."""
    attempted = known.past.announced or known.past.resource_id
    if known.wish is not Wish.DELETE or not attempted:
        return known
    if known.path is None:
        known = replace(known, path=await _path(known, kube, deadline))
    if known.policy.vault and not known.policy.allowing and not known.tenant:
        known = replace(known, tenant=await _tenant(known, kube, deadline))
    return known


async def _path(known: Known, kube: KubePort, deadline: Deadline) -> str | None:
    found: dict[str, str] = {}
    for name in known.kind.collection.placeholders:
        raw = await _referred(known, known.kind.parent_field(name), kube, deadline)
        if raw is None:
            return None
        found[name] = str((raw.get("status") or {}).get("resourceID") or "")
    try:
        return known.kind.collection.at(found)
    except ValueError:
        return None


async def _tenant(known: Known, kube: KubePort, deadline: Deadline) -> str:
    """Its Project's, which may have been named since."""
    for field in known.kind.references:
        if field.to is not None and known.catalog[field.to.kind].owner is None:
            raw = await _referred(known, field, kube, deadline)
            return str(((raw or {}).get("spec") or {}).get("tenant") or "")
    return ""


async def _referred(known: Known, field: FieldSpec, kube: KubePort, deadline: Deadline) -> Raw | None:
    """The object that a reference names, None where there is none or it cannot be read."""
    ref = known.parent.spec.get(field.name)
    if field.to is None or not isinstance(ref, dict):
        return None
    plural = known.catalog[field.to.kind].names.plural
    raw = await kube.read(plural, str(ref.get("namespace")), str(ref.get("name")), deadline)
    return raw if isinstance(raw, dict) else None
