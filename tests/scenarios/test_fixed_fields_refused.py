"""Every field that cannot change after creation, once there is a resource: refused at the API server, and where an edit
gets through all the same, told (field cases 21, 23, 69). The old value clears it; nothing is ever made anew.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from hooks.aruba.kinds import discover
from hooks.manifests import crds
from tests.cases import nine
from tests.cases.world import living
from tests.scenarios.edits import (
    ACTIONS,
    attempt,
    cloud_has,
    edit,
    in_cloud_words,
    laid,
    present,
    spares,
    up,
    up_to_date,
    values,
)
from tests.scenarios.fixed import FIXED, extras, other, resource_of
from tests.scenarios.test_update_matrix import right_call
from tests.scenarios.upstream import calls_so_far, shown
from tests.world.house import House
from tests.world.judge import OWNER_TAG, condition
from tests.world.manifests import TARGETS, name_of, ref

pytestmark = pytest.mark.every_kind

Object = dict[str, Any]
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
RULES = "x-kubernetes-validations"
KINDS = [kind for kind in nine.ALL if any(of == kind for of, _ in FIXED)]
TIED = ("region", "zone", "projectReference", "vpcReference")
"""What an object and those it refers to must agree on: edited alone it is a contradiction (S13), so everywhere."""


def fixed_of(kind: str) -> list[str]:
    return [field for of, field in FIXED if of == kind]


async def with_others(house: House, kind: str, fields: list[str]) -> str:
    """The subject is Active, and so is whatever other values of these fields refer to; its resource's ID."""
    found = [item for field in fields for item in extras(kind, field, other_name(kind, field))]
    unique = {(item["kind"], name_of(item)): item for item in found}
    await house.apply(*nine.needs(kind), *unique.values(), *spares(kind, "securityGroupReferences"))
    await house.until(house.all_active)
    await house.apply(nine.subject(kind))
    await house.until(house.all_active)
    return str((await shown(house, kind))["status"]["resourceID"])


def other_name(kind: str, field: str) -> str:
    value = other(kind, field)
    return value["name"] if isinstance(value, dict) else ""


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_69_refused_at_admission(kind: str) -> None:
    """Case 69: another value, or none where one may be left out, is a 422 with the field's name. Nothing happens."""
    async with living() as house:
        await house.apply(*nine.needs(kind), nine.subject(kind))
        await house.until(house.all_active)
        before, since = await shown(house, kind), await calls_so_far(house)
        edits = [(field, other(kind, field)) for field in fixed_of(kind)]
        edits += [(f, None) for f, _ in edits if nine.KINDS[kind].by_name[f].optional and present(kind, f) is not None]
        edits += {"Project": [("tenant", "ARU-000002")], "BlockStorage": [("sizeGB", 39)]}.get(kind, [])
        for field, value in edits:
            if (value, field) in ((None, "region"), (None, "zone")):
                continue  # the schema's default takes its place, which is what the subject has
            answer = await attempt(house, kind, laid(field, value))
            assert answer.status_code == 422, (field, value)
            assert f"spec.{field}" in answer.json()["message"]
        await asyncio.sleep(60)
        assert await shown(house, kind) == before
        assert await house.writes(since) == []


@asynccontextmanager
async def unguarded(kind: str, fields: list[str]) -> AsyncIterator[tuple[House, str]]:
    """The subject is Active, and then the definitions lose their transition rules, as under an older API server."""
    async with living() as house:
        made = await with_others(house, kind, fields)
        for crd in crds(discover()):
            crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"].pop(RULES, None)
            url = f"{DEFINITIONS}/{crd['metadata']['name']}"
            live = (await house.kube.get(url)).json()["metadata"]
            crd["metadata"]["resourceVersion"] = live["resourceVersion"]
            answer = await house.kube.put(url, json=crd)
            assert answer.status_code == 200, answer.text
        yield house, made


async def everywhere(house: House, kind: str, field: str, value: Any, beside: Object) -> None:
    """One edit of the subject, before it of all that it refers to and that must agree with it."""
    for item in [*nine.needs(kind), *spares(kind, *beside)] if field in TIED else []:
        if field in item["spec"]:
            await house.patch(item["kind"], name_of(item), {"spec": {field: value}})
    await house.patch(kind, nine.name(kind), {"spec": {**laid(field, value), **beside}})


async def in_words(house: House, field: str, value: Any) -> str:
    """A value as a message tells it: references by their resource's ID."""
    if field in TARGETS:
        return await resource_of(house, field, value)
    return ", ".join(value) if isinstance(value, list) else str(value)


def told(item: Object) -> tuple[str, ...]:
    """All that tools and people go by."""
    ready, stalled, refused = (condition(item, name) for name in ("Ready", "Stalled", "ChangeRefused"))
    phase = item["status"]["phase"]
    return phase, ready["status"], ready["reason"], stalled["status"], refused.get("status", "")


REFUSED = ("Active", "False", "ChangeRefused", "True", "True")
FINE = ("Active", "True", "Available", "False", "False")


async def tells(house: House, kind: str, wanted: tuple[str, ...]) -> bool:
    item = await shown(house, kind)
    return told(item) == wanted and item["status"]["observedGeneration"] == item["metadata"]["generation"]


async def events_of(house: House, kind: str, reason: str) -> int:
    """How often an Event with this reason was told of the subject."""
    about = [e for e in await house.events() if e["involvedObject"]["kind"] == kind and e["reason"] == reason]
    return sum(e.get("count", 1) for e in about if e["involvedObject"]["name"] == nine.name(kind))


def beside(kind: str, turn: int) -> Object:
    """Something that can change, for the same edit: each time another value."""
    if kind == "KeyPair":
        return {}
    if kind == "CloudServer":
        return {"securityGroupReferences": [ref("shop"), ref("next")] if turn % 2 == 0 else [ref("shop")]}
    return {"tags": [f"turn-{turn}"]}


@pytest.mark.parametrize("kind", KINDS)
async def test_case_69_told_where_it_gets_through(kind: str) -> None:
    """Case 69, for every such field: it stays Active for those that need it, Ready is False with field, wanted and
    actual value, one Event; what else is in the edit is applied; the old value clears it. Departs: the reason is
    ChangeRefused, the word that this operator promises. What is tied to other objects is edited in all of them.
    """
    async with unguarded(kind, fixed_of(kind)) as (house, made):
        count = len(await house.resources(everything=True))
        for turn, field in enumerate(fixed_of(kind)):
            since, before, more = await calls_so_far(house), present(kind, field), beside(kind, turn)
            await everywhere(house, kind, field, other(kind, field), more)
            await house.until(lambda: tells(house, kind, REFUSED), within=30)
            message = (await shown(house, kind))["status"]["message"]
            actual = before if before is not None else DEFAULTS[field]
            for part in (f"spec.{field}", *[await in_words(house, field, v) for v in (other(kind, field), actual)]):
                assert part.lower() in message.lower()
            await asyncio.sleep(20)
            assert await tells(house, kind, REFUSED)
            for name, value in more.items():
                assert cloud_has(house, kind, made, name) == await in_cloud_words(house, name, value)
            assert len(await house.writes(since)) == len(more)
            assert await events_of(house, kind, "ChangeRefused") == turn + 1
            await everywhere(house, kind, field, before, more)
            await house.until(lambda: tells(house, kind, FINE), within=30)
            assert len(await house.writes(since)) == len(more)
        assert (await shown(house, kind))["status"]["resourceID"] == made
        assert len(await house.resources(everything=True)) == count


DEFAULTS = {"type": "Standard"}
"""What the platform chose where the subject says nothing."""


async def test_case_69_a_smaller_size_that_gets_through() -> None:
    """Case 69: a size may change, but not so: told like a fixed field, and the tags of the same edit are applied by a
    PUT that names the size that the volume has.
    """
    async with unguarded("BlockStorage", []) as (house, made):
        since = await calls_so_far(house)
        await house.patch("BlockStorage", "shop", {"spec": {"sizeGB": 39, "tags": ["smaller-one"]}})
        await house.until(lambda: tells(house, "BlockStorage", REFUSED), within=20)
        message = (await shown(house, "BlockStorage"))["status"]["message"]
        assert "spec.sizeGB: wanted 39, the cloud has 40" in message
        [put] = await house.writes(since)
        assert (put["status"], put["requestBody"]["properties"]["sizeGb"]) == (202, 40)
        assert cloud_has(house, "BlockStorage", made, "tags") == ["smaller-one"]
        await edit(house, "BlockStorage", "sizeGB", 40)
        await house.until(lambda: tells(house, "BlockStorage", FINE), within=20)
        assert len(await house.writes(since)) == 1


async def test_case_21_a_server_changes_by_actions_only() -> None:
    """Case 21: groups, subnets, address and volumes go by the calls made for them, one after the other, each with only
    the difference; tags and flavour are refused at admission. No PUT, and nobody's server is powered off.
    """
    kind = "CloudServer"
    wanted = {field: values(kind, field)[0] for field in ACTIONS}
    async with living() as house:
        made = await up(house, kind, *ACTIONS)
        since = await calls_so_far(house)
        await house.patch(kind, nine.name(kind), {"spec": wanted})
        await house.until(lambda: up_to_date(house, kind), within=60)
        calls = await house.writes(since)
        assert [call["path"].rsplit("/", 1)[1] for call in calls] == [action.name for action in ACTIONS.values()]
        for call, field in zip(calls, ACTIONS, strict=True):
            await right_call(house, kind, field, present(kind, field), call)
            assert cloud_has(house, kind, made, field) == await in_cloud_words(house, field, wanted[field])
        for field in ("tags", "flavorName"):
            answer = await attempt(house, kind, {field: other(kind, field)})
            assert answer.status_code == 422
            assert f"{field} cannot be changed once the resource exists" in answer.json()["message"]
        await asyncio.sleep(60)
        assert len(await house.writes(since)) == len(ACTIONS)


async def test_case_23_a_rule_changes_by_its_metadata_only() -> None:
    """Case 23: new tags are one PUT with name and tags, no location, no properties. A new port is refused at admission
    and, where it gets through, told. Departs: there is no policy that replaces a rule; the user makes another.
    """
    async with unguarded("SecurityRule", ["port"]) as (house, made):
        since = await calls_so_far(house)
        await edit(house, "SecurityRule", "tags", ["web-front"])
        await house.until(lambda: up_to_date(house, "SecurityRule"), within=20)
        [put] = await house.writes(since)
        assert (put["method"], put["status"], list(put["requestBody"])) == ("PUT", 200, ["metadata"])
        metadata = put["requestBody"]["metadata"]
        assert sorted(metadata) == ["name", "tags"]
        assert [tag for tag in metadata["tags"] if not OWNER_TAG.fullmatch(tag)] == ["web-front"]
        await edit(house, "SecurityRule", "port", "443")
        await house.until(lambda: tells(house, "SecurityRule", REFUSED), within=20)
        message = (await shown(house, "SecurityRule"))["status"]["message"]
        assert "spec.port: wanted 443, the cloud has 80-90" in message
        await asyncio.sleep(120)
        assert len(await house.writes(since)) == 1
        assert [row["id"] for row in await nine.ever(house, "SecurityRule")] == [made]
