"""Field case 101: a reference leads to the namespace that it names, whenever its target appears or changes."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Any

import pytest

from hooks.simulator import FAST, Timings
from hooks.simulator.transitions import AfterSeconds
from tests.cases import nine
from tests.cases.world import living
from tests.world.film import Film, filming
from tests.world.house import House
from tests.world.manifests import TARGETS, name_of, references

pytestmark = pytest.mark.every_kind

Object = dict[str, Any]
ELSEWHERE = "team-green"
SLOW = Timings({**FAST.paces, **{kind: {**FAST.paces[kind], "create": AfterSeconds(7)} for kind in nine.STATEFUL}})
RENAME = "arubacloud.com/resource-name"


def moved(item: Object) -> Object:
    """The object in the other namespace, referring to objects there."""
    item["metadata"]["namespace"] = ELSEWHERE
    return referring(item)


def referring(item: Object) -> Object:
    for _, found in references(item):
        found["namespace"] = ELSEWHERE
    return item


def targets(kind: str) -> list[Object]:
    """What the subject needs, in the other namespace under the very names that are taken here."""
    items = [moved(item) for item in nine.needs(kind)]
    for item in items:
        if item["kind"] == "Project":
            item["metadata"]["annotations"] = {RENAME: "green-shop"}  # the cloud has one name for each project
    return items


def direct(kind: str) -> list[str]:
    """The references of the subject, as a message names what is missing."""
    return [
        f"{TARGETS[field]} {ELSEWHERE}/{found['name']}" for field, found in references(referring(nine.subject(kind)))
    ]


async def ids(house: House, kind: str, namespace: str) -> set[str]:
    """The resources that the subject refers to, if its references lead to this namespace."""
    found = [(TARGETS[field], target["name"]) for field, target in references(nine.subject(kind))]
    return {str((await house.status(target, name, namespace))["resourceID"]) for target, name in found}


@pytest.mark.parametrize("kind", nine.CHILDREN)
async def test_case_101_the_namesake_here_is_not_taken(kind: str) -> None:
    """Case 101: objects of the same names are Active in the object's own namespace; it waits for those in the other
    one, names them, and is made in them once they come, moments after the last is Active, not at some later round.
    """
    async with living(timings=SLOW) as house:
        await nine.prepared(house, kind)
        await house.apply(referring(nine.subject(kind)))
        await asyncio.sleep(100)
        status = await house.status(kind, nine.name(kind))
        assert status["phase"] == "Pending"
        assert [what for what in direct(kind) if f"{what} does not exist" not in status["message"]] == []
        assert await nine.posts(house, kind) == []
        async with filming(house) as film:
            await house.apply(*targets(kind))
            await house.until(house.all_active)
        [post] = await nine.posts(house, kind)
        sent = f"{post['path']} {post['requestBody']}"
        there, here = await ids(house, kind, ELSEWHERE), await ids(house, kind, "default")
        assert [one for one in there if one not in sent] == []
        assert [one for one in here if one in sent] == []
        waited = datetime.fromisoformat(post["time"]) - last_active(film, kind)
        assert 0 <= waited.total_seconds() < 2


def last_active(film: Film, kind: str) -> datetime:
    """When the last of what the subject needs became Active."""
    names = {(item["kind"], name_of(item)) for item in nine.needs(kind)}
    first: dict[tuple[str, str], datetime] = {}
    for frame in film.frames:
        key = (frame.kind, frame.name)
        if frame.meta["namespace"] == ELSEWHERE and key in names and frame.phase == "Active":
            first.setdefault(key, frame.at)
    assert first.keys() == names
    return max(first.values())


@pytest.mark.parametrize("kind", nine.CHILDREN)
async def test_case_101_a_change_there_is_seen_and_a_change_here_is_not(kind: str) -> None:
    """Case 101: while it waits, a change of the object in the other namespace shows in the message within a second; one
    of the namesake here does not wake it. An annotation that names other objects changes nothing.
    """
    async with living() as house:
        await nine.prepared(house, kind)
        await house.apply(referring(nine.subject(kind)))
        await asyncio.sleep(40)
        before = await house.status(kind, nine.name(kind))
        passes = await passes_of(house, kind)
        await house.patch("Project", "shop", {"metadata": {"labels": {"touched": "yes"}}})
        await asyncio.sleep(1)
        assert await passes_of(house, kind) == passes
        await house.patch(kind, nine.name(kind), {"metadata": {"annotations": {"example.com/project": "default/shop"}}})
        await asyncio.sleep(1)
        assert await house.status(kind, nine.name(kind)) == before
        await house.quirks(neverSettle="VPC")
        project = next(item for item in targets(kind) if item["kind"] == "Project")
        project["spec"]["tags"] = ["not fit"]
        await house.apply(project)
        await asyncio.sleep(1)
        message = (await house.status(kind, nine.name(kind)))["message"]
        assert f"Project {ELSEWHERE}/shop has failed" in message
        await house.patch("Project", "shop", {"spec": {"tags": []}}, ELSEWHERE)
        await asyncio.sleep(2)
        message = (await house.status(kind, nine.name(kind))).get("message", "")
        assert f"Project {ELSEWHERE}/shop" not in message


async def passes_of(house: House, kind: str) -> int:
    """How many passes of the subject the log has."""
    uid = (await house.get(kind, nine.name(kind)) or {})["metadata"]["uid"]
    return sum('"message": "pass"' in line and uid in line for line in house.log.getvalue().splitlines())
