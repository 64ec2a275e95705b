"""The whole house in one process and in virtual time: simulator, Kubernetes API, Metacontroller and the hooks.

Every part is the product's own, joined by the loopback network instead of sockets. A scenario applies objects, waits in
virtual time and reads what the world has become.
"""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from hooks import stack
from hooks.aruba.kinds import discover
from hooks.clock import seeded
from hooks.http import AsyncClient
from hooks.local.kubernetes import KubernetesApi
from hooks.local.metacontroller import Delivery, Metacontroller
from hooks.manifests import composite_controllers, crds
from hooks.settings import Settings
from hooks.simulator import ADMIN, FAST, Simulator, Timings, token_path
from hooks.stack.sources import VaultPort
from hooks.telemetry import Telemetry
from hooks.telemetry.log import logger
from hooks.telemetry.metrics import Metrics
from tests.world.loopback import Loopback
from tests.world.time import LoopClock

CLOUD, KUBE, HOOKS = "cloud.test", "kube.test", "hooks.test"
BEHIND = "behind.cloud.test"
"""The simulated cloud for the test's own eyes: it stays when `CLOUD` is cut."""
GROUP = "arubacloud.com"
API = f"/apis/{GROUP}/v1alpha1"
PLURALS = {kind.names.kind: kind.names.plural for kind in discover()}
Object = dict[str, Any]


class House:
    """One world. `net` is the seam for faults: hosts can be cut and brought back."""

    def __init__(
        self,
        timings: Timings = FAST,
        seed: int = 0,
        environ: Mapping[str, str] | None = None,
        delivery: Delivery | None = None,
        vault: Any = None,
    ) -> None:
        self.clock = LoopClock()
        self.vault = vault
        self.seed = seed
        self.simulator = Simulator(self.clock, seed=seed, timings=timings)
        self.kubernetes = KubernetesApi(self.clock, seeded(seed))
        self.net = Loopback({CLOUD: self.simulator.app, BEHIND: self.simulator.app, KUBE: self.kubernetes.app})
        self.kube = AsyncClient(transport=self.net, base_url=f"http://{KUBE}", timeout=30)
        self.cloud = AsyncClient(transport=self.net, base_url=f"http://{BEHIND}", timeout=30)
        self.log = io.StringIO()
        self.environ = {
            "ARUBA_API_GATEWAY": f"http://{CLOUD}",
            "ARUBA_KEYCLOAK_URL": f"http://{CLOUD}/auth",
            "ARUBA_CLIENT_ID": "aruba-local",
            "ARUBA_CLIENT_SECRET": "aruba-local-secret",
            **(environ or {}),
        }
        self._delivery = delivery
        self.operator = self.start_hooks()
        self.metacontroller = self.new_metacontroller()

    def start_hooks(self, host: str = HOOKS) -> stack.Operator:
        """A replica of the webhooks, new in every way, under a host name."""
        settings = Settings.load({}, {}, self.environ).settings
        assert settings is not None
        telemetry = Telemetry(logger(self.log, settings.log_level, self.clock.now), Metrics())
        operator = stack.assemble(
            settings,
            kube=AsyncClient(transport=self.net, base_url=f"http://{KUBE}"),
            cloud=AsyncClient(transport=self.net),
            clock=self.clock,
            chance=seeded(self.seed),
            telemetry=telemetry,
            vault=VaultPort(self.vault, _at_once) if self.vault is not None else None,
        )
        self.net.hosts[host] = operator.app
        return operator

    def new_metacontroller(self) -> Metacontroller:
        return Metacontroller(
            composite_controllers(discover(), base_url=f"http://{HOOKS}"),
            kube=AsyncClient(transport=self.net, base_url=f"http://{KUBE}", timeout=30),
            hooks=AsyncClient(transport=self.net, timeout=None),
            clock=self.clock,
            delivery=self._delivery,
        )

    async def prepare(self) -> None:
        """CRDs in, before Metacontroller starts."""
        for crd in _crds():
            answer = await self.kube.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", json=crd)
            assert answer.status_code == 201, answer.text

    # what a user does

    async def apply(self, *objects: Object) -> None:
        """Create the objects, in the order given; raises when one is refused."""
        for item in objects:
            await self.namespace(item["metadata"].setdefault("namespace", "default"))
            answer = await self.kube.post(_path(item["kind"], item["metadata"]["namespace"]), json=item)
            assert answer.status_code == 201, answer.text

    async def namespace(self, name: str) -> None:
        if (await self.kube.get(f"/api/v1/namespaces/{name}")).status_code == 404:
            body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
            answer = await self.kube.post("/api/v1/namespaces", json=body)
            assert answer.status_code == 201, answer.text

    async def get(self, kind: str, name: str, namespace: str = "default") -> Object | None:
        answer = await self.kube.get(f"{_path(kind, namespace)}/{name}")
        return answer.json() if answer.status_code == 200 else None

    async def status(self, kind: str, name: str, namespace: str = "default") -> Object:
        return ((await self.get(kind, name, namespace)) or {}).get("status", {})

    async def list(self, kind: str) -> list[Object]:
        return (await self.kube.get(f"{API}/{PLURALS[kind]}")).json()["items"]

    async def patch(self, kind: str, name: str, patch: Object, namespace: str = "default") -> Object:
        headers = {"Content-Type": "application/merge-patch+json"}
        answer = await self.kube.patch(f"{_path(kind, namespace)}/{name}", json=patch, headers=headers)
        assert answer.status_code == 200, answer.text
        return answer.json()

    @staticmethod
    def path(item: Object) -> str:
        """Where the objects of its kind in its namespace are."""
        return _path(item["kind"], item["metadata"].get("namespace", "default"))

    async def replace(self, item: Object) -> int:
        """`kubectl replace` with the user's own manifest, metadata and all; the HTTP status that it met with."""
        url = f"{self.path(item)}/{item['metadata']['name']}"
        live = await self.kube.get(url)
        if live.status_code != 200:
            return live.status_code
        version = {"resourceVersion": live.json()["metadata"]["resourceVersion"]}
        return (await self.kube.put(url, json={**item, "metadata": {**item["metadata"], **version}})).status_code

    async def delete(self, kind: str, name: str, namespace: str = "default") -> None:
        answer = await self.kube.delete(f"{_path(kind, namespace)}/{name}")
        assert answer.status_code in (200, 202), answer.text

    # what the world shows

    async def until(self, condition: Callable[[], Any], within: float = 120.0, every: float = 0.25) -> float:
        """Wait in virtual time until an async condition holds; seconds it took. Fails after `within`."""
        began = self.clock.monotonic()
        while not await condition():
            if self.clock.monotonic() - began > within:
                raise AssertionError(f"not within {within} s:\n{await self.told()}")
            await asyncio.sleep(every)
        return self.clock.monotonic() - began

    async def all_active(self) -> bool:
        return all(o.get("status", {}).get("phase") == "Active" for o in await self.objects())

    async def all_gone(self) -> bool:
        return not await self.objects()

    async def objects(self) -> list[Object]:
        """Everything of ours, straight from the store: what a scenario polls should cost next to nothing."""
        store = self.kubernetes._store
        return [item for plural in PLURALS.values() for item in store.objects(f"{plural}.{GROUP}")]

    async def told(self) -> str:
        """Every object's phase and message, for a failing test."""
        lines = []
        for item in await self.objects():
            status = item.get("status", {})
            name = f"{item['kind']} {item['metadata']['namespace']}/{item['metadata']['name']}"
            lines.append(f"{name}: {status.get('phase')} {status.get('resourceID', '')} {status.get('message', '')}")
        calls = await self.calls()
        lines += [f"{c['n']} {c['method']} {c['path']} {c['status']}" for c in calls[-15:]]
        return "\n".join(lines) + "\n" + self.log.getvalue()[-3000:]

    async def calls(self, since: int = 0, method: str = "", path: str = "") -> list[Object]:
        """Calls to the cloud API, token calls left out."""
        rows = (await self.cloud.get(f"{ADMIN}/calls", params={"since": since})).json()
        return [
            row
            for row in rows
            if row["path"] != token_path() and (not method or row["method"] == method) and path in row["path"]
        ]

    async def writes(self, since: int = 0) -> list[Object]:
        return [row for row in await self.calls(since) if row["method"] != "GET"]

    async def resources(self, kind: str = "", everything: bool = False) -> list[Object]:
        params = {"all": "1"} if everything else {}
        rows = (await self.cloud.get(f"{ADMIN}/state", params=params)).json()["resources"]
        return [row for row in rows if not kind or row["kind"] == kind]

    async def admin(self, method: str, path: str, body: Any = None) -> Any:
        answer = await self.cloud.request(method, f"{ADMIN}/{path}", json=body)
        assert answer.status_code < 300, answer.text
        return answer.json() if answer.content else None

    async def faults(self, *faults: Object) -> None:
        await self.admin("POST", "faults", list(faults))

    async def quirks(self, **quirks: Any) -> None:
        await self.admin("POST", "quirks", quirks)

    async def events(self) -> list[Object]:
        return (await self.kube.get("/api/v1/events")).json()["items"]


async def _at_once(look: Callable[[str], Any], tenant: str) -> Any:
    """In place of worker threads, whose time is not that of the house."""
    return look(tenant)


_CRDS: dict[tuple[str, ...], list[Object]] = {}


def _crds() -> list[Object]:
    """Generated once for the kinds that there are: every house starts with them."""
    kinds = discover()
    names = tuple(kind.names.kind for kind in kinds)
    if names not in _CRDS:
        _CRDS[names] = crds(kinds)
    return _CRDS[names]


def _path(kind: str, namespace: str) -> str:
    return f"{API}/namespaces/{namespace}/{PLURALS[kind]}"


@asynccontextmanager
async def living(**options: Any) -> AsyncIterator[House]:
    """A house with everything running; ended in order whatever happens inside."""
    house = House(**options)
    await house.prepare()
    running = asyncio.ensure_future(house.metacontroller.run())
    try:
        async with asyncio.timeout(300):
            await house.metacontroller.started()
        yield house
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await house.kubernetes.aclose()
        house.operator.gate.cut_off()
        await asyncio.sleep(0)
