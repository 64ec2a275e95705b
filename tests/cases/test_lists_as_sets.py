"""Field case 68: lists in another order, and things named twice."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.cases import nine
from tests.cases.world import living
from tests.world.house import House
from tests.world.judge import condition, settled
from tests.world.manifests import TARGETS, make, ref

Object = dict[str, Any]
SOON = {"ARUBA_LISTING_AGE": "10s"}
LISTS = ["dataVolumeReferences", "securityGroupReferences", "subnetReferences"]
SERVER = nine.name("CloudServer")


def volume() -> Object:
    spec = {**nine.subject("BlockStorage")["spec"], "bootable": False}
    spec.pop("image")
    return spec


def two(field: str) -> list[Object]:
    """Two objects that a list can name."""
    kind = TARGETS[field]
    specs = [volume(), volume()] if kind == "BlockStorage" else [nine.subject(kind)["spec"] for _ in range(2)]
    if kind == "Subnet":
        specs = [{**spec, "cidr": f"192.168.{at}.0/24"} for at, spec in enumerate(specs, start=20)]
    return [make(kind, name, dict(spec)) for name, spec in zip(("one-more", "two-more"), specs, strict=True)]


async def both(house: House, field: str, **spec: Any) -> str:
    """The server is Active with a list of both; its resource's ID."""
    await house.apply(*nine.needs("CloudServer"), *two(field))
    await house.until(house.all_active)
    await house.apply(nine.subject("CloudServer", **{field: [ref("one-more"), ref("two-more")], **spec}))
    await house.until(house.all_active)
    return str((await house.status("CloudServer", SERVER))["resourceID"])


def shown_round(house: House, made: str) -> Object:
    """What the cloud shows of the server's lists, each from its end and every entry twice."""
    server = house.simulator.world.store.find(made)
    assert server is not None
    links = [{"uri": one.uri} for kind in ("SecurityGroup", "ElasticIP", "BlockStorage") for one in server.bound(kind)]
    cards = [{"subnet": one.uri, "ips": []} for one in server.bound("Subnet")]
    return {
        "linkedResources": [link for link in reversed(links) for _ in range(2)],
        "networkInterfaces": [card for card in reversed(cards) for _ in range(2)],
    }


@pytest.mark.parametrize("field", LISTS)
async def test_case_68_order_is_no_difference(field: str) -> None:
    """Case 68: [a, b] in the spec, [b, b, a, a] in the cloud, then [b, a] in the spec: no call."""
    async with living(environ=SOON) as house:
        made = await both(house, field)
        since = (await house.calls())[-1]["n"]
        await house.admin("POST", f"resources/{made}", {"properties": shown_round(house, made)})
        await asyncio.sleep(30)
        assert settled(await house.get("CloudServer", SERVER) or {})
        await house.patch("CloudServer", SERVER, {"spec": {field: [ref("two-more"), ref("one-more")]}})
        await asyncio.sleep(30)
        item = await house.get("CloudServer", SERVER) or {}
        assert (settled(item), item["status"]["observedGeneration"]) == (True, 2)
        assert await house.writes(since) == []


@pytest.mark.parametrize("field", LISTS)
async def test_case_68_named_twice_is_refused(field: str) -> None:
    """Case 68: one object twice in a list is told before anything is made, and put right in place. On a server that is
    there it is told when it comes with a change, which is then not sent; a repetition alone asks for nothing.
    """
    async with living() as house:
        await house.apply(*nine.needs("CloudServer"), *two(field))
        await house.until(house.all_active)
        await house.apply(nine.subject("CloudServer", **{field: [ref("one-more"), ref("one-more")]}))
        await house.until(lambda: _failed(house), within=10)
        item = await house.get("CloudServer", SERVER) or {}
        assert condition(item, "Failed")["reason"] == "IntentionValidationFailed"
        assert f"[NoDuplicates] spec.{field} names default/one-more more than once" in item["status"]["message"]
        assert await nine.posts(house, "CloudServer") == []
        await house.patch("CloudServer", SERVER, {"spec": {field: [ref("one-more")]}})
        await house.until(house.all_active, within=30)
        since = (await house.calls())[-1]["n"]
        await house.patch("CloudServer", SERVER, {"spec": {field: [ref("one-more")] * 2 + [ref("two-more")]}})
        await house.until(lambda: _failed(house), within=10)
        await house.patch("CloudServer", SERVER, {"spec": {field: [ref("one-more")] * 2}})
        await house.until(house.all_active, within=10)
        assert await house.writes(since) == []


async def _failed(house: House) -> bool:
    return (await house.status("CloudServer", SERVER)).get("phase") == "Failed"
