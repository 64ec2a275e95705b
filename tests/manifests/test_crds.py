"""CRDs: valid for Kubernetes, structural, and saying what the declarations say."""

from __future__ import annotations

import copy

import kubernetes_validate
import pytest

from hooks.aruba.kinds import discover
from hooks.manifests import crd
from tests.manifests.objects import part, schema_of
from tests.manifests.structural import complaints

KINDS = [kind.names.kind for kind in discover()]


@pytest.mark.parametrize("kind", KINDS)
def test_kubernetes_validate_takes_it_strictly(crd_of, kind):
    kubernetes_validate.validate(crd_of[kind], kubernetes_validate.latest_version(), strict=True)


def test_kubernetes_validate_would_say_no(crd_of):
    broken = copy.deepcopy(crd_of["VPC"])
    schema_of(broken)["propertes"] = {}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(broken, kubernetes_validate.latest_version(), strict=True)


@pytest.mark.parametrize("kind", KINDS)
def test_the_schema_is_structural(crd_of, kind):
    assert complaints(schema_of(crd_of[kind])) == []


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda spec, _: spec["properties"]["region"].pop("type"), "no type"),
        (lambda spec, _: spec["properties"]["region"].update(default=1), "default does not fit"),
        (lambda spec, _: spec["properties"]["region"].update(title="Region"), "title is not for string"),
        (lambda spec, _: spec["properties"]["cidr"].update({"$ref": "#/x"}), "$ref is not for string"),
        (lambda spec, _: spec["properties"]["tags"].pop("items"), "no items"),
        (lambda spec, _: spec["properties"]["cidr"].update(pattern="(?=x)"), "not RE2"),
        (lambda spec, _: spec["properties"]["type"].update(enum=[1]), "enum does not fit"),
        (lambda spec, _: spec["required"].append("colour"), "required but not declared"),
        (lambda spec, _: spec.update({"x-kubernetes-preserve-unknown-fields": True}), "preserve-unknown-fields"),
        (lambda _, root: root["x-kubernetes-validations"][0].update(fieldPath=".spec.colour"), "leads nowhere"),
        (lambda _, root: root["x-kubernetes-validations"][0].update(reason="Invalid"), "reason Invalid"),
        (lambda _, root: root["x-kubernetes-validations"][0].update(rule="self.spec.cidr.isIP()"), "common core"),
        (lambda _, root: root["properties"]["metadata"].update(properties={}), "only its type"),
    ],
)
def test_the_check_of_structure_finds_faults(crd_of, spoil, said):
    root = copy.deepcopy(schema_of(crd_of["Subnet"]))
    spoil(root["properties"]["spec"], root)
    assert any(said in complaint for complaint in complaints(root))


def test_names_do_not_collide(catalog):
    words = [word for kind in catalog for word in {*kind.names, kind.names.singular}]
    assert sorted(set(words)) == sorted(words)


def test_names_and_scope(crd_of):
    spec = crd_of["VPC"]["spec"]
    assert crd_of["VPC"]["metadata"]["name"] == "vpcs.arubacloud.com"
    assert spec["scope"] == "Namespaced"
    assert spec["names"] == {
        "kind": "VPC",
        "listKind": "VPCList",
        "plural": "vpcs",
        "singular": "vpc",
        "shortNames": ["vpc", "aruvpc"],
        "categories": ["aruba"],
    }
    (version,) = spec["versions"]
    assert (version["name"], version["served"], version["storage"]) == ("v1alpha1", True, True)
    assert version["subresources"] == {"status": {}}


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_is_described(crd_of, kind):
    for name in ("spec", "status"):
        for field, node in part(crd_of[kind], name)["properties"].items():
            assert node.get("description", "").strip(), f"{kind}.{name}.{field}"


@pytest.mark.parametrize("kind", KINDS)
def test_conditions_merge_by_type(crd_of, kind):
    conditions = part(crd_of[kind], "status")["properties"]["conditions"]
    assert conditions["x-kubernetes-list-type"] == "map"
    assert conditions["x-kubernetes-list-map-keys"] == ["type"]


@pytest.mark.parametrize("kind", KINDS)
def test_referenced_ids_follow_from_references(catalog, crd_of, kind):
    status = part(crd_of[kind], "status")["properties"]
    for field in catalog[kind].references:
        assert status[field.id_field]["type"] == ("array" if field.many else "string")


def test_numbers_have_the_format_of_their_bounds(crd_of):
    assert part(crd_of["BlockStorage"], "spec")["properties"]["sizeGB"]["format"] == "int32"
    assert part(crd_of["VPC"], "status")["properties"]["observedGeneration"]["format"] == "int64"
    assert part(crd_of["VPC"], "status")["properties"]["phaseStartTime"]["format"] == "date-time"


COLUMNS = {
    "Project": [],
    "VPC": [],
    "Subnet": [("Gateway", ".status.gateway", 1)],
    "SecurityGroup": [],
    "SecurityRule": [("Protocol", ".spec.protocol", 0), ("Direction", ".spec.direction", 0)],
    "KeyPair": [],
    "ElasticIP": [("Address", ".status.address", 0), ("Used By", ".status.usedBy", 1)],
    "BlockStorage": [("Size", ".spec.sizeGB", 1), ("Used By", ".status.usedBy", 1)],
    "CloudServer": [("Addresses", ".status.addresses", 0), ("Public IP", ".status.publicIP", 1)],
}


@pytest.mark.parametrize("kind", KINDS)
def test_printer_columns(crd_of, kind):
    columns = crd_of[kind]["spec"]["versions"][0]["additionalPrinterColumns"]
    assert [(c["name"], c["jsonPath"], c.get("priority", 0)) for c in columns] == [
        ("Phase", ".status.phase", 0),
        ("Ready", '.status.conditions[?(@.type=="Ready")].status', 0),
        ("Reason", '.status.conditions[?(@.type=="Ready")].reason', 1),
        ("State", ".status.cloudState", 1),
        *COLUMNS[kind],
        ("Resource ID", ".status.resourceID", 0),
        ("Message", ".status.message", 0),
        ("Age", ".metadata.creationTimestamp", 0),
    ]
    assert columns[-1]["type"] == "date"


def test_a_crd_is_the_same_each_time(catalog):
    assert crd(catalog["CloudServer"]) == crd(discover()["CloudServer"])
