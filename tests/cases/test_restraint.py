"""Case 59, and `mode: observe`: what is decided and may not happen, set on the object, its Namespace or everywhere."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.cases import nine
from tests.cases.estate import adopting, estate, key, noted
from tests.world.house import House, living
from tests.world.judge import condition

pytestmark = pytest.mark.every_kind("BlockStorage")
Object = dict[str, Any]
WAYS = ["object", "namespace", "everywhere"]


async def last(house: House) -> int:
    return int((await house.calls())[-1]["n"])


async def shown(house: House, kind: str) -> Object:
    return await house.get(kind, nine.name(kind)) or {}


async def absent(house: House, kind: str) -> bool:
    return await shown(house, kind) == {}


async def reason_is(house: House, kind: str, reason: str) -> bool:
    return bool(condition(await shown(house, kind), "Ready").get("reason") == reason)


async def say(house: House, kind: str, way: str, **words: str | None) -> None:
    """On the object, or on its Namespace."""
    if way == "object":
        await house.patch(kind, nine.name(kind), noted(**words))
    else:
        answer = await house.kube.patch(
            "/api/v1/namespaces/default",
            json=noted(**words),
            headers={"Content-Type": "application/merge-patch+json"},
        )
        assert answer.status_code == 200, answer.text


# Suspended


@pytest.mark.parametrize("way", ["object", "namespace"])
@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_59_suspended_nothing_is_sent_and_ready_stays(kind: str, way: str) -> None:
    """Case 59: a suspended object is not even looked at; Ready stays what it was, Suspended says why. What was edited
    meanwhile is done afterwards.
    """
    async with living() as house:
        await nine.active(house, kind)
        ready = condition(await shown(house, kind), "Ready")
        await say(house, kind, way, suspend="true")
        await house.until(lambda: _suspended(house, kind, "True"), within=5)
        since = await last(house)
        if kind not in ("KeyPair", "CloudServer"):
            await house.patch(kind, nine.name(kind), {"spec": {"tags": ["later"]}})
        await asyncio.sleep(700)
        item = await shown(house, kind)
        assert (item["status"]["phase"], condition(item, "Ready")) == ("Active", ready)
        assert "arubacloud.com/suspend" in item["status"]["message"]
        assert [row for row in await house.calls(since) if f"/{item['status']['resourceID']}" in row["path"]] == []
        assert await house.writes(since) == []
        await say(house, kind, way, suspend=None)
        await house.until(lambda: _suspended(house, kind, "False"), within=5)
        await house.until(lambda: _available(house, kind), within=60)
        methods = [row["method"] for row in await house.writes(since)]
        assert methods == ([] if kind in ("KeyPair", "CloudServer") else ["PUT"])


async def _suspended(house: House, kind: str, status: str) -> bool:
    return bool(condition(await shown(house, kind), "Suspended").get("status") == status)


async def _available(house: House, kind: str) -> bool:
    item = await shown(house, kind)
    ready = condition(item, "Ready")
    current = ready.get("observedGeneration") == item["metadata"]["generation"]
    return bool(ready.get("reason") == "Available" and current)


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_59_suspended_before_it_was_made(kind: str) -> None:
    """Case 59: applied with the annotation: Pending, nothing is made; without it, it is."""
    async with living() as house:
        item = await nine.prepared(house, kind)
        item["metadata"]["annotations"] = noted(suspend="true")["metadata"]["annotations"]
        await house.apply(item)
        await asyncio.sleep(60)
        assert (await shown(house, kind))["status"]["phase"] == "Pending"
        assert await nine.posts(house, kind) == []
        await say(house, kind, "object", suspend=None)
        await house.until(house.all_active)


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_59_suspended_and_deleted(kind: str) -> None:
    """Case 59, departs: a deletion waits while suspended, as nothing is to be sent then; the message says so. With
    `delete-policy: orphan` it lets go without a call.
    """
    async with living() as house:
        resource = await nine.active(house, kind)
        await say(house, kind, "object", suspend="true")
        await house.until(lambda: _suspended(house, kind, "True"), within=5)
        since = await last(house)
        await house.delete(kind, nine.name(kind))
        await asyncio.sleep(700)
        item = await shown(house, kind)
        assert item["status"]["phase"] == "Deleting"
        assert "its deletion waits" in item["status"]["message"]
        assert await house.writes(since) == []
        await say(house, kind, "object", delete_policy="orphan")
        await house.until(lambda: absent(house, kind), within=10)
        assert await house.writes(since) == []
        assert resource in {row["id"] for row in await house.resources()}


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_59_a_deletion_goes_on_once_it_is_not_suspended(kind: str) -> None:
    async with living() as house:
        resource = await nine.active(house, kind)
        await say(house, kind, "namespace", suspend="true")
        await house.until(lambda: _suspended(house, kind, "True"), within=5)
        await house.delete(kind, nine.name(kind))
        await asyncio.sleep(60)
        await say(house, kind, "namespace", suspend=None)
        await house.until(lambda: absent(house, kind), within=60)
        assert resource not in {row["id"] for row in await house.resources()}


# Observed


@pytest.mark.parametrize("kind", nine.ALL)
async def test_observed_nothing_is_made_and_the_call_is_told(kind: str) -> None:
    async with living() as house:
        item = await nine.prepared(house, kind)
        item["metadata"]["annotations"] = noted(mode="observe")["metadata"]["annotations"]
        since = (await last(house)) if kind != "Project" else 0
        await house.apply(item)
        await house.until(lambda: reason_is(house, kind, "Observing"))
        status = (await shown(house, kind))["status"]
        assert status["phase"] == "Pending"
        path = nine.KINDS[kind].collection.name
        assert f"/{path}, to create {nine.name(kind)!r}. Nothing is sent" in status["message"]
        await asyncio.sleep(120)
        assert await house.writes(since) == []
        annotations = (await shown(house, kind))["metadata"].get("annotations", {})
        assert "arubacloud.com/create-pending" not in annotations
        await say(house, kind, "object", mode="manage")
        await house.until(house.all_active)
        assert len(await nine.posts(house, kind)) == 1


@pytest.mark.parametrize("kind", ["Project", "VPC", "SecurityRule", "BlockStorage"])
async def test_observed_a_change_and_an_end_are_told(kind: str) -> None:
    async with living() as house:
        resource = await nine.active(house, kind)
        await say(house, kind, "object", mode="observe")
        since = await last(house)
        await house.patch(kind, nine.name(kind), {"spec": {"tags": ["other"]}})
        await house.until(lambda: reason_is(house, kind, "Observing"))
        status = (await shown(house, kind))["status"]
        assert status["phase"] == "Active"
        assert "Would send PUT " in status["message"]
        assert f"/{resource}, to change spec.tags" in status["message"]
        await house.delete(kind, nine.name(kind))
        await house.until(lambda: _told(house, kind, "Would send DELETE "))
        await asyncio.sleep(700)
        assert (await shown(house, kind))["status"]["phase"] == "Deleting"
        assert await house.writes(since) == []
        await say(house, kind, "object", mode=None)
        await house.until(lambda: absent(house, kind), within=60)


async def _told(house: House, kind: str, text: str) -> bool:
    return text in str((await shown(house, kind)).get("status", {}).get("message"))


@pytest.mark.parametrize("way", ["namespace", "everywhere"])
async def test_a_namespace_or_an_installation_that_only_observes(way: str) -> None:
    """Adopted by ID, all of it, and watched: nothing is sent, whatever is edited or deleted."""
    environ = {"ARUBA_MODE": "observe"} if way == "everywhere" else {}
    async with living() as house:
        items = [*nine.needs("CloudServer"), nine.subject("CloudServer")]
        ids = await estate(house, *items)
        if way == "namespace":
            await say(house, "Project", "namespace", mode="observe")
        house.environ.update(environ)
        house.operator = house.start_hooks()
        since = await last(house)
        await house.apply(*(adopting(item, ids[key(item)]) for item in items))
        await house.until(house.all_active)
        await house.patch("VPC", nine.name("VPC"), {"spec": {"tags": ["other"]}})
        await house.until(lambda: reason_is(house, "VPC", "Observing"))
        await house.patch("VPC", nine.name("VPC"), noted(delete_policy="delete"))
        await house.delete("VPC", nine.name("VPC"))
        await asyncio.sleep(60)
        assert await house.writes(since) == []
        assert len(await house.objects()) == len(items)


# Each policy from each place


@pytest.mark.parametrize("way", WAYS)
async def test_a_policy_may_stand_in_three_places(way: str) -> None:
    """The nearest word counts: here drift is left by a Namespace or the settings, and put back where the object says
    so.
    """
    environ = {"ARUBA_DRIFT_POLICY": "report"} if way == "everywhere" else {}
    async with living(environ={"ARUBA_LISTING_AGE": "10s", **environ}) as house:
        resource = await nine.active(house, "VPC")
        if way != "everywhere":
            await say(house, "VPC", way, drift_policy="report")
        [row] = [row for row in await house.resources("VPC") if row["id"] == resource]
        tags = [tag for tag in row["tags"] if tag.startswith("k8s-")]
        since = await last(house)
        await house.admin("POST", f"resources/{resource}", {"metadata": {"tags": [*tags, "by-hand"]}})
        await house.until(lambda: reason_is(house, "VPC", "Drifted"))
        assert await house.writes(since) == []
        await say(house, "VPC", "object", drift_policy="correct")
        await house.until(lambda: _available(house, "VPC"))
        assert [row["method"] for row in await house.writes(since)] == ["PUT"]


async def test_an_unreadable_word_of_a_namespace_is_the_cautious_one_and_is_told() -> None:
    async with living() as house:
        await nine.active(house, "VPC")
        await say(house, "VPC", "namespace", drift_policy="perhaps")
        await house.until(lambda: _told(house, "VPC", "on its Namespace, arubacloud.com/drift-policy: 'perhaps'"))


@pytest.mark.parametrize("kind", ["Project", "VPC", "BlockStorage"])
async def test_case_59_resumed_while_a_refused_change_waits(kind: str) -> None:
    """Case 59: the pause after a refusal goes on, and what it waits for is told again."""
    bad = {"status": 400, "body": {"title": "Bad", "status": 400, "errors": [{"field": "Tags", "message": "no"}]}}
    async with living() as house:
        resource = await nine.active(house, kind)
        await house.faults({"match": {"method": "PUT", "path": f"/{resource}$"}, "then": bad})
        await house.patch(kind, nine.name(kind), {"spec": {"tags": ["refused"]}})
        await house.until(lambda: reason_is(house, kind, "ValidationFailed"))
        told = (await shown(house, kind))["status"]["message"]
        await say(house, kind, "object", suspend="true")
        await house.until(lambda: _suspended(house, kind, "True"), within=5)
        await say(house, kind, "object", suspend=None)
        await house.until(lambda: _suspended(house, kind, "False"), within=5)
        assert (await shown(house, kind))["status"]["message"] == told
