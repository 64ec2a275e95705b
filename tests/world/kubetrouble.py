"""A Kubernetes API in trouble: an ASGI app before the house's own, which counts what it is asked and mishandles it.

`Front.trouble` is what happens to every request while it is set. The test's own eyes stay clear: they look at the API
behind it. Hooks and Metacontroller share the front, as they share an API server.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple
from urllib.parse import parse_qs

from hooks.http import AsyncClient
from tests.world.house import KUBE, House
from tests.world.loopback import App

BEHIND_KUBE, OF_HOOKS = "behind.kube.test", "kube-of-hooks.test"
Scope = dict[str, Any]
Trouble = Callable[[App, Scope, Any, Any], Awaitable[None]]
WRITES, READS = frozenset({"POST", "PUT", "PATCH", "DELETE"}), frozenset({"GET"})
LATENCY = 1 / 256
"""Seconds of each request, so that asking without a pause at least takes time."""


class Asked(NamedTuple):
    """One request, at the house's time in seconds."""

    at: float
    method: str
    path: str
    watch: bool
    further: bool

    @property
    def name(self) -> str:
        """Of the object that it is about, empty for a collection."""
        _, _, place = self.path.partition("/namespaces/")
        return place.split("/")[2] if place.count("/") >= 2 else ""


class LostError(Exception):
    """The connection breaks; the loopback network shows it to the caller as such."""


class Front:
    """Stands before the API of a house, for all who call it by this host's name."""

    def __init__(self, house: House, host: str = KUBE) -> None:
        self.asked: list[Asked] = []
        self.trouble: Trouble | None = None
        self._house = house
        self._host = host
        self._app = house.kubernetes.app
        house.net.hosts[BEHIND_KUBE] = self._app
        house.net.hosts[host] = self
        house.kube = AsyncClient(transport=house.net, base_url=f"http://{BEHIND_KUBE}", timeout=30)
        self.drop()

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        at, further = self._house.clock.monotonic(), "continue" in query(scope)
        self.asked.append(Asked(at, scope["method"], scope["path"], is_watch(scope), further))
        await asyncio.sleep(LATENCY)
        handle = self.trouble or straight
        await handle(self._app, scope, receive, send)

    def begin(self, trouble: Trouble) -> None:
        """From now on; what runs is dropped, watches above all."""
        self.trouble = trouble
        self.drop()

    def end(self) -> None:
        self.trouble = None
        self.drop()

    def drop(self) -> None:
        for exchange in list(self._house.net.running.get(self._host, ())):
            exchange.cut()

    def busiest(self, since: float, span: float = 60.0) -> int:
        """Most requests in any span of time."""
        times = [asked.at for asked in self.asked if asked.at >= since]
        return max((sum(at <= other < at + span for other in times) for at in times), default=0)


def query(scope: Scope) -> dict[str, list[str]]:
    return parse_qs(scope["query_string"].decode())


def is_watch(scope: Scope) -> bool:
    return query(scope).get("watch") == ["true"]


async def straight(app: App, scope: Scope, receive: Any, send: Any) -> None:
    await app(scope, receive, send)


async def lost(app: App, scope: Scope, receive: Any, send: Any) -> None:
    raise LostError


async def silent(app: App, scope: Scope, receive: Any, send: Any) -> None:
    """Nobody answers, until the caller gives up."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def done_and_lost(app: App, scope: Scope, receive: Any, send: Any) -> None:
    """The work is done and nobody hears of it."""
    if not is_watch(scope):
        await app(scope, receive, _nothing)
    raise LostError


def late(seconds: float) -> Trouble:
    """Done after so long, whether somebody still waits for it or not."""

    async def handle(app: App, scope: Scope, receive: Any, send: Any) -> None:
        await asyncio.sleep(seconds)
        await app(scope, receive, send)

    return handle


def refused(
    code: int,
    reason: str,
    methods: frozenset[str] = WRITES | READS,
    *,
    text: str = "",
    said: str = "in trouble",
    work: bool = False,
    retry_after: str = "",
) -> Trouble:
    """A Status with the words `said`, or a proxy's text; with `work`, done all the same."""
    status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason, "details": {}}
    body = (text or json.dumps({**status, "message": said})).encode()
    headers = [(b"content-type", b"text/html" if text else b"application/json")]
    headers += [(b"retry-after", retry_after.encode())] if retry_after else []

    async def handle(app: App, scope: Scope, receive: Any, send: Any) -> None:
        if scope["method"] not in methods:
            await app(scope, receive, send)
            return
        if work and not is_watch(scope):
            await app(scope, receive, _nothing)
        await send({"type": "http.response.start", "status": code, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    return handle


async def _nothing(message: Any) -> None:
    """Where answers go that nobody shall see."""


async def expired(app: App, scope: Scope, receive: Any, send: Any) -> None:
    """Every watch and every further page is of a version that is gone."""
    late = is_watch(scope) or "continue" in query(scope)
    await (refused(410, "Expired") if late else straight)(app, scope, receive, send)


async def no_more_pages(app: App, scope: Scope, receive: Any, send: Any) -> None:
    """The first page of a listing comes, no other does."""
    further = "continue" in query(scope)
    await (refused(500, "InternalError") if further else straight)(app, scope, receive, send)


async def no_watch(app: App, scope: Scope, receive: Any, send: Any) -> None:
    """Watches end as soon as they begin: caches see nothing any more, while all else works."""
    if not is_watch(scope):
        await app(scope, receive, send)
        return
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})


async def dumb_watch(app: App, scope: Scope, receive: Any, send: Any) -> None:
    """Watches open and say nothing: what is seen is ever older, and nobody notices."""
    if not is_watch(scope):
        await app(scope, receive, send)
        return
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await silent(app, scope, receive, send)
