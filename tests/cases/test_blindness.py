"""Field case 14: everything says 404, or every list is empty: nothing is made again, changed, deleted or forgotten."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.cases import nine
from tests.cases.blind import BLIND, another_project, furnished, reason, told
from tests.cases.byhand import kill, restart
from tests.cases.console import last_call
from tests.cases.world import living
from tests.world.house import House
from tests.world.judge import condition, no_duplicates, settled
from tests.world.manifests import fixture_set

pytestmark = pytest.mark.every_kind

Object = dict[str, Any]
SOON = {"ARUBA_LISTING_AGE": "20s"}
LONG = 150.0
"""Seconds of blindness: more than two propagation windows."""
READY = ("Active", "True", "Available", "False")
RECREATED = [kind for kind in nine.ALL if nine.KINDS[kind].recreate]


async def ready_again(house: House, kind: str) -> bool:
    return settled(await house.get(kind, nine.name(kind)) or {})


async def shows(house: House, kind: str, wanted: tuple[str, str, str, str]) -> bool:
    return await told(house, kind) == wanted


async def blinded(house: House, kind: str, way: str) -> None:
    """One bout of blindness, from its start to the end, and what was told meanwhile."""
    since = await last_call(house)
    await house.faults(*BLIND[way])
    unknown = ("Active", "Unknown", reason(way), "False")
    await house.until(lambda: shows(house, kind, unknown), within=40)
    await asyncio.sleep(LONG)
    assert await told(house, kind) == unknown
    assert await house.writes(since) == []
    await house.admin("DELETE", "faults")
    await house.until(lambda: ready_again(house, kind), within=40)
    assert await told(house, kind) == READY
    assert await house.writes(since) == []


@pytest.mark.parametrize(("kind", "others"), [*((kind, False) for kind in nine.ALL), ("Project", True), ("VPC", True)])
async def test_case_14_nothing_is_believed_lost(kind: str, others: bool) -> None:
    """Case 14: 404 as HTML, as the API's own problem, without any body, and empty lists: for as long as it lasts
    nothing is written, the object stays Active and says that it cannot know; afterwards it is Ready again. Departs:
    Ready is Unknown with two reasons: the API is not reached, or the tenant as a whole looks empty.
    """
    async with living(environ=SOON) as house:
        item = await furnished(house, kind, *([another_project()] if others else []))
        for way in BLIND:
            await blinded(house, kind, way)
        after = await house.status(kind, nine.name(kind))
        assert after["resourceID"] == item["status"]["resourceID"]
        assert [row["deletedAt"] for row in await nine.ever(house, kind)] == [None]


@pytest.mark.sweep
async def test_case_14_a_whole_set_for_ten_minutes() -> None:
    """Case 14: a server with all that it needs, ten minutes of HTML: no write, and all of it Ready again at the end."""
    async with living(environ={"ARUBA_LISTING_AGE": "60s"}) as house:
        await house.apply(*fixture_set("Test10"))
        await house.until(house.all_active)
        await asyncio.sleep(30)
        since = await last_call(house)
        await house.faults(*BLIND["html"])
        await asyncio.sleep(600)
        reasons = {(o["status"]["phase"], condition(o, "Ready")["reason"]) for o in await house.objects()}
        assert reasons == {("Active", "ApiUnreachable")}
        await house.admin("DELETE", "faults")
        await house.until(lambda: all_settled(house), within=100)
        assert await house.writes(since) == []


async def all_settled(house: House) -> bool:
    return all(settled(item) for item in await house.objects())


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_14_a_replica_that_never_saw_it(kind: str) -> None:
    """Case 14: the hooks start anew while every list is empty and every write would work: a replica that remembers
    nothing believes no more than the old one, whatever the policy.
    """
    async with living(environ=SOON) as house:
        item = await furnished(house, kind)
        policy = {"arubacloud.com/on-external-delete": "recreate"}
        await house.patch(kind, nine.name(kind), {"metadata": {"annotations": policy}})
        await asyncio.sleep(5)
        since = await last_call(house)
        await house.faults(*BLIND["empty lists"])
        kill(house)
        restart(house)
        await asyncio.sleep(LONG)
        assert await house.writes(since) == []
        assert await told(house, kind) == ("Active", "Unknown", "TenantUnreadable", "False")
        await house.admin("DELETE", "faults")
        await house.until(lambda: ready_again(house, kind), within=60)
        assert (await house.status(kind, nine.name(kind)))["resourceID"] == item["status"]["resourceID"]


async def another(house: House, kind: str, than: str) -> bool:
    item = await house.get(kind, nine.name(kind)) or {}
    return settled(item) and item["status"]["resourceID"] != than


async def lost(house: House, kind: str) -> bool:
    return (await told(house, kind))[2] == "ExternallyDeleted"


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_14_a_loss_that_is_one(kind: str) -> None:
    """Case 14, counter-test: right after a bout of blindness the resource really goes, and what is around it answers:
    the kind's policy decides, and one resource at most is made.
    """
    async with living(environ=SOON) as house:
        item = await furnished(house, kind, another_project())
        resource = item["status"]["resourceID"]
        await blinded(house, kind, "problem")
        since = await last_call(house)
        await house.admin("DELETE", f"resources/{resource}")
        if kind in RECREATED:
            await house.until(lambda: another(house, kind, resource), within=120)
            made = [row for row in await house.writes(since) if row["path"].endswith(nine.collection(kind).strip("$"))]
            assert [(row["method"], row["status"]) for row in made] == [("POST", 201)]
        else:
            await house.until(lambda: lost(house, kind), within=60)
            await asyncio.sleep(60)
            assert [row for row in await house.writes(since) if row["path"].endswith(nine.collection(kind)[:-1])] == []
            assert (await house.status(kind, nine.name(kind)))["resourceID"] == resource
        await no_duplicates(house)
