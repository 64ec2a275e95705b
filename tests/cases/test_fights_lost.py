"""Fights that were lost once: what others own, what is protected and what was taken over stays so (case 20)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.cases import nine
from tests.cases.byhand import kill, restart
from tests.cases.estate import adopted, adopting, estate, foreign, key, noted
from tests.cases.test_fights import (
    absent,
    attach_by_hand,
    elsewhere,
    forget_status,
    ground,
    last,
    message,
    shown,
    undefine,
)
from tests.cases.test_takeover import ACTIVE, FOUND, _reason, begin, left_by_go
from tests.world.house import API, PLURALS, House, living
from tests.world.judge import condition
from tests.world.manifests import fixture_set

Object = dict[str, Any]
BLIND = {"status": 404, "body": {"title": "Not Found", "status": 404}}
EMPTY = {"status": 200, "body": {"total": 0, "values": []}}


async def _adopted_project(house: House, *inside: Object) -> int:
    [project] = nine.needs("VPC")
    ids = await estate(house, project)
    await house.apply(adopting(project, ids[key(project)]))
    await house.until(house.all_active)
    await house.apply(*inside)
    await house.until(house.all_active)
    return await last(house)


async def test_a_protected_adopted_project_keeps_its_children() -> None:
    """What was adopted stays anyway; protected, it also keeps what was made inside it."""
    async with living() as house:
        since = await _adopted_project(house, nine.subject("VPC"))
        await house.patch("Project", "shop", noted(deletion_protection="true"))
        await house.delete("Project", "shop")
        await asyncio.sleep(60)
        assert await house.writes(since) == []


async def test_a_protected_grandchild_holds_its_adopted_grandparent() -> None:
    """Nothing beside it is touched either."""
    async with living() as house:
        since = await _adopted_project(house, nine.subject("VPC"), nine.subject("Subnet"), nine.subject("BlockStorage"))
        await house.patch("Subnet", nine.name("Subnet"), noted(deletion_protection="true"))
        await house.delete("Project", "shop")
        await asyncio.sleep(60)
        assert await house.writes(since) == []


async def test_case_107_the_definition_of_an_adopted_parent_is_deleted() -> None:
    """Case 107: it lets go at once; its children are not asked to go."""
    async with living() as house:
        since = await _adopted_project(house, nine.subject("VPC"))
        await undefine(house, "projects")
        await asyncio.sleep(60)
        assert await house.writes(since) == []
        assert not (await shown(house, "VPC"))["metadata"].get("deletionTimestamp")


@pytest.mark.sweep
async def test_case_107_all_definitions_are_deleted_under_adopted_objects() -> None:
    """Case 107: children that are gone with their own definition hold nobody, whatever a cache still shows."""
    async with living() as house:
        ids = await estate(house)
        await house.apply(*(adopting(item, ids[key(item)]) for item in fixture_set("Test10")))
        await house.until(house.all_active)
        since = await last(house)
        for plural in PLURALS.values():
            await undefine(house, plural)
        await house.until(house.all_gone)
        assert await house.writes(since) == []


async def test_case_20_an_object_that_was_refused_adopts_nothing_at_its_end() -> None:
    """Case 20: the owner has gone and left the resource; a refused object that says delete does not take it along."""
    async with living() as house:
        resource = await adopted(house, "VPC")
        await house.namespace("team-b")
        other = elsewhere(nine.subject("VPC"))
        words = noted(adoption_policy="if-unowned", delete_policy="delete")
        other["metadata"]["annotations"] = words["metadata"]["annotations"]
        await house.apply(other)
        await asyncio.sleep(10)
        assert (await shown(house, "VPC", "team-b"))["status"].get("resourceID") is None
        since = await last(house)
        await house.delete("VPC", nine.name("VPC"))
        await house.until(lambda: absent(house, "VPC"), every=0.05)
        await house.delete("VPC", nine.name("VPC"), "team-b")
        await house.until(lambda: absent(house, "VPC", "team-b"))
        assert await house.writes(since) == []
        assert resource in {row["id"] for row in await house.resources()}


async def test_case_64_adopted_by_name_what_others_attached_stays() -> None:
    """Case 64: only what an attempt of ours asked for counts as ours."""
    async with living() as house:
        items = [*nine.needs("CloudServer"), nine.subject("CloudServer")]
        ids = await estate(house, *items)
        await attach_by_hand(house, ids)
        since = await last(house)
        for item in items:
            item["metadata"]["annotations"] = noted(adoption_policy="if-unowned")["metadata"]["annotations"]
        await house.apply(*items)
        await house.until(house.all_active)
        await asyncio.sleep(400)
        assert await house.writes(since) == []


class Lag:
    """The events of one kind reach Metacontroller late."""

    def __init__(self, plural: str) -> None:
        self.plural, self.on = plural, False

    async def deliver(self, resource: Any, event: Object) -> None:
        if self.on and resource.plural == self.plural:
            await asyncio.sleep(5)


async def test_a_protection_of_the_namespace_a_second_before() -> None:
    """Caches are late: the words are read again before the end begins."""
    lag = Lag("namespaces")
    async with living(delivery=lag) as house:
        await nine.active(house, "VPC")
        since = await last(house)
        lag.on = True
        merge = {"Content-Type": "application/merge-patch+json"}
        body = noted(deletion_protection="true")
        await house.kube.patch("/api/v1/namespaces/default", json=body, headers=merge)
        await asyncio.sleep(1)
        await house.delete("VPC", nine.name("VPC"))
        await asyncio.sleep(60)
        assert await house.writes(since) == []


async def test_a_protection_of_a_child_a_second_before() -> None:
    """Caches are late: the subtree is listed live before the end begins."""
    lag = Lag("vpcs")
    async with living(delivery=lag) as house:
        await house.apply(*nine.needs("VPC"), nine.subject("VPC"), nine.subject("BlockStorage"))
        await house.until(house.all_active)
        since = await last(house)
        lag.on = True
        await house.patch("VPC", nine.name("VPC"), noted(deletion_protection="true"))
        await asyncio.sleep(1)
        await house.delete("Project", "shop")
        await asyncio.sleep(60)
        assert await house.writes(since) == []


@pytest.mark.parametrize("how", ["dangling", "suspended", "edited"])
async def test_case_20_one_that_only_names_the_resource_is_not_waited_for(how: str) -> None:
    """Case 20: a younger object whose references do not exist, which is suspended, or which has another resource."""
    async with living() as house:
        ids = await ground(house, "VPC")
        resource = ids["VPC", nine.name("VPC")]
        await house.apply(adopting(nine.subject("VPC"), resource, suspend="true"))
        await asyncio.sleep(5)
        await house.namespace("team-b")
        other = elsewhere(nine.subject("VPC"))
        if how == "dangling":
            other = adopting(other, resource)
            other["spec"]["projectReference"] = {"name": "nope", "namespace": "team-b"}
        elif how == "suspended":
            other = adopting(other, resource, suspend="true")
        else:
            other["metadata"]["annotations"] = noted(resource_name="other")["metadata"]["annotations"]
        await house.apply(other)
        await asyncio.sleep(10)
        if how == "edited":
            await house.patch("VPC", nine.name("VPC"), noted(resource_id=resource), "team-b")
            await asyncio.sleep(5)
        await house.patch("VPC", nine.name("VPC"), noted(suspend=None))
        await asyncio.sleep(400)
        assert (await shown(house, "VPC"))["status"]["phase"] == "Active", await message(house, "VPC")


async def test_case_20_the_owner_keeps_its_resource_when_its_status_is_emptied() -> None:
    """Case 20: its annotations say that it was judged the owner; an older object that was refused gets nothing."""
    async with living() as house:
        ids = await ground(house, "VPC")
        resource = ids["VPC", nine.name("VPC")]
        await house.namespace("team-b")
        older = elsewhere(nine.subject("VPC"))
        older["metadata"]["annotations"] = noted(suspend="true")["metadata"]["annotations"]
        await house.apply(older)
        await asyncio.sleep(5)
        await house.apply(adopting(nine.subject("VPC"), resource))
        await asyncio.sleep(40)
        await house.patch("VPC", nine.name("VPC"), noted(suspend=None, resource_id=resource), "team-b")
        await asyncio.sleep(40)
        assert (await shown(house, "VPC"))["status"]["resourceID"] == resource
        await forget_status(house, "VPC")
        await asyncio.sleep(90)
        assert (await shown(house, "VPC"))["status"].get("resourceID") == resource


async def test_case_20_a_refusal_by_name_leaves_nothing_on_the_object() -> None:
    """Case 20: once the resource in the way is gone, the object makes its own."""
    async with living() as house:
        await adopted(house, "VPC")
        await house.namespace("team-b")
        other = elsewhere(nine.subject("VPC"))
        other["metadata"]["annotations"] = noted(adoption_policy="if-unowned")["metadata"]["annotations"]
        await house.apply(other)
        await asyncio.sleep(10)
        await house.patch("VPC", nine.name("VPC"), noted(delete_policy="delete"))
        await house.delete("VPC", nine.name("VPC"))
        await house.until(lambda: absent(house, "VPC"))
        await asyncio.sleep(100)
        assert (await shown(house, "VPC", "team-b"))["status"]["phase"] == "Active", await message(
            house, "VPC", "team-b"
        )


async def test_what_was_taken_over_is_found_without_status_and_name() -> None:
    """Its ID has a second home: no second resource is made."""
    async with left_by_go("VPC", ACTIVE) as (house, resource, since):
        begin(house)
        await asyncio.sleep(30)
        await house.admin("POST", f"resources/{resource}", {"metadata": {"name": "renamed"}})
        await forget_status(house, "VPC")
        await asyncio.sleep(200)
        assert await house.writes(since) == []


async def test_replaced_metadata_does_not_make_a_take_over_correct_drift() -> None:
    """The finalizer that proved it is gone; that its origin was recorded is enough to be careful."""
    async with left_by_go("VPC", ACTIVE, tags=["left", "over"]) as (house, _, since):
        begin(house)
        await house.until(lambda: _reason(house, "VPC", "Drifted"))
        await asyncio.sleep(30)
        assert await house.replace(nine.subject("VPC", tags=["left", "over"])) == 200
        await asyncio.sleep(400)
        assert await house.writes(since) == []


async def test_what_the_go_operator_may_have_made_is_not_adopted_by_name() -> None:
    """Its object is in Creating and does not know its ID yet: it gets it, and nobody else."""
    async with left_by_go("VPC", FOUND["creating, Synchronizing"]) as (house, resource, _):
        await house.namespace("team-b")
        other = elsewhere(nine.subject("VPC"))
        other["metadata"]["annotations"] = noted(adoption_policy="if-unowned")["metadata"]["annotations"]
        await house.patch("VPC", nine.name("VPC"), noted(suspend="true"))
        begin(house)
        await asyncio.sleep(5)
        await house.apply(other)
        await asyncio.sleep(30)
        await house.patch("VPC", nine.name("VPC"), noted(suspend=None))
        await asyncio.sleep(60)
        assert (await shown(house, "VPC"))["status"].get("resourceID") == resource


async def test_made_again_at_the_console_under_another_id() -> None:
    """The lost one is proven to be gone, and the annotation names the next one: that one is adopted."""
    async with living() as house:
        resource = await adopted(house, "BlockStorage")
        await house.admin("DELETE", f"resources/{resource}")
        new = await foreign(house, "BlockStorage", [])
        await house.patch("BlockStorage", nine.name("BlockStorage"), noted(resource_id=new))
        await asyncio.sleep(400)
        status = (await shown(house, "BlockStorage"))["status"]
        assert status.get("resourceID") == new, status["message"]


async def test_an_unreadable_adoption_policy_is_told_where_it_matters() -> None:
    """With the refusal that follows from it."""
    async with living() as house:
        await ground(house, "VPC")
        item = nine.subject("VPC")
        item["metadata"]["annotations"] = noted(adoption_policy="Always")["metadata"]["annotations"]
        await house.apply(item)
        await asyncio.sleep(60)
        assert "'Always'" in await message(house, "VPC")


async def test_suspended_with_a_phase_that_nobody_knows() -> None:
    """Somebody wrote it into the status: no pass fails for that."""
    async with living() as house:
        await nine.active(house, "VPC")
        kill(house)
        live = await shown(house, "VPC")
        url = f"{API}/namespaces/default/vpcs/{nine.name('VPC')}/status"
        assert (
            await house.kube.put(url, json={**live, "status": {**live["status"], "phase": "Odd"}})
        ).status_code == 200
        await house.patch("VPC", nine.name("VPC"), noted(suspend="true"))
        restart(house)
        await asyncio.sleep(60)
        assert condition(await shown(house, "VPC"), "Suspended").get("status") == "True"


async def test_a_protection_while_children_are_going_does_not_say_that_nothing_is_deleted() -> None:
    """They are on their way; the deletion of the object itself waits."""
    async with living() as house:
        await house.apply(*nine.needs("VPC"), nine.subject("VPC"))
        await house.until(house.all_active)
        await house.quirks(neverSettle="VPC")
        await house.delete("Project", "shop")
        await asyncio.sleep(5)
        await house.patch("Project", "shop", noted(deletion_protection="true"))
        await asyncio.sleep(60)
        assert await nine.deletes(house, "VPC")
        assert "Nothing is deleted" not in await message(house, "Project")


async def test_let_go_while_our_delete_is_under_way() -> None:
    """The Event does not say that the resource stays."""
    async with living() as house:
        await nine.active(house, "VPC")
        await house.quirks(neverSettle="VPC")
        await house.delete("VPC", nine.name("VPC"))
        await asyncio.sleep(5)
        await house.patch("VPC", nine.name("VPC"), noted(delete_policy="orphan"))
        await house.until(lambda: absent(house, "VPC"))
        told = [event["message"] for event in await house.events() if event["reason"] == "Released"]
        assert not any("stays in the cloud" in text for text in told), told
