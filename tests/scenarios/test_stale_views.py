"""Metacontroller's view lags behind our own answers (mc §3.5): statuses still settle, and stay."""

from __future__ import annotations

import asyncio
from typing import Any

from hooks.local.metacontroller import Resource
from tests.world.house import House, living
from tests.world.manifests import fixture_set


class Lagging:
    """Every watch event reaches the cache a moment late, so that a pass sees the status before the last."""

    async def deliver(self, resource: Resource, event: Any) -> None:
        await asyncio.sleep(0.9)


async def versions(house: House) -> dict[str, str]:
    return {o["metadata"]["uid"]: o["metadata"]["resourceVersion"] for o in await house.objects()}


async def test_statuses_do_not_swing_between_two_times_when_views_lag() -> None:
    async with living(delivery=Lagging()) as house:
        house.net.latency = 0.3  # so slow that passes about one object fall into different seconds
        await house.apply(*fixture_set("Test3"))
        await house.until(house.all_active)
        await asyncio.sleep(5)
        before, calls = await versions(house), house.metacontroller.calls.total()
        await asyncio.sleep(120)
        assert await versions(house) == before
        assert house.metacontroller.calls.total() - calls <= 2 * len(before)
