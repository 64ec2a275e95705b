"""For every kind: create-minimal, create-full, dependency-wait, immutable-change, crash-after-create (design §10)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from hooks.aruba.kinds import discover
from tests.world.house import HOOKS, House, living
from tests.world.judge import no_duplicates, no_refusals, owner_tags, settled
from tests.world.life import all_settled, delete_all, order
from tests.world.manifests import name_of, references
from tests.world.samples import KINDS, with_needs

pytestmark = pytest.mark.every_kind

Object = dict[str, Any]
COLLECTIONS = {kind.names.kind: kind.collection.path.rpartition("/")[2] for kind in discover()}
IMMUTABLE = {
    "Project": ("tenant", "other"),
    "VPC": ("region", "ITBG-Other"),
    "Subnet": ("cidr", "10.20.9.0/24"),
    "SecurityGroup": ("region", "ITBG-Other"),
    "SecurityRule": ("port", "8443"),
    "KeyPair": ("value", "ssh-ed25519 AAAAother"),
    "ElasticIP": ("region", "ITBG-Other"),
    "BlockStorage": ("zone", "ITBG-2"),
    "CloudServer": ("flavorName", "CSO4A8"),
}


async def bring_up(house: House, items: list[Object]) -> Object:
    """Everything Active; the last object as it then is."""
    await house.apply(*items)
    await house.until(lambda: all_settled(house))
    live = await house.get(items[-1]["kind"], name_of(items[-1]))
    assert live is not None
    return live


async def row_of(house: House, live: Object) -> Object:
    rows = [row for row in await house.resources(live["kind"]) if row["id"] == live["status"]["resourceID"]]
    assert len(rows) == 1
    return rows[0]


@pytest.mark.parametrize("full", [False, True], ids=["minimal", "full"])
@pytest.mark.parametrize("kind", KINDS)
async def test_create_and_delete(kind: str, full: bool) -> None:
    items = with_needs(kind, full)
    async with living() as house:
        live = await bring_up(house, items)
        row = await row_of(house, live)
        assert row["name"] == name_of(live)
        assert len(owner_tags(row)) == 1
        assert set(row["tags"]) - owner_tags(row) == set(live["spec"].get("tags", ()))
        assert len(await house.resources()) == len(items)
        await no_refusals(house)
        await delete_all(house, order(1))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "Project"])
async def test_dependency_wait(kind: str) -> None:
    """Before its references it is Pending, named, unasked for; soon after them it is there."""
    items = with_needs(kind)
    needs = {f"{target} default/{name_of(i)}" for i in items[:-1] for target in (i["kind"],)}
    direct = {ref["name"] for _, ref in references(items[-1])}
    async with living() as house:
        await house.apply(items[-1])
        await asyncio.sleep(40)
        status = await house.status(kind, name_of(items[-1]))
        assert (status["phase"], status.get("resourceID")) == ("Pending", None)
        named = [need for need in needs if need.rpartition("/")[2] in direct]
        assert [need for need in named if need not in status["message"]] == []
        assert await house.calls() == []
        await house.apply(*items[:-1])
        await house.until(lambda: all_settled(house), within=30)
        posts = await house.calls(method="POST", path=COLLECTIONS[kind])
        own = [call for call in posts if call["requestBody"]["metadata"]["name"] == name_of(items[-1])]
        assert len(own) == 1
        await no_refusals(house)


@pytest.mark.parametrize("kind", KINDS)
async def test_immutable_change(kind: str) -> None:
    """Kubernetes refuses it, naming the field, once there is a resource; nothing is sent."""
    field, value = IMMUTABLE[kind]
    items = with_needs(kind, full=True)
    async with living() as house:
        live = await bring_up(house, items)
        before = len(await house.writes())
        refused = await house.kube.patch(
            f"{house.path(live)}/{name_of(live)}",
            json={"spec": {field: value}},
            headers={"Content-Type": "application/merge-patch+json"},
        )
        assert refused.status_code == 422, refused.text
        assert f"spec.{field}" in refused.json()["message"]
        await asyncio.sleep(60)
        assert len(await house.writes()) == before
        again = await house.get(kind, name_of(live))
        assert again is not None
        assert settled(again)


@pytest.mark.parametrize("kind", KINDS)
async def test_crash_after_create(kind: str) -> None:
    """The POST is done, its answer and the hooks are lost: the next replica finds what was made and makes no other."""
    items = with_needs(kind)
    async with living() as house:
        if items[:-1]:
            await bring_up(house, items[:-1])
        place = f"{COLLECTIONS[kind]}$"
        await house.faults({"match": {"method": "POST", "path": place}, "times": 1, "then": {"drop": "after"}})
        await house.apply(items[-1])

        async def made() -> bool:
            return any(call["method"] == "POST" for call in await house.calls(path=COLLECTIONS[kind]))

        await house.until(made, every=0.01)
        house.net.cut(HOOKS)
        house.operator.gate.cut_off()
        await asyncio.sleep(3)
        replica = house.start_hooks()
        await house.until(lambda: all_settled(house), within=120)
        posts = await house.calls(method="POST", path=COLLECTIONS[kind])
        own = [c for c in posts if c["requestBody"]["metadata"]["name"] == name_of(items[-1])]
        assert len(own) == 1
        assert len(await house.resources()) == len(items)
        await no_duplicates(house)
        replica.gate.cut_off()
