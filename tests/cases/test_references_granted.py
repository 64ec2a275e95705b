"""Field case 84: a reference into another Namespace, where an installation asks for that one's consent."""

from __future__ import annotations

import asyncio
from copy import deepcopy
from typing import Any

import pytest

from tests.cases import nine
from tests.cases.tenants import (
    OTHER,
    OWN,
    last,
    moved,
    refused,
    say,
    tell,
    two_tenants,
    until_ready,
)
from tests.cases.world import living
from tests.world.house import House
from tests.world.judge import condition
from tests.world.manifests import TARGETS, make, references

pytestmark = pytest.mark.every_kind("SecurityRule")

Object = dict[str, Any]
GREEN, BLUE = "team-green", "default"
DENIED = "ReferenceNotPermitted"
GRANTED = {"ARUBA_REFERENCE_POLICY": "granted"}
SAME = {"ARUBA_REFERENCE_POLICY": "same-tenant"}
RETAGGED = [kind for kind in nine.TAGGED if kind != "Project"]


async def denied(house: House, kind: str) -> Object:
    """What the subject in team-green refers to is Active in the other Namespace, and the reference is not permitted."""
    await nine.prepared(house, kind)
    await house.apply(moved(nine.subject(kind), GREEN))
    return await until_ready(house, kind, DENIED, GREEN)


async def permitted(house: House, kind: str) -> str:
    await say(house, BLUE, allow_references_from=GREEN)
    await nine.prepared(house, kind)
    await house.apply(moved(nine.subject(kind), GREEN))
    await house.until(house.all_active)
    return str((await house.status(kind, nine.name(kind), GREEN))["resourceID"])


@pytest.mark.parametrize("kind", nine.CHILDREN)
async def test_case_84_no_reference_without_consent(kind: str) -> None:
    """Case 84: refused by default, named as the spec has it, with what to do; nothing is made for it."""
    async with living(environ=GRANTED) as house:
        item = await denied(house, kind)
        await asyncio.sleep(300)
        assert await house.get(kind, nine.name(kind), GREEN) == item
        refused(item, DENIED)
        for field, named in references(nine.subject(kind)):
            assert f"the reference to {TARGETS[field]} {BLUE}/{named['name']} is not permitted" in told(item)
        assert "arubacloud.com/allow-references-from" in told(item)
        assert await nine.posts(house, kind) == []


def told(item: Object) -> str:
    return str(item["status"]["message"])


@pytest.mark.parametrize("kind", nine.CHILDREN)
async def test_case_84_nothing_is_learnt_of_what_is_not_granted(kind: str) -> None:
    """Case 84: word for word the same whether the object does not exist, exists, is Active, or is being deleted."""
    async with living(environ=GRANTED) as house:
        await say(house, BLUE, tenants=None)
        await house.apply(moved(nine.subject(kind), GREEN))
        before = (await until_ready(house, kind, DENIED, GREEN))["status"]
        await house.apply(*nine.needs(kind))
        await asyncio.sleep(60)
        assert await house.status(kind, nine.name(kind), GREEN) == before
        await house.quirks(neverSettle="Project")
        await house.delete("Project", "shop")
        await asyncio.sleep(60)
        assert await house.status(kind, nine.name(kind), GREEN) == before


async def test_case_84_not_even_its_tenant_or_region() -> None:
    """Case 84: rules that compare with what is referred to say nothing of it either."""
    async with living(environ=GRANTED) as house:
        await nine.prepared(house, "Subnet")
        item = moved(nine.subject("Subnet", tenant=OTHER, region="ITBG-Elsewhere"), GREEN)
        await house.apply(item)
        said = told(await until_ready(house, "Subnet", DENIED, GREEN))
        assert OWN not in said
        assert nine.subject("VPC")["spec"]["region"] not in said


@pytest.mark.parametrize("kind", nine.CHILDREN)
async def test_case_84_nothing_is_claimed_without_consent(kind: str) -> None:
    """Case 84: no label and no owner, so that nobody holds up, or goes with, what is not theirs."""
    async with living(environ=GRANTED) as house:
        meta = (await denied(house, kind))["metadata"]
        assert [name for name in meta.get("labels", {}) if name.startswith("arubacloud.com/")] == []
        assert "arubacloud.com/owner-references" not in meta.get("annotations", {})
        await house.delete("Project", "shop")

        async def left() -> bool:
            return [item["metadata"]["namespace"] for item in await house.objects()] == [GREEN]

        await house.until(left)
        assert await house.resources() == []


@pytest.mark.parametrize("kind", nine.CHILDREN)
@pytest.mark.parametrize("names", [GREEN, "*", f"team-red, {GREEN}"])
async def test_case_84_consent_lets_it_go_on_at_once(kind: str, names: str) -> None:
    """Case 84: the Namespace's annotation wakes who waits for it."""
    async with living(environ=GRANTED) as house:
        await denied(house, kind)
        await asyncio.sleep(100)
        await say(house, BLUE, allow_references_from=names)
        await until_gone_reason(house, kind)
        await house.until(house.all_active)


async def until_gone_reason(house: House, kind: str) -> None:
    async def on() -> bool:
        item = await house.get(kind, nine.name(kind), GREEN) or {}
        return condition(item, "Ready")["reason"] != DENIED

    await house.until(on, within=2)


@pytest.mark.parametrize("names", ["team-gree", "team-red", "", "team-green2", "default"])
async def test_case_84_consent_is_for_those_named(names: str) -> None:
    """Case 84: not for namesakes in part, nor for others."""
    async with living(environ=GRANTED) as house:
        await say(house, BLUE, allow_references_from=names)
        await denied(house, "VPC")
        await asyncio.sleep(60)
        assert await nine.posts(house, "VPC") == []


@pytest.mark.parametrize("kind", nine.CHILDREN)
async def test_case_84_consent_taken_back_keeps_what_there_is(kind: str) -> None:
    """Case 84: the resource stays, and nothing more is sent for it, not even a change of its own; its deletion goes
    through all the same.
    """
    async with living(environ={**GRANTED, "ARUBA_LISTING_AGE": "1m"}) as house:
        made = await permitted(house, kind)
        await say(house, BLUE, allow_references_from=None)
        await until_ready(house, kind, DENIED, GREEN)
        since = await last(house)
        if kind in RETAGGED:
            await house.patch(kind, nine.name(kind), {"spec": {"tags": ["changed"]}}, GREEN)
        await asyncio.sleep(300)
        item = await house.get(kind, nine.name(kind), GREEN) or {}
        refused(item, DENIED)
        assert item["status"]["resourceID"] == made
        assert await house.writes(since) == []
        await house.delete(kind, nine.name(kind), GREEN)
        await house.until(lambda: gone(house, kind))
        assert made not in {row["id"] for row in await house.resources()}


async def gone(house: House, kind: str) -> bool:
    return await house.get(kind, nine.name(kind), GREEN) is None


@pytest.mark.parametrize("kind", RETAGGED)
async def test_case_84_consent_given_back_applies_what_waited(kind: str) -> None:
    """Case 84: an edit made meanwhile is sent then."""
    async with living(environ=GRANTED) as house:
        made = await permitted(house, kind)
        await say(house, BLUE, allow_references_from=None)
        await until_ready(house, kind, DENIED, GREEN)
        await house.patch(kind, nine.name(kind), {"spec": {"tags": ["changed"]}}, GREEN)
        await asyncio.sleep(60)
        await say(house, BLUE, allow_references_from=GREEN)

        async def tagged() -> bool:
            [row] = [row for row in await house.resources() if row["id"] == made]
            return "changed" in row["tags"]

        await house.until(tagged)
        await house.until(house.all_active)


async def test_case_84_deletion_is_never_blocked_by_the_check() -> None:
    """Case 84: before anything was made, too; and an owner takes along what it got while it was granted."""
    async with living(environ=GRANTED) as house:
        await denied(house, "VPC")
        await house.delete("VPC", "shop", GREEN)
        await house.until(lambda: gone(house, "VPC"))
        await permitted_again(house)
        await say(house, BLUE, allow_references_from=None)
        await until_ready(house, "VPC", DENIED, GREEN)
        await house.delete("Project", "shop")
        await house.until(house.all_gone)
        assert await house.resources() == []


async def permitted_again(house: House) -> None:
    await say(house, BLUE, allow_references_from=GREEN)
    await house.apply(moved(nine.subject("VPC"), GREEN))
    await house.until(house.all_active)


@pytest.mark.parametrize("kind", nine.CHILDREN)
async def test_case_84_in_its_own_namespace_no_consent_is_needed(kind: str) -> None:
    """Case 84: consent is for others."""
    async with living(environ=GRANTED) as house:
        await nine.active(house, kind)


@pytest.mark.parametrize("kind", nine.CHILDREN)
async def test_case_84_any_is_the_default(kind: str) -> None:
    """Case 84 applies where it is asked for: else references cross Namespaces freely."""
    async with living() as house:
        await nine.prepared(house, kind)
        await house.apply(moved(nine.subject(kind), GREEN))
        await house.until(house.all_active)


async def test_case_84_same_tenant_crosses_namespaces_but_not_tenants() -> None:
    """Case 84, the milder policy: the own tenant's objects may be referred to from anywhere, another's from nowhere."""
    async with two_tenants(**SAME) as house:
        await nine.prepared(house, "Subnet")
        await house.apply(moved(nine.subject("Subnet"), GREEN))
        await house.until(house.all_active)
        await house.apply(make("Project", "theirs", {"tenant": OTHER}))
        await house.until(house.all_active)
        since, reads = await last(house), len(house.vault.asked)
        item = deepcopy(nine.subject("VPC", tenant=OTHER))
        await house.apply(moved(item, GREEN))
        found = await until_ready(house, "VPC", DENIED, GREEN)
        refused(found, DENIED)
        assert f"it is of tenant '{OWN}', this one of '{OTHER}'" in told(found)
        await asyncio.sleep(60)
        assert await house.writes(since) == []
        assert house.vault.asked[reads:] == []


async def test_case_84_same_tenant_counts_what_a_child_inherits() -> None:
    """Case 84: children that name no tenant are of their Project's, and may refer to each other, made or not yet."""
    async with two_tenants(**SAME) as house:
        down = {"match": {"method": "POST", "path": "/projects$"}, "times": None, "then": {"status": 503, "body": {}}}
        await house.faults(down)
        for kind in ("Project", "VPC", "Subnet"):
            item = nine.subject(kind)
            if kind != "Project":
                item["spec"]["tenant"] = ""
            await house.apply(item)
        await until_ready(house, "Subnet", "WaitingForReferences", within=2)
        await house.admin("DELETE", "faults")
        await house.until(house.all_active, within=300)


async def test_case_84_same_tenant_goes_by_what_a_resource_was_made_under() -> None:
    """Case 84: one that names no tenant is of the tenant that its own note says, whatever Project it refers to."""
    async with two_tenants(**SAME) as house:
        await house.apply(nine.subject("Project"), nine.subject("VPC", tenant=""))
        await house.until(house.all_active)
        uid = (await house.get("VPC", "shop") or {})["metadata"]["uid"]
        await tell(house, "VPC", resource_tenant=f"{OTHER} {uid}")
        await house.apply(nine.subject("Subnet", tenant=""))
        found = await until_ready(house, "Subnet", DENIED)
        assert f"it is of tenant '{OTHER}'" in told(found)
        assert await nine.posts(house, "Subnet") == []
