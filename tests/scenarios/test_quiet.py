"""A hook is often shown an object from before its own last answer (mc §3.5). Such a view must never set off a loop in
which two answers overwrite each other for ever: each write wakes the next pass, which again sees the one before it.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Coroutine
from typing import Any

from starlette.responses import JSONResponse

from hooks.simulator import REALISTIC
from tests.world.house import CLOUD, HOOKS, House, living
from tests.world.manifests import fixture_set, project, vpc

LATENCY = 0.004
"""Seconds that every request takes to arrive, as between pods."""


class Counter:
    """Counts hook calls; after `most` the hooks are cut off, so that a loop at one instant of virtual time ends."""

    def __init__(self, house: House, most: int) -> None:
        self.calls = 0
        self._house, self._most = house, most
        self._app: Callable[..., Coroutine[Any, Any, None]] = house.net.hosts[HOOKS]
        house.net.hosts[HOOKS] = self

    async def __call__(self, *exchange: Any) -> None:
        self.calls += 1
        if self.calls > self._most:
            self._house.net.cut(HOOKS)
            return
        await self._app(*exchange)


async def test_a_refused_create_is_told_once_and_then_waited_for() -> None:
    """Throttled at the first POST while an event of our own PATCH is on its way."""
    async with living() as house:
        counter = Counter(house, 200)
        then = {"status": 429}
        await house.faults({"match": {"method": "POST", "path": "projects$"}, "times": None, "then": then})
        await house.apply(project())
        await asyncio.sleep(30)
        assert counter.calls < 40


async def test_a_parent_that_waits_for_its_children_is_quiet() -> None:
    """The server is some twenty seconds on its way out; nothing changes meanwhile, so nobody has anything to write."""
    async with living(timings=REALISTIC) as house:
        house.net.latency = LATENCY
        await house.apply(*fixture_set("Test9"))
        await house.until(house.all_active, every=1)
        counter = Counter(house, 300)
        await house.delete("Project", "shop")
        await asyncio.sleep(15)
        assert counter.calls < 100


async def test_a_create_is_quiet_on_a_slow_network() -> None:
    async with living() as house:
        house.net.latency = LATENCY
        counter = Counter(house, 200)
        await house.apply(project(), vpc())
        await house.until(house.all_active)
        await asyncio.sleep(30)
        assert counter.calls < 40


def failing(house: House) -> None:
    """From here on the cloud fails at every GET, each time with another trace id, as real gateways do."""
    cloud, count = house.net.hosts[CLOUD], itertools.count()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["method"] != "GET":
            await cloud(scope, receive, send)
            return
        problem = {
            "title": "Service Unavailable",
            "status": 503,
            "traceId": f"00-{next(count):032x}-0123456789abcdef-00",
        }
        await JSONResponse(problem, 503, media_type="application/problem+json")(scope, receive, send)

    house.net.hosts[CLOUD] = app


async def test_an_outage_told_in_ever_new_words_is_quiet() -> None:
    async with living() as house:
        await house.quirks(neverSettle="VPC")
        await house.apply(project(), vpc())
        await house.until(lambda: _phase(house, "Provisioning"))
        failing(house)
        counter = Counter(house, 300)
        await asyncio.sleep(60)
        assert counter.calls < 40


async def _phase(house: House, phase: str) -> bool:
    return (await house.status("VPC", "net-a")).get("phase") == phase
