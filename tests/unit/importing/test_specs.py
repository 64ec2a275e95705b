"""Specs from what the cloud shows: in the schema's words, references by name, gaps filled from relatives."""

from __future__ import annotations

import pytest

from hooks.aruba.engine.notes import owner_tag
from hooks.aruba.importing import Place, sift
from tests.unit.importing.shop import (
    ANYWHERE,
    BOOT,
    CATALOG,
    GROUP,
    PATHS,
    RULE,
    SERVER,
    found,
    manifests,
    reasons,
    shop,
    sifted,
    spec,
)


def ref(name):
    return {"name": name, "namespace": "shop"}


def test_a_whole_project_comes_through():
    made = sifted(shop())
    assert made.left == ()
    assert set(manifests(made)) == set(shop())
    assert spec(made, "c1") == {
        "region": "ITBG-Bergamo",
        "projectReference": ref("project-p1"),
        "zone": "ITBG-2",
        "flavorName": "CSO2A4",
        "vpcReference": ref("vpc-v1"),
        "subnetReferences": [ref("subnet-s1")],
        "securityGroupReferences": [ref("securitygroup-g1")],
        "keyPairReference": ref("keypair-k1"),
        "bootVolumeReference": ref("blockstorage-b1"),
        "dataVolumeReferences": [ref("blockstorage-b2")],
        "elasticIPReference": ref("elasticip-e1"),
    }


def test_every_object_comes_after_what_it_refers_to():
    seen = set()
    for one in sifted(dict(reversed(shop().items()))).adopted:
        for field in one.found.kind.references:
            value = one.manifest["spec"].get(field.name) or []
            for named in value if isinstance(value, list) else [value]:
                assert (field.to.kind, named["name"]) in seen
        seen.add((one.manifest["kind"], one.manifest["metadata"]["name"]))


def test_annotations_say_the_id_and_a_name_that_differs():
    rows = shop() | {"v1": found("VPC", "v1", {"default": False}, name="Shop Net")}
    made = manifests(sifted(rows))
    assert made["v1"]["metadata"] == {
        "name": "shop-net",
        "namespace": "shop",
        "annotations": {"arubacloud.com/resource-id": "v1", "arubacloud.com/resource-name": "Shop Net"},
    }
    assert made["k1"]["metadata"]["annotations"] == {"arubacloud.com/resource-id": "k1"}


RULES = [
    ({"protocol": "ANY", "port": None}, {"protocol": "ALL"}),
    ({"protocol": "any"}, {"protocol": "ALL"}),
    ({"protocol": "ICMP", "port": None}, {"protocol": "ICMP"}),
    ({"protocol": "ICMP", "port": "0"}, {"protocol": "ICMP"}),
    ({"protocol": "tcp", "port": "443"}, {"protocol": "TCP", "port": "443"}),
    ({"protocol": "TCP", "port": "*"}, {"protocol": "TCP", "port": "ALL"}),
    ({"protocol": "UDP", "port": {"value": "80-90"}}, {"protocol": "UDP", "port": "80-90"}),
]


@pytest.mark.parametrize(("shown", "expected"), RULES)
def test_a_rule_is_said_in_our_words(shown, expected):
    row = found("SecurityRule", "r1", RULE | {"port": None} | shown, region=None)
    made = spec(sifted(shop() | {"r1": row}), "r1")
    assert {name: made[name] for name in ("protocol", "port") if name in made} == expected
    assert made["target"] == {"type": "Ip", "value": ANYWHERE["value"]}


def test_a_rule_about_a_group_names_it_by_our_path():
    target = {"kind": "securityGroup", "value": GROUP.replace("securityGroups", "securitygroups")}
    made = spec(sifted(shop() | {"r1": found("SecurityRule", "r1", RULE | {"target": target})}), "r1")
    assert made["target"] == {"type": "SecurityGroup", "value": GROUP}


def test_older_words_for_a_period_and_an_empty_description():
    made = sifted(shop())
    assert spec(made, "e1")["billingPeriod"] == "Hour"
    assert spec(made, "p1") == {}
    rows = shop() | {"p1": found("Project", "p1", {"description": "Web shop"})}
    assert spec(sifted(rows), "p1") == {"description": "Web shop"}


def test_owner_tags_are_not_the_user_s():
    tag = owner_tag("some-uid")
    rows = shop() | {"k1": found("KeyPair", "k1", {"value": "ssh-rsa A"}, tags=["shop", tag, "k8s-other"])}
    made = sift(CATALOG, list(rows.values()), Place("shop", take_over=True))
    assert spec(made, "k1")["tags"] == ["shop", "k8s-other"]
    assert manifests(made)["k1"]["metadata"]["annotations"]["arubacloud.com/adoption-policy"] == "always"
    remarks = {one.found.live.id: one.remarks for one in made.adopted}
    assert tag in remarks["k1"][0]
    assert "tags" not in spec(made, "v1")
    assert "arubacloud.com/adoption-policy" not in manifests(made)["v1"]["metadata"]["annotations"]


def test_region_comes_from_the_owner_and_zone_from_the_user():
    rows = {key: row for key, row in shop().items() if row.kind.names.kind != "CloudServer"}
    rows["v1"] = found("VPC", "v1", region="ITMI-Milan")
    made = sifted(rows)
    assert [spec(made, one)["region"] for one in ("s1", "g1", "r1")] == ["ITMI-Milan"] * 3
    assert spec(sifted(shop()), "b2")["zone"] == "ITBG-2"
    assert "zone" not in spec(made, "b2")


def test_a_region_in_other_letters_is_said_as_its_owner_says_it():
    rows = shop() | {"s1": found("Subnet", "s1", shop()["s1"].live.body["properties"], region="itbg-bergamo")}
    made = sifted(rows)
    assert reasons(made) == {}
    assert spec(made, "s1")["region"] == "ITBG-Bergamo"


def test_a_tenant_is_named_only_when_it_is_given():
    made = sift(CATALOG, list(shop().values()), Place("shop", "ARU-1"))
    assert {one.manifest["spec"]["tenant"] for one in made.adopted} == {"ARU-1"}
    assert not any("tenant" in one.manifest["spec"] for one in sifted(shop()).adopted)


def test_what_the_platform_makes_by_itself_is_marked():
    rule = found("SecurityRule", "r1", RULE, data={"private": {"unremovable": True}})
    rows = shop() | {
        "g1": found("SecurityGroup", "g1", {"default": True}),
        "r1": rule,
        "b1": found("BlockStorage", "b1", BOOT, state="Used", managed="KaaS"),
    }
    remarks = {one.found.live.id: " / ".join(one.remarks) for one in sifted(rows).adopted}
    assert "the default SecurityGroup" in remarks["g1"]
    assert "it lies in the default SecurityGroup" in remarks["r1"]
    assert "refuses to delete it" in remarks["r1"]
    assert "managed by KaaS" in remarks["b1"]
    assert [remarks[one] for one in ("p1", "v1", "s1", "k1", "e1", "c1")] == [""] * 6


def test_a_server_may_have_no_address_and_no_data():
    links = [link for link in SERVER["linkedResources"] if link["uri"] == GROUP]
    made = spec(sifted(shop() | {"c1": found("CloudServer", "c1", SERVER | {"linkedResources": links})}), "c1")
    assert "elasticIPReference" not in made
    assert "dataVolumeReferences" not in made


def test_paths_are_those_of_the_kinds():
    assert all(row.kind.collection.at(row.kind.collection.ids(PATHS[str(row.kind)])) for row in shop().values())
