"""What somebody changes in the cloud, for a field of every kind: put back, or only told (annotation drift-policy)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.cases import nine
from tests.cases.console import last_call, set_to
from tests.cases.world import living
from tests.scenarios.edits import EDITS, cloud_has, edit, in_cloud_words, present, up, up_to_date
from tests.world.house import House
from tests.world.judge import condition, settled

pytestmark = pytest.mark.every_kind

Object = dict[str, Any]
SOON = {"ARUBA_LISTING_AGE": "10s"}
POLICY = "arubacloud.com/drift-policy"
PLAIN = [(kind, field) for kind, field in EDITS if kind != "CloudServer"]
"""What a server has attached is field case 64."""
FIRST = [next(pair for pair in PLAIN if pair[0] == kind) for kind in sorted({kind for kind, _ in PLAIN})]
PUT_BACK = [(kind, field, None) for kind, field in PLAIN] + [(kind, field, "correct") for kind, field in FIRST]
TOLD = [(kind, field, "report") for kind, field in PLAIN] + [(kind, field, "repotr") for kind, field in FIRST]
ELSEWHERE = {
    ("Project", "description"): "words of somebody else",
    ("Subnet", "dhcp.enabled"): False,
    ("ElasticIP", "billingPeriod"): "Month",
    ("BlockStorage", "sizeGB"): 30,
}
EDITED = {
    ("Project", "description"): "words of the owner",
    ("Subnet", "dhcp.enabled"): False,
    ("ElasticIP", "billingPeriod"): "Month",
    ("BlockStorage", "sizeGB"): 50,
}
"""Values at the console, and values that the spec is given later."""


def elsewhere(kind: str, field: str) -> Any:
    return ["from-console"] if field == "tags" else ELSEWHERE[kind, field]


def edited(kind: str, field: str) -> Any:
    return ["from-owner"] if field == "tags" else EDITED[kind, field]


async def shown(house: House, kind: str) -> Object:
    return await house.get(kind, nine.name(kind)) or {}


async def annotate(house: House, kind: str, policy: str | None) -> None:
    await house.patch(kind, nine.name(kind), {"metadata": {"annotations": {POLICY: policy}}})


async def events(house: House, kind: str) -> list[str]:
    """The reasons of the Events about changes of the subject."""
    about = ("DriftCorrected", "Drifted", "Changing", "Updated", "ChangeRefused")
    found = [e for e in await house.events() if e["involvedObject"]["kind"] == kind and e["reason"] in about]
    return sorted(e["reason"] for e in found)


async def drifted(house: House, kind: str) -> bool:
    return condition(await shown(house, kind), "Ready").get("reason") == "Drifted"


async def sent(house: House, since: int) -> list[tuple[str, int]]:
    return [(row["method"], row["status"] // 100) for row in await house.writes(since)]


@pytest.mark.parametrize(("kind", "field", "policy"), PUT_BACK)
async def test_drift_is_put_back(kind: str, field: str, policy: str | None) -> None:
    """By default, and where the annotation says so: one PUT with the spec's value, Events, then Ready again."""
    async with living(environ=SOON) as house:
        resource = await up(house, kind, field)
        await annotate(house, kind, policy)
        await asyncio.sleep(20)
        since = await last_call(house)
        wanted = await in_cloud_words(house, field, present(kind, field))
        await set_to(house, kind, field, elsewhere(kind, field))
        assert cloud_has(house, kind, resource, field) != wanted
        await house.until(lambda: has(house, kind, resource, field, wanted), within=15)
        await house.until(lambda: up_to_date(house, kind), within=15)
        await asyncio.sleep(30)
        assert (await up_to_date(house, kind), await sent(house, since)) == (True, [("PUT", 2)])
        assert await events(house, kind) == ["DriftCorrected", "Updated"]


async def has(house: House, kind: str, resource: str, field: str, wanted: Any) -> bool:
    return cloud_has(house, kind, resource, field) == wanted


def told(kind: str, field: str, value: Any) -> str:
    """How a message names the value of a field."""
    return f"[{', '.join(sorted(value))}]" if field == "tags" else "nothing" if value is None else str(value)


@pytest.mark.parametrize(("kind", "field", "policy"), TOLD)
async def test_drift_is_only_told(kind: str, field: str, policy: str) -> None:
    """With report, and with a word that nobody can read: Active, not Ready, field and both values in the message, one
    Event, nothing sent. An edit of the spec is applied as usual and ends it.
    """
    async with living(environ=SOON) as house:
        resource = await up(house, kind, field)
        await annotate(house, kind, policy)
        await asyncio.sleep(20)
        since = await last_call(house)
        await set_to(house, kind, field, elsewhere(kind, field))
        await house.until(lambda: drifted(house, kind), within=15)
        await asyncio.sleep(90)
        item = await shown(house, kind)
        ready, stalled = condition(item, "Ready"), condition(item, "Stalled")
        assert (item["status"]["phase"], ready["status"], ready["reason"]) == ("Active", "False", "Drifted")
        assert stalled["status"] == "False"
        want, has_now = told(kind, field, present(kind, field)), told(kind, field, elsewhere(kind, field))
        assert f"spec.{field}: wanted {want}, the cloud has {has_now}" in item["status"]["message"]
        assert POLICY in item["status"]["message"]
        assert (await sent(house, since), await events(house, kind)) == ([], ["Drifted"])
        await edit(house, kind, field, edited(kind, field))
        await house.until(lambda: up_to_date(house, kind), within=15)
        new = await in_cloud_words(house, field, edited(kind, field))
        assert cloud_has(house, kind, resource, field) == new
        calls = [] if edited(kind, field) == elsewhere(kind, field) else [("PUT", 2)]
        assert await sent(house, since) == calls


@pytest.mark.parametrize(("kind", "field"), FIRST)
async def test_told_drift_is_put_back_once_the_policy_allows_it(kind: str, field: str) -> None:
    """The annotation is taken away: what was only told is put back by one PUT."""
    async with living(environ=SOON) as house:
        await up(house, kind, field)
        await annotate(house, kind, "report")
        await set_to(house, kind, field, elsewhere(kind, field))
        await house.until(lambda: drifted(house, kind), within=30)
        since = await last_call(house)
        await annotate(house, kind, None)
        await house.until(lambda: up_to_date(house, kind), within=15)
        assert await sent(house, since) == [("PUT", 2)]


@pytest.mark.parametrize(("kind", "field"), FIRST)
async def test_told_drift_ends_when_it_is_undone_in_the_cloud(kind: str, field: str) -> None:
    """Put right by the person who changed it: Ready again, nothing sent."""
    async with living(environ=SOON) as house:
        await up(house, kind, field)
        await annotate(house, kind, "report")
        await set_to(house, kind, field, elsewhere(kind, field))
        await house.until(lambda: drifted(house, kind), within=30)
        since = await last_call(house)
        await set_to(house, kind, field, present(kind, field))
        await house.until(lambda: _settled(house, kind), within=20)
        assert await sent(house, since) == []


async def _settled(house: House, kind: str) -> bool:
    return settled(await shown(house, kind))


NEITHER = ["KeyPair"]
"""Nothing of it can be changed by a call."""


@pytest.mark.parametrize("kind", NEITHER)
async def test_tags_added_at_the_console_do_no_harm(kind: str) -> None:
    """Where no call could take a tag away, one more is no drift."""
    async with living(environ=SOON) as house:
        await nine.active(house, kind)
        since = await last_call(house)
        wanted = present(kind, "tags") or []
        await set_to(house, kind, "tags", [*wanted, "from-console"])
        await asyncio.sleep(40)
        assert (await _settled(house, kind), await sent(house, since)) == (True, [])
