"""Upstream's behaviours S16 to S21 (operator-behaviour.md §4.3), mended where its §5 or the design says otherwise."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from hooks.simulator import REALISTIC
from tests.cases import nine
from tests.cases.world import living
from tests.scenarios.edits import attempt, up_to_date
from tests.scenarios.upstream import calls_so_far, shown
from tests.world.film import filming, walk
from tests.world.judge import owner_tags
from tests.world.life import all_settled, ended
from tests.world.manifests import fixture_set, name_of, spread

pytestmark = pytest.mark.every_kind

Object = dict[str, Any]
TAGGED = [kind for kind in nine.ALL if "tags" in nine.KINDS[kind].mutable]


@pytest.mark.parametrize("kind", TAGGED)
async def test_s16_tags_edited(kind: str) -> None:
    """S16: Updating, Active, observedGeneration is the generation, one PUT. Mended: SecurityRules too (W14); the last
    tag can be taken away (W19).
    """
    async with living() as house:
        made = await nine.active(house, kind)
        for tags in (["other-tag", "more-tags"], []):
            since = await calls_so_far(house)
            async with filming(house) as film:
                await house.patch(kind, nine.name(kind), {"spec": {"tags": tags}})
                await house.until(lambda: up_to_date(house, kind), within=20)
            assert walk(film.of(kind, nine.name(kind)))[-2:] == ["Updating", "Active"]
            [put] = await house.writes(since)
            assert (put["method"], put["path"].rsplit("/", 1)[1]) == ("PUT", made)
            [row] = [row for row in await house.resources(kind) if row["id"] == made]
            assert set(row["tags"]) - owner_tags(row) == set(tags)
            assert len(owner_tags(row)) == 1


FIXED = {"KeyPair": {"value": "ssh-ed25519 AAAAC3other ops"}, "SecurityRule": {"port": "8443"}}


@pytest.mark.parametrize("kind", sorted(FIXED))
async def test_s17_what_cannot_be_updated_edited(kind: str) -> None:
    """S17. Mended (W14): upstream rolls the spec back; here the API server refuses the edit, names the field, and the
    user's spec is never rewritten. Nothing is sent and nothing fails.
    """
    [field] = FIXED[kind]
    async with living() as house:
        await nine.active(house, kind)
        before, since = await shown(house, kind), await calls_so_far(house)
        answer = await attempt(house, kind, FIXED[kind])
        assert answer.status_code == 422
        assert f"spec.{field}" in answer.json()["message"]
        await asyncio.sleep(60)
        assert await shown(house, kind) == before
        assert await house.writes(since) == []


@pytest.mark.parametrize("kind", nine.CHILDREN)
async def test_s18_region_edited(kind: str) -> None:
    """S18. Mended (W2): upstream is silent, and observedGeneration lags; here the API server refuses the edit with the
    field's name, so that the object stays Ready for the spec that it has. For every kind that has a region.
    """
    async with living() as house:
        await nine.active(house, kind)
        since = await calls_so_far(house)
        answer = await attempt(house, kind, {"region": "ITBG-Other"})
        assert answer.status_code == 422
        assert "spec.region" in answer.json()["message"]
        await asyncio.sleep(60)
        assert await up_to_date(house, kind)
        assert await house.writes(since) == []


async def test_s19_volume_grows_and_never_shrinks() -> None:
    """S19: 40 to 80 GB is one PUT, 80 to 40 is denied. Mended: denied at the API server, with the field's name (W2)."""
    async with living() as house:
        await nine.active(house, "BlockStorage")
        since = await calls_so_far(house)
        await house.patch("BlockStorage", "shop", {"spec": {"sizeGB": 80}})
        await house.until(lambda: up_to_date(house, "BlockStorage"), within=20)
        [put] = await house.writes(since)
        assert (put["method"], put["requestBody"]["properties"]["sizeGb"]) == ("PUT", 80)
        answer = await attempt(house, "BlockStorage", {"sizeGB": 40})
        assert answer.status_code == 422
        assert "spec.sizeGB" in answer.json()["message"]
        await asyncio.sleep(60)
        assert await up_to_date(house, "BlockStorage")
        assert len(await house.writes(since)) == 1


@pytest.mark.parametrize("kind", nine.ALL)
async def test_s20_generation_bump_that_asks_for_nothing(kind: str) -> None:
    """S20: observedGeneration is stamped anew, no PUT. Here what is said for the first time is what holds anyway: the
    parent's tenant; a Project's empty description.
    """
    added = {"description": ""} if kind == "Project" else {"tenant": "ARU-000001"}
    [field] = added
    async with living() as house:
        item = await nine.prepared(house, kind)
        del item["spec"][field]
        await house.apply(item)
        await house.until(house.all_active)
        since = await calls_so_far(house)
        async with filming(house) as film:
            await house.patch(kind, nine.name(kind), {"spec": added})
            await house.until(lambda: up_to_date(house, kind), within=5)
            await asyncio.sleep(30)
        assert (await shown(house, kind))["status"]["observedGeneration"] == 2
        assert walk(film.of(kind, nine.name(kind))) == ["Active"]
        assert await house.writes(since) == []


@pytest.mark.sweep
@pytest.mark.slow
async def test_s21_project_deleted_with_a_tree_in_two_namespaces() -> None:
    """S21: the children are deleted first, and the parent's DELETE comes after all are gone. Mended (K1): siblings in
    the order of their needs, so that the cloud refuses nothing.
    """
    items = spread(fixture_set("Test10"), ["team-blue", "team-green"])
    async with living(timings=REALISTIC) as house:
        await house.apply(*items)
        await house.until(lambda: all_settled(house))
        project = next(item for item in items if item["kind"] == "Project")
        async with filming(house) as film:
            await house.delete("Project", name_of(project), project["metadata"]["namespace"])
            await ended(house)
    deletes = film.sent("DELETE")
    assert {call["status"] for call in deletes} <= {202, 204}
    assert len(deletes) == len(items)
    ended_at = {row["id"]: row["deletedAt"] for row in film.resources}
    asked_at = {call["path"].rsplit("/", 1)[1]: call["time"] for call in deletes}
    for call in deletes:
        inside = [row["id"] for row in film.resources if row["uri"].startswith(f"{call['path']}/")]
        assert all(ended_at[one] <= asked_at[call["path"].rsplit("/", 1)[1]] for one in inside), call["path"]
    assert deletes[0]["path"].split("/")[-2] == "cloudServers"
    assert deletes[-1]["path"].split("/")[-2] == "projects"
