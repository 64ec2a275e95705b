"""The objects themselves: who needs a person, whose credentials are refused, and whom the Go operator still holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from hooks.aruba.model.catalog import Catalog
from hooks.aruba.model.phases import GROUP
from hooks.cli.checks.finding import Finding, fail, ok, unseen, warn
from hooks.cli.checks.workloads import Workload, go_operators
from hooks.cli.cluster import Cluster, at, meta, path_name
from hooks.meta.conditions import by_type
from hooks.meta.outcomes import Trouble

NAMED = 3


class Objects(NamedTuple):
    """The findings, those that carry the Go operator's finalizer, and how many there are of each kind that was seen."""

    findings: list[Finding]
    held: list[str]
    counts: Mapping[str, int]


async def objects(cluster: Cluster, catalog: Catalog) -> Objects:
    """How they are, and whom the Go operator still holds."""
    told: list[Finding] = []
    held, stalled, refused, counts = [], [], [], {}
    for kind, items in (await cluster.objects(catalog)).items():
        if isinstance(items, Trouble):
            told.append(unseen(f"{kind} objects", items))
        else:
            counts[kind] = len(items or ())
        finalizer = f"{catalog[kind].names.singular}.{GROUP}/finalizer"
        for item in items if isinstance(items, list) else ():
            name = f"{kind} {path_name(item)}"
            conditions = by_type(at(item, "status", "conditions"))
            held += [name] if finalizer in (meta(item).get("finalizers") or ()) else []
            stalled += [name] if at(conditions, "Stalled", "status") == "True" else []
            refused += [name] if at(conditions, "Ready", "reason") == "CredentialsUnavailable" else []
    told += _told(sum(counts.values()), stalled, refused)
    return Objects(told, held, counts)


def _told(count: int, stalled: list[str], refused: list[str]) -> list[Finding]:
    told = []
    if refused:
        fix = "check client-id, client-secret and realm-api; the objects' status.message has the words of the answer"
        told.append(fail(f"credentials are refused or missing for {_some(refused)}", fix))
    if stalled:
        told.append(warn(f"waiting for a person: {_some(stalled)}", "kubectl describe says what each needs"))
    return told or [ok(f"objects: {count}, none of them stalled")]


def go_operator(found: list[Workload] | Trouble | None, held: list[str], bases: Iterable[str]) -> list[Finding]:
    """Two operators on one object would both create and delete: only one may run."""
    told = []
    running = [w for w in go_operators(found) if w.wanted] if isinstance(found, list) else []
    for workload in running:
        what = f"the Go operator runs ({workload})"
        if any(bases):
            told.append(fail(f"{what} beside this one: both act on every object", workload.stopped))
        else:
            told.append(warn(what, f"before this operator is switched on: {workload.stopped}"))
    if held and not running:
        what = f"the Go operator's finalizer is on {_some(held)}"
        told.append(
            warn(what, "make sure that it is scaled to 0, wherever it runs, before this operator is switched on")
        )
    if not told and isinstance(found, list):
        return [ok("no Go operator runs")]
    return told or [unseen("a running Go operator", found if isinstance(found, Trouble) else None)]


def _some(names: list[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
