"""Who acts on objects of a kind, and would take one up again that was let go of. Asked by `release`."""

from __future__ import annotations

from typing import Any, NamedTuple

from hooks.aruba.model.kind import Kind
from hooks.aruba.model.phases import GROUP
from hooks.cli.checks.workloads import go_operators, workloads
from hooks.cli.cluster import CONTROLLERS, DEFINITIONS, Cluster, at, meta
from hooks.local.guard import SESSION
from hooks.meta.outcomes import Trouble


class Holder(NamedTuple):
    """Somebody who would take an object up again, and how to stop it."""

    name: str
    stop: str


async def holders(cluster: Cluster, kind: Kind) -> list[Holder]:
    """Who acts on objects of this kind, as far as can be seen; what cannot be seen counts as somebody."""
    return [*await _controllers(cluster, kind), *await _local(cluster, kind), *await _go(cluster)]


async def _controllers(cluster: Cluster, kind: Kind) -> list[Holder]:
    found = await cluster.items(f"{CONTROLLERS}/compositecontrollers")
    if isinstance(found, Trouble):
        unknown = f"a CompositeController that cannot be looked for ({found.text})"
        return [Holder(unknown, "make sure that there is none for this kind")]
    ours = [item for item in found or () if _is_for(kind, at(item, "spec", "parentResource"))]
    names = [str(meta(item).get("name", "")) for item in ours]
    return [Holder(f"CompositeController {name}", f"kubectl delete compositecontroller {name}") for name in names]


def _is_for(kind: Kind, parent: Any) -> bool:
    group = str(at(parent, "apiVersion") or "").partition("/")[0]
    return group == GROUP and at(parent, "resource") == kind.names.plural


async def _local(cluster: Cluster, kind: Kind) -> list[Holder]:
    """Local mode's own Metacontroller runs without any CompositeController that could be seen."""
    definition = await cluster.get(f"{DEFINITIONS}/customresourcedefinitions/{kind.names.plural}.{GROUP}")
    if not isinstance(definition, dict) or SESSION not in (meta(definition).get("annotations") or {}):
        return []
    return [Holder("local mode's own Metacontroller", "there only what is being deleted can be let go of")]


async def _go(cluster: Cluster) -> list[Holder]:
    found = await workloads(cluster)
    if isinstance(found, Trouble):
        return [Holder(f"a Go operator that cannot be looked for ({found.text})", "make sure that none runs")]
    running = [w for w in go_operators(found or []) if w.wanted]
    return [Holder(f"the Go operator ({w})", w.stopped) for w in running]
