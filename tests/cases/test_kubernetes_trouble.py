"""The Kubernetes API in trouble, for hooks and Metacontroller alike: away, silent, late, refusing, forgetting, blind.

Each kind of trouble comes while a whole set is made, while it goes, and while all is at rest. What must hold is the
same every time: nothing is sent to the cloud on a view that cannot be verified, nothing is there twice or lost, what
asks is asked at a bounded pace, and once it is over everything ends where it should have, with a true status.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import pytest

from hooks.kube import client as kube_client
from tests.world import house as world_house
from tests.world import kubetrouble as trouble
from tests.world.house import House, living
from tests.world.judge import condition, no_duplicates, settled
from tests.world.kubetrouble import READS, WRITES, Front, Trouble, refused
from tests.world.life import all_settled, apply_all, ended, order
from tests.world.manifests import fixture_set, make, name_of, project, ref

Object = dict[str, Any]
FULL = "etcdserver: mvcc: database space exceeded"
BLINDING: Mapping[str, Trouble] = MappingProxyType(
    {
        "away": trouble.lost,
        "silent": trouble.silent,
        "done, and the answer lost": trouble.done_and_lost,
        "done when nobody waits any more": trouble.late(40.0),
        "every write a conflict": refused(409, "Conflict", WRITES),
        "too many requests": refused(429, "TooManyRequests", retry_after="3"),
        "errors": refused(500, "InternalError"),
        "a proxy's errors": refused(503, "ServiceUnavailable", text="<html>503</html>"),
        "writes refused": refused(500, "InternalError", WRITES, said=FULL),
        "reads refused": refused(500, "InternalError", READS),
    }
)
"""Nothing can be verified while these last."""
LAMING: Mapping[str, Trouble] = MappingProxyType(
    {
        "slow": trouble.late(4.0),
        "writes done, and told as timed out": refused(504, "Timeout", WRITES, work=True),
        "every version too old": trouble.expired,
        "watches that end at once": trouble.no_watch,
        "watches that say nothing": trouble.dumb_watch,
    }
)
"""Things can go on, if more slowly: what is written is fenced, and read anew before the cloud is told to delete."""
ALL = {**BLINDING, **LAMING}
MOMENTS = ("create", "delete", "rest")
ALWAYS = {
    ("away", "create"),
    ("done, and the answer lost", "delete"),
    ("done when nobody waits any more", "create"),
    ("every write a conflict", "create"),
    ("too many requests", "delete"),
    ("writes refused", "rest"),
    ("every version too old", "create"),
    ("watches that say nothing", "delete"),
}
"""These run at every change, the rest is swept."""
EVERY = [
    pytest.param(kind, moment, marks=[] if (kind, moment) in ALWAYS else [pytest.mark.sweep], id=f"{kind} at {moment}")
    for kind in ALL
    for moment in MOMENTS
]
LASTING = 120.0
UNDER_WAY = 25.0
"""Seconds in which what was verified before may still be sent."""
REST = 330.0
"""Seconds until all has been looked at once since it became Active."""
CACHES = 10
PER_OBJECT, PER_CACHE = 45, 12
"""Requests in the first minute: fourteen back-offs from 5 ms, each with a few requests; six from 0.8 s, of two."""


def most(objects: int) -> int:
    return objects * PER_OBJECT + CACHES * PER_CACHE


async def at(house: House, moment: str, items: list[Object]) -> None:
    """The house in the midst of it."""
    if moment == "create":
        await house.apply(*items)
        await asyncio.sleep(3.0)
        return
    await apply_all(house, items, order(1))
    await asyncio.sleep(REST)
    if moment == "delete":
        for item in await house.objects():
            await house.delete(item["kind"], name_of(item))
        await asyncio.sleep(2.5)


async def last(house: House) -> int:
    return max((call["n"] for call in await house.calls()), default=0)


async def true_to_the_cloud(house: House) -> None:
    """Each object has exactly one resource, which is the one that its status names; nothing was made in vain."""
    rows = await house.resources(everything=True)
    items = await house.objects()
    assert all(settled(item) for item in items)
    assert sorted(item["status"]["resourceID"] for item in items) == sorted(row["id"] for row in rows)
    assert [row for row in rows if row["deletedAt"]] == []


async def over(house: House, moment: str) -> None:
    """Everything ends where it should have without the trouble."""
    if moment == "delete":
        await ended(house, 400)
        return
    await house.until(lambda: all_settled(house), 400)
    await no_duplicates(house)
    await true_to_the_cloud(house)


@pytest.mark.parametrize(("kind", "moment"), EVERY)
async def test_trouble(kind: str, moment: str) -> None:
    """While it lasts nothing is sent blindly nor asked without a pause; afterwards all is as if it had not been."""
    async with living() as house:
        front, items = Front(house), fixture_set("Test10")
        await at(house, moment, items)
        before = await house.objects()
        front.begin(ALL[kind])
        began = house.clock.monotonic()
        await asyncio.sleep(UNDER_WAY)
        since = await last(house)
        await asyncio.sleep(LASTING - UNDER_WAY)
        if kind in BLINDING:
            assert await house.writes(since) == []
        if moment == "rest":
            assert await house.writes() == [row for row in await house.writes() if row["method"] == "POST"]
            assert [item["status"] for item in await house.objects()] == [item["status"] for item in before]
        assert front.busiest(began) <= most(len(items))
        front.end()
        await over(house, moment)


@pytest.mark.parametrize("moment", ["create", pytest.param("delete", marks=pytest.mark.sweep)])
async def test_trouble_that_comes_and_goes(moment: str) -> None:
    """Away for a moment, again and again, at every moment of a life: each gap lets a different call through."""
    async with living() as house:
        front = Front(house)
        await at(house, moment, fixture_set("Test10"))
        for turn in range(40):
            front.begin([trouble.lost, trouble.done_and_lost][turn % 2])
            await asyncio.sleep(0.7)
            front.end()
            await asyncio.sleep(0.9)
        await over(house, moment)


# the hooks alone are cut off: Metacontroller's view and its status writes are good


@pytest.fixture
def apart(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Hooks that reach the API by a way of their own, which the front stands in."""

    def separate(house: House) -> Front:
        monkeypatch.setattr(world_house, "KUBE", trouble.OF_HOOKS)
        house.operator = house.start_hooks()
        monkeypatch.undo()
        return Front(house, trouble.OF_HOOKS)

    return separate


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("kind", ["away", "too many requests", pytest.param("errors", marks=pytest.mark.sweep)])
async def test_the_hooks_alone_do_not_reach_it(kind: str, moment: str, apart: Any) -> None:
    """A network policy, say: no write to the cloud, no status that claims more, and a pace that the API can bear."""
    async with living() as house:
        front, items = apart(house), fixture_set("Test10")
        await at(house, moment, items)
        front.begin(ALL[kind])
        began = house.clock.monotonic()
        await asyncio.sleep(UNDER_WAY)
        since = await last(house)
        await asyncio.sleep(LASTING - UNDER_WAY)
        assert await house.writes(since) == []
        assert front.busiest(began) <= len(items) * 40
        if kind == "too many requests":
            assert _shortest_wait(front, began + UNDER_WAY) >= 3
        claimed = [item["status"].get("resourceID") for item in await house.objects() if "status" in item]
        there = {row["id"] for row in await house.resources(everything=True)}
        assert {claim for claim in claimed if claim} <= there
        front.end()
        await (ended(house, 400) if moment == "delete" else house.until(lambda: all_settled(house), 400))
        await no_duplicates(house)


def _shortest_wait(front: Front, since: float) -> float:
    """Between two requests about one object, Events left out."""
    times: dict[str, list[float]] = {}
    for asked in front.asked:
        if asked.at >= since and "/events" not in asked.path and "arubacloud" in asked.path and asked.name:
            times.setdefault(f"{asked.method} {asked.path}", []).append(asked.at)
    gaps = [later - earlier for found in times.values() for earlier, later in pairwise(found)]
    return min(gaps, default=3.0)


# a listing that breaks off half-way


@pytest.mark.parametrize("how", ["expired", "errors"])
async def test_a_listing_that_breaks_off_counts_for_nothing(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Children come in pages of two, and only the last one is protected. While its page cannot be had, nothing goes;
    then its protection holds up the rest, by name; without it all goes.
    """
    monkeypatch.setattr(kube_client, "PAGE", 2)
    async with living() as house:
        front = Front(house)
        names = [f"ip-{n}" for n in range(5)]
        spec = {"tenant": "t-100", "projectReference": ref("prj-a")}
        await house.apply(project(), *(make("ElasticIP", name, spec) for name in names))
        await house.until(house.all_active)
        protection = "arubacloud.com/deletion-protection"
        await house.patch("ElasticIP", names[-1], {"metadata": {"annotations": {protection: "true"}}})
        await asyncio.sleep(5)
        since = await last(house)
        front.begin(trouble.expired if how == "expired" else trouble.no_more_pages)
        await house.delete("Project", "prj-a")
        await asyncio.sleep(300)
        assert await house.writes(since) == []
        assert len(await house.list("ElasticIP")) == 5
        assert not [item for item in await house.list("ElasticIP") if "deletionTimestamp" in item["metadata"]]
        assert [asked for asked in front.asked if asked.further], "no listing had a second page"
        front.end()
        await house.until(lambda: _names(house, names[-1]), 60)
        assert await house.writes(since) == []
        await house.patch("ElasticIP", names[-1], {"metadata": {"annotations": {protection: None}}})
        await ended(house, 120)


async def _names(house: House, name: str) -> bool:
    found = await house.get("Project", "prj-a") or {}
    return name in found["status"].get("message", "") and condition(found, "Stalled").get("status") == "True"
