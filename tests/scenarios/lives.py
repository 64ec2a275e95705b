"""Scenario bodies that run on every backend: the simulated world, local mode, a real API server.

Each takes a house and judges by the cloud's own books. Upstream's acceptance (behaviour §4.2) is among them, as it is
meant: the one with data volumes, which upstream cannot pass, too.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import yaml

from hooks.clock import seeded
from tests.world.house import House
from tests.world.judge import no_refusals, settled
from tests.world.life import apply_all, delete_all, ended
from tests.world.manifests import SAMPLES, TARGETS, filled, fixture_set, name_of, references, spread

Object = dict[str, Any]
Life = Callable[[House], Awaitable[None]]
IN_PROJECT = ("projectID",)
IN_VPC = (*IN_PROJECT, "vpcID")
STATUS_IDS = {
    "Project": (),
    "VPC": IN_PROJECT,
    "KeyPair": IN_PROJECT,
    "ElasticIP": IN_PROJECT,
    "BlockStorage": IN_PROJECT,
    "Subnet": IN_VPC,
    "SecurityGroup": IN_VPC,
    "SecurityRule": (*IN_VPC, "securityGroupID"),
    "CloudServer": (*IN_VPC, "bootVolumeID", "keyPairID", "subnetIDs", "securityGroupIDs", "volumeIDs"),
}
ONE_BY_ONE = ("01-ProjectOnly", "02-NetworkBasic", "03-NetworkWithSecurity", "04-StorageBasic", "06-NetworkComplete")
TOGETHER = ("05-StorageMulti", "07-Compute", "08-ComputeWithDataVolumes")


async def ids_are_right(house: House) -> None:
    """The status IDs of behaviour §4.1 are there, and each is the resourceID of the object that the spec names."""
    items = await house.objects()
    known = {(i["kind"], i["metadata"]["namespace"], name_of(i)): i["status"]["resourceID"] for i in items}
    for item in items:
        assert [name for name in STATUS_IDS[item["kind"]] if not item["status"].get(name)] == [], item["kind"]
        wanted: dict[str, set[str]] = {}
        for field, ref in references(item):
            target = known[TARGETS[field], ref["namespace"], ref["name"]]
            wanted.setdefault(field.replace("Reference", "ID"), set()).add(target)
        assert {name: _as_set(item["status"].get(name)) for name in wanted} == wanted, item["kind"]
        assert len(set(known.values())) == len(items), "no two objects share a resource"


def _as_set(value: Any) -> set[str]:
    return set(value) if isinstance(value, list) else {value}


async def whole(house: House, items: list[Object], seed: int) -> None:
    """Everything at once in an order of chance, to Active; then everything at once, to nothing."""
    chance = seeded(seed)
    await apply_all(house, items, chance)
    await ids_are_right(house)
    assert len(await house.resources()) == len(items)
    await delete_all(house, chance)
    await no_refusals(house)
    posts = [c for c in await house.writes() if c["method"] == "POST" and not c["path"].endswith("Volumes")]
    assert len(posts) == len(items), "one POST each, and none more"


def upstream(name: str) -> list[Object]:
    """The manifests of one of upstream's end-to-end tests, in the namespace that it uses."""
    files = yaml.safe_load((SAMPLES / "fixture-sets.yaml").read_text())["e2e"][name]
    space = "default" if name in ("07-Compute", "08-ComputeWithDataVolumes") else "aruba-system"
    return [item for file in files for item in filled(file, "aruba-test", space, "ARU-000001")]


async def one_by_one(house: House, items: list[Object]) -> None:
    """Applied and Active in turn, and deleted in turn, the other way round."""
    for item in items:
        await house.apply(item)
        await _active(house, item)
    for item in reversed(items):
        await house.delete(item["kind"], name_of(item), item["metadata"]["namespace"])
        await house.until(lambda item=item: _gone(house, item), within=120)
    await ended(house)


async def together(house: House, items: list[Object]) -> None:
    """In one apply; deleted in reverse order, without waiting for each."""
    await house.apply(*items)
    for item in items:
        await _active(house, item)
    await ids_are_right(house)
    for item in reversed(items):
        await house.delete(item["kind"], name_of(item), item["metadata"]["namespace"])
    await ended(house)


async def _active(house: House, item: Object) -> None:
    space = item["metadata"]["namespace"]

    async def active() -> bool:
        return settled(await house.get(item["kind"], name_of(item), space) or {})

    await house.until(active, within=120)
    assert (await house.status(item["kind"], name_of(item), space))["resourceID"]


async def _gone(house: House, item: Object) -> bool:
    return await house.get(item["kind"], name_of(item), item["metadata"]["namespace"]) is None


async def set_test10(house: House) -> None:
    await whole(house, fixture_set("Test10"), 10)


async def three_namespaces(house: House) -> None:
    await whole(house, spread(fixture_set("Test10"), ["net", "apps", "keys"]), 4)


async def project_alone(house: House) -> None:
    """S21: the Project is deleted, and all beneath it goes first, in two namespaces."""
    await apply_all(house, spread(fixture_set("Test10"), ["net", "apps"]), seeded(21))
    project = next(item for item in await house.objects() if item["kind"] == "Project")
    await house.delete("Project", name_of(project), project["metadata"]["namespace"])
    await ended(house)
    await no_refusals(house)


async def namespace_alone(house: House) -> None:
    """Cases 10, 61: the Namespace is deleted with everything in it; it goes when all is gone from the cloud."""
    items = spread(fixture_set("Test5"), ["team-a"])
    await apply_all(house, items, seeded(61))
    answer = await house.kube.delete("/api/v1/namespaces/team-a")
    assert answer.status_code in (200, 202), answer.text
    await ended(house)

    async def no_namespace() -> bool:
        return (await house.kube.get("/api/v1/namespaces/team-a")).status_code == 404

    await house.until(no_namespace, within=60)


async def changes(house: House) -> None:
    """An edit reaches the cloud and comes back as Active; what cannot be changed is refused, and nothing happens."""
    await apply_all(house, fixture_set("Test6"), seeded(16))
    before = len(await house.writes())
    await house.patch("VPC", "shop", {"spec": {"tags": ["edited-tag"]}})

    async def edited() -> bool:
        item = await house.get("VPC", "shop") or {}
        return settled(item) and item["status"]["observedGeneration"] == item["metadata"]["generation"] == 2

    await house.until(edited, within=60)
    (write,) = (await house.writes())[before:]
    assert (write["method"], write["requestBody"]["metadata"]["tags"][0]) == ("PUT", "edited-tag")
    url = f"{house.path({'kind': 'Subnet', 'metadata': {}})}/shop"
    headers = {"Content-Type": "application/merge-patch+json"}
    answer = await house.kube.patch(url, json={"spec": {"cidr": "10.99.0.0/24"}}, headers=headers)
    assert answer.status_code == 422, answer.text
    assert "spec.cidr" in answer.json()["message"]
    await delete_all(house, seeded(17))


LIVES: dict[str, Life] = {
    **{name: (lambda house, name=name: one_by_one(house, upstream(name))) for name in ONE_BY_ONE},
    **{name: (lambda house, name=name: together(house, upstream(name))) for name in TOGETHER},
    "set Test10": set_test10,
    "three namespaces": three_namespaces,
    "project alone": project_alone,
    "namespace alone": namespace_alone,
    "changes": changes,
}
"""By name, for each backend's own test."""
