"""Kubernetes names from cloud names: valid, unique, and the same whatever the order of the listing."""

from __future__ import annotations

import re

import pytest

from hooks.aruba.importing.names import name_all
from tests.unit.importing.shop import found

VALID = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?")
IDS = ("66a10244f62b99c686572a9f", "66a10244f62b99c686572aa0")


def names(*rows):
    named = name_all(rows)
    return [named[row.key] for row in rows]


@pytest.mark.parametrize(
    ("cloud", "expected"),
    [
        ("shop-net", "shop-net"),
        ("shop.net", "shop.net"),
        ("Shop-Net", "shop-net"),
        ("My shop (prod)", "my-shop-prod"),
        ("--x__y--", "x-y"),
        ("Città", "citta"),
        ("a..b", "a-b"),
        ("商店", f"vpc-{IDS[0]}"),
        ("", f"vpc-{IDS[0]}"),
        ("x" * 80, "x" * 63),
        ("x\n---\nkind: Secret", "x-kind-secret"),
    ],
)
def test_what_becomes_of_a_name(cloud, expected):
    assert names(found("VPC", IDS[0], name=cloud)) == [expected]
    assert VALID.fullmatch(expected)


def test_namesakes_all_get_the_end_of_their_id_in_any_order():
    rows = [found("VPC", IDS[0], name="Shop"), found("VPC", IDS[1], name="shop")]
    assert names(*rows) == ["shop-572a9f", "shop-572aa0"]
    assert names(*reversed(rows)) == ["shop-572aa0", "shop-572a9f"]


def test_another_kind_is_no_namesake():
    assert names(found("VPC", IDS[0], name="shop"), found("KeyPair", IDS[1], name="shop")) == ["shop", "shop"]


def test_ids_that_end_alike_and_a_name_that_is_already_such_a_one():
    rows = [
        found("VPC", "1" + IDS[0], name="shop"),
        found("VPC", "2" + IDS[0], name="shop"),
        found("VPC", IDS[1], name="shop-572a9f"),
    ]
    made = names(*rows)
    assert len(set(made)) == 3
    assert all(VALID.fullmatch(name) and len(name) <= 63 for name in made)


def test_long_namesakes_stay_within_the_limit():
    made = names(*(found("VPC", one, name="x" * 70) for one in IDS))
    assert len(set(made)) == 2
    assert all(len(name) == 63 for name in made)
