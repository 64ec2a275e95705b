"""Field case 8: what failed recovers by itself or by an edit, and can always be deleted."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.cases import nine
from tests.cases.world import living
from tests.world.house import House
from tests.world.judge import condition

pytestmark = pytest.mark.every_kind

Object = dict[str, Any]
FORBIDDEN = {"status": 403, "body": {"title": "Forbidden"}}
TIMEOUT = 640
"""Seconds after which whatever made no progress is shown Failed."""


async def shown(house: House, kind: str) -> Object:
    return await house.get(kind, nine.name(kind)) or {}


async def absent(house: House, kind: str) -> bool:
    return await shown(house, kind) == {}


async def told(house: House, kind: str) -> tuple[str, str, str]:
    """Phase, reason of Ready, Stalled."""
    item = await shown(house, kind)
    return item["status"]["phase"], condition(item, "Ready")["reason"], condition(item, "Stalled")["status"]


async def timed_out(house: House, kind: str, then: Object) -> None:
    """Every POST of the subject meets this, for longer than the phase may last."""
    item = await nine.prepared(house, kind)
    await house.faults({"match": {"method": "POST", "path": nine.collection(kind)}, "then": then})
    await house.apply(item)
    await asyncio.sleep(TIMEOUT)
    assert await told(house, kind) == ("Failed", "Timeout", "False")
    assert "resourceID" not in (await shown(house, kind))["status"]


@pytest.mark.parametrize("edited", [False, True], ids=["untouched", "edited"])
@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_08_failed_has_a_way_back(kind: str, edited: bool) -> None:
    """Case 8 (a), (d): a create is forbidden until its time is over; once it is allowed it goes on without any edit
    within the pause, and at once where the spec is edited.
    """
    async with living() as house:
        await timed_out(house, kind, FORBIDDEN)
        assert "Forbidden" in (await shown(house, kind))["status"]["message"]
        await house.admin("DELETE", "faults")
        tries = len(await nine.posts(house, kind))
        if edited:
            await house.patch(kind, nine.name(kind), {"spec": {"tags": ["edited"]}})
        await house.until(house.all_active, within=12 if edited else 370, every=1)
        assert len(await nine.posts(house, kind)) == tries + 1
        assert len(await nine.ever(house, kind)) == 1


@pytest.mark.parametrize("kind", nine.STATEFUL)
async def test_case_08_failed_in_the_cloud_is_deleted(kind: str) -> None:
    """Case 8 (b): the platform reports Failed; the object says so, stays deletable, and costs one DELETE."""
    async with living(environ={"ARUBA_LISTING_AGE": "10s"}) as house:
        resource = await nine.active(house, kind)
        await house.admin("POST", f"resources/{resource}", {"state": "Failed", "failureReason": "out of luck"})
        await asyncio.sleep(15)
        assert await told(house, kind) == ("Failed", "CloudFailed", "True")
        assert "out of luck" in (await shown(house, kind))["status"]["message"]
        await house.delete(kind, nine.name(kind))
        await house.until(lambda: absent(house, kind), within=20)
        assert [path.rpartition("/")[2] for path in await nine.deletes(house)] == [resource]


@pytest.mark.parametrize("kind", nine.STATEFUL)
async def test_case_08_what_never_became_ready_is_deleted(kind: str) -> None:
    """Case 8 (b): created, and stuck until its time was over: its deletion sends the DELETE, and ends with it."""
    async with living() as house:
        item = await nine.prepared(house, kind)
        await house.quirks(neverSettle=kind)
        await house.apply(item)
        await asyncio.sleep(TIMEOUT)
        assert await told(house, kind) == ("Failed", "Timeout", "False")
        await house.delete(kind, nine.name(kind))
        await asyncio.sleep(30)
        await house.quirks(neverSettle=None)
        await house.until(lambda: absent(house, kind), within=120)
        assert [row["deletedAt"] is None for row in await nine.ever(house, kind)] == [False]


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_08_failed_without_an_id_is_looked_for_and_goes(kind: str) -> None:
    """Case 8 (c): no create ever had a clear outcome; at the end the cloud is searched for the tag, has nothing, and
    the object goes without a DELETE.
    """
    async with living() as house:
        await timed_out(house, kind, {"drop": "before"})
        since = (await house.calls())[-1]["n"]
        await house.delete(kind, nine.name(kind))
        await house.until(lambda: absent(house, kind), within=100)
        looks = await house.calls(since, method="GET")
        assert [row["path"].rpartition("/")[2] for row in looks].count(nine.KINDS[kind].collection.name) >= 1
        assert await nine.deletes(house) == []
        assert await nine.ever(house, kind) == []


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_08_failed_without_an_id_finds_its_resource(kind: str) -> None:
    """Case 8 (c), the other way round: the create had worked, and no list answers. The object stays for as long as that
    is so; then what was made is found by its tag, and deleted.
    """
    async with living() as house:
        await nine.prepared(house, kind)
        lists = {"match": {"method": "GET", "path": nine.collection(kind)}, "then": {"status": 500, "body": {}}}
        await house.faults({**lists, "after": 1})
        await house.faults({"match": {"method": "POST", "path": nine.collection(kind)}, "then": {"drop": "after"}})
        await house.apply(nine.subject(kind))
        await asyncio.sleep(TIMEOUT)
        assert (await shown(house, kind))["status"]["phase"] == "Failed"
        await house.delete(kind, nine.name(kind))
        await asyncio.sleep(200)
        assert (await told(house, kind))[0] in ("Deleting", "Failed")
        assert await nine.deletes(house) == []
        await house.admin("DELETE", "faults")
        await house.until(lambda: absent(house, kind), within=100)
        [made] = await nine.ever(house, kind)
        assert [path.rpartition("/")[2] for path in await nine.deletes(house, kind)] == [made["id"]]
        assert made["deletedAt"] is not None
        assert len(await nine.posts(house, kind)) == 1
