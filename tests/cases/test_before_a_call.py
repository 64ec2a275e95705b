"""Field cases 25 and 37: names, tags and periods that the cloud would refuse: told, with the way out, before a call."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.cases import nine
from tests.cases.console import last_call
from tests.cases.front import another_subnet, boot_volume, one_of_many
from tests.cases.world import living
from tests.scenarios.edits import attempt, up_to_date
from tests.world.house import House
from tests.world.judge import OWNER_TAG, condition

pytestmark = pytest.mark.every_kind

Object = dict[str, Any]
RENAME = "arubacloud.com/resource-name"
NAMES = ["db", "net.a.example", "n" * 63]
NAME_RULE = "[NameFits] the cloud takes names of 4 to 50 letters, digits and hyphens, with no hyphen first or last; "
TAGS = [["env"], ["cost:42"], ["t" * 31], ["good", "not good"]]
TAG_RULE = "[TagsFit] the cloud takes tags of 4 to 30 letters, digits and hyphens; spec.tags has {!r}"
GOOD_TAGS: list[list[str]] = [["t" * 21], ["same", "same"], []]
RETAGGED = [kind for kind in nine.ALL if "tags" in nine.KINDS[kind].mutable]
OTHERS = [kind for kind in nine.ALL if kind not in RETAGGED]


async def of_collection(house: House, kind: str, since: int = 0) -> list[Object]:
    """All calls about resources of a kind: none of what the subject needs lies there."""
    return await house.calls(since, path=f"/{nine.KINDS[kind].collection.name}")


def crowd(kind: str) -> dict[str, Object]:
    """One object for each name and each list of tags, by its name."""
    items = [one_of_many(kind, number) for number in range(len(NAMES) + len(TAGS) + len(GOOD_TAGS) + 1)]
    for item, name in zip(items, [*NAMES, "a--b"], strict=False):
        item["metadata"]["name"] = name
    for item, tags in zip(items[len(NAMES) + 1 :], [*TAGS, *GOOD_TAGS], strict=True):
        item["spec"]["tags"] = tags
    return {item["metadata"]["name"]: item for item in items}


async def crowd_prepared(house: House, kind: str) -> dict[str, Object]:
    """What all of them need is Active; the cloud is as strict with names as its own pages say."""
    await house.quirks(strictNames=True)
    await nine.prepared(house, kind)
    items = crowd(kind)
    if kind == "CloudServer":
        await house.apply(another_subnet(), *map(boot_volume, range(len(items))))
        await house.until(house.all_active)
    return items


async def told(house: House, kind: str, name: str) -> str:
    """The message of an object that failed before any call."""
    shown = await house.get(kind, name) or {}
    assert (shown["status"]["phase"], condition(shown, "Stalled")["status"]) == ("Failed", "True")
    assert condition(shown, "Failed")["reason"] == "IntentionValidationFailed"
    assert condition(shown, "Ready")["reason"] == "IntentionValidationFailed"
    return str(shown["status"]["message"])


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_25_names_and_tags_that_the_cloud_refuses(kind: str) -> None:
    """Case 25: the rule is in the message, nothing is asked of the cloud, and the same object becomes Active once the
    annotation is set or the tags are edited. Departs: a name that does not fit is not mapped to another one, which
    could collide; the user gives one in an annotation. Refused by intention validation, not by the schema (drop-in).
    """
    async with living() as house:
        items = await crowd_prepared(house, kind)
        wrong = {name: items[name] for name in [*items][: len(NAMES)]}
        wrong |= {name: item for name, item in items.items() if item["spec"].get("tags") in TAGS}
        assert len(wrong) == len(NAMES) + len(TAGS)
        await house.apply(*wrong.values())
        await asyncio.sleep(40)
        assert await of_collection(house, kind) == []
        for name in NAMES:
            message = await told(house, kind, name)
            assert f"{NAME_RULE}{name!r} is none: set the annotation {RENAME} to one that is" in message
        for name, item in list(wrong.items())[len(NAMES) :]:
            assert TAG_RULE.format(item["spec"]["tags"][-1]) in await told(house, kind, name)
        uids = {name: (await house.get(kind, name) or {})["metadata"]["uid"] for name in wrong}
        await house.apply(*(item for name, item in items.items() if name not in wrong))
        for number, name in enumerate(wrong):
            annotated = {"metadata": {"annotations": {RENAME: f"fits-{number}"}}}
            await house.patch(kind, name, annotated if name in NAMES else {"spec": {"tags": []}})
        await house.until(house.all_active, within=60)
        assert {name: (await house.get(kind, name) or {})["metadata"]["uid"] for name in wrong} == uids
        called = {item["status"]["resourceID"]: item["metadata"]["name"] for item in await house.list(kind)}
        made = {called[row["id"]]: row["name"] for row in await house.resources(kind) if row["id"] in called}
        assert made == {name: f"fits-{NAMES.index(name)}" if name in NAMES else name for name in items}
        assert [row["status"] for row in await house.writes() if row["status"] >= 400] == []


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_25_an_existing_resource_is_not_failed_by_its_name(kind: str) -> None:
    """Case 25: the rule about names binds a creation only: an object whose annotation is taken away stays Active, also
    when it is looked at afresh, and its resource keeps its name.
    """
    async with living(environ={"ARUBA_LISTING_AGE": "10s"}) as house:
        item = await nine.prepared(house, kind)
        item["metadata"] |= {"name": "db", "annotations": {RENAME: "a-name-that-fits"}}
        await house.apply(item)
        await house.until(house.all_active)
        since = await last_call(house)
        await house.patch(kind, "db", {"metadata": {"annotations": {RENAME: None}}})
        await asyncio.sleep(40)
        assert len(await house.calls(since, method="GET")) > 0
        assert await house.writes(since) == []
        shown = await house.get(kind, "db") or {}
        assert (shown["status"]["phase"], condition(shown, "Ready")["status"]) == ("Active", "True")
        names = {row["id"]: row["name"] for row in await house.resources(kind)}
        assert names[shown["status"]["resourceID"]] == "a-name-that-fits"


async def phase_is(house: House, kind: str, phase: str) -> bool:
    return (await house.status(kind, nine.name(kind))).get("phase") == phase


@pytest.mark.parametrize("kind", RETAGGED)
async def test_case_25_tags_of_an_existing_resource(kind: str) -> None:
    """Case 25: tags that do not fit are never sent to an existing resource; one that has such tags already, as old ones
    may, is not failed for it, and its object stays as editable as any.
    """
    async with living(environ={"ARUBA_LISTING_AGE": "10s"}) as house:
        resource = await nine.active(house, kind)
        since = await last_call(house)
        await house.patch(kind, nine.name(kind), {"spec": {"tags": ["env"]}})
        await house.until(lambda: phase_is(house, kind, "Failed"), within=5)
        assert TAG_RULE.format("env") in await told(house, kind, nine.name(kind))
        assert (await house.status(kind, nine.name(kind)))["resourceID"] == resource
        await asyncio.sleep(40)
        assert await house.writes(since) == []
        [row] = [row for row in await house.resources(kind) if row["id"] == resource]
        owner = [tag for tag in row["tags"] if OWNER_TAG.fullmatch(tag)]
        await house.admin("POST", f"resources/{resource}", {"metadata": {"tags": ["env", *owner]}})
        await house.until(lambda: phase_is(house, kind, "Active"), within=40)
        await asyncio.sleep(20)
        assert (await phase_is(house, kind, "Active"), await house.writes(since)) == (True, [])
        await house.patch(kind, nine.name(kind), {"spec": {"tags": ["long-enough"]}})
        await house.until(lambda: up_to_date(house, kind), within=20)
        [put] = await house.writes(since)
        assert put["requestBody"]["metadata"]["tags"] == ["long-enough", *owner]


@pytest.mark.parametrize("kind", OTHERS)
async def test_case_25_tags_that_nothing_can_change(kind: str) -> None:
    """Case 25: where no call changes tags, Kubernetes refuses the edit, and names the field."""
    async with living() as house:
        await nine.active(house, kind)
        refused = await attempt(house, kind, {"tags": ["env"]})
        assert (refused.status_code, "spec.tags" in refused.json()["message"]) == (422, True)


def billed(kind: str, name: str, period: str) -> Object:
    item = nine.subject(kind, billingPeriod=period)
    item["metadata"]["name"] = name
    return item


async def test_case_37_each_kind_sends_its_own_form() -> None:
    """Case 37: flat for a volume, inside a plan for an address. Departs: servers have no such field in our spec."""
    async with living() as house:
        await nine.prepared(house, "BlockStorage")
        await house.apply(
            billed("BlockStorage", "by-the-hour", "Hour"),
            billed("ElasticIP", "by-the-hour", "Hour"),
            billed("ElasticIP", "by-the-month", "Month"),
        )
        await house.until(house.all_active)
        sent = {
            (row["path"].rpartition("/")[2], row["requestBody"]["metadata"]["name"]): row["requestBody"]["properties"]
            for row in await house.calls(method="POST", path="/providers/")
        }
        volume = sent["blockStorages", "by-the-hour"]
        assert (volume["billingPeriod"], "billingPlan" in volume) == ("Hour", False)
        for name, period in (("by-the-hour", "Hour"), ("by-the-month", "Month")):
            address = sent["elasticIps", name]
            assert (address["billingPlan"], "billingPeriod" in address) == ({"billingPeriod": period}, False)


async def test_case_37_a_volume_by_the_month_is_refused_before_a_call() -> None:
    """Case 37: the API takes Hour only for volumes: told without a call, and made once the spec is corrected."""
    async with living() as house:
        await nine.prepared(house, "BlockStorage")
        await house.apply(billed("BlockStorage", "by-the-month", "Month"))
        await asyncio.sleep(40)
        message = await told(house, "BlockStorage", "by-the-month")
        assert message.startswith(
            "validation failed: [HourlyOnly] spec.billingPeriod Month is not possible for a volume"
        )
        assert await of_collection(house, "BlockStorage") == []
        await house.patch("BlockStorage", "by-the-month", {"spec": {"billingPeriod": "Hour"}})
        await house.until(house.all_active, within=20)


SHOWN: dict[str, Any] = {
    "BlockStorage": lambda word: {"billingPeriod": word},
    "ElasticIP": lambda word: {"billingPlan": {"billingPeriod": word}},
}


@pytest.mark.parametrize("kind", sorted(SHOWN))
async def test_case_37_older_words_are_no_drift(kind: str) -> None:
    """Case 37: `hourly`, as the API once said, is Hour; another period is drift, and is put back by one PUT."""
    async with living(environ={"ARUBA_LISTING_AGE": "10s"}) as house:
        resource = await nine.active(house, kind)
        since = await last_call(house)
        for word in ("hourly", "Hourly", "HOUR"):
            await house.admin("POST", f"resources/{resource}", {"properties": SHOWN[kind](word)})
            await asyncio.sleep(30)
        assert len(await of_collection(house, kind, since)) >= 6
        assert await house.writes(since) == []
        assert await house.all_active()
        await house.admin("POST", f"resources/{resource}", {"properties": SHOWN[kind]("monthly")})
        await asyncio.sleep(30)
        [put] = await house.writes(since)
        told_again = put["requestBody"]["properties"]
        assert told_again.get("billingPlan", told_again).items() >= {"billingPeriod": "Hour"}.items()
