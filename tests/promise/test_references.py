"""Chapter "Cross-Resource References" (EN-27 to EN-33)."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import yaml

from tests.promise.films import has_phase
from tests.promise.test_ownership import schemas
from tests.world.film import Film, first
from tests.world.house import API, House, living
from tests.world.judge import condition, phases
from tests.world.manifests import TARGETS, fixture_set, make, name_of, project, ref, references, spread, vpc

Object = dict[str, Any]


async def test_en_27_a_reference_is_a_name_and_a_namespace() -> None:
    """The very lines of the promise, and every reference field of every kind; neither half may be left out."""
    lines = "projectReference:\n  name: my-project\n  namespace: default\n"
    async with living() as house:
        await house.apply(project("my-project"), make("VPC", "net-a", {"tenant": "t-100", **yaml.safe_load(lines)}))
        await house.until(house.all_active)
        for half in ({"name": "my-project"}, {"namespace": "default"}):
            refused = await house.kube.post(f"{API}/namespaces/default/vpcs", json=vpc("net-b", projectReference=half))
            assert refused.status_code == 422
            assert "spec.projectReference" in refused.json()["message"]
    seen = set()
    for spec in schemas().values():
        for name, schema in _references(spec).items():
            assert set(schema["properties"]) == {"name", "namespace"}
            assert schema["required"] == ["name", "namespace"]
            seen.add(name)
    assert seen == set(TARGETS)


def _references(spec: Object) -> dict[str, Object]:
    fields = {k: v for k, v in spec["properties"].items() if k.endswith(("Reference", "References"))}
    return {name: schema.get("items", schema) for name, schema in fields.items()}


async def test_en_28_name_and_namespace_identify_the_object() -> None:
    """Two projects of one name: which one a VPC is made in depends on the namespace alone."""
    async with living() as house:
        homes = ("blue", "green")
        await house.apply(*[project("prj-b", home) for home in homes])
        await house.apply(*[vpc(f"net-{home}", "default", projectReference=ref("prj-b", home)) for home in homes])
        await house.until(house.all_active)
        ids = {home: (await house.status("Project", "prj-b", home))["resourceID"] for home in homes}
        assert ids["blue"] != ids["green"]
        assert {row["name"]: row["projectId"] for row in await house.resources("VPC")} == {
            f"net-{home}": ids[home] for home in homes
        }


def test_en_29_the_referenced_resource_id_goes_into_the_call(life: Film) -> None:
    """Every ID in a creation, in its path as in its body, is the status.resourceID of what the object refers to."""
    ids = {key: first(frames, "Active").status["resourceID"] for key, frames in life.objects().items()}
    collections = {row["uri"].rpartition("/")[0]: row["kind"] for row in life.resources}
    checked = 0
    for call in life.sent("POST"):
        if call["path"] not in collections:
            continue
        kind, name = collections[call["path"]], call["requestBody"]["metadata"]["name"]
        item = life.of(kind, name)[0].object
        wanted = {(TARGETS[f], one["name"]) for f, one in references(item) if f != "dataVolumeReferences"}
        text = f"{call['path']} {json.dumps(call['requestBody'])}"
        used = {key for key, resource_id in ids.items() if resource_id in text}
        assert used == wanted, f"{kind} {name}"
        checked += 1
    assert checked == 11


async def test_en_30_references_and_ownership_cross_namespaces() -> None:
    """Each object in another namespace than those it refers to: all become Active, and the Project takes them along."""
    async with living() as house:
        items = spread(fixture_set("Test6"), ["blue", "green", "red"])
        crossing = [one for item in items for _, one in references(item) if one["namespace"] != _home(item)]
        assert len(crossing) >= 8
        await house.apply(*reversed(items))
        await house.until(house.all_active)
        for item in await house.objects():
            assert "ownerReferences" not in item["metadata"]
            if item["kind"] != "Project":
                (owner,) = json.loads(item["metadata"]["annotations"]["arubacloud.com/owner-references"])
                label = f"arubacloud.com/owner-{owner['kind'].lower()}"
                assert item["metadata"]["labels"][label] == owner["uid"]
        await house.delete("Project", "shop", _home(items[0]))
        await house.until(house.all_gone)
        assert await house.resources() == []


def _home(item: Object) -> str:
    return str(item["metadata"]["namespace"])


PLACE = {"tenant": "t-100", "projectReference": ref("prj-a")}
NET_B = {**PLACE, "vpcReference": ref("net-b")}
SUBNET = {"type": "Advanced", "cidr": "10.1.0.0/24", "dhcp": {"enabled": True}}
RULE = {"protocol": "TCP", "port": "80", "direction": "Ingress", "target": {"type": "Ip", "value": "0.0.0.0/0"}}
SERVER = {
    "flavorName": "CSO4A8",
    "subnetReferences": [ref("sn-a")],
    "securityGroupReferences": [ref("sg-a")],
    "keyPairReference": ref("key-a"),
    "bootVolumeReference": ref("boot-a"),
}
MISFITS = {
    "ProjectMustMatchVPC": make(
        "Subnet", "x-1", {**SUBNET, "projectReference": ref("prj-b"), "vpcReference": ref("net-a")}
    ),
    "VPCMustMatchSecurityGroup": make("SecurityRule", "x-2", {**NET_B, **RULE, "securityGroupReference": ref("sg-a")}),
    "VPCMustMatchAllSubnets": make("CloudServer", "x-3", {**NET_B, **SERVER}),
    "RegionMustMatchVPC": make(
        "SecurityGroup", "x-4", {**PLACE, "vpcReference": ref("net-a"), "region": "ITMI-Milano"}
    ),
    "ZoneMustMatchBootVolume": make(
        "CloudServer", "x-5", {**NET_B, **SERVER, "vpcReference": ref("net-a"), "zone": "ITBG-2"}
    ),
}
"""By the rule that each breaks; what they refer to fits together among itself."""


async def test_en_31_references_are_checked_against_each_other_before_provisioning() -> None:
    async with living() as house:
        subnet = make("Subnet", "sn-a", {**PLACE, **SUBNET, "vpcReference": ref("net-a")})
        group = make("SecurityGroup", "sg-a", {**PLACE, "vpcReference": ref("net-a")})
        key = make("KeyPair", "key-a", {**PLACE, "value": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJqk"})
        boot = make("BlockStorage", "boot-a", {**PLACE, "bootable": True, "image": "LU24-001"})
        await house.apply(project(), project("prj-b"), vpc(), vpc("net-b"), subnet, group, key, boot)
        await house.until(house.all_active)
        await house.apply(*MISFITS.values())
        for rule, item in MISFITS.items():
            await house.until(lambda: has_phase(house, item["kind"], name_of(item), "Failed"), within=5)  # noqa: B023
            live = await house.get(item["kind"], name_of(item))
            assert live is not None
            failed = condition(live, "Failed")
            assert failed["reason"] == "IntentionValidationFailed"
            assert f"[{rule}] " in failed["message"], failed["message"]
        assert not [row for row in await house.resources() if row["name"].startswith("x-")]


async def test_en_32_a_subnets_tenant_matches_its_vpcs() -> None:
    async with living() as house:
        other = make("Subnet", "sn-x", {**PLACE, **SUBNET, "tenant": "t-200", "vpcReference": ref("net-a")})
        same = make("Subnet", "sn-a", {**PLACE, **SUBNET, "vpcReference": ref("net-a")})
        await house.apply(project(), vpc(), other, same)
        await house.until(lambda: has_phase(house, "Subnet", "sn-a", "Active"))
        status = await house.status("Subnet", "sn-x")
        assert status["phase"] == "Failed"
        assert '[TenantMustMatchVPC] tenant mismatch with VPC: "t-200" != "t-100"' in status["message"]


CHILDREN = ["VPC", "Subnet", "SecurityGroup", "SecurityRule", "KeyPair", "ElasticIP", "BlockStorage", "CloudServer"]


async def test_en_33_a_mismatch_fails_before_any_api_call() -> None:
    """Every kind of child under a Project of another tenant: no call is ever made about any of them."""
    async with living() as house:
        items = fixture_set("Test10")
        for item in items:
            item["spec"]["tenant"] = "ARU-000001" if item["kind"] == "Project" else "ARU-000002"
        await house.apply(*reversed(items))
        await house.until(lambda: _all_failed(house), within=20)
        await asyncio.sleep(120)
        failed = [item for item in await house.objects() if item["kind"] != "Project"]
        assert {item["kind"] for item in failed} == set(CHILDREN)
        for item in failed:
            standing = {c["type"]: c["reason"] for c in phases(item).values() if c["status"] == "True"}
            assert standing == {"Failed": "IntentionValidationFailed"}
            assert "[TenantMustMatchProject]" in item["status"]["message"]
        assert await house.calls(path="/providers/") == []


async def _all_failed(house: House) -> bool:
    items = [item for item in await house.objects() if item["kind"] != "Project"]
    return all(item.get("status", {}).get("phase") == "Failed" for item in items)
