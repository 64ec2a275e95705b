"""Field cases 5, 6, 9, 11, 18, 57: what is gone, when, in which order, and what is never deleted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from hooks.aruba.cloud import paths
from hooks.simulator import FAST, Timings
from hooks.simulator.transitions import AfterReads
from tests.cases import nine
from tests.cases.byhand import by_hand
from tests.cases.world import living
from tests.world.house import House
from tests.world.judge import condition
from tests.world.manifests import fixture_set

pytestmark = pytest.mark.every_kind

Object = dict[str, Any]


def slow_to_go(*kinds: str) -> Timings:
    """A deleted resource shows `Deleting` for five reads."""
    paces = {kind: {**FAST.paces[kind], "delete": AfterReads(5)} for kind in kinds}
    return Timings({**FAST.paces, **paces})


async def absent(house: House, kind: str) -> bool:
    return await house.get(kind, nine.name(kind)) is None


async def test_case_05_accepted_is_not_gone() -> None:
    """Case 5: subnet and VPC deleted together: the VPC's DELETE waits until the subnet is really gone."""
    async with living(timings=slow_to_go("Subnet")) as house:
        subnet = await nine.active(house, "Subnet")
        since = (await house.calls())[-1]["n"]
        await house.delete("Subnet", "shop")
        await house.delete("VPC", "shop")
        await house.until(lambda: absent(house, "VPC"), within=300)
        calls = [row for row in await house.calls(since) if f"/subnets/{subnet}" in row["path"]]
        [gone] = [row["n"] for row in calls if row["method"] == "GET" and row["status"] == 404][:1]
        [vpc_delete] = [row["n"] for row in await house.calls(since, method="DELETE") if "/subnets/" not in row["path"]]
        assert gone < vpc_delete
        assert len(await nine.deletes(house, "Subnet")) == 1


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_05_object_stays_while_the_cloud_deletes(kind: str) -> None:
    """Case 5: the object stays until a read shows that the resource is gone; one DELETE, few Events."""
    async with living(timings=slow_to_go(kind)) as house:
        await nine.active(house, kind)
        before = len(await house.events())
        await house.delete(kind, nine.name(kind))
        await house.until(lambda: absent(house, kind), within=300)
        assert [row["deletedAt"] is None for row in await nine.ever(house, kind)] == [False]
        assert len(await nine.deletes(house, kind)) == 1
        assert len(await house.events()) - before <= 5


PROBLEM = {"title": "Not Found", "status": 404, "type": "https://tools.ietf.org/html/rfc7231#section-6.5.4"}
ENDED: dict[str, Callable[[Object], Object]] = {
    "problem": lambda body: {"status": 404, "body": PROBLEM, "headers": {"content-type": "application/problem+json"}},
    "empty": lambda body: {"status": 404},
    "Deleted": lambda body: {"status": 200, "body": {**body, "status": {"state": "Deleted"}}},
}
REFUSAL = {"title": "Bad Request", "detail": "The resource is already in deletion", "status": 400}
ANSWERS: dict[str, Object] = {
    "202": {"status": 202},
    "204": {"status": 204},
    "404": {"status": 404, "body": PROBLEM},
    "400": {"status": 400, "body": REFUSAL},
}
PAIRS = [("202", "problem"), ("204", "empty"), ("404", "Deleted"), ("400", "empty"), ("202", "Deleted")]


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_06_every_spelling_of_gone(kind: str) -> None:
    """Case 6: what DELETE answers and how GET then says that it is gone; a 400 is looked at before it is judged."""
    async with living() as house:
        item = await nine.prepared(house, kind)
        seen = {}
        for deleted, ended in PAIRS:
            await house.apply(item)
            await house.until(house.all_active)
            await asyncio.sleep(10)
            seen[deleted, ended] = await _ending(house, kind, deleted, ended)
        assert seen == {(deleted, ended): ("gone", ["DELETE", "GET"]) for deleted, ended in PAIRS}


async def _ending(house: House, kind: str, deleted: str, ended: str) -> tuple[str, list[str]]:
    """One life's end: how it ended within 20 s, and the calls to the resource from the DELETE on."""
    resource = (await house.status(kind, nine.name(kind)))["resourceID"]
    shown = {"metadata": {"id": resource, "name": nine.name(kind), "tags": []}, "properties": {}}
    item = {"path": f"/{resource}$"}
    await house.faults(
        {"match": {"method": "DELETE", **item}, "then": {**ANSWERS[deleted], "work": True}},
        {"match": {"method": "GET", **item}, "then": ENDED[ended](shown)},
    )
    since = (await house.calls())[-1]["n"]
    await house.delete(kind, nine.name(kind))
    await asyncio.sleep(20)
    outcome = "gone" if await absent(house, kind) else "stuck"
    methods = [row["method"] for row in await house.calls(since) if row["path"].endswith(f"/{resource}")]
    await house.admin("DELETE", "faults")
    await house.until(lambda: absent(house, kind), within=400, every=5)
    return outcome, methods


@pytest.mark.parametrize("kind", nine.STATEFUL)
async def test_case_06_deleting_is_not_gone(kind: str) -> None:
    """Case 6, counter-test: 200 with state `Deleting`, for ever, is not gone."""
    async with living() as house:
        await nine.active(house, kind)
        await house.quirks(neverSettle=kind)
        await house.delete(kind, nine.name(kind))
        await asyncio.sleep(120)
        assert (await house.status(kind, nine.name(kind)))["phase"] == "Deleting"
        assert len(await nine.deletes(house, kind)) == 1
        await house.quirks(neverSettle=None)
        await house.until(lambda: absent(house, kind), within=40)


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_06_method_not_allowed_is_no_success(kind: str) -> None:
    """Case 6, counter-test: DELETE answered 405 deletes nothing: the object stays and says what the cloud said."""
    async with living() as house:
        resource = await nine.active(house, kind)
        await house.faults(
            {"match": {"method": "DELETE"}, "then": {"status": 405, "body": {"title": "No such method"}}}
        )
        await house.delete(kind, nine.name(kind))
        await asyncio.sleep(60)
        shown = await house.get(kind, nine.name(kind)) or {}
        assert shown["status"]["resourceID"] == resource
        assert condition(shown, "Ready")["reason"] == "DeleteRefused"
        assert condition(shown, "Stalled")["status"] == "True"
        assert "No such method" in shown["status"]["message"]
        await house.admin("DELETE", "faults")
        await house.until(lambda: absent(house, kind), within=400, every=5)


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_09_never_created_deletes_nothing(kind: str) -> None:
    """Case 9: every create is refused; the object is deleted without any DELETE call.
    Departs: no look-up either where the refusal proved that nothing was made (design §5.3); at most one is made.
    """
    refusal = {"title": "Bad Request", "status": 400, "errors": [{"field": "Name", "message": "is not liked"}]}
    async with living() as house:
        item = await nine.prepared(house, kind)
        await house.faults(
            {"match": {"method": "POST", "path": nine.collection(kind)}, "then": {"status": 400, "body": refusal}}
        )
        await house.apply(item)
        await house.until(lambda: _failed(house, kind))
        since = (await house.calls())[-1]["n"]
        await house.delete(kind, nine.name(kind))
        await house.until(lambda: absent(house, kind), within=30)
        assert await nine.deletes(house) == []
        assert len(await house.calls(since)) <= 1


async def _failed(house: House, kind: str) -> bool:
    return (await house.status(kind, nine.name(kind))).get("phase") == "Failed"


BAD = ["", ".", "..", "a/b", "../x", "a b", "%2e%2e", "a?b", "a#b", "\n"]


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_09_no_identifier_leads_a_delete_elsewhere(kind: str) -> None:
    """Case 9: a status with an ID that can name nothing: finalize sends no DELETE to whatever that would hit."""
    async with by_hand(kind, settled=True) as hand:
        parent = await hand.parent()
        await hand.house.delete(kind, nine.name(kind))
        deleting = await hand.parent()
        for bad in BAD:
            status = {**parent["status"], "resourceID": bad}
            answer = await hand.call("finalize", {**deleting, "status": status})
            assert answer.code != 200 or not answer.body["finalized"]
        resource = parent["status"]["resourceID"]
        assert {path for path in await nine.deletes(hand.house) if not path.endswith(f"/{resource}")} == set()


@pytest.mark.parametrize("bad", BAD)
def test_case_09_every_path_refuses_empty_and_dotted_parts(bad: str) -> None:
    """Case 9: whatever part of whatever kind's path is bad, no request comes of it."""
    for kind in nine.KINDS.values():
        for part in (*kind.collection.placeholders, "own"):
            ids = dict.fromkeys((*kind.collection.placeholders, "own"), "0123456789abcdef01234567") | {part: bad}
            with pytest.raises(ValueError, match="cannot stand"):
                paths.item(kind.collection.at(ids), ids["own"])


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_11_finalize_without_deletion_lets_go(kind: str) -> None:
    """Case 11: labels stopped matching: let go at once, no call to the cloud, the status as it was, an Event."""
    async with by_hand(kind, settled=True) as hand:
        since = (await hand.house.calls())[-1]["n"]
        parent = await hand.parent()
        answer = await hand.call("finalize", parent)
        assert (answer.code, answer.body["finalized"]) == (200, True)
        assert answer.status == parent["status"]
        assert await hand.house.calls(since) == []
        await asyncio.sleep(5)
        told = [event for event in await hand.house.events() if event["reason"] == "Released"]
        assert [event["involvedObject"]["uid"] for event in told] == [parent["metadata"]["uid"]]


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_11_with_deletion_it_is_deleted(kind: str) -> None:
    """Case 11: the same call with a deletionTimestamp deletes."""
    async with by_hand(kind, settled=True) as hand:
        await hand.house.delete(kind, nine.name(kind))
        answer = await hand.call("finalize", await hand.parent())
        assert (answer.code, answer.body["finalized"]) == (200, False)
        assert len(await nine.deletes(hand.house, kind)) == 1


def across_namespaces() -> list[Object]:
    """Set Test10 with its server in another namespace; parents first."""
    objects = fixture_set("Test10")
    for item in objects:
        if item["kind"] == "CloudServer":
            item["metadata"]["namespace"] = "team-green"
    return objects


async def test_case_18_everything_at_once_parents_first() -> None:
    """Case 18: all objects of two namespaces deleted in one go, parents' events first: each goes in its turn.
    Departs: phase Deleting, `Ready.reason` ChildrenExist, the children (kind namespace/name and phase) in the message.
    """
    async with living() as house:
        objects = across_namespaces()
        await house.apply(*objects)
        await house.until(house.all_active)
        for item in objects:
            await house.delete(item["kind"], item["metadata"]["name"], item["metadata"]["namespace"])
        await house.until(lambda: _waits_for_children(house))
        await house.until(house.all_gone, within=300)
        assert await house.resources() == []
        rows = await house.calls(method="DELETE")
        assert [row["status"] for row in rows if row["status"] >= 400] == []
        order = [row["path"].split("/")[-2].lower() for row in rows]
        assert len(order) == len(objects)
        assert order[-2:] == ["vpcs", "projects"]
        for later in ("blockstorages", "elasticips", "keypairs", "subnets", "securitygroups"):
            assert order.index("cloudservers") < order.index(later)
        assert order.index("securitygroups") > max(at for at, one in enumerate(order) if one == "securityrules")


async def _waits_for_children(house: House) -> bool:
    shown = await house.get("Project", "shop") or {}
    ready = condition(shown, "Ready")
    if ready.get("reason") != "ChildrenExist":
        return False
    message = shown["status"]["message"]
    assert shown["status"]["phase"] == "Deleting"
    assert 1 <= message.count(" (") <= 5
    return "CloudServer team-green/shop (" in message


@pytest.mark.parametrize("kind", [kind for kind in nine.CHILDREN if kind != "CloudServer"])
async def test_case_18_parent_removed_by_force(kind: str) -> None:
    """Case 18, variant: all parents are gone from Kubernetes; the child finishes from what it recorded."""
    async with living() as house:
        await nine.active(house, kind)
        for item in reversed(nine.needs(kind)):
            await _remove_by_force(house, item["kind"], item["metadata"]["name"])
        await house.delete(kind, nine.name(kind))
        await house.until(lambda: absent(house, kind), within=60)
        assert [row["deletedAt"] is None for row in await nine.ever(house, kind)] == [False]


async def _remove_by_force(house: House, kind: str, name: str) -> None:
    """As a desperate user would: finalizers off, hooks unaware."""
    house.net.hosts.pop("hooks.test", None)
    await house.delete(kind, name)
    await house.patch(kind, name, {"metadata": {"finalizers": None}})
    await house.until(lambda: _gone(house, kind, name))
    house.net.hosts["hooks.test"] = house.operator.app


async def _gone(house: House, kind: str, name: str) -> bool:
    return await house.get(kind, name) is None


KEPT = {"BlockStorage", "CloudServer", "ElasticIP"}
"""Kinds whose vanished resource is reported; the others are made again (interfaces.md, on-external-delete)."""


@pytest.mark.parametrize("kind", nine.STATEFUL)
async def test_case_57_deleting_may_end_either_way(kind: str) -> None:
    """Case 57: deleted elsewhere: nothing is made while it is `Deleting`; if it comes back it is Ready again, and only
    when it is gone the policy of case 62 holds.
    """
    async with living(environ={"ARUBA_LISTING_AGE": "10s"}) as house:
        resource = await nine.active(house, kind)
        since = (await house.calls())[-1]["n"]
        await house.admin("POST", f"resources/{resource}", {"state": "Deleting"})
        await house.until(lambda: _ready_is(house, kind, "False"), within=30)
        await asyncio.sleep(40)
        assert (await house.status(kind, nine.name(kind)))["resourceID"] == resource
        await house.admin("POST", f"resources/{resource}", {"state": nine.rest(kind)})
        await house.until(lambda: _ready_is(house, kind, "True"), within=40)
        await house.admin("POST", f"resources/{resource}", {"state": "Deleting"})
        await house.until(lambda: _ready_is(house, kind, "False"), within=30)
        assert await house.writes(since) == []
        await house.admin("DELETE", f"resources/{resource}")
        if kind in KEPT:
            await house.until(lambda: _failed(house, kind), within=60)
            shown = await house.get(kind, nine.name(kind)) or {}
            assert condition(shown, "Ready")["reason"] == "ExternallyDeleted"
            assert await house.writes(since) == []
        else:
            await house.until(lambda: _ready_is(house, kind, "True"), within=200)
            assert len(await nine.posts(house, kind)) == 2
            assert (await house.status(kind, nine.name(kind)))["resourceID"] != resource


async def _ready_is(house: House, kind: str, status: str) -> bool:
    return condition(await house.get(kind, nine.name(kind)) or {}, "Ready").get("status") == status
