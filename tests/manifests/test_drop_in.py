"""Drop-in: the schemas accept every value that upstream's accept (behaviour §1), written down here by hand."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
import yaml

from hooks.aruba.model.tenant import TENANT
from tests.manifests.objects import faults, part

SAMPLES = Path(__file__).parents[1] / "fixtures" / "samples"
CIDR = r"^([0-9]{1,3}\.){3}[0-9]{1,3}\/[0-9]{1,2}$"


class Upstream(NamedTuple):
    """A field of upstream's schemas."""

    type: str
    required: bool = False
    default: Any = None
    enum: tuple[str, ...] = ()
    limits: Mapping[str, Any] = MappingProxyType({})


TEXT, NEEDED, TEXTS = Upstream("string"), Upstream("string", required=True), Upstream("array")
REF, MAYBE_REF = Upstream("object", required=True), Upstream("object")
SOME_REFS = Upstream("array", required=True, limits={"minItems": 1})
COMMON = {"tenant": TEXT, "tags": TEXTS}
REGIONAL = {**COMMON, "region": Upstream("string", required=True, default="ITBG-Bergamo"), "projectReference": REF}
ZONE = Upstream("string", required=True, default="ITBG-1")
PERIOD = Upstream("string", required=True, default="Hour", enum=("Hour", "Month"))

SPECS: dict[str, dict[str, Upstream]] = {
    "Project": {**COMMON, "description": Upstream("string", limits={"maxLength": 1000})},
    "VPC": REGIONAL,
    "Subnet": {
        **REGIONAL,
        "type": Upstream("string", required=True, enum=("Advanced", "Basic")),
        "cidr": Upstream("string", required=True, limits={"pattern": CIDR}),
        "dhcp": REF,
        "dhcp.enabled": Upstream("boolean", required=True),
        "vpcReference": REF,
    },
    "SecurityGroup": {**REGIONAL, "vpcReference": REF},
    "SecurityRule": {
        **REGIONAL,
        "protocol": Upstream("string", required=True, enum=("TCP", "UDP", "ICMP", "ALL")),
        "port": NEEDED,
        "direction": Upstream("string", required=True, enum=("Ingress", "Egress")),
        "target": REF,
        "target.type": Upstream("string", required=True, enum=("Ip", "SecurityGroup")),
        "target.value": NEEDED,
        "securityGroupReference": REF,
        "vpcReference": REF,
    },
    "KeyPair": {**REGIONAL, "value": Upstream("string", required=True, limits={"minLength": 1})},
    "ElasticIP": {**REGIONAL, "billingPeriod": PERIOD},
    "BlockStorage": {
        **REGIONAL,
        "zone": ZONE,
        "sizeGB": Upstream("integer", required=True, default=20, limits={"minimum": 1, "maximum": 16384}),
        "billingPeriod": PERIOD,
        "type": Upstream("string", enum=("Standard", "Performance")),
        "bootable": Upstream("boolean"),
        "image": TEXT,
    },
    "CloudServer": {
        **REGIONAL,
        "zone": ZONE,
        "flavorName": NEEDED,
        "vpcReference": REF,
        "subnetReferences": SOME_REFS,
        "securityGroupReferences": SOME_REFS,
        "keyPairReference": REF,
        "bootVolumeReference": REF,
        "dataVolumeReferences": TEXTS,
        "elasticIPReference": MAYBE_REF,
    },
}
STATUS = "phase message resourceID observedGeneration phaseStartTime conditions".split()
IDS = {
    "Project": "",
    "VPC": "projectID",
    "Subnet": "projectID vpcID",
    "SecurityGroup": "projectID vpcID",
    "SecurityRule": "projectID vpcID securityGroupID",
    "KeyPair": "projectID",
    "ElasticIP": "projectID",
    "BlockStorage": "projectID",
    "CloudServer": "projectID vpcID bootVolumeID elasticIPID keyPairID",
}
SHORT_NAMES = {
    "projects": ["prj", "aruprj"],
    "vpcs": ["vpc", "aruvpc"],
    "subnets": ["sn", "arusn"],
    "securitygroups": ["sg", "arusg"],
    "securityrules": ["sr", "arusr"],
    "keypairs": ["kp", "arukp"],
    "elasticips": ["eip", "arueip"],
    "blockstorages": ["bs", "arubs"],
    "cloudservers": ["cs", "arucs"],
}
NARROWS_UP = ("minLength", "minimum", "minItems")
NARROWS_DOWN = ("maxLength", "maximum", "maxItems")
FIELDS = [(kind, name) for kind, fields in SPECS.items() for name in fields]


def at(spec: dict[str, Any], path: str) -> tuple[dict[str, Any], bool]:
    """The schema of a field, and whether its object asks for it."""
    required = False
    for step in path.split("."):
        required = step in spec.get("required", ())
        spec = spec["properties"][step]
    return spec, required


@pytest.mark.parametrize(("kind", "name"), FIELDS)
def test_a_field_takes_every_value_that_upstream_takes(crd_of, kind, name):
    theirs = SPECS[kind][name]
    ours, required = at(part(crd_of[kind], "spec"), name)
    assert ours["type"] == theirs.type
    assert theirs.required or not required
    assert ours.get("default") == theirs.default or theirs.default is None
    assert set(theirs.enum) <= set(ours.get("enum", theirs.enum))
    # A tenant names a path in Vault (cases 3b): what no tenant was ever called is refused.
    assert ours.get("pattern") == (TENANT if name == "tenant" else theirs.limits.get("pattern"))
    assert all(ours[word] <= theirs.limits.get(word, 0) for word in NARROWS_UP if word in ours)
    assert all(ours[word] >= theirs.limits.get(word, float("inf")) for word in NARROWS_DOWN if word in ours)


@pytest.mark.parametrize("kind", SPECS)
def test_enums_and_limits_that_users_rely_on_are_there(crd_of, kind):
    for name, theirs in SPECS[kind].items():
        ours, _ = at(part(crd_of[kind], "spec"), name)
        assert set(ours.get("enum", ())) == set(theirs.enum), name
        assert {word: ours[word] for word in theirs.limits} == theirs.limits, name


@pytest.mark.parametrize("kind", SPECS)
def test_nothing_is_asked_for_that_upstream_does_not_know(crd_of, kind):
    spec = part(crd_of[kind], "spec")
    assert set(spec.get("required", ())) <= {name for name, field in SPECS[kind].items() if field.required}
    assert set(spec["properties"]) == {name for name in SPECS[kind] if "." not in name}


@pytest.mark.parametrize("kind", SPECS)
def test_status_has_upstreams_fields(crd_of, kind):
    status = part(crd_of[kind], "status")["properties"]
    assert {*STATUS, *IDS[kind].split()} <= set(status)
    assert all(status[name]["type"] == "string" for name in IDS[kind].split())
    assert "enum" not in status["phase"]


def test_a_servers_status_lists_what_upstream_lists(crd_of):
    status = part(crd_of["CloudServer"], "status")["properties"]
    for name in ("subnetIDs", "securityGroupIDs", "dataVolumeIDs", "volumeIDs"):
        assert status[name]["type"] == "array"
        assert status[name]["items"] == {"type": "string"}


def test_plurals_and_short_names(crd_of):
    names = [crd["spec"]["names"] for crd in crd_of.values()]
    assert {n["plural"]: n["shortNames"] for n in names} == SHORT_NAMES


def test_a_reference_needs_name_and_namespace(crd_of):
    reference = part(crd_of["VPC"], "spec")["properties"]["projectReference"]
    assert sorted(reference["required"]) == ["name", "namespace"]
    assert set(reference["properties"]) == {"name", "namespace"}


def test_an_object_without_a_spec_is_taken_as_upstream_takes_it(crd_of):
    bare = {"apiVersion": "arubacloud.com/v1alpha1", "kind": "Project", "metadata": {"name": "bare"}}
    assert faults(crd_of["Project"], bare) == []


def manifests() -> dict[str, list[dict[str, Any]]]:
    """Upstream's sample manifests, by the name that the fixture sets call them."""
    found = SAMPLES.glob("arubacloud.com_v1alpha1_*.yaml")
    return {path.stem.split("v1alpha1_")[1]: [d for d in yaml.safe_load_all(path.read_text()) if d] for path in found}


@pytest.mark.parametrize("name", sorted(manifests()))
def test_upstreams_samples_are_taken_whole(crd_of, name):
    for thing in manifests()[name]:
        assert faults(crd_of[thing["kind"]], thing) == []


def test_every_fixture_set_names_samples_that_are_there():
    sets = yaml.safe_load((SAMPLES / "fixture-sets.yaml").read_text())
    named = {name for group in sets.values() for names in group.values() for name in names}
    assert named <= set(manifests())
    assert len(sets["fixtureSets"]) == 15


@pytest.mark.parametrize(
    ("kind", "change", "said"),
    [
        ("BlockStorage", {"sizeGB": 0}, "spec.sizeGB"),
        ("BlockStorage", {"sizeGB": "big"}, "spec.sizeGB"),
        ("BlockStorage", {"type": "Fast"}, "spec.type"),
        ("BlockStorage", {"colour": "red"}, ".spec.colour: unknown"),
        ("Subnet", {"cidr": "10.0.0.0"}, "spec.cidr"),
        ("CloudServer", {"subnetReferences": []}, "spec.subnetReferences"),
        ("KeyPair", {"value": ""}, "spec.value"),
        ("VPC", {"projectReference": {"name": "shop"}}, "spec.projectReference"),
    ],
)
def test_what_upstream_refuses_is_refused(catalog, crd_of, kind, change, said):
    spec = {**catalog[kind].sample, **change}
    thing = {"apiVersion": "arubacloud.com/v1alpha1", "kind": kind, "metadata": {"name": "x"}, "spec": spec}
    (found,) = faults(crd_of[kind], thing)
    assert found.startswith(said)
