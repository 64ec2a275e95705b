"""Chapter "Resource Ownership" (EN-03 to EN-09)."""

from __future__ import annotations

import json

from hooks.aruba.engine.notes import uses
from hooks.aruba.kinds import discover
from hooks.manifests import crds
from tests.promise.films import has_phase
from tests.world.film import Film, Frame, when
from tests.world.house import House, living
from tests.world.manifests import fixture_set

OWNERS = {
    "VPC": "Project",
    "BlockStorage": "Project",
    "KeyPair": "Project",
    "ElasticIP": "Project",
    "CloudServer": "Project",
    "Subnet": "VPC",
    "SecurityGroup": "VPC",
    "SecurityRule": "SecurityGroup",
}
PARENT_FIELDS = {"Project": "projectReference", "VPC": "vpcReference", "SecurityGroup": "securityGroupReference"}
USED_BY_SERVER = {
    "vpcReference": "VPC",
    "subnetReferences": "Subnet",
    "securityGroupReferences": "SecurityGroup",
    "keyPairReference": "KeyPair",
    "bootVolumeReference": "BlockStorage",
    "dataVolumeReferences": "BlockStorage",
    "elasticIPReference": "ElasticIP",
}


def at_rest(life: Film) -> list[Frame]:
    """The last frame of every object before its Project is deleted."""
    return [[f for f in frames if f.at <= life.marks["delete"]][-1] for frames in life.objects().values()]


def owner(frame: Frame) -> dict[str, str] | None:
    """The one owner that an object names, by annotation and by label alike."""
    named = json.loads(frame.meta.get("annotations", {}).get("arubacloud.com/owner-references", "[]"))
    labels = {k: v for k, v in frame.meta.get("labels", {}).items() if k.startswith("arubacloud.com/owner-")}
    assert labels == {f"arubacloud.com/owner-{entry['kind'].lower()}": entry["uid"] for entry in named}
    assert len(named) <= 1
    return named[0] if named else None


def schemas() -> dict[str, dict[str, dict[str, object]]]:
    """The spec schema of every kind, as installed."""
    installed = crds(discover())
    versions = {crd["spec"]["names"]["kind"]: crd["spec"]["versions"][0] for crd in installed}
    return {kind: v["schema"]["openAPIV3Schema"]["properties"]["spec"] for kind, v in versions.items()}


def test_en_03_kinds_form_one_hierarchy(life: Film) -> None:
    owners = {frame.kind: named["kind"] for frame in at_rest(life) if (named := owner(frame))}
    assert owners == OWNERS
    for kind in OWNERS:
        line = [kind]
        while line[-1] in owners:
            line.append(owners[line[-1]])
            assert len(line) <= len(OWNERS), f"a cycle: {line}"
        assert line[-1] == "Project"


def test_en_04_every_child_names_its_parent_by_a_reference_field(life: Film) -> None:
    for kind, parent in OWNERS.items():
        assert PARENT_FIELDS[parent] in schemas()[kind]["required"]
    for frame in at_rest(life):
        named = owner(frame)
        if named is not None:
            reference = frame.object["spec"][PARENT_FIELDS[named["kind"]]]
            assert reference == {"name": named["name"], "namespace": named["namespace"]}


def test_en_05_cascade_delete_removes_children_before_the_parent(life: Film) -> None:
    deleted = [call["path"] for call in life.sent("DELETE")]
    ids = {(frame.kind, frame.name): frame.status["resourceID"] for frame in at_rest(life)}
    place = {key: next(i for i, path in enumerate(deleted) if path.endswith(ids[key])) for key in ids}
    ended = {row["id"]: row["deletedAt"] for row in life.resources}
    assert len(deleted) == len(ids) == 11
    for frame in at_rest(life):
        named = owner(frame)
        if named is not None:
            above = (named["kind"], named["name"])
            assert place[frame.kind, frame.name] < place[above]
            assert ended[ids[frame.kind, frame.name]] < life.sent("DELETE")[place[above]]["time"], "gone before it"


async def test_en_06_each_owner_takes_its_children_with_it() -> None:
    async with living() as house:
        await house.apply(*fixture_set("Test6"))
        await house.until(house.all_active)
        left = ["Project", "VPC", "Subnet", "SecurityGroup", "SecurityRule", "BlockStorage"]
        for parent, taken in [
            ("SecurityGroup", {"SecurityGroup", "SecurityRule"}),
            ("VPC", {"VPC", "Subnet"}),
            ("Project", {"Project", "BlockStorage"}),
        ]:
            await house.delete(parent, "shop")
            left = [kind for kind in left if kind not in taken]
            await house.until(lambda: _has_gone(house, parent))  # noqa: B023 - awaited before the loop goes on
            await house.until(lambda: _only(house, set(left)), within=1)  # noqa: B023
            assert {row["kind"] for row in await house.resources()} == set(left)


async def _has_gone(house: House, kind: str) -> bool:
    return await house.get(kind, "shop") is None


async def _only(house: House, kinds: set[str]) -> bool:
    items = await house.objects()
    standing = all(item["status"]["phase"] == "Active" for item in items)
    return standing and {item["kind"] for item in items} == kinds


def test_en_07_a_server_is_owned_by_its_project_and_refers_to_others(life: Film) -> None:
    frames = {(frame.kind, frame.name): frame for frame in at_rest(life)}
    server = frames["CloudServer", "shop"]
    named = owner(server)
    assert named is not None
    assert (named["kind"], named["uid"]) == ("Project", frames["Project", "shop"].meta["uid"])
    used = {label for label in server.meta["labels"] if label.startswith("arubacloud.com/uses-")}
    others = [(kind, "shop") for kind in ("VPC", "Subnet", "SecurityGroup", "KeyPair", "BlockStorage", "ElasticIP")]
    assert used == {uses(frames[key].meta["uid"]) for key in [*others, ("BlockStorage", "shop-data")]}


def test_en_08_a_server_uses_network_group_key_volume_and_address(life: Film) -> None:
    properties = schemas()["CloudServer"]["properties"]
    fields = {name for name in properties if name.endswith(("Reference", "References"))}
    assert fields == {"projectReference", *USED_BY_SERVER}
    ids = {(frame.kind, frame.name): frame.status["resourceID"] for frame in at_rest(life)}
    (post,) = life.sent("POST", "cloudServers")[:1]
    body = post["requestBody"]["properties"]
    single = {"vpc": "VPC", "keyPair": "KeyPair", "bootVolume": "BlockStorage", "elasticIp": "ElasticIP"}
    assert {name: body[name]["uri"].rsplit("/", 1)[1] for name in single} == {
        name: ids[kind, "shop"] for name, kind in single.items()
    }
    for name, kind in {"subnets": "Subnet", "securityGroups": "SecurityGroup"}.items():
        assert [one["uri"].rsplit("/", 1)[1] for one in body[name]] == [ids[kind, "shop"]]
    (attach,) = life.sent("POST", "attachDetachDataVolumes")
    assert [v["uri"].rsplit("/", 1)[1] for v in attach["requestBody"]["volumesToAttach"]] == [
        ids["BlockStorage", "shop-data"]
    ]
    assert when(attach) > when(post)


async def test_en_09_deleting_what_a_server_uses_leaves_the_server() -> None:
    """What a server cannot do without waits for it and says so; what can be detached goes. The server stays Active."""
    async with living() as house:
        await house.apply(*fixture_set("Test10"))
        await house.until(house.all_active)
        (server,) = await house.resources("CloudServer")
        for kind in ("VPC", "KeyPair", "BlockStorage", "ElasticIP"):
            await house.delete(kind, "shop")
        await house.until(lambda: _has_gone(house, "ElasticIP"), within=60)
        for kind in ("VPC", "KeyPair", "BlockStorage"):
            await house.until(lambda: has_phase(house, kind, "shop", "Deleting"))  # noqa: B023
            told = (await house.status(kind, "shop"))["message"]
            assert told.startswith("Still used by CloudServer default/shop"), f"{kind}: {told}"
        for kind in ("Subnet", "SecurityGroup"):  # what is in the network is not touched before the server is gone
            assert await has_phase(house, kind, "shop", "Active")
        item = await house.get("CloudServer", "shop")
        assert item is not None
        assert "deletionTimestamp" not in item["metadata"]
        assert item["status"]["phase"] == "Active"
        assert [row["id"] for row in await house.resources("CloudServer")] == [server["id"]]
        deleted = {call["path"].split("/")[-2] for call in await house.calls(method="DELETE")}
        assert deleted == {"elasticIps"}
