"""Field cases 28 and 29: a DELETE that the cloud refuses is told at once, in its words, with what is in the way."""

from __future__ import annotations

import asyncio
from datetime import datetime
from itertools import pairwise
from typing import Any

import pytest

from tests.cases import nine
from tests.cases.console import last_call
from tests.cases.world import living
from tests.world.house import House
from tests.world.judge import condition

pytestmark = pytest.mark.every_kind

Object = dict[str, Any]
PARENTS = {
    "Project": [("VPC", "left-net"), ("BlockStorage", "left-disk"), ("KeyPair", "left-key")],
    "VPC": [("Subnet", "left-range"), ("SecurityGroup", "left-group")],
    "SecurityGroup": [("SecurityRule", "left-rule")],
}
"""What somebody made inside of each at the console."""
INSIDE = "Still inside, without an object here: "


async def by_somebody(house: House, parent: str, kind: str, name: str) -> str:
    """Something inside of the subject that has no object; its ID."""
    project = (await house.status("Project", "shop"))["resourceID"]
    body = {"kind": kind, "projectId": project, "name": name}
    if parent != "Project":
        body["parentId"] = (await house.status(parent, "shop"))["resourceID"]
    return str((await house.admin("POST", "resources", body))["id"])


async def shown(house: House, kind: str) -> Object:
    return await house.get(kind, nine.name(kind)) or {}


async def refused(house: House, kind: str) -> bool:
    return condition(await shown(house, kind), "Ready").get("reason") == "DeleteRefused"


async def absent(house: House, kind: str) -> bool:
    return await house.get(kind, nine.name(kind)) is None


async def tries(house: House, since: int) -> list[float]:
    """When each DELETE arrived."""
    rows = await house.calls(since, method="DELETE")
    return [datetime.fromisoformat(row["time"]).timestamp() for row in rows]


async def at_growing_intervals(house: House, since: int) -> None:
    """No pause is shorter than the one before, but for its jitter of a fifth and whole seconds; in the end minutes."""
    times = await tries(house, since)
    pauses = [later - earlier for earlier, later in pairwise(times)]
    assert len(pauses) >= 4
    assert all(later >= earlier * 0.8 / 1.2 - 1 for earlier, later in pairwise(pauses)), str(pauses)
    assert pauses[0] < 10
    assert 240 <= max(pauses) <= 365


@pytest.mark.parametrize("kind", sorted(PARENTS))
async def test_case_28_what_is_inside_without_an_object_is_named(kind: str) -> None:
    """Case 28: the message names each, and they are not deleted; a person must act, and when one has, the deletion
    finishes. Departs: they are made by hand, since we never ask for a preset; nothing is ever removed that has no
    object, by no policy.
    """
    async with living() as house:
        await nine.active(house, kind)
        left = {(one, name): await by_somebody(house, kind, one, name) for one, name in PARENTS[kind]}
        since = await last_call(house)
        await house.delete(kind, nine.name(kind))
        await house.until(lambda: refused(house, kind), within=5)
        item = await shown(house, kind)
        named = item["status"]["message"].partition(INSIDE)[2]
        assert sorted(named.partition(";")[0].split(", ")) == sorted(
            f"{one} {name!r} ({resource})" for (one, name), resource in left.items()
        )
        assert condition(item, "Stalled")["status"] == "True"
        assert item["status"]["phase"] == "Deleting"
        await asyncio.sleep(200)
        assert {row["path"].rpartition("/")[2] for row in await house.calls(since, method="DELETE")} == {
            item["status"]["resourceID"]
        }
        assert {row["id"] for row in await house.resources()} >= set(left.values())
        for resource in left.values():
            await house.admin("DELETE", f"resources/{resource}")
        await house.until(lambda: absent(house, kind), within=400, every=2)


async def test_case_28_five_are_named_and_more_are_said_to_be() -> None:
    """Case 28: of seven groups five are named. What has an object goes with its parent, and is not among them."""
    async with living() as house:
        await nine.active(house, "Subnet")
        left = [await by_somebody(house, "VPC", "SecurityGroup", f"left-{number}") for number in range(7)]
        await house.delete("VPC", "shop")
        await house.until(lambda: refused(house, "VPC"), within=30)
        message = (await house.status("VPC", "shop"))["message"]
        assert sum(resource in message for resource in left) == 5
        assert ", and more" in message
        assert await house.get("Subnet", "shop") is None


DEFAULTS = {"VPC": "VPC", "Subnet": "subnet", "SecurityGroup": "securityGroup"}
"""Kinds of which one may be the default, and how the cloud calls them."""


async def default(house: House, kind: str) -> str:
    """The subject is the default one of its kind, and has a sibling; the ID of the sibling."""
    resource = await nine.active(house, kind)
    sibling = await by_somebody(house, "Project" if kind == "VPC" else "VPC", kind, "the-other-one")
    await house.admin("POST", f"resources/{resource}", {"properties": {"default": True}})
    return sibling


@pytest.mark.parametrize("kind", sorted(DEFAULTS))
async def test_case_29_a_default_that_cannot_go(kind: str) -> None:
    """Case 29: the cloud's words are shown with the first answer; it is asked again at growing intervals, in the end
    of five minutes, and goes once another one is the default. Departs: the spec names no new default; somebody chooses
    one at the console.
    """
    async with living() as house:
        sibling = await default(house, kind)
        since = await last_call(house)
        await house.delete(kind, nine.name(kind))
        await house.until(lambda: refused(house, kind), within=5)
        assert len(await tries(house, since)) == 1
        item = await shown(house, kind)
        assert f"cannot delete default {DEFAULTS[kind]}" in item["status"]["message"]
        assert (item["status"]["phase"], condition(item, "Ready")["status"]) == ("Deleting", "False")
        await asyncio.sleep(1500)
        item = await shown(house, kind)
        assert f"cannot delete default {DEFAULTS[kind]}" in item["status"]["message"]
        await at_growing_intervals(house, since)
        await house.admin("POST", f"resources/{item['status']['resourceID']}", {"properties": {"default": False}})
        await house.admin("POST", f"resources/{sibling}", {"properties": {"default": True}})
        await house.until(lambda: absent(house, kind), within=400, every=2)


LISTED = {
    "title": "Bad Request",
    "status": 400,
    "traceId": "00-aa-bb-00",
    "errors": [{"fieldName": "Default", "errorMessage": "must indicate a new default vpc"}],
}


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_29_a_refusal_with_a_list_of_errors(kind: str) -> None:
    """Case 29: the same for whatever the cloud refuses with errors: field and words are shown at once, a person must
    act, and it is asked again at growing intervals until it may go.
    """
    async with living() as house:
        resource = await nine.active(house, kind)
        since = await last_call(house)
        match = {"method": "DELETE", "path": f"/{resource}$"}
        await house.faults({"match": match, "then": {"status": 400, "body": LISTED}})
        await house.delete(kind, nine.name(kind))
        await house.until(lambda: refused(house, kind), within=5)
        assert len(await tries(house, since)) == 1
        item = await shown(house, kind)
        words = "Bad Request: Validation: Default: must indicate a new default vpc (HTTP 400, trace 00-aa-bb-00)"
        assert words in item["status"]["message"]
        assert condition(item, "Stalled")["status"] == "True"
        told = [event["type"] for event in await house.events() if event["reason"] == "DeleteRefused"]
        assert told == ["Warning"]
        await asyncio.sleep(1500)
        await at_growing_intervals(house, since)
        assert (await shown(house, kind))["status"]["resourceID"] == resource
        await house.admin("DELETE", "faults")
        await house.until(lambda: absent(house, kind), within=400, every=2)
