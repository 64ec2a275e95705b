"""Chapter "Creation Ordering" (EN-34 to EN-40)."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from typing import Any

from tests.promise.films import has_phase
from tests.promise.test_conditions import calls_of
from tests.world.film import Film, first
from tests.world.house import living
from tests.world.manifests import TARGETS, fixture_set, project, references, vpc

Object = dict[str, Any]
TOGETHER = timedelta(seconds=0.5)


def made(life: Film, kind: str, name: str = "shop") -> datetime:
    return calls_of(life, kind, name)[0]


def active(life: Film, kind: str, name: str = "shop") -> datetime:
    return first(life.of(kind, name), "Active").at


def needed(item: Object) -> list[tuple[str, str]]:
    """Kind and name of everything that must be Active before this one is made; data volumes are attached later."""
    return [(TARGETS[field], one["name"]) for field, one in references(item) if field != "dataVolumeReferences"]


def test_en_34_creation_follows_dependency_order(life: Film) -> None:
    """Applied in the opposite order; made in the order of what needs what, and none refused."""
    for (kind, name), frames in life.objects().items():
        for other in needed(frames[0].object):
            assert active(life, *other) < made(life, kind, name), f"{kind} {name} before {other}"
    assert [c["status"] for c in life.sent("POST")] == [201] * 11 + [202]


def test_en_35_pending_until_all_references_are_active(life: Film) -> None:
    """Pending for as long as one is missing, and no longer: on its way within a second of the last."""
    for (kind, name), frames in life.objects().items():
        others = needed(frames[0].object)
        if not others:
            continue
        last = max(active(life, *other) for other in others)
        waiting = [frame.phase for frame in frames if frame.phase and frame.at < last]
        assert set(waiting) == {"Pending"}, f"{kind} {name}"
        assert last <= first(frames, "Creating").at < last + timedelta(seconds=1), f"{kind} {name}"


async def test_en_36_the_project_comes_first(life: Film) -> None:
    """Nothing but the project is asked for while it is not Active, however long that takes."""
    posts = life.sent("POST")
    assert posts[0]["path"] == "/projects"
    async with living() as house:
        await house.faults({"match": {"method": "POST", "path": "projects$"}, "times": None, "then": {"status": 503}})
        await house.apply(*reversed(fixture_set("Test8")))
        await asyncio.sleep(90)
        assert {call["path"] for call in await house.calls()} == {"/projects"}
        others = [item for item in await house.objects() if item["kind"] != "Project"]
        assert {item["status"]["phase"] for item in others} == {"Pending"}
        await house.admin("DELETE", "faults")
        await house.until(house.all_active, within=180)


async def test_en_37_a_vpc_waits_for_its_project() -> None:
    async with living() as house:
        await house.apply(vpc())
        await asyncio.sleep(60)
        status = await house.status("VPC", "net-a")
        assert status["phase"] == "Pending"
        assert status["message"] == (
            "Waiting: Project default/prj-a does not exist. "
            "Create what does not exist, or correct spec.projectReference"
        )
        assert await house.calls() == []
        await house.apply(project())
        await house.until(house.all_active, within=10)


def test_en_38_five_kinds_wait_for_their_parents_and_start_in_parallel(life: Film) -> None:
    under_project = [
        ("BlockStorage", "shop"),
        ("BlockStorage", "shop-data"),
        ("KeyPair", "shop"),
        ("ElasticIP", "shop"),
    ]
    under_vpc = [("Subnet", "shop"), ("SecurityGroup", "shop")]
    for parent, group in [("Project", [*under_project, ("VPC", "shop")]), ("VPC", under_vpc)]:
        starts = [made(life, *one) for one in group]
        assert active(life, parent) < min(starts)
        assert max(starts) < active(life, parent) + TOGETHER, "none waits for another"
        assert max(starts) < min(active(life, *one) for one in group)


async def test_en_39_a_rule_waits_for_its_group() -> None:
    async with living() as house:
        items = fixture_set("Test4")
        group = next(item for item in items if item["kind"] == "SecurityGroup")
        await house.apply(*[item for item in items if item is not group])
        await house.until(lambda: has_phase(house, "VPC", "shop", "Active"))
        await asyncio.sleep(60)
        for rule in await house.list("SecurityRule"):
            assert rule["status"]["phase"] == "Pending"
            assert rule["status"]["message"] == (
                "Waiting: SecurityGroup default/shop does not exist. Create what does not exist, or correct "
                "spec.securityGroupReference"
            )
        assert await house.calls(path="securityGroups") == []
        await house.apply(group)
        await house.until(house.all_active, within=10)
        posts = [call["path"].rsplit("/", 1)[1] for call in await house.calls(method="POST")]
        assert posts == ["projects", "vpcs", "securityGroups", "securityRules", "securityRules"]


SEVEN = ["Project", "KeyPair", "BlockStorage", "VPC", "Subnet", "SecurityGroup", "ElasticIP"]


async def test_en_40_a_server_waits_for_all_it_refers_to() -> None:
    """Each of the seven in turn: the server names what is missing. One that wants no address needs none."""
    async with living() as house:
        items = [*fixture_set("Test9"), *_server_without_address()]
        await house.apply(*[item for item in items if item["kind"] == "CloudServer"])
        for kind in SEVEN:
            await asyncio.sleep(10)
            status = await house.status("CloudServer", "shop")
            assert status["phase"] == "Pending"
            missing = {f"{one} default/shop does not exist" for one in SEVEN[SEVEN.index(kind) :]}
            assert set(status["message"].removeprefix("Waiting: ").partition(". ")[0].split("; ")) == missing
            await house.apply(*[item for item in items if item["kind"] == kind])
        await house.until(house.all_active)
        posts = [c["requestBody"]["metadata"]["name"] for c in await house.calls(method="POST", path="cloudServers")]
        assert posts == ["bare", "shop"]


def _server_without_address() -> list[Object]:
    """A second server, from a boot volume of its own, and without an elastic IP."""
    server, boot = (_named("bare", kind) for kind in ("CloudServer", "BlockStorage"))
    del server["spec"]["elasticIPReference"]
    server["spec"]["bootVolumeReference"]["name"] = "bare"
    return [server, boot]


def _named(name: str, kind: str) -> Object:
    item = next(item for item in fixture_set("Test9") if item["kind"] == kind)
    item["metadata"]["name"] = name
    return item
