"""Rules about values: each with its words, and only for what is about to be sent (cases 17, 27, 68)."""

from __future__ import annotations

from typing import Any

import pytest

from hooks.aruba.engine.sendable import unfit, unfit_fields
from hooks.aruba.engine.values import Violation
from tests.unit.engine.scene import Scene, absent, ref, scene, shown


def before_creation(item: Scene) -> list[str]:
    return [f"[{v.rule}] {v.text}" for v in unfit(item.kind, item.parent, item.resolved)]


def for_fields(item: Scene, *fields: str) -> list[str]:
    return [violation.rule for violation in unfit_fields(item.kind, item.resolved, fields)]


# Names


@pytest.mark.parametrize("name", ["main", "a" * 50, "A-1b", "1234", "a--b", "4chr"])
def test_names_that_fit(name: str) -> None:
    assert before_creation(scene("VPC", name=name)) == []


@pytest.mark.parametrize(
    "name", ["net", "a" * 51, "-net-a", "net-a-", "----", "net.a", "net_a", "net a", "nèt-a", "net-a\n"]
)
def test_names_that_do_not_fit(name: str) -> None:
    text = (
        f"[NameFits] the cloud takes names of 4 to 50 letters, digits and hyphens, with no hyphen first or last; "
        f"{name!r} is none: set the annotation arubacloud.com/resource-name to one that is"
    )
    assert before_creation(scene("VPC", name=name)) == [text]
    assert before_creation(scene("VPC", noted={"resource_name": name})) == [text]


def test_the_annotation_counts_where_it_names_one() -> None:
    assert before_creation(scene("VPC", name="net", noted={"resource_name": "net-a"})) == []
    assert len(before_creation(scene("VPC", name="net", noted={"resource_name": ""}))) == 1


def test_a_name_is_never_about_to_be_sent_again() -> None:
    item = scene("VPC", name="net", spec={"tags": ["shop"]})
    assert for_fields(item, *(f.name for f in item.kind.fields)) == []


# Tags


@pytest.mark.parametrize("tags", [None, [], ["shop"], ["a" * 30], ["-a-b"], ["shop", "shop"]])
def test_tags_that_fit(tags: Any) -> None:
    assert before_creation(scene("VPC", spec={"tags": tags})) == []


@pytest.mark.parametrize(
    ("tags", "named"),
    [
        (["web"], "'web'"),
        (["shop", ""], "''"),
        (["a" * 31], repr("a" * 31)),
        (["env=prod", "shop", "a b c d", "env=prod"], "'env=prod', 'a b c d'"),
        (["1", "2", "3", "4", "5", "6"], "'1', '2', '3', '4', '5'"),
    ],
)
def test_tags_that_do_not_fit(tags: list[str], named: str) -> None:
    text = f"[TagsFit] the cloud takes tags of 4 to 30 letters, digits and hyphens; spec.tags has {named}"
    assert before_creation(scene("VPC", spec={"tags": tags})) == [text]


def test_tags_bind_only_where_they_are_sent() -> None:
    item = scene("BlockStorage", spec={"tags": ["web"], "billingPeriod": "Month"})
    assert for_fields(item, "sizeGB") == []
    assert for_fields(item, "tags") == ["TagsFit"]
    assert for_fields(item, "billingPeriod") == ["HourlyOnly"]
    assert for_fields(item, "sizeGB", "tags", "billingPeriod") == ["TagsFit", "HourlyOnly"]


# The same object twice


def test_one_object_twice_in_a_list() -> None:
    twice = [ref("net-a"), ref("net-b"), ref("net-b"), ref("net-a")]
    item = scene("CloudServer", spec={"subnetReferences": twice}, others=[bootable()])
    assert before_creation(item) == ["[NoDuplicates] spec.subnetReferences names default/net-b more than once"]
    assert for_fields(item, "subnetReferences") == ["NoDuplicates"]
    assert for_fields(item, "dataVolumeReferences") == []


def test_the_same_name_elsewhere_is_another_object() -> None:
    two = [ref("net-a"), {"name": "net-a", "namespace": "other"}]
    assert before_creation(scene("CloudServer", spec={"subnetReferences": two}, others=[bootable()])) == []


# Rules of a kind, and about what is referred to


def bootable(**spec: Any) -> dict[str, Any]:
    return shown("BlockStorage", "shop-web1-boot", **({"bootable": True, "image": "LU24-001"} | spec))


@pytest.mark.parametrize(("volume", "rules"), [({}, 0), ({"bootable": False}, 1), ({"bootable": None}, 1)])
def test_a_server_starts_only_from_a_bootable_volume(volume: dict[str, Any], rules: int) -> None:
    item = scene("CloudServer", others=[bootable(**volume)])
    text = (
        "[BootVolumeMustBeBootable] BlockStorage default/shop-web1-boot is not bootable: "
        "it needs spec.bootable: true and spec.image"
    )
    assert before_creation(item) == [text] * rules
    assert for_fields(item, "bootVolumeReference") == ["BootVolumeMustBeBootable"] * rules
    assert for_fields(item, "elasticIPReference", "tags") == []


def test_what_was_not_shown_is_waited_for_first() -> None:
    assert before_creation(scene("CloudServer", others=[absent("BlockStorage", "shop-web1-boot")])) == []


def test_a_rule_of_the_kind_binds_with_any_of_its_fields() -> None:
    item = scene("CloudServer", spec={"dataVolumeReferences": [ref("shop-web1-boot")]}, others=[bootable()])
    assert for_fields(item, "dataVolumeReferences") == ["BootVolumeIsNoDataVolume"]
    assert for_fields(item, "bootVolumeReference") == ["BootVolumeIsNoDataVolume"]
    assert for_fields(item, "subnetReferences") == []


def test_rules_come_in_a_fixed_order() -> None:
    spec = {"tags": ["web"], "subnetReferences": [ref("net-a")] * 2, "dataVolumeReferences": [ref("shop-web1-boot")]}
    item = scene("CloudServer", name="srv", spec=spec, others=[bootable(bootable=False)])
    rules = [violation.rule for violation in unfit(item.kind, item.parent, item.resolved)]
    assert rules == ["NameFits", "TagsFit", "NoDuplicates", "BootVolumeIsNoDataVolume", "BootVolumeMustBeBootable"]


def test_a_spec_that_cannot_be_read_breaks_no_rule_here() -> None:
    item = scene("BlockStorage", name="net", spec={"sizeGB": "much", "tags": ["web"]})
    assert item.resolved.spec is None
    assert (before_creation(item), for_fields(item, "tags")) == ([], [])


HOURLY = "spec.billingPeriod Month is not possible for a volume: the cloud takes Hour only"


@pytest.mark.parametrize(
    ("kind", "spec", "expected"),
    [
        ("BlockStorage", {"billingPeriod": "Month"}, Violation("HourlyOnly", HOURLY)),
        ("ElasticIP", {"billingPeriod": "Month"}, None),
        (
            "BlockStorage",
            {"image": "LU24-001"},
            Violation("ImageWhenBootable", "spec.image 'LU24-001' needs spec.bootable: true"),
        ),
        (
            "BlockStorage",
            {"bootable": True},
            Violation("ImageWhenBootable", "spec.image is needed on a bootable volume, for example LU24-001"),
        ),
        ("Subnet", {"cidr": "10.20.1.0/24"}, None),
        (
            "Subnet",
            {"cidr": "11.0.0.0/24"},
            Violation("Possible", "spec.cidr 11.0.0.0/24 is not inside 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16"),
        ),
        (
            "Subnet",
            {"cidr": "10.0.0.1/24"},
            Violation("Possible", "spec.cidr 10.0.0.1/24 is not an IPv4 range: 10.0.0.1/24 has host bits set"),
        ),
    ],
)
def test_the_words_of_the_kinds_own_rules(kind: str, spec: dict[str, Any], expected: Violation | None) -> None:
    item = scene(kind, spec=spec)
    assert unfit(item.kind, item.parent, item.resolved) == (() if expected is None else (expected,))
