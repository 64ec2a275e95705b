"""Field case 31: a volume with snapshots stays, for a snapshot without its volume could never be deleted again."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.cases import nine
from tests.cases.console import last_call
from tests.cases.world import living
from tests.world.house import House
from tests.world.judge import condition
from tests.world.manifests import make

Object = dict[str, Any]
LISTS: dict[str, Object] = {
    "500": {"status": 500, "body": {"title": "Internal Server Error"}},
    "403": {"status": 403, "body": {"title": "Forbidden"}},
    "html 404": {"status": 404, "text": "<html><body>Not found</body></html>"},
    "429": {"status": 429, "headers": {"retry-after": "20"}},
    "not JSON": {"status": 200, "text": "yes"},
    "empty page, another total": {"status": 200, "body": {"total": 3, "values": []}},
    "cut": {"drop": "before"},
    "slow": {"delay": 40},
}
"""How the list of snapshots can fail to come."""


def data_volume(name: str) -> Object:
    return make("BlockStorage", name, {**nine.subject("BlockStorage")["spec"], "bootable": False, "image": None})


async def up(house: House, *volumes: str) -> str:
    """The subject and these volumes are Active; the subject's resource."""
    items = [data_volume(name) for name in volumes]
    for item in items:
        del item["spec"]["image"]
    await house.apply(*items)
    return await nine.active(house, "BlockStorage")


async def snapshot(house: House, name: str, of: str = "shop") -> str:
    """A snapshot made at the console; its ID."""
    volume = (await house.status("BlockStorage", of))["resourceID"]
    [row] = [row for row in await house.resources("BlockStorage") if row["id"] == volume]
    body = {
        "kind": "Snapshot",
        "projectId": row["projectId"],
        "name": name,
        "properties": {"volume": {"uri": row["uri"]}},
    }
    return str((await house.admin("POST", "resources", body))["id"])


async def reason_is(house: House, reason: str) -> bool:
    return condition(await house.get("BlockStorage", "shop") or {}, "Ready").get("reason") == reason


async def absent(house: House) -> bool:
    return await house.get("BlockStorage", "shop") is None


async def test_case_31_snapshots_on_the_second_page() -> None:
    """Case 31: the volume's own snapshots are on the second and third page of the list, behind those of another volume:
    no DELETE, the reason and their names at once, a person must act; once they are gone the deletion finishes.
    Departs: nothing deletes snapshots but a person; there is no policy for it.
    """
    async with living() as house:
        volume = await up(house, "other-volume")
        for number in range(4):
            await snapshot(house, f"of-another-{number}", of="other-volume")
        ours = {name: await snapshot(house, name) for name in ("before-upgrade", "after-upgrade")}
        await house.quirks(pageLimit=2)
        since = await last_call(house)
        await house.delete("BlockStorage", "shop")
        await house.until(lambda: reason_is(house, "SnapshotsExist"), within=2)
        first = await house.status("BlockStorage", "shop")
        await asyncio.sleep(400)
        shown = await house.get("BlockStorage", "shop") or {}
        assert shown["status"]["message"] == first["message"]
        assert (shown["status"]["phase"], shown["status"]["resourceID"]) == ("Deleting", volume)
        assert (await reason_is(house, "SnapshotsExist"), condition(shown, "Stalled")["status"]) == (True, "True")
        named = ", ".join(f"{name!r} ({ours[name]})" for name in sorted(ours, reverse=True))
        assert f"snapshots of it exist: {named}; delete these first" in first["message"]
        told = [event for event in await house.events() if event["reason"] == "SnapshotsExist"]
        assert [event["type"] for event in told] == ["Warning"]
        assert await house.writes(since) == []
        await house.admin("DELETE", f"resources/{ours['before-upgrade']}")
        await asyncio.sleep(400)
        shown = await house.get("BlockStorage", "shop") or {}
        assert (condition(shown, "Ready")["reason"], condition(shown, "Stalled")["status"]) == ("Timeout", "True")
        assert f"snapshots of it exist: 'after-upgrade' ({ours['after-upgrade']})" in shown["status"]["message"]
        assert await house.writes(since) == []
        await house.admin("DELETE", f"resources/{ours['after-upgrade']}")
        await house.until(lambda: absent(house), within=400)
        assert [row["status"] for row in await house.writes(since)] == [202]
        assert len(await house.resources("Snapshot")) == 4


@pytest.mark.parametrize("failure", sorted(LISTS))
async def test_case_31_a_list_that_fails_lets_nothing_go(failure: str) -> None:
    """Case 31: as long as it is not known whether there are snapshots, no DELETE is sent; it goes on by itself."""
    async with living() as house:
        await up(house)
        await asyncio.sleep(20)
        since = await last_call(house)
        await house.faults({"match": {"method": "GET", "path": "/snapshots$"}, "then": LISTS[failure]})
        await house.delete("BlockStorage", "shop")
        await asyncio.sleep(300)
        assert await house.writes(since) == []
        assert (await house.status("BlockStorage", "shop"))["phase"] in ("Deleting", "Failed")
        assert len(await house.calls(since, path="/snapshots")) > 2
        await house.admin("DELETE", "faults")
        await house.until(lambda: absent(house), within=400)
        assert [row["status"] for row in await house.writes(since)] == [202]


async def test_case_31_a_list_that_shifts_while_it_is_read_proves_nothing() -> None:
    """Case 31: the one snapshot slips from page to page while the list is read: no DELETE before readings agree."""
    async with living() as house:
        await up(house, "other-volume")
        await snapshot(house, "first-of-another", of="other-volume")
        await snapshot(house, "second-of-another", of="other-volume")
        made = await snapshot(house, "first-of-third-page")
        await house.quirks(pageLimit=2, skipOnPaging=True)
        since = await last_call(house)
        await house.delete("BlockStorage", "shop")
        await asyncio.sleep(120)
        assert len(await house.calls(since, path="/snapshots")) >= 4
        assert await house.writes(since) == []
        await house.quirks(skipOnPaging=False)
        await house.until(lambda: reason_is(house, "SnapshotsExist"), within=150)
        await house.admin("DELETE", f"resources/{made}")
        await house.until(lambda: absent(house), within=400)


async def test_case_31_no_snapshots_told_as_not_found() -> None:
    """Case 31, counter-test: a cloud that answers 404 where a list is empty (O2), or names only what is deleted."""
    async with living() as house:
        await up(house)
        await house.quirks(emptyListIs404=True)
        await house.delete("BlockStorage", "shop")
        await house.until(lambda: absent(house), within=30)


async def test_case_31_a_project_waits_for_the_volume() -> None:
    """Case 31: a project deleted with such a volume waits, names the volume, and goes once the snapshot is gone."""
    async with living() as house:
        await up(house)
        made = await snapshot(house, "kept-for-audit")
        await house.delete("Project", "shop")
        await house.until(lambda: reason_is(house, "SnapshotsExist"), within=60)
        project = await house.get("Project", "shop") or {}
        assert condition(project, "Ready")["reason"] == "ChildrenExist"
        assert "BlockStorage default/shop (Deleting)" in project["status"]["message"]
        assert await nine.deletes(house) == []
        await house.admin("DELETE", f"resources/{made}")
        await house.until(house.all_gone, within=400)
        assert await house.resources() == []
