"""Upstream's behaviours S22 to S24 (operator-behaviour.md §4.3), mended where its §5 or the design says otherwise."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.cases import nine
from tests.cases.estate import foreign
from tests.cases.world import living
from tests.scenarios.upstream import calls_so_far, gone, post_of, shown, standing, until_standing
from tests.world.film import filming, first, when
from tests.world.house import House
from tests.world.judge import condition

pytestmark = pytest.mark.every_kind

Object = dict[str, Any]


@pytest.mark.parametrize("kind", nine.ALL)
async def test_s22_two_resources_of_one_name(kind: str) -> None:
    """S22. Mended (W10): a name proves nothing. Two of the subject's name are somebody else's: told with an ID, neither
    touched, and no third is made. Upstream's error leaves no trace in the status.
    """
    async with living() as house:
        item = await nine.prepared(house, kind)
        ids = [await foreign(house, kind, []) for _ in range(2)]
        since = await calls_so_far(house)
        await house.apply(item)
        await until_standing(house, kind, "Failed/IntentionValidationFailed")
        await asyncio.sleep(60)
        told = await shown(house, kind)
        assert condition(told, "Ready")["reason"] == "AlreadyExists"
        assert any(one in told["status"]["message"] for one in ids)
        assert await house.writes(since) == []
        await house.delete(kind, nine.name(kind))
        await house.until(lambda: gone(house, kind), within=20)
        assert {row["id"] for row in await house.resources(kind)} >= set(ids)


@pytest.mark.parametrize("kind", nine.ALL)
async def test_s22_two_resources_with_one_owner_tag(kind: str) -> None:
    """S22: two with the subject's own tag, after an attempt whose outcome is not known: Ambiguous, and no choice is
    made. Mended: once one of them is gone the other is the subject's, by itself.
    """
    async with living() as house:
        item = await nine.prepared(house, kind)
        await house.faults({"match": post_of(kind), "times": 1, "then": {"drop": "before"}})
        await house.apply(item)
        await house.until(lambda: nine.posts(house, kind))
        [attempted] = await nine.posts(house, kind)
        tags = attempted["requestBody"]["metadata"]["tags"]
        ids = [await foreign(house, kind, tags) for _ in range(2)]
        since = await calls_so_far(house)
        await until_standing(house, kind, "Failed/IntentionValidationFailed")
        told = await shown(house, kind)
        assert condition(told, "Ready")["reason"] == "Ambiguous"
        assert any(one in told["status"]["message"] for one in ids)
        await house.admin("DELETE", f"resources/{ids[0]}")
        await house.until(lambda: _is(house, kind, ids[1]), within=120)
        changes = [call["path"] for call in await house.writes(since)]
        assert len(changes) <= 1
        assert all(f"/{ids[1]}" in path for path in changes)


async def _is(house: House, kind: str, resource_id: str) -> bool:
    """Active with this resource, which may differ from the spec: it was made by somebody else."""
    status = (await shown(house, kind))["status"]
    return status["phase"] == "Active" and status["resourceID"] == resource_id


async def test_s23_boot_volume_still_creating() -> None:
    """S23: no POST of the server while its boot volume is not settled in the cloud, and soon after one that works."""
    async with living() as house:
        await house.quirks(neverSettle="BlockStorage")
        await house.apply(*nine.needs("CloudServer"), nine.subject("CloudServer"))
        await asyncio.sleep(90)
        assert await standing(house, "CloudServer") == "Pending/Synchronized"
        told = (await shown(house, "CloudServer"))["status"]["message"]
        assert told == "Waiting: BlockStorage default/shop is Provisioning. It goes on by itself"
        assert await nine.posts(house, "CloudServer") == []
        await house.quirks(neverSettle=None)
        async with filming(house) as film:
            await house.until(house.all_active, within=60)
        ready = first(film.of("BlockStorage", "shop"), "Active").at
        [post] = await nine.posts(house, "CloudServer")
        assert post["status"] == 201
        assert 0 < (when(post) - ready).total_seconds() < 3


async def test_s23_boot_volume_busy_again() -> None:
    """S23. Mended: the volume's object says when it may be used; a volume that is Active and busy at that very moment
    makes the cloud refuse, which is waited out, never a failure.
    """
    async with living() as house:
        item = await nine.prepared(house, "CloudServer")
        volume = (await house.status("BlockStorage", "shop"))["resourceID"]
        await house.admin("POST", f"resources/{volume}", {"state": "Updating"})
        async with filming(house) as film:
            await house.apply(item)
            await asyncio.sleep(20)
            assert condition(await shown(house, "CloudServer"), "Ready")["reason"] == "DependencyNotReady"
            await house.admin("POST", f"resources/{volume}", {"state": "NotUsed"})
            await house.until(house.all_active, within=60)
        assert "Failed" not in {frame.phase for frame in film.of("CloudServer")}
        assert len(await nine.ever(house, "CloudServer")) == 1


@pytest.mark.parametrize("kind", nine.CHILDREN)
async def test_s24_ownership_removed_by_hand(kind: str) -> None:
    """S24: annotation and label are back with the next pass. Mended (W5): the edit itself wakes it, no poll; the cloud
    is not asked to change anything.
    """
    owner = nine.KINDS[kind].owner
    label = f"arubacloud.com/owner-{owner.to.kind.lower()}"
    async with living() as house:
        await nine.active(house, kind)
        before = (await shown(house, kind))["metadata"]
        since = await calls_so_far(house)
        keys = {"annotations": {"arubacloud.com/owner-references": None}, "labels": {label: None}}
        await house.patch(kind, nine.name(kind), {"metadata": keys})
        await house.until(lambda: _owned(house, kind, label), within=5)
        after = (await shown(house, kind))["metadata"]
        assert (after["annotations"], after["labels"]) == (before["annotations"], before["labels"])
        [entry] = json.loads(after["annotations"]["arubacloud.com/owner-references"])
        parent = await house.get(owner.to.kind, nine.name(owner.to.kind)) or {}
        assert entry == {
            "apiVersion": "arubacloud.com/v1alpha1",
            "kind": owner.to.kind,
            "namespace": "default",
            "name": parent["metadata"]["name"],
            "uid": parent["metadata"]["uid"],
            "controller": True,
            "blockOwnerDeletion": True,
        }
        assert after["labels"][label] == parent["metadata"]["uid"]
        assert await house.writes(since) == []


async def _owned(house: House, kind: str, label: str) -> bool:
    meta = (await shown(house, kind))["metadata"]
    return label in meta.get("labels", {}) and "arubacloud.com/owner-references" in meta.get("annotations", {})
