"""Metacontroller's view lags behind our own answers (mc §3.5): statuses still settle, and stay."""

from __future__ import annotations

import asyncio
from typing import Any

from hooks.aruba.engine.steady import steady
from hooks.local.metacontroller import Resource
from tests.world.house import House, living
from tests.world.manifests import fixture_set


class Lagging:
    """Every watch event reaches Metacontroller's cache a moment late, so that a pass sees the status before the last."""

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


def test_the_earlier_time_stays_and_a_pause_is_never_cut_short() -> None:
    def told(since: str, start: str, pause: str) -> dict[str, Any]:
        condition = {"type": "Ready", "status": "False", "reason": "x", "lastTransitionTime": since}
        return {"phase": "Creating", "phaseStartTime": start, "nextAttemptTime": pause, "conditions": [condition]}

    settled = steady(told("2026-07-01T08:00:02Z", "b", "d"), told("2026-07-01T08:00:01Z", "a", "e"))
    assert settled == told("2026-07-01T08:00:01Z", "a", "e")


def test_an_answer_that_says_something_new_keeps_its_own_times() -> None:
    new = {"phase": "Active", "conditions": [{"type": "Ready", "lastTransitionTime": "2"}]}
    old = {"phase": "Creating", "conditions": [{"type": "Ready", "lastTransitionTime": "1"}]}
    assert steady(new, old) is new
    assert steady(new, None) is new
