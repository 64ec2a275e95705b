"""Cases 61 and 107: parts of the installation removed while objects live. Nothing in the cloud goes with them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.cases import nine
from tests.cases.byhand import kill, restart
from tests.cases.estate import noted
from tests.world.house import PLURALS, House, living
from tests.world.manifests import fixture_set

Object = dict[str, Any]
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


async def uninstalled(house: House, *kinds: str) -> None:
    """`kubectl delete crd` of these kinds."""
    for kind in kinds:
        answer = await house.kube.delete(f"{DEFINITIONS}/{PLURALS[kind]}.arubacloud.com")
        assert answer.status_code == 200, answer.text


async def left(house: House) -> list[str]:
    found = (await house.kube.get(DEFINITIONS)).json()["items"]
    return [crd["metadata"]["name"] for crd in found if crd["metadata"]["name"].endswith("arubacloud.com")]


async def test_case_61_the_operator_is_removed_first() -> None:
    """Case 61: the operator goes, then its objects are deleted: they wait; installed again, all of them finish."""
    async with living() as house:
        await house.apply(*fixture_set("Test4"))
        await house.until(house.all_active)
        kill(house)
        for item in await house.objects():
            await house.delete(item["kind"], item["metadata"]["name"])
        await asyncio.sleep(900)
        assert len(await house.objects()) == len(fixture_set("Test4"))
        assert await nine.deletes(house) == []
        restart(house)
        await house.until(house.all_gone, within=400)
        assert await house.resources() == []


async def test_case_107_all_kinds_are_uninstalled() -> None:
    """Case 107, the operator's half: every definition is deleted, and all objects with them: not one DELETE is sent,
    all objects are gone, with an Event that says what stays.
    """
    async with living() as house:
        await house.apply(*fixture_set("Test10"))
        await house.until(house.all_active)
        ids = {item["status"]["resourceID"] for item in await house.objects()}
        since = int((await house.calls())[-1]["n"])
        await uninstalled(house, *nine.ALL)
        await house.until(lambda: _none(house), within=60)
        assert await house.writes(since) == []
        assert {row["id"] for row in await house.resources()} == ids
        released = {event["involvedObject"]["uid"] for event in await house.events() if event["reason"] == "Released"}
        assert len(released) == len(ids)


async def _none(house: House) -> bool:
    return await left(house) == []


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_107_one_kind_is_uninstalled(kind: str) -> None:
    """Case 107: only this kind's objects go; what is in the cloud stays, and the others are not touched."""
    async with living() as house:
        await house.apply(*fixture_set("Test10"))
        await house.until(house.all_active)
        before = {item["metadata"]["uid"] for item in await house.objects() if item["kind"] != kind}
        since = int((await house.calls())[-1]["n"])
        await uninstalled(house, kind)
        await asyncio.sleep(60)
        assert f"{PLURALS[kind]}.arubacloud.com" not in await left(house)
        assert await house.writes(since) == []
        found = [item for other in nine.ALL if other != kind for item in await house.list(other)]
        assert {item["metadata"]["uid"] for item in found} == before
        assert [item for item in found if item["metadata"].get("deletionTimestamp")] == []


async def test_case_107_where_an_object_says_delete_it_goes() -> None:
    """Case 107: `delete-policy: delete` on an object is a word about that very resource."""
    async with living() as house:
        resource = await nine.active(house, "ElasticIP")
        await house.patch("ElasticIP", nine.name("ElasticIP"), noted(delete_policy="delete"))
        await uninstalled(house, "ElasticIP")
        await asyncio.sleep(30)
        assert [path.rpartition("/")[2] for path in await nine.deletes(house)] == [resource]
