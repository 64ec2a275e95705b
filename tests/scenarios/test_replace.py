"""`kubectl replace` at every step of a create loses and doubles nothing.

The user's own manifest takes the place of all metadata: our annotations, labels and Metacontroller's finalizer are gone
with it, at a moment when a creation may be under way (design §5.4: a mark that is missing is lost, not untried).
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest

from hooks.local.kubernetes.store import Change
from tests.world.house import HOOKS, House, living
from tests.world.judge import owner_tags, settled
from tests.world.life import all_settled, apply_all, ended, order
from tests.world.manifests import fixture_set, make, name_of, ref

Object = dict[str, Any]
STEPS = range(1, 15)
"""More than the writes that a create takes; an object that takes fewer is replaced at rest."""
LABELS = {"app": "shop"}


class Replacer:
    """Replaces each watched object right after the k-th write to it, while whoever made that write goes on."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.answers: list[int] = []
        self.left: dict[tuple[str, str], tuple[Object, set[int]]] = {}
        self._writes: Counter[tuple[str, str]] = Counter()
        self._tasks: set[asyncio.Task[None]] = set()
        house.kubernetes._store.observers.append(self._see)

    def watch(self, item: Object, *after: int) -> None:
        self.left[item["kind"], name_of(item)] = (item, set(after))

    def _see(self, table: str, change: Change) -> None:
        key = change.new.get("kind", ""), name_of(change.new)
        if key not in self.left or change.verb == "DELETED":
            return
        self._writes[key] += 1
        item, after = self.left[key]
        if self._writes[key] in after:
            after.discard(self._writes[key])
            task = asyncio.get_running_loop().create_task(self._replace(item))
            self._tasks.add(task)

    async def _replace(self, item: Object) -> None:
        """Somebody else's write may come in between: kubectl then says so, and the user tries again."""
        while (answer := await self.house.replace(item)) == 409:
            pass
        self.answers.append(answer)

    async def rest(self) -> None:
        """What was never written so often is replaced now, at rest."""
        for item, after in self.left.values():
            if after:
                await self._replace(item)
                after.clear()
        await asyncio.gather(*self._tasks)
        assert set(self.answers) == {200}


async def whole(house: House, items: list[Object]) -> None:
    """Every replaced object has exactly one resource, knows it, and bears its claim again."""
    await house.until(lambda: all_settled(house), within=300)
    await asyncio.sleep(100)
    rows = await house.resources()
    for item in items:
        live = await house.get(item["kind"], name_of(item))
        assert live is not None
        assert settled(live), live["status"]
        mine = [row for row in rows if row["id"] == live["status"]["resourceID"]]
        assert len(mine) == 1
        assert len([row for row in rows if owner_tags(row) & owner_tags(mine[0])]) == 1
        await claimed(house, live)


async def claimed(house: House, live: Object) -> None:
    owner = await house.get("Project", "shop")
    assert owner is not None
    labels, annotations = live["metadata"]["labels"], live["metadata"]["annotations"]
    assert labels["arubacloud.com/owner-project"] == owner["metadata"]["uid"]
    assert owner["metadata"]["uid"] in annotations["arubacloud.com/owner-references"]
    assert labels["app"] == "shop", "the user's own label stays"
    assert live["metadata"]["finalizers"] == [f"metacontroller.io/compositecontroller-{_plural(live)}.arubacloud.com"]


def _plural(item: Object) -> str:
    return f"{item['kind'].lower()}s"


def labelled(item: Object) -> Object:
    item["metadata"]["labels"] = dict(LABELS)
    return item


async def test_vpc_replaced_after_each_write_of_its_create() -> None:
    async with living() as house:
        replacer = Replacer(house)
        await apply_all(house, fixture_set("Test1"), order(0))
        spec = {"projectReference": ref("shop"), "tenant": "ARU-000001"}
        vpcs = [labelled(make("VPC", f"net-{k}", spec)) for k in STEPS]
        for k, vpc in zip(STEPS, vpcs, strict=True):
            replacer.watch(vpc, k)
        await house.apply(*vpcs)
        await house.until(lambda: all_settled(house), within=300)
        await replacer.rest()
        await whole(house, vpcs)
        assert len(await house.calls(method="POST")) == 1 + len(vpcs)
        await house.delete("Project", "shop")
        await ended(house)


@pytest.mark.parametrize("gap", [2, *(pytest.param(one, marks=pytest.mark.sweep) for one in (1, 3))])
async def test_vpc_replaced_twice_in_a_row(gap: int) -> None:
    async with living() as house:
        replacer = Replacer(house)
        await apply_all(house, fixture_set("Test1"), order(0))
        spec = {"projectReference": ref("shop"), "tenant": "ARU-000001"}
        vpcs = [labelled(make("VPC", f"net-{k}", spec)) for k in STEPS]
        for k, vpc in zip(STEPS, vpcs, strict=True):
            replacer.watch(vpc, k, k + gap)
        await house.apply(*vpcs)
        await house.until(lambda: all_settled(house), within=300)
        await replacer.rest()
        await whole(house, vpcs)
        await house.delete("Project", "shop")
        await ended(house)


@pytest.mark.slow
@pytest.mark.sweep
async def test_server_replaced_after_each_write_of_its_create() -> None:
    """Each server with a boot and a data volume of its own, all on one network."""
    async with living() as house:
        replacer = Replacer(house)
        items = fixture_set("Test10")
        template = items.pop()
        assert template["kind"] == "CloudServer"
        volumes = [item for item in items if item["kind"] == "BlockStorage"]
        common = [item for item in items if item["kind"] not in ("BlockStorage", "ElasticIP")]
        await apply_all(house, common, order(0))
        servers = []
        for k in STEPS:
            boot, data = (make("BlockStorage", f"{name_of(v)}-{k}", v["spec"]) for v in volumes)
            references = {"bootVolumeReference": ref(name_of(boot)), "dataVolumeReferences": [ref(name_of(data))]}
            spec = {key: value for key, value in template["spec"].items() if key != "elasticIPReference"} | references
            servers.append(labelled(make("CloudServer", f"web-{k}", spec)))
            replacer.watch(servers[-1], k)
            await house.apply(boot, data, servers[-1])
        await house.until(lambda: all_settled(house), within=300)
        await replacer.rest()
        await whole(house, servers)
        assert len(await house.resources("CloudServer")) == len(servers)
        await house.delete("Project", "shop")
        await ended(house, within=600)


async def test_project_deleted_before_a_replaced_child_bears_its_claim_again() -> None:
    """The child has a resource inside the project, so it belongs to it, label or not."""
    async with living() as house:
        items = fixture_set("Test2")
        await apply_all(house, items, order(0))
        house.net.cut(HOOKS)
        assert await house.replace(labelled(items[1])) == 200
        await asyncio.sleep(1)
        await house.delete("Project", "shop")
        await asyncio.sleep(1)
        replica = house.start_hooks()
        await ended(house, within=120)
        replica.gate.cut_off()
