"""A client of the simulated cloud, for tests that look at the cloud itself."""

from __future__ import annotations

import asyncio
from typing import Any

from hooks.http import AsyncClient, Response
from hooks.simulator import ADMIN, FAST, Simulator, Timings, token_path
from tests.world.loopback import Loopback
from tests.world.time import LoopClock

PLACE = {"location": {"value": "ITBG-Bergamo"}}
NOBODY = "f" * 24
DISK = {"sizeGb": 50, "billingPeriod": "Hour", "dataCenter": "ITBG-1"}
BOOT = DISK | {"bootable": True, "image": "LU24-001"}


class Session:
    """Speaks to a cloud of its own and remembers every answer. Nothing settles before it waits."""

    def __init__(self, timings: Timings = FAST, **options: Any) -> None:
        clients = {"one": "secret-1", "two": "secret-2"}
        self.simulator = Simulator(LoopClock(), timings=timings, clients=clients, **options)
        self.client = AsyncClient(transport=Loopback({"cloud": self.simulator.app}), base_url="http://cloud")
        self.seen: list[Response] = []

    async def login(self, client: str, secret: str) -> None:
        form = {"grant_type": "client_credentials", "client_id": client, "client_secret": secret}
        answer = await self.client.post(token_path(), data=form)
        self.client.headers["authorization"] = f"Bearer {answer.json()['access_token']}"

    async def call(self, method: str, path: str, body: Any = None, **query: Any) -> Response:
        params = {name.replace("_", "-"): value for name, value in query.items()}
        answer = await self.client.request(method, path, json=body, params=params or None)
        self.seen.append(answer)
        return answer

    async def get(self, path: str, **query: Any) -> Any:
        """The body of a 200."""
        answer = await self.call("GET", path, **query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def make(self, path: str, name: str, properties: dict[str, Any], placed: bool = True, **query: Any) -> str:
        """Create, settle, and give the URI."""
        body = {"metadata": {"name": name, "tags": ["demo-tag"], **(PLACE if placed else {})}, "properties": properties}
        answer = await self.call("POST", path, body, **query)
        assert answer.status_code == 201, answer.text
        await asyncio.sleep(1)
        return str(answer.json()["metadata"].get("uri") or f"/projects/{answer.json()['metadata']['id']}")

    async def admin(self, method: str, path: str, body: Any = None) -> Any:
        answer = await self.client.request(method, ADMIN + path, json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()


async def opened(timings: Timings = FAST, **options: Any) -> Session:
    """A session that is logged in as client `one`."""
    session = Session(timings, **options)
    await session.login("one", "secret-1")
    return session


class Site:
    """The URIs of a furnished project."""

    def __init__(self, session: Session, project: str) -> None:
        self.session = session
        self.project = project
        self.network = f"{project}/providers/Aruba.Network"
        self.compute = f"{project}/providers/Aruba.Compute"
        self.storage = f"{project}/providers/Aruba.Storage"
        self.made: dict[str, str] = {}

    def __getitem__(self, name: str) -> str:
        return self.made[name]

    def ref(self, name: str) -> dict[str, str]:
        return {"uri": self.made[name]}

    def server(self, **changes: Any) -> dict[str, Any]:
        """A server's properties that the cloud accepts."""
        return {
            "dataCenter": "ITBG-1",
            "flavorName": "CSO2A4",
            "vpc": self.ref("vpc"),
            "bootVolume": self.ref("boot"),
            "keyPair": self.ref("key"),
            "elasticIp": self.ref("ip"),
            "subnets": [self.ref("subnet")],
            "securityGroups": [self.ref("group")],
            **changes,
        }


async def furnished(session: Session) -> Site:
    """Everything a server needs, and a data volume, settled."""
    site = Site(session, await session.make("/projects", "demo", {}, placed=False))
    make, made = session.make, site.made
    made["vpc"] = await make(f"{site.network}/vpcs", "main", {"default": False})
    subnet = {"type": "Advanced", "network": {"address": "10.0.1.0/24"}, "dhcp": {"enabled": True}}
    made["subnet"] = await make(f"{made['vpc']}/subnets", "front", subnet, placed=False)
    made["group"] = await make(f"{made['vpc']}/securityGroups", "web-group", {}, placed=False)
    made["ip"] = await make(f"{site.network}/elasticIps", "face", {})
    made["key"] = await make(f"{site.compute}/keyPairs", "key-1", {"value": "ssh-ed25519 AAAA me"})
    made["boot"] = await make(f"{site.storage}/blockStorages", "boot", BOOT)
    made["data"] = await make(f"{site.storage}/blockStorages", "data", DISK)
    return site


async def with_server(session: Session) -> Site:
    site = await furnished(session)
    site.made["server"] = await session.make(f"{site.compute}/cloudServers", "web-1", site.server(), api_version="1.1")
    return site
