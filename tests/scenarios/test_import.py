"""A project that others made is imported and applied: all objects Active, not one write, nothing lost at the end."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import yaml

from hooks.aruba.engine import values
from hooks.aruba.importing import Found, Import, Place, sift, survey
from hooks.aruba.importing.survey import Survey
from hooks.aruba.kinds import discover
from hooks.cli.importing.patient import Patient
from hooks.cli.importing.text import stream
from hooks.http import AsyncClient
from hooks.settings import Settings
from tests.world.foreign import furnished
from tests.world.house import BEHIND, CLOUD, House, living
from tests.world.judge import settled
from tests.world.manifests import fixture_set

Object = dict[str, Any]
pytestmark = pytest.mark.skipif(not hasattr(values.Cloud, "ADOPTABLE"), reason="this engine adopts nothing")


async def imported(house: House, project: str, take_over: bool = False) -> tuple[Import, list[Object]]:
    """What the command would write, read back as kubectl would read it."""
    settings = Settings.load({}, {}, house.environ).settings
    assert settings is not None
    catalog = discover()
    kind = catalog["Project"]
    async with AsyncClient(transport=house.net) as http, Patient(settings, http, house.clock, "", print) as cloud:
        reading = await cloud.item(kind.collection.path, project)
        seen = await survey(catalog, Found(kind, kind.collection.path, reading.live), cloud.listing, cloud.item)
    assert isinstance(seen, Survey)
    made = sift(catalog, seen.found, Place("adopted", take_over=take_over))
    return made, [item for item in yaml.safe_load_all(stream(made, seen, project)) if item]


async def all_settled(house: House) -> bool:
    return all(settled(item) for item in await house.objects())


def by_id(rows: list[Object]) -> dict[str, Object]:
    return {row["id"]: row for row in rows}


async def lives(house: House, items: list[Object]) -> None:
    """Applied in the worst order, looked at for a while, and deleted again: the cloud stays as it was throughout."""
    before = by_id(await house.resources())
    writes = len(await house.writes())
    await house.apply(*reversed(items))
    await house.until(lambda: all_settled(house))
    ids = {item["status"]["resourceID"] for item in await house.objects()}
    assert ids == set(before)
    await asyncio.sleep(400)  # longer than resources at rest are left unlooked at
    assert await all_settled(house), await house.told()
    for item in await house.objects():
        await house.delete(item["kind"], item["metadata"]["name"], item["metadata"]["namespace"])
    await house.until(house.all_gone)
    assert by_id(await house.resources()) == before
    assert (await house.writes())[writes:] == []


async def test_what_somebody_else_made_is_adopted_without_a_write() -> None:
    async with living() as house:
        foreign = await furnished(house.cloud)
        made, items = await imported(house, foreign.project)
        assert made.left == ()
        assert {item["kind"] for item in items} == {str(kind) for kind in discover()}
        assert len(items) == len(await house.resources())
        await lives(house, items)


@pytest.mark.sweep
async def test_what_a_lost_cluster_s_operator_made_is_adopted_without_a_write() -> None:
    """The resources carry the tags of objects that are no more, and that has to be said."""
    async with living() as lost:
        await lost.apply(*fixture_set("Test9"))
        await lost.until(lost.all_active)
    async with living() as house:
        house.net.hosts |= {CLOUD: lost.simulator.app, BEHIND: lost.simulator.app}
        (project,) = await house.resources("Project")
        made, items = await imported(house, project["id"])
        assert (len(made.left), items) == (len(await house.resources()), [])
        made, items = await imported(house, project["id"], take_over=True)
        assert made.left == ()
        assert not any("k8s-" in tag for item in items for tag in item["spec"].get("tags", ()))
        await lives(house, items)
