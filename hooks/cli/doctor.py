"""`doctor`: looks at an installation from outside and says, one line a check, what is wrong and how to mend it.

It reads only, and goes on as far as it can: what it may not see is a warning, not a failure.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import AsyncIterator
from typing import NamedTuple

from hooks.aruba.kinds import discover
from hooks.aruba.model.catalog import Catalog
from hooks.cli.checks import Finding, fail, ok, unseen, warn
from hooks.cli.checks.config import config
from hooks.cli.checks.controllers import Controllers, controllers
from hooks.cli.checks.definitions import definitions
from hooks.cli.checks.finding import Level
from hooks.cli.checks.metacontroller import metacontroller
from hooks.cli.checks.objects import Objects, go_operator, objects
from hooks.cli.checks.pace import Load, pace
from hooks.cli.checks.rights import needed, rights
from hooks.cli.checks.serving import Serving, serving
from hooks.cli.checks.workloads import Workload, workloads
from hooks.cli.cluster import OURS, Cluster, add_kubeconfig, with_cluster
from hooks.http import AsyncClient
from hooks.kube.wire import path_of
from hooks.manifests import hooks_rbac, metacontroller_rbac
from hooks.manifests.rbac import ACCOUNT, NAMESPACE
from hooks.meta.outcomes import Trouble

APPLY_RIGHTS = "kubectl apply -k metacontroller (of this version)"


class Place(NamedTuple):
    """Who serves the hooks, and where."""

    served: list[Serving]
    namespace: str

    @property
    def workload(self) -> Workload | None:
        return next((served.workload for served in self.served if served.workload is not None), None)

    @property
    def peers(self) -> dict[str, str]:
        return {name: state for served in self.served for name, state in served.peers.items()}


def add_arguments(parser: ArgumentParser) -> None:
    add_kubeconfig(parser)
    parser.add_argument(
        "-n", "--namespace", default="", help=f"the operator's own (default: that of the hook URLs, else {NAMESPACE})"
    )


def run(args: Namespace) -> int:
    """0 when no check failed, 1 when one did, 2 for a bad call or without a usable kubeconfig."""

    async def work(cluster: Cluster) -> int:
        failed = False
        async with AsyncClient(timeout=10.0) as direct:
            async for finding in examine(cluster, direct, discover(), args.namespace):
                print(finding, flush=True)
                failed = failed or finding.level is Level.FAIL
        return int(failed)

    try:
        path_of(OURS, "projects", args.namespace)
    except ValueError:
        print(f"doctor: --namespace {args.namespace!r} cannot be the name of a namespace", file=sys.stderr)
        return 2
    return with_cluster("doctor", args.kubeconfig, work)


async def examine(
    cluster: Cluster, direct: AsyncClient, catalog: Catalog, namespace: str = ""
) -> AsyncIterator[Finding]:
    """Every check in turn, from the ground up. `direct` asks whatever is no part of the cluster's API."""
    version = await cluster.get("/version")
    yield _version(cluster, version)
    if not isinstance(version, dict):
        return
    kinds = await definitions(cluster, catalog)
    called = await controllers(cluster, catalog, kinds.local)
    for finding in (*kinds.findings, *called.findings):
        yield finding
    found = await workloads(cluster)
    told, engine = metacontroller(found)
    running = found if isinstance(found, list) else []
    place = _place([await serving(cluster, direct, base, running) for base in called.bases], namespace)
    for finding in (*told, *_served(place)):
        yield finding
    for finding in await _rights(cluster, catalog, place, engine):
        yield finding
    for finding in await config(cluster, direct, place.namespace, place.workload, place.peers):
        yield finding
    seen = await objects(cluster, catalog)
    for finding in (*go_operator(found, seen.held, called.bases), *seen.findings, *_paced(engine, called, seen)):
        yield finding


def _version(cluster: Cluster, version: dict[str, object] | Trouble | None) -> Finding:
    if isinstance(version, dict):
        return ok(f"the Kubernetes API answers: {version.get('gitVersion', 'of unknown version')} at {cluster.server}")
    why = "there is no Kubernetes API at this address" if version is None else version.text
    return fail(f"{cluster.server}: {why}", "is this the right cluster, is it up, are its credentials still good?")


def _place(served: list[Serving], namespace: str) -> Place:
    services = [one.service for one in served if one.service is not None]
    return Place(served, namespace or (services[0].namespace if services else NAMESPACE))


def _served(place: Place) -> list[Finding]:
    told = [finding for served in place.served for finding in served.findings]
    return told or [warn("hooks: not checked, no CompositeController says where they are", "see above")]


def _paced(engine: Workload | None, called: Controllers, seen: Objects) -> list[Finding]:
    """Where Metacontroller was found; kinds that nobody may look at count for nothing."""
    if engine is None:
        return []
    return pace(engine, {kind: Load(count, called.periods.get(kind)) for kind, count in seen.counts.items()})


async def _rights(cluster: Cluster, catalog: Catalog, place: Place, engine: Workload | None) -> list[Finding]:
    """The hooks' rights, and Metacontroller's where it was found."""
    ours = place.workload
    account = (ours.namespace, ours.account) if ours is not None else (place.namespace, ACCOUNT)
    if any(served.service is None for served in place.served):
        return [unseen("rights of the hooks", Trouble("they run outside the cluster"))]
    told = await rights(cluster, "the hooks", account, needed(hooks_rbac(catalog)), APPLY_RIGHTS)
    if engine is not None:
        whose = (engine.namespace, engine.account)
        wanted = needed(metacontroller_rbac(catalog))
        told += await rights(cluster, "Metacontroller", whose, wanted, "bind the ClusterRole of metacontroller/ to it")
    return told
