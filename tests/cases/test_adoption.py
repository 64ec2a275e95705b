"""Case 20, and all ways in which an object comes to stand for a resource that it did not make, or does not."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.cases import nine
from tests.cases.estate import adopted, adopting, estate, foreign, key, noted
from tests.world.house import House, living
from tests.world.judge import condition
from tests.world.manifests import fixture_set

pytestmark = pytest.mark.every_kind("VPC")
Object = dict[str, Any]


async def last(house: House) -> int:
    return int((await house.calls())[-1]["n"])


async def shown(house: House, kind: str, namespace: str = "default") -> Object:
    item = await house.get(kind, nine.name(kind), namespace)
    assert item is not None
    return item


async def refused(house: House, kind: str, reason: str, namespace: str = "default") -> bool:
    item = await shown(house, kind, namespace)
    return condition(item, "Ready").get("reason") == reason and condition(item, "Stalled").get("status") == "True"


async def test_case_20_a_whole_set_is_adopted_without_a_write_and_left_without_one() -> None:
    """Case 20: import by ID: managed; and at the end nothing in the cloud goes, unless the object says so."""
    async with living() as house:
        ids = await estate(house)
        since = await last(house)
        await house.apply(*(adopting(item, ids[key(item)]) for item in fixture_set("Test10")))
        await house.until(house.all_active)
        assert {key(item): item["status"]["resourceID"] for item in await house.objects()} == ids
        assert {item["status"]["origin"] for item in await house.objects()} == {"Adopted"}
        await house.delete("Project", "shop")
        for item in await house.objects():
            await house.delete(*key(item))
        await house.until(house.all_gone)
        assert await house.writes(since) == []
        assert {row["id"] for row in await house.resources()} == set(ids.values())


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_20_adopted_by_id_then_deleted_where_the_object_says_so(kind: str) -> None:
    """Case 20: the deletion default is orphan unless the user says delete, on the object."""
    async with living() as house:
        resource = await adopted(house, kind)
        await house.patch(kind, nine.name(kind), noted(delete_policy="delete"))
        await house.delete(kind, nine.name(kind))
        await house.until(lambda: _absent(house, kind))
        assert [path.rpartition("/")[2] for path in await nine.deletes(house, kind)] == [resource]


async def _absent(house: House, kind: str) -> bool:
    return await house.get(kind, nine.name(kind)) is None


@pytest.mark.parametrize("kind", nine.TAGGED)
async def test_an_adopted_resource_is_changed_when_the_spec_is_and_its_tags_stay_its_own(kind: str) -> None:
    """It is managed like any other; no owner tag is put on it."""
    async with living() as house:
        resource = await adopted(house, kind)
        since = await last(house)
        await house.patch(kind, nine.name(kind), {"spec": {"tags": ["adopted"]}})
        await house.until(lambda: _tags(house, resource, ["adopted"]))
        assert [row["method"] for row in await house.writes(since)] == ["PUT"]


async def _tags(house: House, resource: str, tags: list[str]) -> bool:
    return [row["tags"] for row in await house.resources() if row["id"] == resource] == [tags]


@pytest.mark.parametrize("kind", nine.ALL)
async def test_replaced_metadata_on_an_adopted_object(kind: str) -> None:
    """`kubectl replace` takes every annotation away: the resource stays its own, and is not deleted with it."""
    async with living() as house:
        resource = await adopted(house, kind)
        since = await last(house)
        assert await house.replace(nine.subject(kind)) == 200
        await house.until(lambda: _named(house, kind, resource), within=10)
        assert await house.replace(nine.subject(kind)) == 200
        await house.delete(kind, nine.name(kind))
        await house.until(lambda: _absent(house, kind))
        assert await house.writes(since) == []
        assert resource in {row["id"] for row in await house.resources()}


async def _named(house: House, kind: str, resource: str) -> bool:
    annotations = (await shown(house, kind))["metadata"].get("annotations", {})
    return bool(annotations.get("arubacloud.com/resource-id") == resource)


@pytest.mark.parametrize("kind", nine.ALL)
@pytest.mark.parametrize("policy", ["if-unowned", "always"])
async def test_adopted_by_name_where_a_policy_asks_for_it(kind: str, policy: str) -> None:
    """One of the same name, nobody's: it becomes this object's, nothing is sent and nothing else is made."""
    async with living() as house:
        ids = await estate(house, *nine.needs(kind), nine.subject(kind))
        since = await last(house)
        items = [*nine.needs(kind), nine.subject(kind)]
        for item in items:
            item["metadata"]["annotations"] = noted(adoption_policy=policy)["metadata"]["annotations"]
        await house.apply(*items)
        await house.until(house.all_active)
        assert {key(item): item["status"]["resourceID"] for item in await house.objects()} == ids
        assert await house.writes(since) == []
        reasons = {event["reason"] for event in await house.events() if event["involvedObject"]["kind"] == kind}
        assert "Adopted" in reasons


@pytest.mark.parametrize("kind", nine.ALL)
@pytest.mark.parametrize("policy", ["never", "if-unowned", "always"])
async def test_one_with_the_tag_of_an_object_that_is_gone(kind: str, policy: str) -> None:
    """Left by an object that was let go of: only `always` takes it; else the message says what to set."""
    async with living() as house:
        ids = await estate(house, *nine.needs(kind), nine.subject(kind), tags=True)
        items = nine.needs(kind)
        await house.apply(*(adopting(item, ids[key(item)], adoption_policy="always") for item in items))
        await house.until(house.all_active)
        since = await last(house)
        item = nine.subject(kind)
        item["metadata"]["annotations"] = noted(adoption_policy=policy)["metadata"]["annotations"]
        await house.apply(item)
        resource = ids[kind, nine.name(kind)]
        if policy == "always":
            await house.until(house.all_active)
            assert (await house.status(kind, nine.name(kind)))["resourceID"] == resource
        else:
            await house.until(lambda: refused(house, kind, "AlreadyExists"))
            message = (await shown(house, kind))["status"]["message"]
            assert "carries the tag of an object that is not in this cluster" in message
            assert f"arubacloud.com/resource-id: {resource} with arubacloud.com/adoption-policy: always" in message
        assert await house.writes(since) == []


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_20_an_id_that_is_not_there(kind: str) -> None:
    """Nothing is made in its stead; the message names the annotation, and a right ID helps at once."""
    async with living() as house:
        ids = await estate(house, *nine.needs(kind), nine.subject(kind))
        await house.apply(*(adopting(item, ids[key(item)]) for item in nine.needs(kind)))
        await house.until(house.all_active)
        since = await last(house)
        await house.apply(adopting(nine.subject(kind), "0" * 24))
        if kind == "Project":
            await house.admin("POST", "resources", {"kind": "Project", "name": "another-one"})
        await house.until(lambda: refused(house, kind, "IntentionValidationFailed"))
        message = (await shown(house, kind))["status"]["message"]
        assert "correct or remove the annotation arubacloud.com/resource-id" in message
        await house.patch(kind, nine.name(kind), noted(resource_id=ids[kind, nine.name(kind)]))
        await house.until(house.all_active)
        assert await house.writes(since) == []


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_20_a_second_object_that_wants_the_same_id(kind: str) -> None:
    """Case 20: rejected, naming the first; the first does not notice, and the second's end changes nothing. A copied
    manifest with our annotations in it is the same thing.
    """
    async with living() as house:
        resource = await adopted(house, kind)
        first = await shown(house, kind)
        await house.namespace("team-b")
        since = await last(house)
        copied = {"name": first["metadata"]["name"], "namespace": "team-b"}
        copied |= {part: first["metadata"].get(part, {}) for part in ("annotations", "labels")}
        await house.apply({**nine.subject(kind), "metadata": copied})
        await house.until(lambda: refused(house, kind, "AlreadyExists", "team-b"))
        message = (await shown(house, kind, "team-b"))["status"]["message"]
        assert f"the resource {resource} belongs to {kind} default/{nine.name(kind)}" in message
        await house.delete(kind, nine.name(kind), "team-b")
        await house.until(lambda: _gone_from(house, kind, "team-b"))
        assert await house.writes(since) == []
        assert (await shown(house, kind))["status"]["resourceID"] == resource
        assert (await shown(house, kind))["status"]["phase"] == "Active"


async def _gone_from(house: House, kind: str, namespace: str) -> bool:
    return await house.get(kind, nine.name(kind), namespace) is None


@pytest.mark.parametrize("kind", nine.ALL)
async def test_two_objects_that_want_one_resource_at_once(kind: str) -> None:
    """One of them gets it, the other names the first; nothing is sent."""
    async with living() as house:
        ids = await estate(house, *nine.needs(kind), nine.subject(kind))
        await house.apply(*(adopting(item, ids[key(item)]) for item in nine.needs(kind)))
        await house.until(house.all_active)
        await house.namespace("team-b")
        since = await last(house)
        resource = ids[kind, nine.name(kind)]
        one, other = (adopting(nine.subject(kind), resource) for _ in range(2))
        other["metadata"]["namespace"] = "team-b"
        await asyncio.gather(house.apply(one), house.apply(other))
        await asyncio.sleep(70)
        status = [(await shown(house, kind, space))["status"] for space in ("default", "team-b")]
        assert sorted(one["phase"] for one in status) == ["Active", "Failed"], [one["message"] for one in status]
        [loser] = [one for one in status if one["phase"] == "Failed"]
        assert loser.get("resourceID") is None
        assert resource in loser["message"]
        assert nine.name(kind) in loser["message"]
        assert await house.writes(since) == []


@pytest.mark.parametrize("kind", nine.ALL)
async def test_several_of_the_name_are_not_chosen_from(kind: str) -> None:
    """`always`, and two of that name: ambiguous, both named; an ID settles it."""
    async with living() as house:
        ids = await estate(house, *nine.needs(kind), nine.subject(kind))
        await house.apply(*(adopting(item, ids[key(item)]) for item in nine.needs(kind)))
        await house.until(house.all_active)
        twin = await _twin(house, kind, ids)
        since = await last(house)
        item = nine.subject(kind)
        item["metadata"]["annotations"] = noted(adoption_policy="always")["metadata"]["annotations"]
        await house.apply(item)
        await house.until(lambda: refused(house, kind, "Ambiguous"))
        message = (await shown(house, kind))["status"]["message"]
        assert twin in message
        assert ids[kind, nine.name(kind)] in message
        await house.patch(kind, nine.name(kind), noted(resource_id=ids[kind, nine.name(kind)]))
        await house.until(house.all_active)
        assert await house.writes(since) == []


async def _twin(house: House, kind: str, ids: dict[tuple[str, str], str]) -> str:
    """Another resource of the subject's name beside it."""
    return await foreign(house, kind, [])


@pytest.mark.parametrize("kind", nine.ALL)
async def test_one_name_in_two_namespaces_at_once(kind: str) -> None:
    """Two that were applied together may both have made one: each keeps its own and names the other; nothing is shared,
    and what one object's end takes with it is its own.
    """
    async with living(environ={"ARUBA_LISTING_AGE": "20s"}) as house:
        item = await nine.prepared(house, kind)
        other = nine.subject(kind)
        other["metadata"]["namespace"] = "team-b"
        await house.namespace("team-b")
        slow = {"match": {"method": "POST", "path": nine.collection(kind)}, "times": 2, "then": {"delay": 1.0}}
        await house.faults(slow)
        await asyncio.gather(house.apply(item), house.apply(other))
        await asyncio.sleep(90)
        status = [(await shown(house, kind, space))["status"] for space in ("default", "team-b")]
        ids = [one["resourceID"] for one in status if one["phase"] == "Active"]
        if kind in ("CloudServer", "Subnet"):  # a volume, an address, a range can be had by one of them only
            assert len(ids) == 1
            return
        assert len(set(ids)) == 2
        for one, twin, space in zip(status, reversed(ids), ("team-b", "default"), strict=True):
            assert f"{twin} ({kind} {space}/{nine.name(kind)}) of the same name" in one["message"]
        await house.delete(kind, nine.name(kind), "team-b")
        await house.until(lambda: _gone_from(house, kind, "team-b"))
        await asyncio.sleep(60)
        item = await shown(house, kind)
        assert (item["status"]["resourceID"], item["status"].get("message")) == (ids[0], None)
        assert ids[0] in {row["id"] for row in await house.resources()}


@pytest.mark.parametrize("kind", nine.ALL)
async def test_one_name_in_two_namespaces_one_after_the_other(kind: str) -> None:
    """The second makes nothing, touches nothing, and names the first object."""
    async with living() as house:
        resource = await nine.active(house, kind)
        other = nine.subject(kind)
        other["metadata"]["namespace"] = "team-b"
        since = await last(house)
        await house.apply(other)
        await house.until(lambda: refused(house, kind, "AlreadyExists", "team-b"))
        message = (await shown(house, kind, "team-b"))["status"]["message"]
        assert f"with ID {resource} and belongs to {kind} default/{nine.name(kind)}" in message
        await house.delete(kind, nine.name(kind), "team-b")
        await house.until(lambda: _gone_from(house, kind, "team-b"))
        assert await house.writes(since) == []


@pytest.mark.parametrize("kind", nine.ALL)
async def test_an_adopted_resource_that_is_lost_is_told_and_only_made_anew_where_a_policy_says_so(kind: str) -> None:
    """Its loss is not made good by itself, whatever the kind; a new one is the object's own, and goes with it."""
    async with living(environ={"ARUBA_LISTING_AGE": "10s"}) as house:
        await house.admin("POST", "resources", {"kind": "Project", "name": "another-one"})
        resource = await adopted(house, kind)
        await house.admin("DELETE", f"resources/{resource}")
        since = await last(house)
        await house.until(lambda: refused(house, kind, "ExternallyDeleted"), within=60)
        await asyncio.sleep(300)
        assert await refused(house, kind, "ExternallyDeleted")
        assert await house.writes(since) == []
        await house.patch(kind, nine.name(kind), noted(on_external_delete="recreate"))
        await house.until(lambda: _another(house, kind, resource), within=120)
        item = await shown(house, kind)
        assert item["status"]["origin"] == "Created"
        assert "arubacloud.com/resource-id" not in item["metadata"]["annotations"]
        await house.delete(kind, nine.name(kind))
        await house.until(lambda: _absent(house, kind))
        assert item["status"]["resourceID"] not in {row["id"] for row in await house.resources()}


async def _another(house: House, kind: str, resource: str) -> bool:
    status = (await shown(house, kind))["status"]
    return status["phase"] == "Active" and status.get("resourceID") != resource
