"""What may no longer change: refused once the cloud has the resource, free before, and never in the way of deletion."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from hooks.aruba.kinds import discover
from hooks.manifests import samples
from hooks.manifests.rules import Freedom, freedom
from tests.manifests.objects import part, refusals, schema_of

CATALOG = discover()
# Written by hand: what each kind's changes cannot settle (behaviour §1, api §8).
BOUND = {
    "Project": set(),
    "VPC": {"region", "projectReference"},
    "Subnet": {"region", "projectReference", "type", "cidr", "vpcReference"},
    "SecurityGroup": {"region", "projectReference", "vpcReference"},
    "SecurityRule": {
        *("region", "projectReference", "vpcReference", "securityGroupReference"),
        *("protocol", "port", "direction", "target.type", "target.value"),
    },
    "KeyPair": {"tags", "region", "projectReference", "value"},
    "ElasticIP": {"region", "projectReference"},
    "BlockStorage": {"region", "projectReference", "zone", "type", "bootable", "image"},
    "CloudServer": {
        *("tags", "region", "projectReference", "zone", "flavorName"),
        *("vpcReference", "keyPairReference", "bootVolumeReference"),
    },
}
OTHERS = {
    "string": "other",
    "integer": 9000,
    "boolean": None,
    "array": ["other"],
    "object": {"name": "o", "namespace": "o"},
}


def thing(kind: str, **status: Any) -> dict[str, Any]:
    made = samples(CATALOG[kind])["full"]
    return {**made, "status": {"phase": "Active", **status}}


def with_field(made: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """A copy with one field of the spec set, or taken away when the value is None."""
    made = copy.deepcopy(made)
    *outer, last = path.split(".")
    place = made["spec"]
    for step in outer:
        place = place.setdefault(step, {})
    if value is None:
        place.pop(last, None)
    else:
        place[last] = value
    return made


def another(crd: dict[str, Any], made: dict[str, Any], path: str) -> Any:
    """A value that the field does not have."""
    node, now = part(crd, "spec"), made["spec"]
    for step in path.split("."):
        node, now = node["properties"][step], (now or {}).get(step)
    if node["type"] == "boolean":
        return not now
    if node["type"] == "array" and "properties" in node["items"]:
        return [OTHERS["object"]]
    return next((word for word in node.get("enum", ()) if word != now), OTHERS[node["type"]])


def fields(freed: Freedom) -> list[tuple[str, str]]:
    return [(str(kind), field.name) for kind in CATALOG for field in kind.fields if freedom(kind, field) is freed]


@pytest.mark.parametrize("kind", BOUND)
def test_exactly_these_fields_are_bound(crd_of, kind):
    rules = schema_of(crd_of[kind]).get("x-kubernetes-validations", [])
    paths = {rule["fieldPath"].removeprefix(".spec.") for rule in rules}
    assert paths - {"sizeGB"} == BOUND[kind]


@pytest.mark.parametrize(("kind", "name"), fields(Freedom.BOUND))
def test_a_bound_field_cannot_change_once_the_resource_exists(crd_of, kind, name):
    old = thing(kind, resourceID="abc")
    new = with_field(old, name, another(crd_of[kind], old, name))
    assert refusals(crd_of[kind], old, new) == [f".spec.{name}"]


@pytest.mark.parametrize("status", [{}, {"resourceID": ""}, None])
@pytest.mark.parametrize(("kind", "name"), fields(Freedom.BOUND))
def test_before_that_it_can_be_corrected(crd_of, kind, name, status):
    old = thing(kind, **(status or {}))
    if status is None:
        del old["status"]
    new = with_field(old, name, another(crd_of[kind], old, name))
    assert refusals(crd_of[kind], old, new) == []


@pytest.mark.parametrize(("kind", "name"), fields(Freedom.FREE))
def test_a_free_field_can_always_change(crd_of, kind, name):
    old = thing(kind, resourceID="abc")
    for new in (with_field(old, name, another(crd_of[kind], old, name)), with_field(old, name, None)):
        assert refusals(crd_of[kind], old, new) == []
        assert refusals(crd_of[kind], new, old) == []


@pytest.mark.parametrize(("kind", "name"), [(k, n) for k, n in fields(Freedom.BOUND) if CATALOG[k].by_name[n].optional])
def test_neither_adding_nor_taking_away_gets_round_a_rule(crd_of, kind, name):
    full = thing(kind, resourceID="abc")
    less = with_field(full, name, None)
    full = with_field(full, name, another(crd_of[kind], less, name))
    assert refusals(crd_of[kind], full, less) == [f".spec.{name}"]
    assert refusals(crd_of[kind], less, full) == [f".spec.{name}"]
    assert refusals(crd_of[kind], less, less) == []


def test_a_volume_grows_and_never_shrinks(crd_of):
    old = thing("BlockStorage", resourceID="abc")
    assert refusals(crd_of["BlockStorage"], old, with_field(old, "sizeGB", 41)) == []
    assert refusals(crd_of["BlockStorage"], old, with_field(old, "sizeGB", 39)) == [".spec.sizeGB"]
    assert refusals(crd_of["BlockStorage"], old, with_field(old, "sizeGB", None)) == [".spec.sizeGB"]


def test_a_volume_may_shrink_before_it_exists(crd_of):
    old = thing("BlockStorage")
    assert refusals(crd_of["BlockStorage"], old, with_field(old, "sizeGB", 1)) == []


@pytest.mark.parametrize("status", [{}, {"resourceID": "abc"}])
def test_a_projects_tenant_is_fixed_from_the_start(crd_of, status):
    old = thing("Project", **status)
    for tenant in ("ARU-000002", None):
        assert refusals(crd_of["Project"], old, with_field(old, "tenant", tenant)) == [".spec.tenant"]


def test_a_project_without_a_tenant_can_still_be_written(crd_of):
    """Upstream's rule has no guard and refuses every later write of such a Project (behaviour §1.0)."""
    old = with_field(thing("Project", resourceID="abc"), "tenant", None)
    assert refusals(crd_of["Project"], old, with_field(old, "description", "new")) == []
    assert refusals(crd_of["Project"], old, with_field(old, "tenant", "ARU-000001")) == []


@pytest.mark.parametrize("kind", BOUND)
def test_objects_stored_without_a_spec_or_with_little_can_be_let_go(crd_of, kind):
    bare = {"apiVersion": "arubacloud.com/v1alpha1", "kind": kind, "metadata": {}, "status": {"resourceID": "abc"}}
    for old in (bare, {**bare, "spec": {}}):
        assert refusals(crd_of[kind], old, copy.deepcopy(old)) == []


def test_the_whole_spec_cannot_be_dropped(crd_of):
    old = thing("VPC", resourceID="abc")
    new = {name: value for name, value in old.items() if name != "spec"}
    assert sorted(refusals(crd_of["VPC"], old, new)) == [".spec.projectReference", ".spec.region"]


@pytest.mark.parametrize("kind", BOUND)
def test_a_refusal_reads_well(crd_of, kind):
    for rule in schema_of(crd_of[kind]).get("x-kubernetes-validations", []):
        name = rule["fieldPath"].removeprefix(".spec.")
        end = "can only grow" if name == "sizeGB" else "cannot be changed"
        assert rule["message"] == f"{name} {end} once the resource exists"
        assert rule["reason"] == "FieldValueForbidden"
