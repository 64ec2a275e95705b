"""Are the kinds there, and of this version? The CRDs are held against those that this version generates."""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple

from hooks.aruba.model.catalog import Catalog
from hooks.aruba.model.phases import VERSION
from hooks.cli.checks.finding import Finding, fail, ok, unseen, warn
from hooks.cli.cluster import DEFINITIONS, Cluster, at, meta
from hooks.kube.answers import Raw
from hooks.local.guard import SESSION
from hooks.manifests import crds
from hooks.meta.conditions import by_type
from hooks.meta.outcomes import Trouble

APPLY = "kubectl apply -k crds (of this version)"


class Definitions(NamedTuple):
    """The findings, and whether local mode made this cluster's kinds: there some parts are built in and not seen."""

    findings: list[Finding]
    local: bool


async def definitions(cluster: Cluster, catalog: Catalog) -> Definitions:
    """One line for all CRDs that are as they should be, one for each that is not."""
    wanted = crds(catalog)
    paths = [f"{DEFINITIONS}/customresourcedefinitions/{crd['metadata']['name']}" for crd in wanted]
    found = await asyncio.gather(*(cluster.get(path) for path in paths))
    if all(isinstance(live, Trouble) for live in found):
        return Definitions([unseen("CRDs", next(live for live in found if isinstance(live, Trouble)))], False)
    told = [_judge(crd, live) for crd, live in zip(wanted, found, strict=True)]
    faults = [finding for finding in told if finding is not None]
    local = any(isinstance(live, dict) and SESSION in (meta(live).get("annotations") or {}) for live in found)
    fine = len(wanted) - len(faults)
    count = f"{fine} of {len(wanted)}" if faults else f"all {len(wanted)}"
    good = [ok(f"CRDs: {count} established and of this version")] if fine else []
    return Definitions([*good, *faults], local)


def _judge(wanted: Raw, live: Raw | Trouble | None) -> Finding | None:
    name = wanted["metadata"]["name"]
    if live is None:
        return fail(f"CRD {name} is missing", APPLY)
    if isinstance(live, Trouble):
        return unseen(f"CRD {name}", live)
    if meta(live).get("deletionTimestamp"):
        return fail(f"CRD {name} is being deleted, and all its objects with it", f"wait until it is gone, then {APPLY}")
    conditions = by_type(at(live, "status", "conditions"))
    for condition in ("NamesAccepted", "Established"):
        if at(conditions, condition, "status") != "True":
            why = at(conditions, condition, "message") or "the API server has not said why"
            return fail(f"CRD {name} is not {condition}: {why}", f"kubectl describe crd {name}")
    return _compare(name, _version(wanted), _version(live))


def _compare(name: str, wanted: Raw, live: Raw) -> Finding | None:
    if not live.get("served"):
        return fail(f"CRD {name} does not serve {VERSION}", APPLY)
    for part in ("schema", "subresources"):
        place = difference(wanted.get(part), live.get(part), part)
        if place:
            return fail(f"CRD {name} differs from this version's at {place}", f"differs: {APPLY}")
    place = difference(wanted.get("additionalPrinterColumns"), live.get("additionalPrinterColumns"), "columns")
    return warn(f"CRD {name}: what kubectl get shows differs at {place}", f"differs: {APPLY}") if place else None


def _version(crd: Raw) -> Raw:
    versions = at(crd, "spec", "versions")
    found = (item for item in versions if at(item, "name") == VERSION) if isinstance(versions, list) else iter(())
    return next(found, {})


def difference(wanted: Any, live: Any, path: str = "") -> str:
    """Where two JSON values first differ, empty where they do not. An empty list or text is as good as none."""
    if isinstance(wanted, dict) and isinstance(live, dict):
        for name in sorted(wanted.keys() | live.keys()):
            place = difference(wanted.get(name), live.get(name), f"{path}.{name}".removeprefix("."))
            if place:
                return place
        return ""
    if isinstance(wanted, list) and isinstance(live, list) and len(wanted) == len(live):
        pairs = enumerate(zip(wanted, live, strict=True))
        return next((place for i, (one, other) in pairs if (place := difference(one, other, f"{path}[{i}]"))), "")
    same = wanted == live or (wanted in (None, [], "") and live in (None, [], ""))
    return "" if same else path or "the top"
