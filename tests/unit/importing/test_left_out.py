"""What gets no manifest, and the reason that is told for it."""

from __future__ import annotations

import pytest

from hooks.aruba.engine.notes import owner_tag
from tests.unit.importing.shop import (
    BOOT,
    COMPUTE,
    NET,
    SERVER,
    STORAGE,
    found,
    manifests,
    reasons,
    shop,
    sifted,
)


def test_a_key_without_its_value_and_the_server_that_needs_it():
    made = sifted(shop() | {"k1": found("KeyPair", "k1", {}, name="Ops")})
    assert reasons(made) == {
        "k1": "the cloud does not show spec.value, which has to be said",
        "c1": "it refers to KeyPair Ops (k1), which is left out",
    }
    assert str(made.left[0]) == "KeyPair Ops (k1) is left out: the cloud does not show spec.value, which has to be said"


def test_a_server_whose_boot_volume_is_not_shown():
    server = {name: value for name, value in SERVER.items() if name != "bootVolume"}
    assert "spec.bootVolumeReference" in reasons(sifted(shop() | {"c1": found("CloudServer", "c1", server)}))["c1"]


@pytest.mark.parametrize("state", ["Failed", "Disabled"])
def test_what_has_failed_says_why(state):
    rows = shop() | {"v1": found("VPC", "v1", state=state, trouble="PaymentRequired")}
    told = reasons(sifted(rows))
    assert told.pop("v1") == f"the cloud reports {state}: PaymentRequired"
    assert set(told) == {"s1", "g1", "r1", "c1"}
    assert all("which is left out" in why for why in told.values())


def test_what_is_being_deleted():
    told = reasons(sifted(shop() | {"e1": found("ElasticIP", "e1", state="Deleting")}))
    assert told["e1"] == "it is being deleted in the cloud"
    assert set(told) == {"e1", "c1"}


def test_what_another_object_made_is_its_own_unless_it_is_taken_over():
    rows = shop() | {"k1": found("KeyPair", "k1", {"value": "ssh-rsa A"}, tags=[owner_tag("some-uid")])}
    told = reasons(sifted(rows))
    assert owner_tag("some-uid") in told["k1"]
    assert "--take-over" in told["k1"]
    assert set(told) == {"k1", "c1"}


def test_what_is_being_made_is_adopted_and_marked():
    made = sifted(shop() | {"v1": found("VPC", "v1", state="Updating")})
    assert reasons(made) == {}
    assert "Updating" in next(one.remarks[0] for one in made.adopted if one.found.live.id == "v1")


def test_a_reference_to_something_that_is_not_there():
    gone = SERVER | {"keyPair": {"uri": f"{COMPUTE}/keyPairs/gone"}}
    told = reasons(sifted(shop() | {"c1": found("CloudServer", "c1", gone)}))
    assert told == {"c1": "it refers to KeyPair gone, which this project does not list"}


def test_two_addresses_where_a_spec_can_name_one():
    links = [*SERVER["linkedResources"], {"uri": f"{NET}/elasticIps/e2"}]
    rows = shop() | {
        "e2": found("ElasticIP", "e2", {"billingPlan": {"billingPeriod": "Hour"}}, state="Used"),
        "c1": found("CloudServer", "c1", SERVER | {"linkedResources": links}),
    }
    told = reasons(sifted(rows))
    assert set(told) == {"c1"}
    assert "spec.elasticIPReference can name one only" in told["c1"]


def test_a_value_that_the_schema_does_not_have():
    told = reasons(sifted(shop() | {"b1": found("BlockStorage", "b1", BOOT | {"billingPeriod": "Year"})}))
    assert "spec.billingPeriod" in told["b1"]
    assert set(told) == {"b1", "c1"}


def test_what_the_engine_would_refuse_is_told_in_its_words():
    told = reasons(sifted(shop() | {"k1": found("KeyPair", "k1", {"value": "ssh-rsa A"}, region="ITMI-Milan")}))
    assert told == {"c1": 'region "ITBG-Bergamo" does not match KeyPair region "ITMI-Milan"'}


def test_a_resource_that_says_it_belongs_elsewhere():
    row = found("SecurityGroup", "g1", {"vpc": {"uri": f"{NET}/vpcs/other"}})
    assert "the cloud says that it belongs to VPC other" in reasons(sifted(shop() | {"g1": row}))["g1"]


def test_reasons_are_one_line_whatever_the_cloud_says():
    row = found("VPC", "v1", state="Failed", trouble="a\n---\nkind: Secret", name="x\ny: z")
    made = sifted(shop() | {"v1": row})
    assert all("\n" not in str(left) for left in made.left)


def test_what_is_left_out_takes_no_name_from_others():
    """A failed resource of the same name is not written, so its namesake need not be told apart from it."""
    rows = shop() | {"k2": found("KeyPair", "k2", state="Failed", name="keypair-k1")}
    assert manifests(sifted(rows))["k1"]["metadata"]["name"] == "keypair-k1"


def test_a_volume_that_no_list_shows_keeps_its_server_out():
    links = [*SERVER["linkedResources"], {"uri": f"{STORAGE}/blockStorages/b9"}]
    told = reasons(sifted(shop() | {"c1": found("CloudServer", "c1", SERVER | {"linkedResources": links})}))
    assert told == {"c1": "it refers to BlockStorage b9, which this project does not list"}
