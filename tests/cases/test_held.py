"""Field cases 31 and 45: what somebody else holds is not taken, and what others need does not go."""

from __future__ import annotations

import asyncio
from copy import deepcopy
from typing import Any

import pytest

from tests.cases import nine
from tests.cases.console import last_call
from tests.cases.world import living
from tests.scenarios.edits import spares, up_to_date
from tests.world.house import House
from tests.world.judge import condition
from tests.world.manifests import ref

Object = dict[str, Any]
SECOND = "second-server"
KINDS = {
    "elasticIPReference": "ElasticIP",
    "bootVolumeReference": "BlockStorage",
    "dataVolumeReferences": "BlockStorage",
}
"""What one server holds for itself alone, and the kind of it."""


def contested(field: str) -> str:
    """The name of the object that both want."""
    return "shop" if field == "bootVolumeReference" else "next"


def servers(field: str) -> tuple[Object, Object]:
    """Two servers that both want what is `next`, and have all else for themselves."""
    first = nine.subject("CloudServer")
    first["spec"].pop("elasticIPReference")
    second = deepcopy(first)
    second["metadata"]["name"] = SECOND
    second["spec"]["bootVolumeReference"] = ref("second-boot")
    for server in (first, second):
        server["spec"][field] = wish(field)
    return first, second


def wish(field: str) -> Any:
    return [ref("next")] if field == "dataVolumeReferences" else ref(contested(field))


def everything(field: str) -> list[Object]:
    """What both servers refer to."""
    boot = nine.subject("BlockStorage")
    boot["metadata"]["name"] = "second-boot"
    more = [] if field == "bootVolumeReference" else spares("CloudServer", field)
    return [*nine.needs("CloudServer"), boot, *more]


async def first_has_it(house: House, field: str) -> tuple[Object, str]:
    """Everything is Active but the second server, which is not applied yet: it, and the ID of the first one."""
    first, second = servers(field)
    await house.apply(*everything(field), first)
    await house.until(house.all_active)
    return second, str((await house.status("CloudServer", "shop"))["resourceID"])


async def ready_reason(house: House, name: str) -> str:
    return str(condition(await house.get("CloudServer", name) or {}, "Ready").get("reason"))


async def in_use(house: House, name: str) -> bool:
    return await ready_reason(house, name) == "DependencyInUse"


async def says_who(house: House, field: str, holder: str) -> None:
    """The reason, for long, with the holder named; nobody has to act, for it goes on by itself."""
    await house.until(lambda: in_use(house, SECOND), within=20)
    await asyncio.sleep(100)
    shown = await house.get("CloudServer", SECOND) or {}
    stalled = condition(shown, "Stalled")["status"]
    assert (condition(shown, "Ready")["status"], await ready_reason(house, SECOND), stalled) == (
        "False",
        "DependencyInUse",
        "False",
    )
    told = f"{KINDS[field]} default/{contested(field)} is held by cloudServers 'shop' ({holder})"
    assert told in shown["status"]["message"]


async def freed(house: House, field: str) -> bool:
    resource = (await house.status(KINDS[field], contested(field)))["resourceID"]
    return {row["id"]: row["state"] for row in await house.resources(KINDS[field])}[resource] == "NotUsed"


async def called(house: House, since: int) -> bool:
    return any(row["method"] == "POST" for row in await house.writes(since))


async def second_is_up(house: House) -> bool:
    return condition(await house.get("CloudServer", SECOND) or {}, "Ready").get("status") == "True"


async def goes_on(house: House, field: str, since: int) -> None:
    """What was waited for is free: within half a minute the one call is made, and it is not refused."""
    await house.until(lambda: freed(house, field), within=60, every=0.1)
    await house.until(lambda: called(house, since), within=30)
    await house.until(lambda: second_is_up(house), within=30)
    assert [row["status"] // 100 for row in await house.writes(since) if row["method"] == "POST"] == [2]


@pytest.mark.parametrize("field", sorted(KINDS))
async def test_case_45_held_when_it_is_wanted_for_a_new_server(field: str) -> None:
    """Case 45: what another server holds is not asked for: the message names that one, no call is made, and when it is
    gone the second server goes on by itself. Data volumes are attached to a server that is up already.
    """
    async with living() as house:
        second, holder = await first_has_it(house, field)
        await asyncio.sleep(20)
        if field == "dataVolumeReferences":
            bare = deepcopy(second)
            bare["spec"].pop(field)
            await house.apply(bare)
            await house.until(house.all_active)
            since = await last_call(house)
            await house.patch("CloudServer", SECOND, {"spec": {field: second["spec"][field]}})
        else:
            since = await last_call(house)
            await house.apply(second)
        await says_who(house, field, holder)
        assert await house.writes(since) == []
        await house.delete("CloudServer", "shop")
        await goes_on(house, field, since)


async def test_case_45_a_new_server_up_to_its_data_volume() -> None:
    """Case 45: the server is made, and waits for the volume that another one holds, as a server that is not ready."""
    field = "dataVolumeReferences"
    async with living() as house:
        second, holder = await first_has_it(house, field)
        await asyncio.sleep(20)
        await house.apply(second)
        await says_who(house, field, holder)
        assert (await house.status("CloudServer", SECOND))["phase"] == "WaitingCondition"
        since = await last_call(house)
        await house.delete("CloudServer", "shop")
        await goes_on(house, field, since)


async def test_case_45_held_when_it_is_associated_later() -> None:
    """Case 45: a server that is up asks for an address that another one holds: no call to associate it; once the first
    one gives it away, by an edit of its own, the second has it.
    """
    field = "elasticIPReference"
    async with living() as house:
        second, holder = await first_has_it(house, field)
        second["spec"].pop(field)
        await house.apply(second)
        await house.until(house.all_active)
        await asyncio.sleep(20)
        since = await last_call(house)
        await house.patch("CloudServer", SECOND, {"spec": {field: ref("next")}})
        await says_who(house, field, holder)
        assert await house.writes(since) == []
        await house.patch("CloudServer", "shop", {"spec": {field: None}})
        await house.until(lambda: called(house, since), within=5)
        await goes_on(house, field, await last_call(house))
        assert await up_to_date(house, "CloudServer")


async def test_case_45_two_at_once_are_for_the_cloud_to_judge() -> None:
    """Case 45: two servers made at the same moment want one address: one has it; what the other asked for in vain is
    not asked for again, as soon as a look can show who holds it.
    """
    async with living() as house:
        first, second = servers("elasticIPReference")
        await house.apply(*everything("elasticIPReference"))
        await house.until(house.all_active)
        await house.apply(first, second)
        await asyncio.sleep(120)
        reasons = {await ready_reason(house, "shop"), await ready_reason(house, SECOND)}
        assert reasons == {"Available", "DependencyInUse"}
        refused = [row for row in await house.calls(method="POST", path="/cloudServers") if row["status"] >= 400]
        assert len(refused) <= 1
        [holder] = [name for name in ("shop", SECOND) if await ready_reason(house, name) == "Available"]
        await house.delete("CloudServer", holder)
        await house.until(lambda: left_alone(house), within=60)


async def left_alone(house: House) -> bool:
    return len(await house.list("CloudServer")) == 1 and await house.all_active()
