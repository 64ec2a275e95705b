"""Field case 64: what is attached to a server, and what somebody at the console does to it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.cases import nine
from tests.cases.console import last_call, move
from tests.cases.world import living
from tests.scenarios.edits import ACTIONS, as_list, cloud_has, present, spares, uris
from tests.world.house import House
from tests.world.judge import condition, settled
from tests.world.manifests import TARGETS, ref

pytestmark = pytest.mark.every_kind

Object = dict[str, Any]
SOON = {"ARUBA_LISTING_AGE": "10s"}
SERVER = "CloudServer"
ATTACHED = sorted(ACTIONS)
POLICY = "arubacloud.com/drift-policy"


async def up(house: House, field: str, annotations: dict[str, str] | None = None) -> str:
    """A server with what it has from the start; two of what the field refers to, besides, where it is a list."""
    server = nine.subject(SERVER)
    if field in ("subnetReferences", "securityGroupReferences"):
        server["spec"][field] = [ref("shop"), ref("next")]
    if field == "dataVolumeReferences":
        server["spec"][field] = [ref("next"), ref("third")]
    server["metadata"]["annotations"] = annotations or {}
    await house.apply(*nine.needs(SERVER), *spares(SERVER, field), server)
    await house.until(house.all_active)
    return str((await house.status(SERVER, "shop"))["resourceID"])


def victim(field: str) -> str:
    """The object whose resource is detached."""
    return "shop" if field == "elasticIPReference" else "next"


async def shown(house: House) -> Object:
    return await house.get(SERVER, "shop") or {}


async def ready(house: House) -> tuple[str, str]:
    found = condition(await shown(house), "Ready")
    return found["status"], found["reason"]


async def events(house: House, reason: str) -> list[Object]:
    """Events of this reason about the server."""
    return [
        event
        for event in await house.events()
        if event["reason"] == reason and event["involvedObject"]["kind"] == SERVER
    ]


async def has_all(house: House, server: str, field: str) -> bool:
    wanted = (await shown(house))["spec"][field]
    return cloud_has(house, SERVER, server, field) == await uris(house, field, wanted)


@pytest.mark.parametrize("field", ATTACHED)
async def test_case_64_detached_at_the_console_is_put_back(field: str) -> None:
    """Case 64: exactly what was detached is attached again, by one action, with an Event; nothing else is touched."""
    async with living(environ=SOON) as house:
        server = await up(house, field)
        [uri] = await uris(house, field, ref(victim(field)))
        await move(house, field, remove=(victim(field),))
        assert uri not in cloud_has(house, SERVER, server, field)
        since = await last_call(house)
        await house.until(lambda: has_all(house, server, field), within=20)
        await house.until(lambda: _settled(house), within=20)
        await asyncio.sleep(30)
        [call] = await house.writes(since)
        action = ACTIONS[field]
        assert (call["path"].rsplit("/", 2)[1:], call["status"]) == ([server, action.name], 202)
        assert call["requestBody"] == {action.add: [{"uri": uri}], action.remove: []}
        [event] = await events(house, "DriftCorrected")
        assert (event["type"], f"spec.{field}" in event["message"]) == ("Warning", True)


async def _settled(house: House) -> bool:
    return settled(await shown(house))


@pytest.mark.parametrize("field", ATTACHED)
async def test_case_64_detached_at_the_console_is_only_told(field: str) -> None:
    """Case 64, drift-policy report: field, wanted and actual are told, with an Event, and nothing is sent; an edit of
    the spec is applied as usual, and ends it.
    """
    async with living(environ=SOON) as house:
        server = await up(house, field, {POLICY: "report"})
        await move(house, field, remove=(victim(field),))
        since = await last_call(house)
        await house.until(lambda: _drifted(house), within=20)
        await asyncio.sleep(30)
        item = await shown(house)
        assert (item["status"]["phase"], *(await ready(house))) == ("Active", "False", "Drifted")
        wanted, has = await sides(house, server, field)
        assert f"spec.{field}: wanted {wanted}, the cloud has {has}" in item["status"]["message"]
        assert f"{POLICY}: report" in item["status"]["message"]
        assert await house.writes(since) == []
        assert len(await events(house, "Drifted")) == 1
        left = [one for one in as_list(item["spec"][field]) if one["name"] != victim(field)]
        value = left if isinstance(item["spec"][field], list) else None
        await house.patch(SERVER, "shop", {"spec": {field: value}})
        await house.until(lambda: _settled(house), within=20)
        assert await house.writes(since) == []


async def _drifted(house: House) -> bool:
    return (await ready(house))[1] == "Drifted"


async def sides(house: House, server: str, field: str) -> tuple[str, str]:
    """What is wanted and what there is, by ID, as a message tells them."""
    item = await shown(house)
    wanted = sorted(uri.rpartition("/")[2] for uri in await uris(house, field, item["spec"][field]))
    has = sorted(uri.rpartition("/")[2] for uri in cloud_has(house, SERVER, server, field))
    many = isinstance(item["spec"][field], list)
    return (f"[{', '.join(wanted)}]", f"[{', '.join(has)}]") if many else (wanted[0], has[0] if has else "nothing")


def lone(field: str) -> Object:
    """A server that wants no more than it must."""
    server = nine.subject(SERVER)
    server["spec"].pop("elasticIPReference")
    return server


EXTRA = {
    "subnetReferences": ("next", "securityGroupReferences", [ref("shop"), ref("also")]),
    "securityGroupReferences": ("next", "securityGroupReferences", [ref("shop"), ref("also")]),
    "elasticIPReference": ("next", "securityGroupReferences", [ref("shop"), ref("also")]),
    "dataVolumeReferences": ("next", "dataVolumeReferences", [ref("third")]),
}
"""What is attached by hand, and an edit of another list, or of the same one, that must not take it away."""


@pytest.mark.parametrize("field", ATTACHED)
async def test_case_64_attached_by_hand_is_told_and_left_alone(field: str) -> None:
    """Case 64: something extra stays, whatever is edited meanwhile: Ready is True, the message names it, one Event
    tells it, and a change sends only what it adds. Taken away by hand again, it is forgotten.
    """
    extra, edited, value = EXTRA[field]
    async with living(environ=SOON) as house:
        group = nine.subject("SecurityGroup")
        group["metadata"]["name"] = "also"
        await house.apply(*nine.needs(SERVER), group, *spares(SERVER, field), lone(field))
        await house.until(house.all_active)
        server = str((await house.status(SERVER, "shop"))["resourceID"])
        [uri] = await uris(house, field, ref(extra))
        await move(house, field, add=(extra,))
        since = await last_call(house)
        await house.until(lambda: _message_has(house, uri), within=20)
        await asyncio.sleep(30)
        item = await shown(house)
        told = f"the cloud also has {uri.rpartition('/')[2]} at spec.{field}, not by us; it is left alone: name it "
        told += "in the spec, or detach it in the cloud"
        message = item["status"]["message"]
        assert message.startswith(told)
        assert (item["status"]["phase"], *(await ready(house))) == ("Active", "True", "Available")
        assert [(event["type"], event["message"]) for event in await events(house, "Noticed")] == [("Warning", message)]
        assert await house.writes(since) == []
        await house.patch(SERVER, "shop", {"spec": {edited: value}})
        await house.until(lambda: _applied(house, edited, server, value), within=20)
        await asyncio.sleep(30)
        [call] = await house.writes(since)
        before = [] if edited == "dataVolumeReferences" else present(SERVER, edited)
        new = sorted(set(await uris(house, edited, value)) - set(await uris(house, edited, before)))
        assert call["requestBody"] == {ACTIONS[edited].add: [{"uri": one} for one in new], ACTIONS[edited].remove: []}
        assert uri in cloud_has(house, SERVER, server, field)
        await move(house, field, remove=(extra,))
        since = await last_call(house)
        await house.until(lambda: _message_is(house, ""), within=20)
        assert (*(await ready(house)), await house.writes(since)) == ("True", "Available", [])


async def _message_has(house: House, uri: str) -> bool:
    return uri.rpartition("/")[2] in (await shown(house))["status"].get("message", "")


async def _message_is(house: House, text: str) -> bool:
    return (await shown(house))["status"].get("message", "") == text


async def _applied(house: House, field: str, server: str, value: Any) -> bool:
    return set(await uris(house, field, value)) <= set(cloud_has(house, SERVER, server, field))


async def test_case_64_an_extra_is_not_what_the_server_is_deleted_with() -> None:
    """Case 64: a volume attached by hand is still there, and free, after the server is gone."""
    async with living(environ=SOON) as house:
        await house.apply(*nine.needs(SERVER), *spares(SERVER, "dataVolumeReferences"), lone(""))
        await house.until(house.all_active)
        await move(house, "dataVolumeReferences", add=("next",))
        await house.delete(SERVER, "shop")
        await house.until(lambda: _gone(house), within=60)
        volume = (await house.status("BlockStorage", "next"))["resourceID"]
        assert {row["id"]: row["state"] for row in await house.resources(TARGETS["dataVolumeReferences"])}[
            volume
        ] == "NotUsed"


async def _gone(house: House) -> bool:
    return await house.get(SERVER, "shop") is None
