"""Both sides in the same words: when two values are the same, and what is no opinion (design §4, cases 15)."""

from __future__ import annotations

from typing import Any

import pytest

from hooks.aruba.engine.notes import owner_tag
from hooks.aruba.engine.sides import actual, as_set, differ, wanted
from tests.unit.engine.scene import CATALOG, UID, linked, live, ref, scene, unready

NOBODY: frozenset[str] = frozenset()


def field(kind: str, name: str) -> Any:
    return CATALOG[kind].by_name[name]


DIFFER = [
    ("VPC", "region", "ITBG-Bergamo", "itbg-BERGAMO", False),
    ("VPC", "region", "ITBG-Bergamo", " ITBG-Bergamo\n", False),
    ("VPC", "region", "ITBG-Bergamo", "ITMI-Milan", True),
    ("VPC", "region", "ITBG-Bergamo", None, False),
    ("VPC", "tags", frozenset({"shop"}), frozenset({"shop", "more"}), True),
    ("VPC", "tags", NOBODY, frozenset({"more"}), True),
    ("VPC", "tags", frozenset({"shop"}), frozenset({"Shop"}), True),
    ("KeyPair", "tags", frozenset({"shop"}), frozenset({"shop", "more"}), False),
    ("KeyPair", "tags", frozenset({"shop", "more"}), frozenset({"shop"}), True),
    ("KeyPair", "value", "ssh-ed25519 AAAA ops", "ssh-ed25519 AAAA ops ", False),
    ("KeyPair", "value", "ssh-ed25519 AAAA ops", "ssh-ed25519 aaaa ops", True),
    ("Subnet", "type", "Advanced", "advanced", False),
    ("Subnet", "dhcp.enabled", False, True, True),
    ("Subnet", "dhcp.enabled", False, None, False),
    ("BlockStorage", "sizeGB", 20, 21, True),
    ("BlockStorage", "type", None, "Standard", False),
    ("BlockStorage", "bootable", None, True, False),
    ("Project", "description", "", "anything", True),
    ("Project", "description", "Shop", "shop", True),
    ("CloudServer", "keyPairReference", "a", "b", True),
    ("CloudServer", "keyPairReference", None, "b", False),
    ("CloudServer", "elasticIPReference", None, "b", True),
    ("CloudServer", "elasticIPReference", None, NOBODY, False),
    ("CloudServer", "elasticIPReference", "b", frozenset({"a", "b"}), True),
    ("CloudServer", "elasticIPReference", "b", None, False),
    ("CloudServer", "subnetReferences", frozenset({"a", "b"}), frozenset({"b", "a"}), False),
    ("CloudServer", "subnetReferences", frozenset({"a"}), frozenset({"b", "a"}), True),
    ("CloudServer", "dataVolumeReferences", NOBODY, frozenset({"a"}), True),
]


@pytest.mark.parametrize(("kind", "name", "asked", "has", "expected"), DIFFER)
def test_when_two_values_differ(kind: str, name: str, asked: Any, has: Any, expected: bool) -> None:
    assert differ(CATALOG[kind], field(kind, name), asked, has) is expected


def test_what_is_left_out_is_asked_for_only_where_the_kind_says_so() -> None:
    assert wanted(CATALOG["Project"], scene("Project").resolved) == {"tags": NOBODY, "description": ""}
    said = scene("Project", spec={"description": "Shop"}).resolved
    assert wanted(CATALOG["Project"], said)["description"] == "Shop"
    volume = wanted(CATALOG["BlockStorage"], scene("BlockStorage").resolved)
    assert {name: volume[name] for name in ("type", "bootable", "image")} == dict.fromkeys(
        ("type", "bootable", "image")
    )


@pytest.mark.parametrize(("shown", "expected"), [({"description": None}, ""), ({}, ""), ({"description": "x"}, "x")])
def test_a_description_is_always_shown(shown: dict[str, Any], expected: str) -> None:
    assert actual(CATALOG["Project"], live(shown))["description"] == expected


def test_owner_tags_are_on_neither_side() -> None:
    tag, other = owner_tag(UID), owner_tag("another")
    asked = wanted(CATALOG["VPC"], scene("VPC", spec={"tags": ["shop", tag, "k8s-prod"]}).resolved)
    has = actual(CATALOG["VPC"], live(tags=["k8s-prod", tag, other, "shop"]))
    assert asked["tags"] == has["tags"] == {"shop", "k8s-prod"}


def test_references_compare_by_id_and_only_those_that_have_one() -> None:
    subnets = [ref("Front"), ref("back"), ref("late")]
    spec = {"subnetReferences": subnets, "elasticIPReference": ref("Addr")}
    asked = wanted(CATALOG["CloudServer"], scene("CloudServer", spec=spec, others=[unready("Subnet", "late")]).resolved)
    assert asked["subnetReferences"] == {"front-id", "back-id"}
    assert (asked["elasticIPReference"], asked["dataVolumeReferences"]) == ("addr-id", NOBODY)


ADDRESS = "/projects/P/providers/Aruba.Network/elasticIps/"


@pytest.mark.parametrize(
    ("links", "expected"),
    [([], NOBODY), ([ADDRESS + "E1"], {"e1"}), ([ADDRESS + "E1/", ADDRESS + "E2"], {"e1", "e2"})],
)
def test_a_single_reference_that_is_seen_among_links(links: list[str], expected: Any) -> None:
    """Links without one say that there is none, which is an opinion."""
    has = actual(CATALOG["CloudServer"], linked(*links))["elasticIPReference"]
    assert has is not None
    assert as_set(has) == expected
    assert differ(CATALOG["CloudServer"], field("CloudServer", "elasticIPReference"), "addr-id", has)


def test_a_server_without_links_has_no_opinion_on_what_is_linked() -> None:
    has = actual(CATALOG["CloudServer"], live())
    assert [has[name] for name in ("elasticIPReference", "securityGroupReferences", "subnetReferences")] == [None] * 3


def rule(**spec: Any) -> dict[str, Any]:
    return dict(wanted(CATALOG["SecurityRule"], scene("SecurityRule", spec=spec).resolved))


def shown_rule(**properties: Any) -> dict[str, Any]:
    return dict(actual(CATALOG["SecurityRule"], live(properties)))


def test_a_rule_is_compared_in_the_clouds_own_words() -> None:
    asked = rule(protocol="ALL", port="ALL", target={"type": "Ip", "value": "10.0.0.1/8"})
    assert (asked["protocol"], asked["port"], asked["target.value"]) == ("ANY", None, "10.0.0.0/8")
    has = shown_rule(protocol="Any", port={"value": "*"}, target={"kind": "IP", "value": "10.0.0.0/8"})
    assert (has["protocol"], has["port"], has["target.value"]) == ("ANY", None, "10.0.0.0/8")
    fields = CATALOG["SecurityRule"].fields
    assert [
        f.name for f in fields if f.compared and differ(CATALOG["SecurityRule"], f, asked[f.name], has[f.name])
    ] == []


def test_a_rule_for_a_group_is_compared_by_its_id() -> None:
    uri = "/projects/P/providers/Aruba.Network/vpcs/V/securityGroups/G1"
    asked = rule(target={"type": "SecurityGroup", "value": uri})
    assert asked["target.value"] == "g1"
    assert shown_rule(target={"kind": "securitygroup", "value": uri.upper()})["target.value"] == "g1"


@pytest.mark.parametrize(
    ("value", "expected"), [(None, NOBODY), ("a", {"a"}), (frozenset({"a", "b"}), {"a", "b"}), (NOBODY, NOBODY)]
)
def test_one_none_or_several_as_a_set(value: Any, expected: Any) -> None:
    assert as_set(value) == expected
