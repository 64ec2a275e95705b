"""Case 20 and its neighbours under attack: lost metadata, lost status, both at once; two objects after one resource;
policies that flip at bad moments; Namespaces and definitions that are taken away.

Whatever happens, no resource is made twice, nobody else's is written to, and every wait names its way out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from itertools import cycle
from typing import Any

import pytest

from hooks.local.metacontroller.api import Resource
from tests.cases import console, nine
from tests.cases.byhand import kill, restart
from tests.cases.estate import adopted, adopting, estate, foreign, key, noted
from tests.cases.test_takeover import ACTIVE, begin, left_by_go
from tests.world.house import HOOKS, PLURALS, House, living
from tests.world.judge import condition
from tests.world.manifests import fixture_set

pytestmark = pytest.mark.every_kind("BlockStorage")
Object = dict[str, Any]
FEW = ("Project", "BlockStorage", "SecurityRule")
"""Where nothing depends on the kind: a root, one that keeps data, and the deepest."""
MOMENTS = (0.0, 0.1, 1.2)
"""Seconds after an object was applied: before its claim, its intent, its call, and what follows."""
BLIND = {"status": 404, "body": {"title": "Not Found", "status": 404}}
EMPTY = {"status": 200, "body": {"total": 0, "values": []}}


async def last(house: House) -> int:
    return int((await house.calls())[-1]["n"])


async def shown(house: House, kind: str, namespace: str = "default") -> Object:
    return await house.get(kind, nine.name(kind), namespace) or {}


async def absent(house: House, kind: str, namespace: str = "default") -> bool:
    return await shown(house, kind, namespace) == {}


async def reason_is(house: House, kind: str, reason: str, namespace: str = "default") -> bool:
    return bool(condition(await shown(house, kind, namespace), "Ready").get("reason") == reason)


async def message(house: House, kind: str, namespace: str = "default") -> str:
    return str((await shown(house, kind, namespace)).get("status", {}).get("message"))


async def forget_metadata(house: House, kind: str) -> None:
    """Annotations and labels are gone, as after `kubectl replace`; finalizers stay, so that nothing vanishes."""
    for _ in range(20):
        live = await shown(house, kind)
        meta = {part: live["metadata"][part] for part in ("name", "namespace", "resourceVersion", "uid")}
        meta["finalizers"] = live["metadata"].get("finalizers", [])
        answer = await house.kube.put(_url(house, kind), json={**live, "metadata": meta})
        if answer.status_code == 200:
            return
    raise AssertionError("always another writer in between")


async def forget_status(house: House, kind: str) -> None:
    """Somebody empties the status through its subresource."""
    for _ in range(20):
        live = await shown(house, kind)
        answer = await house.kube.put(f"{_url(house, kind)}/status", json={**live, "status": {}})
        if answer.status_code == 200:
            return
    raise AssertionError("always another writer in between")


async def forget_both(house: House, kind: str) -> None:
    """While the hooks are away, so that they see neither without the other."""
    kill(house)
    await forget_metadata(house, kind)
    await forget_status(house, kind)
    restart(house)


LOSSES: dict[str, Callable[[House, str], Awaitable[None]]] = {
    "metadata": forget_metadata,
    "status": forget_status,
    "both": forget_both,
}


def _url(house: House, kind: str) -> str:
    return f"{house.path(nine.subject(kind))}/{nine.name(kind)}"


def elsewhere(item: Object, namespace: str = "team-b") -> Object:
    """The same object in another namespace, leading to the same place in the cloud."""
    item["metadata"]["namespace"] = namespace
    return item


async def ground(house: House, kind: str, **options: Any) -> dict[tuple[str, str], str]:
    """The subject's resource is there and nobody's; what it needs is adopted and Active. The IDs."""
    ids = await estate(house, *nine.needs(kind), nine.subject(kind), **options)
    await house.apply(*(adopting(item, ids[key(item)], adoption_policy="always") for item in nine.needs(kind)))
    await house.until(house.all_active)
    return ids


# What was adopted


@pytest.mark.parametrize("loss", ["metadata", "status"])
@pytest.mark.parametrize("kind", FEW)
async def test_case_20_an_adopted_object_that_loses_half_of_what_it_knows(kind: str, loss: str) -> None:
    """The other half still names the resource; it stays adopted, so it is left at the end."""
    async with living() as house:
        resource = await adopted(house, kind)
        since = await last(house)
        for _ in range(2):
            await LOSSES[loss](house, kind)
            await asyncio.sleep(20)
            status = (await shown(house, kind))["status"]
            assert (status["phase"], status["resourceID"], status["origin"]) == ("Active", resource, "Adopted")
        await LOSSES[loss](house, kind)
        await house.delete(kind, nine.name(kind))
        await house.until(lambda: absent(house, kind))
        assert await house.writes(since) == []
        assert resource in {row["id"] for row in await house.resources()}


@pytest.mark.parametrize("kind", FEW)
async def test_case_20_an_adopted_object_that_loses_all_it_knows(kind: str) -> None:
    """Nothing says any more that it stands for the resource: it is a stranger's, named with the annotation to paste,
    which helps. Nothing is made in its stead, and its end touches nothing.
    """
    async with living() as house:
        resource = await adopted(house, kind)
        since = await last(house)
        await forget_both(house, kind)
        await house.until(lambda: reason_is(house, kind, "AlreadyExists"))
        assert f"arubacloud.com/resource-id: {resource}" in await message(house, kind)
        await house.patch(kind, nine.name(kind), noted(resource_id=resource))
        await house.until(house.all_active)
        await forget_both(house, kind)
        await asyncio.sleep(3)
        await house.delete(kind, nine.name(kind))
        await house.until(lambda: absent(house, kind))
        assert await house.writes(since) == []
        assert resource in {row["id"] for row in await house.resources()}


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("kind", FEW)
async def test_case_20_lost_at_every_moment_of_an_adoption(kind: str, loss: str) -> None:
    """Nothing is made, changed or deleted, whatever is lost and when; the annotation, written again, settles it."""
    async with living() as house:
        ids = await ground(house, kind)
        resource, since = ids[kind, nine.name(kind)], await last(house)
        for moment in (0.0, 0.3):
            await house.apply(adopting(nine.subject(kind), resource))
            await asyncio.sleep(moment)
            await LOSSES[loss](house, kind)
            await asyncio.sleep(5)
            await house.patch(kind, nine.name(kind), noted(resource_id=resource))
            await house.until(house.all_active)
            await house.delete(kind, nine.name(kind))
            await house.until(lambda: absent(house, kind))
        assert await house.writes(since) == []


@pytest.mark.parametrize("kind", FEW)
async def test_case_20_another_id_while_it_stands_for_one(kind: str) -> None:
    """The annotation is edited: the object keeps the resource that it has, and says so; nobody's is touched."""
    async with living() as house:
        resource = await adopted(house, kind)
        since = await last(house)
        await house.patch(kind, nine.name(kind), noted(resource_id="0" * 24))
        await house.until(lambda: _says(house, kind, f"{'0' * 24}, but this one has {resource}"), within=400)
        await house.delete(kind, nine.name(kind))
        await house.until(lambda: absent(house, kind))
        assert await house.writes(since) == []


async def _says(house: House, kind: str, text: str) -> bool:
    return text in await message(house, kind)


@pytest.mark.parametrize("kind", FEW)
async def test_case_20_killed_between_the_annotation_and_the_status(kind: str) -> None:
    """The claim is on the object and its status says nothing: the next replica goes on from there."""
    async with living() as house:
        ids = await ground(house, kind)
        resource, since = ids[kind, nine.name(kind)], await last(house)
        house.net.latency = 0.05
        await house.apply(adopting(nine.subject(kind), resource))
        await house.until(lambda: _claimed(house, kind), every=0.01)
        kill(house)
        house.net.latency = 0.0
        assert (await shown(house, kind)).get("status", {}).get("resourceID") is None
        restart(house)
        await house.until(house.all_active, within=60)
        assert (await shown(house, kind))["status"]["resourceID"] == resource
        assert await house.writes(since) == []


async def _claimed(house: House, kind: str) -> bool:
    return "arubacloud.com/adopting" in (await shown(house, kind))["metadata"].get("annotations", {})


@pytest.mark.sweep
async def test_case_20_a_whole_set_adopted_by_two_replicas_with_stale_caches() -> None:
    """Every event reaches Metacontroller late, and its calls go to two replicas in turn."""

    class Late:
        async def deliver(self, resource: Resource, event: Object) -> None:
            await asyncio.sleep(1.5)

    async with living(delivery=Late()) as house:
        ids = await estate(house)
        apps = cycle([house.operator.app, house.start_hooks("second.test").app])

        async def turn(scope: Any, receive: Any, send: Any) -> None:
            await next(apps)(scope, receive, send)

        house.net.hosts[HOOKS] = turn
        since = await last(house)
        await house.apply(*(adopting(item, ids[key(item)]) for item in fixture_set("Test10")))
        await house.until(house.all_active, within=300)
        assert {key(item): item["status"]["resourceID"] for item in await house.objects()} == ids
        assert await house.writes(since) == []


@pytest.mark.parametrize("kind", ["KeyPair", "VPC", "SecurityRule"])
async def test_case_20_an_id_that_is_to_be_read_only_later(kind: str) -> None:
    """The cloud does not show it yet: nothing is made in its stead, and it is adopted once it shows."""
    async with living() as house:
        await nine.prepared(house, kind)
        await asyncio.sleep(60)
        await house.quirks(listLag=50.0, readLag=50.0)
        resource = await foreign(house, kind, nine.subject(kind)["spec"].get("tags") or [])
        since = await last(house)
        await house.apply(adopting(nine.subject(kind), resource))
        await house.until(lambda: reason_is(house, kind, "IntentionValidationFailed"), within=20)
        await house.until(lambda: _has(house, kind, resource), within=120)
        assert [row for row in await house.writes(since) if row["method"] != "PUT"] == []


async def _has(house: House, kind: str, resource: str) -> bool:
    return bool((await shown(house, kind)).get("status", {}).get("resourceID") == resource)


@pytest.mark.parametrize("kind", ["Subnet", "SecurityGroup", "SecurityRule"])
async def test_case_20_an_id_from_beside(kind: str) -> None:
    """The resource is there, in another parent than the one that the spec leads to: it is not taken."""
    async with living() as house:
        ids = await ground(house, kind)
        resource = ids[kind, nine.name(kind)]
        item = nine.subject(kind)
        [(field, parent)] = [(f.name, f.to.kind) for f in nine.KINDS[kind].references if f is nine.KINDS[kind].owner]
        beside = nine.subject(parent)
        beside["metadata"]["name"] = "beside"
        beside["metadata"].pop("annotations", None)
        await house.apply(beside)
        await house.until(house.all_active)
        item["spec"][field]["name"] = "beside"
        since = await last(house)
        await house.apply(adopting(item, resource))
        await house.until(lambda: reason_is(house, kind, "IntentionValidationFailed"))
        assert resource in await message(house, kind)
        assert "correct or remove the annotation arubacloud.com/resource-id" in await message(house, kind)
        assert await house.writes(since) == []


async def test_case_20_a_server_adopted_with_more_attached_than_its_spec_asks_for() -> None:
    """By its ID: what others attached is told and left."""
    async with living() as house:
        items = [*nine.needs("CloudServer"), nine.subject("CloudServer")]
        ids = await estate(house, *items)
        extra = await attach_by_hand(house, ids)
        since = await last(house)
        await house.apply(*(adopting(item, ids[key(item)]) for item in items))
        await house.until(house.all_active)
        await asyncio.sleep(400)
        assert extra in await message(house, "CloudServer")
        assert await house.writes(since) == []


async def attach_by_hand(house: House, ids: dict[tuple[str, str], str]) -> str:
    """A data volume of somebody's, attached at the console to the server of the estate; its ID."""
    properties = {"sizeGb": 40, "billingPeriod": "Hour", "dataCenter": "ITBG-1"}
    made = {"kind": "BlockStorage", "projectId": ids["Project", "shop"], "name": "by-hand", "properties": properties}
    volume = await house.admin("POST", "resources", made)
    [server] = [row for row in await house.resources("CloudServer") if row["id"] == ids["CloudServer", "shop"]]
    body = {"volumesToAttach": [{"uri": volume["uri"]}], "volumesToDetach": []}
    await console.call(house, "POST", f"{server['uri']}/attachDetachDataVolumes", body)
    await asyncio.sleep(3)
    return str(volume["id"])


@pytest.mark.parametrize("kind", ["BlockStorage", "ElasticIP", "Project"])
async def test_case_20_an_adopted_resource_stays_adopted_after_a_look_that_missed_it(kind: str) -> None:
    """One 404 while the project answers, then another replica: the end of the object still leaves the resource."""
    async with living() as house:
        resource = await adopted(house, kind)
        await house.admin("POST", "resources", {"kind": "Project", "name": "another-one"})
        since = await last(house)
        await house.faults(
            {"match": {"method": "GET", "path": f"{resource}$"}, "then": BLIND},
            {"match": {"method": "GET", "path": nine.collection(kind)}, "then": EMPTY},
        )
        await house.patch(kind, nine.name(kind), noted(reconcile_at="1"))
        await asyncio.sleep(1)
        kill(house)
        await house.admin("DELETE", "faults")
        restart(house)
        await asyncio.sleep(20)
        await house.delete(kind, nine.name(kind))
        await house.until(lambda: absent(house, kind))
        assert await house.writes(since) == []


@pytest.mark.parametrize("kind", ["VPC", "SecurityRule", "KeyPair"])
async def test_case_20_an_adopted_resource_that_vanishes_is_told_and_not_made_again(kind: str) -> None:
    """`on-external-delete` is `report` for what was adopted, whatever it is for the kind."""
    async with living() as house:
        resource = await adopted(house, kind)
        since = await last(house)
        await house.admin("DELETE", f"resources/{resource}")
        await house.patch(kind, nine.name(kind), noted(reconcile_at="1"))
        await asyncio.sleep(300)
        assert await house.writes(since) == []
        assert condition(await shown(house, kind), "Ready")["reason"] == "ExternallyDeleted"


async def test_case_20_an_adopted_resource_that_is_not_seen_for_a_while() -> None:
    """No tag leads back to it, so its ID is kept, and no second one is made beside it."""
    async with living() as house:
        resource = await adopted(house, "VPC")
        since = await last(house)
        await house.faults(
            {"match": {"method": "GET", "path": f"{resource}$"}, "then": BLIND},
            {"match": {"method": "GET", "path": "vpcs$"}, "then": EMPTY},
        )
        await house.patch("VPC", nine.name("VPC"), noted(reconcile_at="1"))
        await asyncio.sleep(20)
        await house.admin("DELETE", "faults")
        await asyncio.sleep(200)
        assert await house.writes(since) == []
        assert (await shown(house, "VPC"))["status"].get("resourceID") == resource


# What was created


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("kind", FEW)
async def test_lost_once_it_is_active_a_created_object_finds_its_own(kind: str, loss: str) -> None:
    """By the tag: nothing else is made, nothing is sent, and it goes with its object."""
    async with living() as house:
        resource = await nine.active(house, kind)
        await asyncio.sleep(90)
        since = await last(house)
        await LOSSES[loss](house, kind)
        await asyncio.sleep(100)
        status = (await shown(house, kind))["status"]
        assert (status["phase"], status["resourceID"]) == ("Active", resource)
        assert await house.writes(since) == []
        await LOSSES[loss](house, kind)
        await asyncio.sleep(5)
        await house.delete(kind, nine.name(kind))
        await house.until(lambda: absent(house, kind))
        assert [row["path"].rpartition("/")[2] for row in await house.writes(since)] == [resource]


@pytest.mark.parametrize("loss", ["metadata", "status"])
@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("kind", FEW)
async def test_lost_at_every_moment_of_a_creation(kind: str, moment: float, loss: str) -> None:
    """One resource, whatever was lost and when."""
    async with living() as house:
        item = await nine.prepared(house, kind)
        await house.apply(item)
        await asyncio.sleep(moment)
        await LOSSES[loss](house, kind)
        await asyncio.sleep(150)
        [made] = await nine.ever(house, kind)
        status = (await shown(house, kind))["status"]
        assert (status["phase"], status["resourceID"]) == ("Active", made["id"])


@pytest.mark.parametrize("after", [1, 30])
@pytest.mark.parametrize("kind", FEW)
async def test_an_id_to_adopt_set_in_the_middle_of_a_creation(kind: str, after: int) -> None:
    """The outcome of the POST is not known when the annotation comes: what was made is found and kept, nobody's is
    taken, and the message tells of both.
    """
    async with living() as house:
        item = await nine.prepared(house, kind)
        fault = {"match": {"method": "POST", "path": nine.collection(kind)}, "times": 1, "then": {"drop": "after"}}
        await house.faults(fault)
        await house.quirks(listLag=40.0)
        await house.apply(item)
        await house.until(lambda: nine.posts(house, kind), every=0.05)
        await asyncio.sleep(after)
        other = "0" * 24 if kind in ("Project", "CloudServer") else await foreign(house, kind, [])
        await house.patch(kind, nine.name(kind), noted(resource_id=other))
        await house.until(lambda: reason_is(house, kind, "Available"), within=300)
        assert len(await nine.posts(house, kind)) == 1
        assert (await shown(house, kind))["status"]["resourceID"] != other
        await house.until(lambda: _says(house, kind, f"resource-id names {other}"), within=400)
        await house.delete(kind, nine.name(kind))
        await house.until(lambda: absent(house, kind))
        assert [path for path in await nine.deletes(house) if other in path] == []


@pytest.mark.parametrize("kind", FEW)
async def test_suspended_while_the_outcome_of_its_creation_is_unknown(kind: str) -> None:
    """Suspended within the window, and let on long after: what was made is found, nothing is made again."""
    async with living() as house:
        item = await nine.prepared(house, kind)
        fault = {"match": {"method": "POST", "path": nine.collection(kind)}, "times": 1, "then": {"drop": "after"}}
        await house.faults(fault)
        await house.apply(item)
        await house.until(lambda: nine.posts(house, kind), every=0.01)
        await house.patch(kind, nine.name(kind), noted(suspend="true"))
        await asyncio.sleep(200)
        await house.patch(kind, nine.name(kind), noted(suspend=None))
        await house.until(house.all_active)
        [made] = await nine.ever(house, kind)
        assert (await shown(house, kind))["status"]["resourceID"] == made["id"]


# Two objects


@pytest.mark.parametrize("policy", ["if-unowned", "always"])
@pytest.mark.parametrize("kind", FEW)
async def test_one_name_in_two_namespaces_where_everything_is_adopted(kind: str, policy: str) -> None:
    """An installation that adopts by name: what one object made is never another's, at once or one after the other."""
    async with living(environ={"ARUBA_ADOPTION_POLICY": policy}) as house:
        item = await nine.prepared(house, kind)
        await house.namespace("team-b")
        await asyncio.gather(house.apply(item), house.apply(elsewhere(nine.subject(kind))))
        await asyncio.sleep(150)
        made = {row["id"] for row in await nine.ever(house, kind)}
        has = [(await shown(house, kind, space))["status"].get("resourceID") for space in ("default", "team-b")]
        taken = [one for one in has if one]
        assert set(taken) == made
        assert len(taken) == len(set(taken))
        for space, resource in zip(("default", "team-b"), has, strict=True):
            if resource is None:
                assert f"belongs to {kind} " in await message(house, kind, space)
                await house.delete(kind, nine.name(kind), space)
                await house.until(lambda space=space: absent(house, kind, space))  # type: ignore[misc]
        assert {row["id"] for row in await nine.ever(house, kind) if row["deletedAt"] is None} == made


@pytest.mark.parametrize("kind", nine.ALL)
async def test_a_copy_of_a_created_object_with_all_our_notes_in_it(kind: str) -> None:
    """Copied to another namespace with annotations and labels: it takes nothing and deletes nothing."""
    async with living() as house:
        resource = await nine.active(house, kind)
        since = await last(house)
        live = await shown(house, kind)
        copied = {part: live["metadata"].get(part, {}) for part in ("annotations", "labels")}
        await house.namespace("team-b")
        await house.apply(
            {**nine.subject(kind), "metadata": {**copied, "name": nine.name(kind), "namespace": "team-b"}}
        )
        await house.until(lambda: reason_is(house, kind, "AlreadyExists", "team-b"))
        assert f"belongs to {kind} default/{nine.name(kind)}" in await message(house, kind, "team-b")
        await house.delete(kind, nine.name(kind), "team-b")
        await house.until(lambda: absent(house, kind, "team-b"))
        assert await house.writes(since) == []
        assert (await shown(house, kind))["status"]["resourceID"] == resource


@pytest.mark.parametrize("kind", FEW)
async def test_made_again_after_its_finalizers_were_torn_off(kind: str) -> None:
    """The old object is gone by force, its resource is not: the new one of that name takes nothing by itself, says
    what to set, and with it stands for the very same resource.
    """
    async with living() as house:
        resource = await nine.active(house, kind)
        kill(house)
        await house.delete(kind, nine.name(kind))
        await house.patch(kind, nine.name(kind), {"metadata": {"finalizers": None}})
        await house.until(lambda: absent(house, kind))
        restart(house)
        since = await last(house)
        await house.apply(nine.subject(kind))
        await house.until(lambda: reason_is(house, kind, "AlreadyExists"))
        paste = f"arubacloud.com/resource-id: {resource} with arubacloud.com/adoption-policy: always"
        assert paste in await message(house, kind)
        await house.patch(kind, nine.name(kind), noted(resource_id=resource, adoption_policy="always"))
        await house.until(lambda: reason_is(house, kind, "Available"))
        assert (await shown(house, kind))["status"]["resourceID"] == resource
        assert await house.writes(since) == []


@pytest.mark.parametrize("kind", ["BlockStorage", "SecurityRule"])
async def test_a_namesake_on_its_way_out_is_waited_for_whatever_the_policy(kind: str) -> None:
    """`always`, and the only one of that name is being deleted: not taken, and not joined before it is gone."""
    async with living() as house:
        ids = await ground(house, kind)
        await house.admin("POST", f"resources/{ids[kind, nine.name(kind)]}", {"state": "Deleting"})
        since = await last(house)
        item = nine.subject(kind)
        item["metadata"]["annotations"] = noted(adoption_policy="always")["metadata"]["annotations"]
        await house.apply(item)
        await house.until(lambda: reason_is(house, kind, "NameTaken"))
        await asyncio.sleep(120)
        assert "is being deleted in the cloud" in await message(house, kind)
        assert await house.writes(since) == []
        await house.admin("DELETE", f"resources/{ids[kind, nine.name(kind)]}")
        await house.until(house.all_active)
        assert [row["method"] for row in await house.writes(since)] == ["POST"]


# Policies that flip


@pytest.mark.parametrize("kind", ["BlockStorage", "SecurityRule"])
async def test_orphan_set_while_our_delete_is_under_way(kind: str) -> None:
    """The object goes at once; no other DELETE is sent."""
    async with living() as house:
        await nine.active(house, kind)
        await house.quirks(neverSettle=kind)
        await house.delete(kind, nine.name(kind))
        await house.until(lambda: nine.deletes(house, kind), every=0.05)
        since = await last(house)
        await house.patch(kind, nine.name(kind), noted(delete_policy="orphan"))
        await house.until(lambda: absent(house, kind), within=10)
        assert await house.writes(since) == []


@pytest.mark.parametrize("words", [{"suspend": "true"}, {"mode": "observe"}])
@pytest.mark.parametrize("kind", ["BlockStorage", "SecurityRule"])
async def test_held_up_while_our_delete_is_under_way(kind: str, words: dict[str, str]) -> None:
    """Nothing is sent meanwhile; once let on, the object goes with its resource."""
    async with living() as house:
        resource = await nine.active(house, kind)
        await house.quirks(neverSettle=kind)
        await house.delete(kind, nine.name(kind))
        await house.until(lambda: nine.deletes(house, kind), every=0.05)
        since = await last(house)
        await house.patch(kind, nine.name(kind), noted(**words))
        await asyncio.sleep(100)
        assert await house.writes(since) == []
        assert not await absent(house, kind)
        await house.admin("POST", "quirks", {"neverSettle": None})
        await house.patch(kind, nine.name(kind), noted(**dict.fromkeys(words)))
        await house.until(lambda: absent(house, kind), within=60)
        assert resource not in {row["id"] for row in await house.resources()}


@pytest.mark.parametrize("child", ["VPC", "BlockStorage", "Subnet"])
async def test_a_protection_that_comes_while_children_are_going(child: str) -> None:
    """What is not yet on its way out in the cloud stays, and says why; its parent waits for it, and goes on after."""
    async with living() as house:
        await house.apply(*nine.needs("Subnet"), nine.subject("Subnet"), nine.subject("BlockStorage"))
        await house.until(house.all_active)
        resource = (await shown(house, child))["status"]["resourceID"]
        kill(house)
        for kind in ("Project", child):
            await house.delete(kind, nine.name(kind))
        await house.patch(child, nine.name(child), noted(deletion_protection="true"))
        restart(house)
        await house.until(lambda: reason_is(house, child, "DeletionBlocked"), within=60)
        await asyncio.sleep(60)
        assert resource in {row["id"] for row in await house.resources()}
        assert f"{child} default/{nine.name(child)}" in await message(house, "Project")
        await house.patch(child, nine.name(child), noted(deletion_protection=None))
        await house.until(house.all_gone, within=200)


@pytest.mark.parametrize("kind", FEW)
async def test_the_way_out_that_a_protection_names(kind: str) -> None:
    """`orphan` on it: object gone, resource there, nothing sent."""
    async with living() as house:
        resource = await nine.active(house, kind)
        await house.patch(kind, nine.name(kind), noted(deletion_protection="true"))
        since = await last(house)
        await house.delete(kind, nine.name(kind))
        await house.until(lambda: reason_is(house, kind, "DeletionBlocked"), within=10)
        await house.patch(kind, nine.name(kind), noted(delete_policy="orphan"))
        await house.until(lambda: absent(house, kind), within=10)
        assert await house.writes(since) == []
        assert resource in {row["id"] for row in await house.resources()}


# The ground is taken away


async def test_a_namespace_that_is_deleted_with_adopted_and_created_objects_in_it() -> None:
    """What was created goes, what was adopted stays; the Namespace follows, although its own words went with it."""
    async with living() as house:
        ids = await ground(house, "BlockStorage")
        [project] = [item for item in fixture_set("Test10") if item["kind"] == "Project"]
        await house.namespace("team-b")
        mine = elsewhere(nine.subject("BlockStorage"))
        mine["metadata"]["name"] = "mine"
        old = elsewhere(adopting(nine.subject("BlockStorage"), ids["BlockStorage", nine.name("BlockStorage")]))
        await house.apply(mine, old)
        await house.until(house.all_active)
        created = (await house.status("BlockStorage", "mine", "team-b"))["resourceID"]
        since = await last(house)
        assert (await house.kube.delete("/api/v1/namespaces/team-b")).status_code in (200, 202)
        await house.until(lambda: _no_namespace(house, "team-b"))
        assert [row["path"].rpartition("/")[2] for row in await house.writes(since)] == [created]
        assert (await house.status("Project", project["metadata"]["name"]))["phase"] == "Active"


async def _no_namespace(house: House, name: str) -> bool:
    return bool((await house.kube.get(f"/api/v1/namespaces/{name}")).status_code == 404)


async def test_all_definitions_are_deleted_at_once() -> None:
    """Uninstalled without a thought: objects go, and nothing is sent to the cloud."""
    async with living() as house:
        await house.apply(*fixture_set("Test10"))
        await house.until(house.all_active)
        since = await last(house)
        for plural in PLURALS.values():
            await undefine(house, plural)
        await house.until(house.all_gone)
        assert await house.writes(since) == []


async def undefine(house: House, plural: str) -> None:
    path = f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{plural}.arubacloud.com"
    assert (await house.kube.delete(path)).status_code in (200, 202)


@pytest.mark.parametrize("kind", nine.ALL)
async def test_its_definition_is_deleted(kind: str) -> None:
    """The object goes and its resource stays, protected or suspended as it may be; one that says `delete` goes with
    its resource.
    """
    async with living() as house:
        resource = await nine.active(house, kind)
        words = {"deletion_protection": "true", "suspend": "true"}
        await house.patch(kind, nine.name(kind), noted(**words))
        await asyncio.sleep(5)
        since = await last(house)
        await undefine(house, PLURALS[kind])
        await house.until(lambda: absent(house, kind), within=60)
        assert await house.writes(since) == []
        assert resource in {row["id"] for row in await house.resources()}


@pytest.mark.parametrize("kind", FEW)
async def test_its_definition_is_deleted_and_it_says_delete(kind: str) -> None:
    async with living() as house:
        resource = await nine.active(house, kind)
        await house.patch(kind, nine.name(kind), noted(delete_policy="delete"))
        await undefine(house, PLURALS[kind])
        await house.until(lambda: absent(house, kind), within=60)
        assert resource not in {row["id"] for row in await house.resources()}


# What the Go operator left


@pytest.mark.parametrize("loss", ["metadata", "status", "both"])
@pytest.mark.parametrize("kind", FEW)
async def test_taken_over_and_then_robbed(kind: str, loss: str) -> None:
    """Its finalizer still proves that the resource is the object's own: found again, nothing written, gone with it."""
    async with left_by_go(kind, ACTIVE) as (house, resource, since):
        begin(house)
        await house.until(house.all_active)
        await LOSSES[loss](house, kind)
        await asyncio.sleep(100)
        status = (await shown(house, kind))["status"]
        assert (status["phase"], status["resourceID"]) == ("Active", resource)
        assert await house.writes(since) == []
        await house.delete(kind, nine.name(kind))
        await house.until(lambda: absent(house, kind), within=200)
        assert [row["path"].rpartition("/")[2] for row in await house.writes(since)] == [resource]
