"""The house on a real cluster: real API server, real time, the rights that the generated roles give and no others.

The scenario bodies of tests/scenarios/lives.py run in it unchanged. Metacontroller is our small one, or the real one
where METACONTROLLER names its binary and METACONTROLLER_CRDS the manifest of its definitions.
"""

from __future__ import annotations

import asyncio
import io
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from hooks import stack
from hooks.aruba.kinds import discover
from hooks.clock import SystemClock, unpredictable
from hooks.edge import Server
from hooks.http import AsyncClient
from hooks.local.metacontroller import Metacontroller
from hooks.manifests import composite_controllers, crds, hooks_rbac, metacontroller_rbac
from hooks.manifests.rbac import ACCOUNT, METACONTROLLER_ROLE, NAMESPACE
from hooks.settings import Settings
from hooks.simulator import FAST, Simulator
from hooks.telemetry import Telemetry
from hooks.telemetry.log import logger
from hooks.telemetry.metrics import Metrics
from tests.e2e.controlplane.cluster import Cluster, apply, documents
from tests.local.house import Outside
from tests.world.house import API, GROUP, PLURALS

Object = dict[str, Any]
BINARY, DEFINITIONS = os.environ.get("METACONTROLLER", ""), os.environ.get("METACONTROLLER_CRDS", "")
RBAC = "/apis/rbac.authorization.k8s.io/v1"
PATHS = {
    "Namespace": "/api/v1/namespaces",
    "ServiceAccount": "/api/v1/namespaces/{}/serviceaccounts",
    "CustomResourceDefinition": "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    "ClusterRole": f"{RBAC}/clusterroles",
    "ClusterRoleBinding": f"{RBAC}/clusterrolebindings",
    "CompositeController": "/apis/metacontroller.k8s.io/v1alpha1/compositecontrollers",
}
MC_NAMESPACE, MC_ACCOUNT = "metacontroller", "metacontroller"
FLAGS = ("--metrics-address=0", "--health-probe-bind-address=0", "--client-go-qps=100", "--client-go-burst=200")


class RealHouse(Outside):
    """One scenario's world on a shared cluster, which is empty of our objects before and after."""

    def __init__(self, cluster: Cluster, cloud: str, kube: AsyncClient) -> None:
        super().__init__(AsyncClient(base_url=cloud, timeout=30), kube, io.StringIO())
        self.cluster = cluster
        self.environ = {
            "ARUBA_API_GATEWAY": cloud,
            "ARUBA_KEYCLOAK_URL": f"{cloud}/auth",
            "ARUBA_CLIENT_ID": "aruba-local",
            "ARUBA_CLIENT_SECRET": "aruba-local-secret",
        }


@asynccontextmanager
async def real_house(cluster: Cluster, folder: Path) -> AsyncIterator[RealHouse]:
    """Everything running against the cluster; ended in order whatever happens inside."""
    async with AsyncExitStack() as opened:
        cloud = await _served(opened, Simulator(SystemClock(), timings=FAST).app)
        kube = await opened.enter_async_context(cluster.client())
        house = RealHouse(cluster, cloud, kube)
        opened.push_async_callback(house.cloud.aclose)
        await install(cluster, kube)
        hooks = await _hooks(opened, house)
        controllers = composite_controllers(discover(), base_url=hooks)
        account = await cluster.account(MC_NAMESPACE, MC_ACCOUNT)
        if BINARY:
            await _real(opened, house, controllers, account, folder)
        else:
            await _small(opened, cluster, controllers, account)
        try:
            yield house
        finally:
            await house.emptied()


async def install(cluster: Cluster, kube: AsyncClient) -> None:
    """What `kubectl apply -k metacontroller` brings, and Metacontroller's own account with our role and no other."""
    await apply(kube, PATHS["Namespace"], _named("Namespace", NAMESPACE, "v1"))
    await apply(kube, PATHS["Namespace"], _named("Namespace", MC_NAMESPACE, "v1"))
    account = _named("ServiceAccount", MC_ACCOUNT, "v1", MC_NAMESPACE)
    binding = {
        **_named("ClusterRoleBinding", MC_ACCOUNT, "rbac.authorization.k8s.io/v1"),
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": METACONTROLLER_ROLE},
        "subjects": [{"kind": "ServiceAccount", "name": MC_ACCOUNT, "namespace": MC_NAMESPACE}],
    }
    kinds = list(discover())
    for item in [*crds(kinds), *metacontroller_rbac(kinds), *hooks_rbac(kinds), account, binding]:
        await apply(kube, PATHS[item["kind"]].format(item["metadata"].get("namespace", "")), item)
    await _established(kube, [f"{plural}.{GROUP}" for plural in PLURALS.values()])
    for plural in PLURALS.values():
        await _served_now(kube, f"{API}/{plural}")


async def _established(kube: AsyncClient, names: list[str]) -> None:
    for name in names:
        for _ in range(200):
            found = (await kube.get(f"{PATHS['CustomResourceDefinition']}/{name}")).json()
            told = {c["type"]: c["status"] for c in found.get("status", {}).get("conditions", ())}
            assert told.get("NonStructuralSchema") != "True", found
            if told.get("Established") == "True":
                break
            await asyncio.sleep(0.1)
        else:
            raise AssertionError(f"{name} is not established")


async def _served_now(kube: AsyncClient, path: str) -> None:
    """A kind whose schema was changed is refused (429) for a moment, after it is said to be established."""
    for _ in range(300):
        answer = await kube.get(path)
        if answer.status_code == 200:
            return
        await asyncio.sleep(0.1)
    raise AssertionError(f"{path} is not served: {answer.text}")


async def _hooks(opened: AsyncExitStack, house: RealHouse) -> str:
    """The webhooks as their own service account, and nothing more."""
    settings = Settings.load({}, {}, house.environ).settings
    assert settings is not None
    account = await house.cluster.account(NAMESPACE, ACCOUNT)
    operator = stack.assemble(
        settings,
        kube=await opened.enter_async_context(house.cluster.client(account)),
        cloud=await opened.enter_async_context(stack.pool()),
        clock=house.clock,
        chance=unpredictable(),
        telemetry=Telemetry(logger(house.log, "info", house.clock.now), Metrics()),
    )
    house.operator = operator
    opened.push_async_callback(operator.gate.drain, 2.0)
    return await _served(opened, operator.app)


async def _small(opened: AsyncExitStack, cluster: Cluster, controllers: list[Object], account: Path) -> None:
    kube = await opened.enter_async_context(cluster.client(account))
    hooks = await opened.enter_async_context(AsyncClient(timeout=None))
    engine = Metacontroller(controllers, kube=kube, hooks=hooks, clock=SystemClock())
    running = asyncio.ensure_future(engine.run())

    async def ended() -> None:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    opened.push_async_callback(ended)
    await engine.started()
    if running.done():
        running.result()


async def _real(
    opened: AsyncExitStack, house: RealHouse, controllers: list[Object], account: Path, folder: Path
) -> None:
    theirs = _definitions()
    for item in theirs:
        await apply(house.kube, PATHS[item["kind"]], item)
    await _established(house.kube, [item["metadata"]["name"] for item in theirs])
    for item in controllers:
        await apply(house.kube, PATHS["CompositeController"], item)
    log = opened.enter_context((folder / "metacontroller.log").open("ab"))
    process = await asyncio.create_subprocess_exec(BINARY, f"--kubeconfig={account}", *FLAGS, stdout=log, stderr=log)

    async def ended() -> None:
        process.terminate()
        await process.wait()

    opened.push_async_callback(ended)


def _definitions() -> list[Object]:
    """Metacontroller's own definitions."""
    return documents(Path(DEFINITIONS).read_text())


async def _served(opened: AsyncExitStack, app: Any) -> str:
    server = Server(app)
    await server.start()
    opened.push_async_callback(server.stop)
    return server.url


def _named(kind: str, name: str, version: str, namespace: str = "") -> Object:
    metadata = {"name": name, "namespace": namespace} if namespace else {"name": name}
    return {"apiVersion": version, "kind": kind, "metadata": metadata}
