"""Every mutable field of every kind: an edit is one call with exactly the right body, and nothing else ever is."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.cases import nine
from tests.cases.world import living
from tests.scenarios.edits import (
    ACTIONS,
    EDITS,
    MUTABLE,
    cloud_has,
    edit,
    in_cloud_words,
    present,
    up,
    up_to_date,
    uris,
    values,
)
from tests.scenarios.upstream import calls_so_far
from tests.world.film import filming, walk
from tests.world.house import House
from tests.world.judge import OWNER_TAG, condition

pytestmark = pytest.mark.every_kind

Object = dict[str, Any]
SOON = {"ARUBA_LISTING_AGE": "10s"}
BERGAMO = {"value": "ITBG-Bergamo"}
RENAMED = "named-at-console"
DHCP = {
    "range": {"start": "192.168.1.100", "count": 20, "last": "192.168.1.119"},
    "routes": [{"address": "192.168.1.0/28", "gateway": "192.168.1.1"}],
    "dns": ["192.168.1.53"],
}
CONSOLE: dict[str, Object] = {
    "Project": {"default": True},
    "VPC": {"default": True},
    "Subnet": {"default": True, "dhcp": {"enabled": True, **DHCP}},
    "SecurityGroup": {"default": True},
}
"""What somebody set at the console, beside a new name, and we do not manage."""


def put_body(kind: str, spec: Object) -> Object:
    """The whole PUT, by the API's documentation (api §8.1 to §8.8); the owner tag is added by the test."""
    metadata = {"name": RENAMED, "tags": sorted(spec.get("tags", []))}
    placed = {**metadata, "location": BERGAMO}
    network = {"address": "192.168.1.0/24", "gateway": "192.168.1.1"}
    bodies: dict[str, Object] = {
        "Project": {"metadata": metadata, "properties": {"description": spec.get("description"), "default": True}},
        "VPC": {"metadata": placed, "properties": {"default": True}},
        "Subnet": {
            "metadata": metadata,
            "properties": {
                "type": "Advanced",
                "default": True,
                "network": network,
                "dhcp": {**DHCP, "enabled": spec.get("dhcp", {}).get("enabled")},
            },
        },
        "SecurityGroup": {"metadata": metadata, "properties": {"default": True}},
        "SecurityRule": {"metadata": metadata},
        "ElasticIP": {
            "metadata": placed,
            "properties": {"billingPlan": {"billingPeriod": spec.get("billingPeriod")}},
        },
        "BlockStorage": {
            "metadata": placed,
            "properties": {
                "sizeGb": spec.get("sizeGB"),
                "billingPeriod": spec.get("billingPeriod"),
                "dataCenter": "ITBG-1",
            },
        },
    }
    return bodies[kind]


def without_owner_tag(body: Object) -> Object:
    """The body with its tags sorted and its one owner tag taken out."""
    tags = body["metadata"]["tags"]
    assert len([tag for tag in tags if OWNER_TAG.fullmatch(tag)]) == 1
    rest = sorted(tag for tag in tags if not OWNER_TAG.fullmatch(tag))
    return {**body, "metadata": {**body["metadata"], "tags": rest}}


async def changed_at_console(house: House, kind: str, made: str) -> None:
    """Long after it became Active, so that what was last read of it is from before."""
    if kind == "CloudServer":
        return
    await asyncio.sleep(400)
    change = {"metadata": {"name": RENAMED}, "properties": CONSOLE.get(kind, {})}
    await house.admin("POST", f"resources/{made}", change)


async def right_call(house: House, kind: str, field: str, before: Any, call: Object) -> None:
    """The call settles the step from `before` to what the spec says now, and says nothing else."""
    item = await house.get(kind, nine.name(kind)) or {}
    made = item["status"]["resourceID"]
    if field not in ACTIONS:
        assert (call["method"], call["path"].rsplit("/", 1)[1], call["status"] < 300) == ("PUT", made, True)
        assert without_owner_tag(call["requestBody"]) == put_body(kind, item["spec"])
        return
    action = ACTIONS[field]
    assert (call["method"], call["path"].rsplit("/", 2)[1:], call["status"]) == ("POST", [made, action.name], 202)
    was, now = set(await uris(house, field, before)), set(await uris(house, field, item["spec"].get(field)))
    body = {name: sorted(one["uri"] for one in members) for name, members in call["requestBody"].items()}
    assert body == {action.add: sorted(now - was), action.remove: sorted(was - now)}


def test_every_mutable_field_is_here() -> None:
    """So that one more in a declaration is one more here; KeyPairs have none, and servers only what actions change."""
    assert {kind for kind, _ in MUTABLE} == set(nine.ALL) - {"KeyPair"}
    assert {field for kind, field in MUTABLE if kind == "CloudServer"} == set(ACTIONS)
    assert all(len(values(kind, field)) >= 2 for kind, field in EDITS)


@pytest.mark.parametrize(("kind", "field"), EDITS)
async def test_an_edit_is_one_call_with_the_right_body(kind: str, field: str) -> None:
    """One PUT, or one action with only the difference: what the cloud has and we do not manage is carried, as somebody
    set it at the console a moment ago. Updating, then Active, Ready for this generation; and nothing more is sent.
    """
    async with living() as house:
        made = await up(house, kind, field)
        await changed_at_console(house, kind, made)
        await asyncio.sleep(1)
        before = present(kind, field)
        for value in values(kind, field):
            since = await calls_so_far(house)
            async with filming(house) as film:
                await edit(house, kind, field, value)
                await house.until(lambda: up_to_date(house, kind), within=20)
            assert walk(film.of(kind, nine.name(kind)))[-2:] == ["Updating", "Active"]
            assert cloud_has(house, kind, made, field) == await in_cloud_words(house, field, value)
            await asyncio.sleep(30)
            [call] = await house.writes(since)
            await right_call(house, kind, field, before, call)
            assert await up_to_date(house, kind)
            before = value


ORDERED = [(kind, field) for kind, field in EDITS if isinstance(values(kind, field)[0], list)]


@pytest.mark.parametrize(("kind", "field"), ORDERED)
async def test_another_order_is_no_edit(kind: str, field: str) -> None:
    """A list turned round is a new generation that asks for nothing: seen as such at once, nothing sent."""
    async with living() as house:
        await up(house, kind, field)
        several = values(kind, field)[0]
        await edit(house, kind, field, several)
        await house.until(lambda: up_to_date(house, kind), within=20)
        since = await calls_so_far(house)
        async with filming(house) as film:
            await edit(house, kind, field, list(reversed(several)))
            await house.until(lambda: up_to_date(house, kind), within=5)
            await asyncio.sleep(60)
        assert walk(film.of(kind, nine.name(kind))) == ["Active"]
        assert (await house.status(kind, nine.name(kind)))["observedGeneration"] == 3
        assert await house.writes(since) == []


async def test_a_volume_is_billed_by_the_hour() -> None:
    """The one mutable field with only one value that the cloud takes (api §8.8): another is told without a call, and
    one that somebody brought about in the cloud is put back by one PUT.
    """
    async with living(environ=SOON) as house:
        made = await up(house, "BlockStorage")
        since = await calls_so_far(house)
        await edit(house, "BlockStorage", "billingPeriod", "Month")
        await house.until(lambda: _failed(house), within=10)
        item = await house.get("BlockStorage", "shop") or {}
        assert condition(item, "Failed")["reason"] == "IntentionValidationFailed"
        assert "[HourlyOnly]" in item["status"]["message"]
        await asyncio.sleep(60)
        await edit(house, "BlockStorage", "billingPeriod", "Hour")
        await house.until(lambda: up_to_date(house, "BlockStorage"), within=10)
        assert await house.writes(since) == []
        change = {"metadata": {"name": RENAMED}, "properties": {"billingPeriod": "Month"}}
        await house.admin("POST", f"resources/{made}", change)
        await house.until(lambda: _hourly(house, made), within=30)
        [call] = await house.writes(since)
        await right_call(house, "BlockStorage", "billingPeriod", "Month", call)


async def _failed(house: House) -> bool:
    return (await house.status("BlockStorage", "shop"))["phase"] == "Failed"


async def _hourly(house: House, made: str) -> bool:
    return cloud_has(house, "BlockStorage", made, "billingPeriod") == "Hour"


@pytest.mark.parametrize("kind", ["KeyPair", "CloudServer"])
async def test_never_a_put(kind: str) -> None:
    """They have no PUT (cases 21): whatever is edited, and whatever changes in the cloud, none is sent."""
    fields = sorted(nine.KINDS[kind].mutable)
    async with living(environ=SOON) as house:
        made = await up(house, kind, *fields)
        for field in fields:
            await edit(house, kind, field, values(kind, field)[0])
        await house.admin("POST", f"resources/{made}", {"metadata": {"tags": ["from-console"], "name": RENAMED}})
        await asyncio.sleep(25)
        assert await house.calls(method="PUT") == []
        for field in fields:
            wanted = await in_cloud_words(house, field, values(kind, field)[0])
            assert cloud_has(house, kind, made, field) == wanted
