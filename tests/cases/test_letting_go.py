"""Field cases 55 and 56: a deletion whose project is lost, and one that nobody may see the end of."""

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
FORBIDDEN = {"status": 403, "body": {"title": "Forbidden", "status": 403}}
WINDOW = 60
"""Seconds after which the loss of a project is believed, where other projects are to be seen."""
RELEASE = "arubacloud.com/delete-policy: orphan"
"""What a message names as the way out."""


async def shown(house: House, kind: str) -> Object:
    return await house.get(kind, nine.name(kind)) or {}


async def absent(house: House, kind: str) -> bool:
    return await shown(house, kind) == {}


async def ready(house: House, kind: str) -> Object:
    return condition(await shown(house, kind), "Ready")


async def reason_is(house: House, kind: str, reason: str) -> bool:
    return (await ready(house, kind)).get("reason") == reason


async def last(house: House) -> int:
    return int((await house.calls())[-1]["n"])


async def lose_the_project(house: House, company: bool) -> str:
    """Removed from the console with all that was inside; another project of the account stays, or none."""
    lost = str((await house.status("Project", nine.name("Project")))["resourceID"])
    if company:
        await house.admin("POST", "resources", {"kind": "Project", "name": "other"})
    await house.admin("DELETE", f"resources/{lost}")
    return lost


async def told_gone(house: House, uid: str) -> None:
    await asyncio.sleep(5)
    events = [event["reason"] for event in await house.events() if event["involvedObject"]["uid"] == uid]
    assert events.count("Deleted") == 1


LOSSES = [(kind, company) for company in (True, False) for kind in nine.CHILDREN]
"""With another project in the account, or alone."""


@pytest.mark.parametrize(("kind", "company"), LOSSES)
async def test_case_55_project_removed_behind_our_back(kind: str, company: bool) -> None:
    """Case 55: the whole project is gone; an object in it, or its own, is deleted: it goes after the loss was seen
    twice, a window apart, with an Event; no DELETE hits anything. Departs: where no other project is to be seen either,
    which a wrong key or gateway would look like (case 14), two windows pass, and the reason says what is wrong.
    """
    async with living() as house:
        await nine.active(house, kind)
        uid = (await shown(house, kind))["metadata"]["uid"]
        await asyncio.sleep(120)
        lost, since = await lose_the_project(house, company), await last(house)
        await house.delete(kind, nine.name(kind))
        waits = WINDOW * (1 if company else 2) - 5
        await asyncio.sleep(waits)
        item = await shown(house, kind)
        assert (item["status"]["phase"], item["metadata"]["uid"]) == ("Deleting", uid)
        if not company:
            assert condition(item, "Ready")["reason"] == "TenantUnreadable"
        await house.until(lambda: absent(house, kind), within=100, every=1)
        assert [row["status"] for row in await house.writes(since)] in ([], [404])
        await told_gone(house, uid)
        looks = [row for row in await house.calls(since) if row["path"] == f"/projects/{lost}" and row["status"] == 404]
        assert len(looks) >= 2


async def test_case_55_the_last_project_of_an_account() -> None:
    """Case 55: a project that nothing was seen in is lost, the only one; deleted, its object goes at once."""
    async with living() as house:
        await nine.active(house, "Project")
        uid = (await shown(house, "Project"))["metadata"]["uid"]
        await lose_the_project(house, company=False)
        await house.delete("Project", nine.name("Project"))
        await house.until(lambda: absent(house, "Project"), within=10)
        await told_gone(house, uid)


@pytest.mark.parametrize("kind", nine.CHILDREN)
async def test_case_55_project_that_nobody_may_see(kind: str) -> None:
    """Case 55: the child is not found, and its project answers 403: that proves nothing. The object is kept, names the
    way out, and goes once the project is seen to be gone. Departs: slow is the pace of any wait, four looks a minute.
    """
    async with living() as house:
        await nine.active(house, kind)
        await asyncio.sleep(120)
        lost = await lose_the_project(house, company=True)
        await house.faults({"match": {"path": f"/projects/{lost}$"}, "then": FORBIDDEN})
        await house.delete(kind, nine.name(kind))
        await house.until(lambda: reason_is(house, kind, "Forbidden"), within=60)
        since = await last(house)
        await asyncio.sleep(300)
        assert await reason_is(house, kind, "Forbidden")
        await asyncio.sleep(600)
        item = await shown(house, kind)
        assert item["status"]["resourceID"]
        assert RELEASE in item["status"]["message"]
        looks = [row for row in await house.calls(since) if nine.KINDS[kind].collection.name in row["path"]]
        assert 3 <= len(looks) <= 65
        assert await house.writes(since) == []
        await house.admin("DELETE", "faults")
        await house.until(lambda: absent(house, kind), within=400, every=5)


@pytest.mark.parametrize("kind", nine.CHILDREN)
async def test_case_55_project_that_nobody_may_enter(kind: str) -> None:
    """Case 55: everything in the project answers 403, and all of it is there: kept, and deleted once that ends."""
    async with living() as house:
        resource = await nine.active(house, kind)
        await asyncio.sleep(120)
        place = (await house.status("Project", nine.name("Project")))["resourceID"]
        await house.faults({"match": {"path": f"/projects/{place}"}, "then": FORBIDDEN})
        await house.delete(kind, nine.name(kind))
        await asyncio.sleep(400)
        item = await shown(house, kind)
        assert (condition(item, "Ready")["reason"], item["status"]["resourceID"]) == ("Forbidden", resource)
        assert [row["deletedAt"] for row in await nine.ever(house, kind)] == [None]
        await house.admin("DELETE", "faults")
        await house.until(lambda: absent(house, kind), within=400, every=5)
        assert [row["deletedAt"] is None for row in await nine.ever(house, kind)] == [False]


async def deleted_and_hidden(house: House, kind: str) -> str:
    """The DELETE works; from then on whoever looks for the resource is told 403."""
    resource = await nine.active(house, kind)
    await house.delete(kind, nine.name(kind))
    await house.until(lambda: _asked(house, kind), every=0.05)
    await house.faults({"match": {"method": "GET", "path": f"/{resource}$"}, "then": FORBIDDEN})
    return resource


async def _asked(house: House, kind: str) -> bool:
    return bool(await nine.deletes(house, kind))


@pytest.mark.parametrize("kind", nine.STATEFUL)
async def test_case_56_forbidden_after_a_delete_that_worked(kind: str) -> None:
    """Case 56: three minutes of 403 follow the DELETE, then 404: no other DELETE, and gone soon after the 404. A
    project and a key pair are gone before anybody could look.
    """
    async with living() as house:
        await deleted_and_hidden(house, kind)
        await asyncio.sleep(180)
        assert await reason_is(house, kind, "Forbidden")
        assert (await shown(house, kind))["status"]["phase"] == "Deleting"
        await house.admin("DELETE", "faults")
        await house.until(lambda: absent(house, kind), within=40)
        assert len(await nine.deletes(house)) == 1


@pytest.mark.parametrize("kind", nine.STATEFUL)
async def test_case_56_forbidden_for_ever_has_a_way_out(kind: str) -> None:
    """Case 56: the 403 never ends: long after there still was one DELETE only, the message names the annotation that
    lets go, and with it the object goes at once, without a call.
    """
    async with living() as house:
        await deleted_and_hidden(house, kind)
        await asyncio.sleep(1200)
        assert RELEASE in (await shown(house, kind))["status"]["message"]
        assert len(await nine.deletes(house)) == 1
        since = await last(house)
        name, _, value = RELEASE.partition(": ")
        await house.patch(kind, nine.name(kind), {"metadata": {"annotations": {name: value}}})
        await house.until(lambda: absent(house, kind), within=5)
        assert await house.calls(since) == []
