"""For every kind: external-delete, as the kind's default or the annotation has it; and delete-blocked (design §10)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.world.house import House, living
from tests.world.judge import condition, no_duplicates, no_refusals, settled
from tests.world.life import all_settled, ended
from tests.world.manifests import name_of
from tests.world.samples import BOOT, KINDS, NAMES, with_needs

pytestmark = pytest.mark.every_kind

Object = dict[str, Any]
RECREATED = ("VPC", "Subnet", "SecurityGroup", "SecurityRule", "KeyPair")
REPORTED = tuple(kind for kind in KINDS if kind not in RECREATED)
SOON = {"ARUBA_LISTING_AGE": "30s"}
"""Objects at rest are looked at again within so long plus a tenth, so nothing is noticed later."""
POLICY = "arubacloud.com/on-external-delete"
SERVER = f"CloudServer default/{NAMES['CloudServer']}"
IN_USE = {
    ("VPC", NAMES["VPC"]): SERVER,
    ("Subnet", NAMES["Subnet"]): SERVER,
    ("SecurityGroup", NAMES["SecurityGroup"]): SERVER,
    ("KeyPair", NAMES["KeyPair"]): SERVER,
    ("BlockStorage", BOOT): SERVER,
}
"""What a server cannot do without: its deletion waits for the server's; and what it names as being in the way."""


async def remove(house: House, kind: str) -> str:
    """The resource of the sample object goes, as from the console; its ID."""
    gone = (await house.status(kind, NAMES[kind]))["resourceID"]
    await house.admin("DELETE", f"resources/{gone}")
    return str(gone)


async def up(house: House, kind: str, policy: str = "") -> None:
    items = with_needs(kind)
    if policy:
        items[-1]["metadata"]["annotations"] = {POLICY: policy}
    await house.apply(*items)
    await house.until(lambda: all_settled(house))


async def another(house: House, kind: str, than: str) -> bool:
    live = await house.get(kind, NAMES[kind])
    return live is not None and settled(live) and live["status"]["resourceID"] != than


async def told_gone(house: House, kind: str) -> bool:
    live = await house.get(kind, NAMES[kind])
    return live is not None and condition(live, "Ready").get("reason") == "ExternallyDeleted"


@pytest.mark.parametrize("kind", KINDS)
async def test_external_delete_recreated(kind: str) -> None:
    """By default where nothing is lost by it, elsewhere by the annotation: one new resource, not two."""
    async with living(environ=SOON) as house:
        await up(house, kind, policy="" if kind in RECREATED else "recreate")
        gone = await remove(house, kind)
        await house.until(lambda: another(house, kind, gone), within=120)
        assert len(await house.resources(kind)) == len([i for i in with_needs(kind) if i["kind"] == kind])
        await no_duplicates(house)


@pytest.mark.parametrize("kind", KINDS)
async def test_external_delete_reported(kind: str) -> None:
    """The lost ID is told and kept, nothing is made; the annotation makes it anew, and deleting works."""
    async with living(environ=SOON) as house:
        await up(house, kind, policy="" if kind in REPORTED else "report")
        writes = len(await house.writes())
        gone = await remove(house, kind)
        await house.until(lambda: told_gone(house, kind), within=60)
        await asyncio.sleep(90)
        live = await house.get(kind, NAMES[kind])
        assert live is not None
        assert (live["status"]["phase"], live["status"]["resourceID"]) == ("Failed", gone)
        assert condition(live, "Stalled")["status"] == "True"
        assert gone in live["status"]["message"]
        assert len(await house.writes()) == writes
        await house.patch(kind, NAMES[kind], {"metadata": {"annotations": {POLICY: "recreate"}}})
        await house.until(lambda: another(house, kind, gone), within=120)


@pytest.mark.parametrize("kind", KINDS)
async def test_external_delete_then_deleted(kind: str) -> None:
    """What is gone anyway does not hold up the end of its object."""
    async with living() as house:
        await up(house, kind, policy="report")
        await remove(house, kind)
        await house.delete("Project", NAMES["Project"])
        await ended(house)


async def test_delete_blocked_by_a_server() -> None:
    """Each waits and names what is in the way; nothing is asked of the cloud until the server's own end."""
    async with living() as house:
        items = with_needs("CloudServer")
        await house.apply(*items)
        await house.until(lambda: all_settled(house))
        writes, resources = len(await house.writes()), len(await house.resources())
        for kind, name in IN_USE:
            await house.delete(kind, name)
        await asyncio.sleep(40)
        for (kind, name), blocker in IN_USE.items():
            status = await house.status(kind, name)
            assert status["phase"] == "Deleting", (kind, status)
            assert blocker in status["message"], (kind, status["message"])
        assert (len(await house.writes()), len(await house.resources())) == (writes, resources)
        await house.delete("CloudServer", NAMES["CloudServer"])
        await house.until(lambda: only_project(house), within=60)
        assert [row["kind"] for row in await house.resources()] == ["Project"]
        await no_refusals(house)


async def only_project(house: House) -> bool:
    return [(item["kind"], name_of(item)) for item in await house.objects()] == [("Project", NAMES["Project"])]
