"""Upstream's behaviours S9 to S15 (operator-behaviour.md §4.3), mended where its §5 or the design says otherwise."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from hooks.simulator import REALISTIC
from tests.cases import nine
from tests.cases.world import living
from tests.scenarios.upstream import (
    SOON,
    calls_so_far,
    gone,
    item_of,
    refused_create,
    shown,
    standing,
    until_standing,
)
from tests.world.film import filming, first, steps
from tests.world.house import House
from tests.world.judge import condition
from tests.world.manifests import ref

pytestmark = pytest.mark.every_kind

Object = dict[str, Any]
OTHER = "ARU-000002"
TENANTS = f'"{OTHER}" != "ARU-000001"'
PROJECT_RULE = f"[TenantMustMatchProject] tenant mismatch with Project: {TENANTS}"


async def message(house: House, kind: str) -> str:
    return str((await shown(house, kind))["status"]["message"])


@pytest.mark.parametrize("kind", nine.CHILDREN)
async def test_s09_deleted_while_pending(kind: str) -> None:
    """S9: the project exists in the cloud, something else is missing: gone at once, and nothing was ever asked for."""
    async with living() as house:
        item = nine.subject(kind)
        if len(nine.needs(kind)) == 1:
            item["spec"]["projectReference"] = ref("not-yet-made")
        await house.apply(*(one for one in nine.needs(kind) if one["kind"] == "Project"))
        await house.until(house.all_active)
        await house.apply(item)
        await until_standing(house, kind, "Pending/Synchronized")
        await asyncio.sleep(20)
        since = await calls_so_far(house)
        await house.delete(kind, nine.name(kind))
        await house.until(lambda: gone(house, kind), within=10)
        assert await house.writes(since) == []
        assert [row["kind"] for row in await house.resources(everything=True)] == ["Project"]


@pytest.mark.parametrize("kind", nine.ALL)
async def test_s10_deleted_while_active(kind: str) -> None:
    """S10: one DELETE, then looks until it is gone, then the object is; a 404 to the DELETE is as good. Mended: gone is
    what a look shows, not what that answer says: the object stays until the platform has done it.
    """
    async with living(timings=REALISTIC) as house:
        made = await nine.active(house, kind)
        answer = {"status": 404, "work": True, "body": {"title": "Not Found", "status": 404}}
        await house.faults({"match": item_of(kind, "DELETE"), "times": 1, "then": answer})
        async with filming(house) as film:
            await house.delete(kind, nine.name(kind))
            await house.until(lambda: gone(house, kind), within=60)
    assert [call["path"].rsplit("/", 1)[1] for call in film.sent("DELETE")] == [made]
    [row] = [row for row in film.resources if row["id"] == made]
    frames = film.of(kind, nine.name(kind))
    assert steps(frames)[-1] == "Deleted/Synchronized"
    assert row["deletedAt"].replace("Z", "+00:00") < first(frames, "Deleted").at.isoformat()


async def fail_intention(house: House, kind: str) -> None:
    wrong = {"tags": ["no spaces, please"]} if kind == "Project" else {"tenant": OTHER}
    await nine.prepared(house, kind)
    await house.apply(nine.subject(kind, **wrong))


async def fail_post_validation(house: House, kind: str) -> None:
    made = await nine.active(house, kind)
    await house.admin("POST", f"resources/{made}", {"metadata": {"project": {"id": "0" * 24}}})


FAILURES = {
    "ValidationFailed": (refused_create, 0),
    "IntentionValidationFailed": (fail_intention, 0),
    "PostValidationFailed": (fail_post_validation, 1),
}
FAILED = [(kind, reason) for kind in nine.ALL for reason in FAILURES if (kind, reason[0]) != ("Project", "P")]
"""A Project is in no other project, so nothing of it is validated afterwards."""


@pytest.mark.parametrize(("kind", "reason"), FAILED)
async def test_s11_deleted_while_validation_failed(kind: str, reason: str) -> None:
    """S11: from each of the three as from Pending or from Active: a DELETE only when there is a resource."""
    fail, deletes = FAILURES[reason]
    async with living(environ=SOON) as house:
        await fail(house, kind)
        await until_standing(house, kind, f"Failed/{reason}")
        await house.delete(kind, nine.name(kind))
        await house.until(lambda: gone(house, kind), within=30)
        assert len(await nine.deletes(house, kind)) == deletes
        assert [row for row in await house.resources(kind) if row["name"] == nine.name(kind)] == []


@pytest.mark.parametrize("kind", nine.ALL)
async def test_s12_delete_refused_then_accepted(kind: str) -> None:
    """S12: 400 with errors: stays Deleting/ShallSynchronize with the message and is tried again until it is accepted.
    Mended: after a growing pause instead of 20 s, and with Ready.reason DeleteRefused (cases 29).
    """
    body = {"title": "Bad Request", "status": 400, "errors": [{"field": "Children", "message": "still inside"}]}
    async with living() as house:
        made = await nine.active(house, kind)
        await house.faults({"match": item_of(kind, "DELETE"), "times": 2, "then": {"status": 400, "body": body}})
        await house.delete(kind, nine.name(kind))
        await house.until(lambda: nine.deletes(house, kind), within=5)
        await asyncio.sleep(1)
        assert await standing(house, kind) == "Deleting/ShallSynchronize"
        item = await shown(house, kind)
        told = "Deleting ShallSynchronize - ERROR [semantic]: Bad Request (status: 400, detail: Validation: Children: "
        assert condition(item, "Deleting")["message"] == f"{told}still inside)"
        assert condition(item, "Ready")["reason"] == "DeleteRefused"
        assert "Children: still inside" in item["status"]["message"]
        await house.until(lambda: gone(house, kind), within=600, every=1)
        assert [path.rsplit("/", 1)[1] for path in await nine.deletes(house, kind)] == [made] * 3
        assert [row for row in await house.resources() if row["id"] == made] == []


@pytest.mark.parametrize("kind", nine.CHILDREN)
async def test_s13_tenant_of_child_is_not_that_of_its_parent(kind: str) -> None:
    """S13: Failed/IntentionValidationFailed in upstream's words and no call for it; corrected, it is made, once. The
    same edit of what exists already: no call either, and back again without another resource.
    """
    async with living() as house:
        await nine.prepared(house, kind)
        await house.apply(nine.subject(kind, tenant=OTHER))
        await until_standing(house, kind, "Failed/IntentionValidationFailed")
        told = condition(await shown(house, kind), "Failed")["message"]
        assert told.startswith("Failed IntentionValidationFailed - ERROR: validation failed: [TenantMustMatch")
        assert PROJECT_RULE in told
        await asyncio.sleep(60)
        assert await nine.posts(house, kind) == []
        await house.patch(kind, nine.name(kind), {"spec": {"tenant": "ARU-000001"}})
        await house.until(house.all_active, within=20)
        [row] = await nine.ever(house, kind)
        since = await calls_so_far(house)
        await house.patch(kind, nine.name(kind), {"spec": {"tenant": OTHER}})
        await until_standing(house, kind, "Failed/IntentionValidationFailed")
        await house.patch(kind, nine.name(kind), {"spec": {"tenant": "ARU-000001"}})
        await until_standing(house, kind, "Active/Synchronized")
        assert (await shown(house, kind))["status"]["resourceID"] == row["id"]
        assert await house.writes(since) == []


SERVER_RULES = [
    "TenantMustMatchProject",
    "TenantMustMatchVPC",
    "TenantMustMatchAllSubnets",
    "TenantMustMatchAllSecurityGroups",
    "TenantMustMatchKeyPair",
    "TenantMustMatchBootVolume",
    "TenantMustMatchElasticIP",
]
TENANT_RULES = {
    "Subnet": ["TenantMustMatchProject", "TenantMustMatchVPC"],
    "SecurityGroup": ["TenantMustMatchProject", "TenantMustMatchVPC"],
    "SecurityRule": ["TenantMustMatchProject", "TenantMustMatchSecurityGroup", "TenantMustMatchVPC"],
    "CloudServer": SERVER_RULES,
}


@pytest.mark.parametrize("kind", nine.CHILDREN)
async def test_s14_several_violations(kind: str) -> None:
    """S14: all of them are listed, joined by `; `. Mended: in the order of the references; along every reference, the
    region too (W17); and tags that the cloud would refuse are told as well.
    """
    async with living() as house:
        await nine.prepared(house, kind)
        await house.apply(nine.subject(kind, tenant=OTHER, tags=["abc"]))
        await until_standing(house, kind, "Failed/IntentionValidationFailed")
        told = await message(house, kind)
        assert told.startswith("validation failed: [")
        assert "; [" in told
        rules = re.findall(r"\[(\w+)\] ", told)
        wanted = {*TENANT_RULES.get(kind, ["TenantMustMatchProject"]), "TagsFit"}
        assert (len(rules), set(rules)) == (len(wanted), wanted)


@pytest.mark.parametrize("kind", nine.CHILDREN)
async def test_s15_child_without_a_tenant(kind: str) -> None:
    """S15. Mended (W16): a child without tenant under a project with one is not failed after it was made: a side that
    says nothing is no conflict, before and after creation.
    """
    async with living(environ=SOON) as house:
        await nine.prepared(house, kind)
        item = nine.subject(kind)
        del item["spec"]["tenant"]
        async with filming(house) as film:
            await house.apply(item)
            await house.until(house.all_active)
            await asyncio.sleep(30)
    assert {frame.phase for frame in film.of(kind, nine.name(kind))} & {"Failed"} == set()
    assert steps(film.of(kind, nine.name(kind)))[-1] == "Active/Synchronized"
    assert condition(film.of(kind, nine.name(kind))[-1].object, "Ready")["status"] == "True"
