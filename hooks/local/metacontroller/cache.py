"""Cached, watched collections, one per kind, shared by all controllers: Metacontroller's informers (mc §3.1, §4.4).

A cache lags behind the server by nature: `Delivery` is the seam where a test makes it lag more.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Protocol, TypeAlias

from hooks.clock import Clock
from hooks.http import HTTPError, Response
from hooks.local.metacontroller.api import Api, Object, Resource, key_of
from hooks.local.metacontroller.errors import ApiError

__all__ = ["AtOnce", "Delivery", "Informer", "Informers"]

log = logging.getLogger(__name__)

FIRST_PAUSE = 0.8
LONGEST_PAUSE = 30.0
SHORTEST_WATCH = 1.0
LONG_ENOUGH = 120.0
"""Seconds after which a lost watch counts as the first one again, as in client-go."""

Handler: TypeAlias = Callable[[Object | None, Object | None], Awaitable[None]]
"""Told of a change: the object before (None: it is new) and after (None: it is gone; before is its last state)."""


class Delivery(Protocol):
    async def deliver(self, resource: Resource, event: Object) -> None:
        """Return when a watch event may reach the cache; the events behind it wait too."""


class AtOnce:
    """The default `Delivery`."""

    async def deliver(self, resource: Resource, event: Object) -> None:
        """Nothing to wait for."""


class Informer:
    """One kind's cache. `synced` is set once the first list is in it."""

    def __init__(self, resource: Resource, api: Api, delivery: Delivery, clock: Clock) -> None:
        self.resource = resource
        self.synced = asyncio.Event()
        self._api = api
        self._delivery = delivery
        self._clock = clock
        self._spaces: dict[str, dict[str, Object]] = {}
        self._handlers: list[Handler] = []
        self._changes: asyncio.Queue[tuple[Object | None, Object | None]] = asyncio.Queue()
        self._version = ""

    def get(self, key: str) -> Object | None:
        namespace, _, name = key.rpartition("/")
        return self._spaces.get(namespace, {}).get(name)

    def objects(self, namespace: str = "") -> list[Object]:
        """All of them, or one namespace's."""
        if namespace and self.resource.namespaced:
            return list(self._spaces.get(namespace, {}).values())
        return [item for space in self._spaces.values() for item in space.values()]

    def subscribe(self, handler: Handler) -> None:
        """Tell `handler` of every change from now on, one after the other."""
        self._handlers.append(handler)

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self._tell())
            group.create_task(self._follow())

    async def _tell(self) -> None:
        while True:
            old, new = await self._changes.get()
            for handler in self._handlers:
                await handler(old, new)

    async def _follow(self) -> None:
        """Pauses before it goes on after a failure, and before it lists anew too: a server by which every version is
        too old is asked no more often than one that is away.
        """
        pause = FIRST_PAUSE
        while True:
            began = self._clock.monotonic()
            try:
                if not self._version:
                    self._replace(await self._api.list(self.resource))
                await self._watch()
            except (ApiError, HTTPError, json.JSONDecodeError) as failure:
                log.warning("watch of %s lost: %s", self.resource.plural, failure)
            else:
                if self._version:
                    pause = FIRST_PAUSE
                    continue
            if self._clock.monotonic() - began >= LONG_ENOUGH:
                pause = FIRST_PAUSE
            await self._clock.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)

    def _replace(self, listing: Object) -> None:
        kind = {"apiVersion": self.resource.api_version, "kind": self.resource.kind}
        listed = {key_of(item): kind | item for item in listing["items"]}
        for gone in [item for item in self.objects() if key_of(item) not in listed]:
            self._apply("DELETED", gone)
        for item in listed.values():
            self._apply("MODIFIED", item)
        self._version = listing["metadata"]["resourceVersion"]
        self.synced.set()

    async def _watch(self) -> None:
        """Follow one watch to its end. Afterwards `_version` says where to go on; empty means: list again."""
        started = self._clock.monotonic()
        seen = 0
        async with self._api.watch(self.resource, self._version) as answer:
            if not answer.is_success:
                await answer.aread()
                self._refused(answer.status_code, answer.text)
                return
            async with aclosing(_lines(answer)) as lines:
                async for line in lines:
                    await self._receive(json.loads(line))
                    if not self._version:
                        return
                    seen += 1
        if not seen and self._clock.monotonic() - started < SHORTEST_WATCH:
            raise ApiError(503, "the watch ended at once")

    async def _receive(self, event: Object) -> None:
        item = event["object"]
        if event["type"] == "ERROR":
            self._refused(item.get("code", 500), item.get("message", ""))
            return
        if event["type"] != "BOOKMARK":
            await self._delivery.deliver(self.resource, event)
            self._apply(event["type"], item)
        self._version = item["metadata"]["resourceVersion"]

    def _refused(self, code: int, message: str) -> None:
        """410: the version is too old to go on from, so list again. Anything else is an outage."""
        if code == 410:
            self._version = ""
            return
        raise ApiError(code, message)

    def _apply(self, event: str, item: Object) -> None:
        namespace, _, name = key_of(item).rpartition("/")
        space = self._spaces.setdefault(namespace, {})
        old = space.get(name)
        if event == "DELETED":
            space.pop(name, None)
            self._changes.put_nowait((item, None))
        else:
            space[name] = item
            self._changes.put_nowait((old, item))


async def _lines(answer: Response) -> AsyncGenerator[bytes, None]:
    """One event a line. Not `aiter_lines`, which also splits at U+2028 and the like inside of an object's text."""
    rest = b""
    async for chunk in answer.aiter_bytes():
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield line


class Informers:
    """The caches by kind, each started when first asked for and kept for as long as the engine runs."""

    def __init__(self, api: Api, delivery: Delivery, clock: Clock, group: asyncio.TaskGroup) -> None:
        self._api = api
        self._delivery = delivery
        self._clock = clock
        self._group = group
        self._running: dict[tuple[str, str], Informer] = {}

    async def get(self, api_version: str, plural: str) -> Informer:
        """The cache of a resource; raises `ApiError` for one that the server does not know."""
        key = (api_version, plural)
        if key not in self._running:
            resource = await self._api.discover(api_version, plural)
            if key not in self._running:  # while we asked, another pass may have started it
                self._start(key, resource)
        return self._running[key]

    def _start(self, key: tuple[str, str], resource: Resource) -> None:
        informer = self._running[key] = Informer(resource, self._api, self._delivery, self._clock)
        self._group.create_task(informer.run())
