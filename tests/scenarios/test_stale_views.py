"""Metacontroller's view lags behind our own answers (mc §3.5): statuses still settle, and stay."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from hooks.aruba.engine.lag import LAG, answered, overtaken
from hooks.contract.replies import SyncReply
from hooks.contract.requests import SyncCall
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


def call(status: dict[str, Any] | None, generation: int = 1, finalizing: bool = False) -> SyncCall:
    meta = {"name": "x", "namespace": "n", "uid": "u", "generation": generation}
    parent = {"apiVersion": "arubacloud.com/v1alpha1", "kind": "VPC", "metadata": meta, "status": status}
    return SyncCall.model_validate({"parent": parent, "finalizing": finalizing})


def test_a_view_that_our_last_answer_has_replaced_gets_that_answer_again() -> None:
    last = answered(call(None), SyncReply(status={"phase": "Creating"}, resyncAfterSeconds=5), 100.0)
    again = overtaken(call(None), last, 101.0)
    assert again == SyncReply(status={"phase": "Creating"}, resyncAfterSeconds=4)


@pytest.mark.parametrize(
    ("shown", "at"),
    [
        (call({"phase": "Creating"}), 101.0),  # the answer has arrived
        (call(None), 100.0 + LAG + 0.1),  # it has not for so long that it must be lost
        (call(None, generation=2), 101.0),  # the user changed something
        (call(None, finalizing=True), 101.0),  # another hook
        (call({"phase": "Active"}), 101.0),  # somebody else wrote
    ],
)
def test_every_other_view_is_worked_on(shown: SyncCall, at: float) -> None:
    last = answered(call(None), SyncReply(status={"phase": "Creating"}), 100.0)
    assert overtaken(shown, last, at) is None


def test_an_answer_that_changed_nothing_replaces_nothing() -> None:
    status = {"phase": "Active"}
    assert overtaken(call(status), answered(call(status), SyncReply(status=status), 100.0), 101.0) is None
