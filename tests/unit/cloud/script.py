"""A cloud and a token endpoint that answer as a test scripts them, reached over the loopback network."""

from __future__ import annotations

import asyncio
import base64
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, unquote_plus

from hooks.aruba.cloud.client import Cloud, Limits
from hooks.aruba.cloud.session import Origin
from hooks.aruba.credentials.credential import Credential
from hooks.aruba.credentials.direct import Direct
from hooks.aruba.model.wire import Call
from hooks.clock import seeded
from hooks.http import AsyncClient
from hooks.meta.deadline import Deadline
from tests.world.loopback import Loopback
from tests.world.time import LoopClock

P1 = "/projects/p1"
VPCS = f"{P1}/providers/Aruba.Network/vpcs"
PROBLEM = {"content-type": "application/problem+json"}
HTML = {"content-type": "text/html; charset=utf-8"}
NOT_FOUND = {"title": "Not Found", "status": 404, "traceId": "00-4bf9-00f0-00"}
CREATE = Call("POST", VPCS, {"metadata": {"name": "main"}})


@dataclass
class Asked:
    """A request as it arrived."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes

    @property
    def bearer(self) -> str:
        return self.headers.get("authorization", "").removeprefix("Bearer ")


@dataclass
class Reply:
    """What to answer. `cut`: break the connection instead (`head`), or in the middle of the body (`body`)."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=lambda: {"content-type": "application/json"})
    delay: float = 0.0
    cut: str = ""

    @property
    def content(self) -> bytes:
        if isinstance(self.body, bytes):
            return self.body
        return b"" if self.body is None else json.dumps(self.body).encode()


Handler = Callable[[Asked], Reply]


class App:
    """An ASGI app over one handler, which may be exchanged at any time; remembers what was asked."""

    def __init__(self, handler: Handler) -> None:
        self.handler = handler
        self.asked: list[Asked] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        body = (await receive())["body"]
        query = {name: values[0] for name, values in parse_qs(scope["query_string"].decode()).items()}
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        asked = Asked(scope["method"], scope["path"], query, headers, body)
        self.asked.append(asked)
        reply = self.handler(asked)
        await asyncio.sleep(reply.delay)
        if reply.cut == "head":
            raise ConnectionResetError
        head = [(name.encode(), value.encode()) for name, value in reply.headers.items()]
        await send({"type": "http.response.start", "status": reply.status, "headers": head})
        if reply.cut == "body":
            await send({"type": "http.response.body", "body": reply.content[:5], "more_body": True})
            await asyncio.sleep(3600)
        await send({"type": "http.response.body", "body": reply.content})

    def count(self, method: str = "", path: str = "") -> int:
        return sum(method in ("", one.method) and path in ("", one.path) for one in self.asked)


class Keycloak:
    """Gives `token-1`, `token-2`, … to the clients it knows, in the body's way or the header's."""

    def __init__(self) -> None:
        self.clients = {"id-1": "secret-1"}
        self.accepts = {"body", "basic"}
        self.expires_in: Any = 3600
        self.delay = 0.0
        self.override: Reply | None = None
        self.owner: dict[str, str] = {}
        self.tried: Counter[str] = Counter()

    def __call__(self, asked: Asked) -> Reply:
        if self.override is not None:
            return self.override
        way, client, secret = _client(asked)
        self.tried[way] += 1
        if way not in self.accepts or self.clients.get(client) != secret:
            text = f"Invalid client or Invalid client credentials {secret}"
            return Reply(401, {"error": "invalid_client", "error_description": text}, delay=self.delay)
        token = f"token-{len(self.owner) + 1}"
        self.owner[token] = client
        body = {"access_token": token, "token_type": "Bearer"}
        told = {} if self.expires_in is None else {"expires_in": self.expires_in}
        return Reply(200, body | told, delay=self.delay)


def _client(asked: Asked) -> tuple[str, str, str]:
    header = asked.headers.get("authorization", "")
    if header.startswith("Basic "):
        client, _, secret = base64.b64decode(header[6:]).decode().partition(":")
        return "basic", unquote_plus(client), unquote_plus(secret)
    form = {name: values[0] for name, values in parse_qs(asked.body.decode()).items()}
    return "body", form.get("client_id", ""), form.get("client_secret", "")


class Jumpy(LoopClock):
    """A clock whose `now` is put right (or wrong) by `off`; its monotonic seconds know nothing of it."""

    off = timedelta()

    def now(self) -> datetime:
        return super().now() + self.off


class World:
    """Both servers, the network between, and a `Cloud` that talks to them."""

    def __init__(self, handler: Handler | None = None, *, rate: float = 1000.0, page: int = 100, flight: int = 50):
        self.clock = Jumpy()
        self.api = App(handler or (lambda asked: Reply(200, {})))
        self.keycloak = Keycloak()
        self.login = App(self.keycloak)
        self.net = Loopback({"cloud": self.api, "login": self.login})
        self.http = AsyncClient(transport=self.net)
        self.pair = ("id-1", "secret-1")
        self.observed: list[tuple[str, str, int, float]] = []
        self.limits = Limits(rate, flight, page)
        self.cloud = self.made(Direct(lambda: self.pair))

    def origin(self) -> Origin:
        return Origin("http://cloud/", "http://login/token")

    def made(self, credentials: Any) -> Cloud:
        seen = self.observed
        return Cloud(
            self.origin,
            credentials,
            self.http,
            self.clock,
            seeded(1),
            self.limits,
            observe=lambda *told: seen.append(told),
        )

    def deadline(self, seconds: float = 8.0) -> Deadline:
        return Deadline(self.clock.monotonic() + seconds)

    def ago(self, seconds: float = 0.0) -> datetime:
        return self.clock.now() - timedelta(seconds=seconds)

    async def send(self, call: Call = CREATE, seconds: float = 8.0, leave_within: float | None = None) -> Any:
        leave_by = None if leave_within is None else self.clock.monotonic() + leave_within
        return await self.cloud.send("t", call, self.deadline(seconds), leave_by)

    async def listing(self, since: datetime, *, proof: bool = False, path: str = VPCS, seconds: float = 8.0) -> Any:
        return await self.cloud.listing("t", path, since, self.deadline(seconds), proof=proof)

    async def item(self, name: str, since: datetime, *, proof: bool = False, path: str = VPCS) -> Any:
        return await self.cloud.item("t", path, name, since, self.deadline(), proof=proof)


class ByTenant:
    """A source that knows tenants; `same` tenants share a credential."""

    def __init__(self, pairs: dict[str, tuple[str, str]]) -> None:
        self.pairs = pairs

    async def credential(self, tenant: str) -> Credential:
        return Credential(*self.pairs[tenant])


def row(name: str, **more: Any) -> dict[str, Any]:
    return {"metadata": {"id": name, "name": f"name-{name}"}, "status": {"state": "Active"}, **more}


def shelf(ids: list[str], **more: Any) -> Handler:
    """A collection of VPCs (and its project) that pages honestly."""

    def answer(asked: Asked) -> Reply:
        if asked.path == VPCS:
            start, size = int(asked.query["offset"]), int(asked.query["limit"])
            page = [row(name) for name in ids[start : start + size]]
            return Reply(200, {"total": len(ids), "values": page, **more})
        name = asked.path.rsplit("/", 1)[-1]
        if name in ids or asked.path == P1:
            return Reply(200, row(name))
        return Reply(404, NOT_FOUND, PROBLEM)

    return answer
