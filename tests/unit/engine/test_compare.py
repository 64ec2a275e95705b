"""What a difference comes to: a call, a refusal, something to be told, or a resource that is not where it was made."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hooks.aruba.engine.compare import compare, digest
from hooks.aruba.engine.findings import Comparison, Extra, Refused
from hooks.aruba.engine.values import Diff, Violation
from hooks.aruba.model.live import Live
from tests.unit.engine.scene import Scene, absent, live, ref, scene, shown, unready

ROOT = Path(__file__).parents[3]
NETWORK = "/projects/prj-a-id/providers/Aruba.Network"
STORAGE = "/projects/prj-a-id/providers/Aruba.Storage/blockStorages"


def compared(item: Scene, seen: Live | None, path: str | None = None) -> Comparison:
    return compare(item.kind, item.resolved, item.past, seen, path)


# Digests


VALUES = {
    "tags": frozenset({"shop", "prod", "x-ray", "k8s-web"}),
    "size": 20,
    "on": True,
    "none": None,
    "ids": frozenset({"b1", "a1"}),
}
SCRIPT = f"""
from hooks.aruba.engine.compare import digest
print(digest({VALUES!r}), digest(["attach", frozenset({{"b", "a"}}), frozenset()]))
"""


@pytest.mark.parametrize("seed", ["0", "1", "4711"])
def test_a_digest_is_the_same_in_every_process(seed: str) -> None:
    """Sets come in another order in each; a replica must know the call that another one sent."""
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=ROOT,
        env=os.environ | {"PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    here = [digest(VALUES), digest(["attach", frozenset({"b", "a"}), frozenset()])]
    assert run.stdout.split() == here == ["101c578b1e73", "622147c6fcf9"]


def test_a_digest_tells_different_wishes_apart_and_not_the_order_of_members() -> None:
    assert digest(dict(reversed(VALUES.items()))) == digest(VALUES)
    others = [VALUES | {"size": 21}, VALUES | {"on": False}, VALUES | {"none": ""}, VALUES | {"tags": frozenset()}]
    told = {digest(values) for values in [VALUES, *others]}
    assert len(told) == 5
    assert digest(["attach", frozenset({"a"}), frozenset()]) != digest(["attach", frozenset(), frozenset({"a"})])


# One call, or none


def volume(size: int = 20, **spec: Any) -> Scene:
    return scene("BlockStorage", spec={"sizeGB": size, **spec})


def shown_volume(size: int = 20, **properties: Any) -> Live:
    body = {"sizeGb": size, "billingPeriod": "Hour", "dataCenter": "ITBG-1", "type": "Standard", **properties}
    return live(body, location={"value": "ITBG-Bergamo"})


def test_nothing_is_compared_without_a_resource_or_a_spec_that_can_be_read() -> None:
    assert compared(volume(), None) == Comparison()
    assert compared(volume(size="much"), shown_volume()) == Comparison()  # type: ignore[arg-type]


def test_what_is_as_wanted_needs_nothing() -> None:
    found = compared(volume(), shown_volume())
    assert (found.calls, found.refused, found.extra, found.strays, found.diff) == ((), (), (), (), Diff.NONE)
    assert len(found.asked) == 12


def test_one_put_settles_all_fields_that_it_covers() -> None:
    found = compared(volume(30, tags=["shop"]), shown_volume(billingPeriod="Month"))
    (needed,) = found.calls
    assert needed.fields == ("tags", "sizeGB", "billingPeriod")
    assert found.diff is Diff.CHANGE
    wishes = {"tags": frozenset({"shop"}), "sizeGB": 30, "billingPeriod": "Hour"}
    assert needed.digest == digest(wishes)


def test_the_digest_of_a_put_is_of_what_is_asked_for_not_of_what_differs() -> None:
    """A read that shows one half of it applied does not make another call of the other half."""
    both, half = shown_volume(), shown_volume(30)
    asked = volume(30, tags=["shop"])
    first, second = (compared(asked, seen).calls[0] for seen in (both, half))
    assert (first.fields, second.fields) == (("tags", "sizeGB"), ("tags",))
    assert first.digest == second.digest
    assert compared(volume(40, tags=["shop"]), both).calls[0].digest != first.digest


def test_a_volume_grows_and_never_shrinks() -> None:
    found = compared(volume(10), shown_volume())
    assert (found.calls, found.refused, found.diff) == ((), (Refused("sizeGB", 10, 20),), Diff.REFUSED)
    assert [needed.fields for needed in compared(volume(21), shown_volume()).calls] == [("sizeGB",)]


def test_what_no_call_settles_is_refused_and_the_rest_is_still_sent() -> None:
    found = compared(volume(30, zone="ITBG-2", type="Performance"), shown_volume())
    assert [needed.fields for needed in found.calls] == [("sizeGB",)]
    assert found.refused == (Refused("zone", "ITBG-2", "ITBG-1"), Refused("type", "Performance", "Standard"))
    assert found.diff is Diff.BOTH


def test_what_is_asked_for_has_no_digest_while_a_reference_is_not_known() -> None:
    known = compared(scene("VPC"), live())
    assert compared(scene("VPC", spec={"tags": ["shop"]}), live()).asked != known.asked != ""
    for other in (absent("Project", "shop-prod"), unready("Project", "shop-prod")):
        assert compared(scene("VPC", others=[other]), live()).asked == ""


# Actions on a server's lists


def server(status: dict[str, Any] | None = None, others: tuple[Any, ...] = (), **spec: Any) -> Scene:
    return scene("CloudServer", spec=spec, status=status or {"resourceID": "thing-id"}, others=list(others))


def shown_server(subnets: list[str], *uris: str) -> Live:
    cards = [{"subnet": f"{NETWORK}/vpcs/net-a-id/subnets/{one}"} for one in subnets]
    group = f"{NETWORK}/vpcs/net-a-id/securityGroups/shop-web-id"
    links = [{"uri": uri} for uri in (group, *uris)]
    boot = {"uri": f"{STORAGE}/shop-web1-boot-id"}
    return live({"networkInterfaces": cards, "linkedResources": links, "bootVolume": boot})


FRONT = "shop-front-id"


def test_a_server_as_wanted_needs_nothing() -> None:
    found = compared(server(), shown_server([FRONT], f"{STORAGE}/shop-web1-boot-id"))
    assert (found.calls, found.refused, found.extra) == ((), (), ())


def test_what_was_attached_by_hand_is_told_and_left() -> None:
    seen = shown_server([FRONT, "other-net"], f"{STORAGE}/disk-x", f"{NETWORK}/elasticIps/addr-x")
    found = compared(server(), seen)
    assert (found.calls, found.refused, found.diff) == ((), (), Diff.NONE)
    assert found.extra == (
        Extra("subnetReferences", frozenset({"other-net"})),
        Extra("dataVolumeReferences", frozenset({"disk-x"})),
        Extra("elasticIPReference", frozenset({"addr-x"})),
    )


def test_what_was_ours_is_taken_away_and_what_was_not_stays() -> None:
    status = {"resourceID": "thing-id", "dataVolumeIDs": ["DISK-A"]}
    seen = shown_server([FRONT], f"{STORAGE}/disk-a", f"{STORAGE}/disk-x")
    found = compared(server(status), seen)
    (needed,) = found.calls
    assert (needed.fields, needed.add, needed.remove) == (("dataVolumeReferences",), frozenset(), {"disk-a"})
    assert needed.digest == digest(["attachDetachDataVolumes", frozenset(), frozenset({"disk-a"})])
    assert found.extra == (Extra("dataVolumeReferences", frozenset({"disk-x"})),)


@pytest.mark.parametrize("missing", [absent, unready])
def test_nothing_is_taken_away_while_a_reference_of_the_list_is_not_known(missing: Any) -> None:
    """An object that is missing for a moment, as after a restore, must not detach anything."""
    status = {"resourceID": "thing-id", "dataVolumeIDs": ["disk-a-id", "disk-b-id"]}
    spec = {"dataVolumeReferences": [ref("disk-a")]}
    seen = shown_server([FRONT], f"{STORAGE}/disk-a-id", f"{STORAGE}/disk-b-id")
    assert [needed.remove for needed in compared(server(status, **spec), seen).calls] == [{"disk-b-id"}]
    found = compared(server(status, (missing("BlockStorage", "disk-a"),), **spec), seen)
    assert (found.calls, found.extra) == ((), ())


def test_what_is_not_active_yet_is_not_attached() -> None:
    spec = {"dataVolumeReferences": [ref("disk-a"), ref("disk-b")]}
    (needed,) = compared(server(**spec), shown_server([FRONT])).calls
    assert needed.add == {"disk-a-id", "disk-b-id"}
    coming = shown("BlockStorage", "disk-b")
    coming["status"]["phase"] = "Provisioning"
    for other in (unready("BlockStorage", "disk-b"), coming):
        (needed,) = compared(server(None, (other,), **spec), shown_server([FRONT])).calls
        assert needed.add == {"disk-a-id"}


def test_what_is_wanted_and_can_not_be_attached_is_awaited() -> None:
    """An address whose resource was lost, a volume that failed: a server without them is not as wanted. What is
    attached already is not asked about.
    """
    spec = {"dataVolumeReferences": [ref("disk-a"), ref("disk-b")]}
    broken = shown("BlockStorage", "disk-b")
    broken["status"]["phase"] = "Failed"
    item = server(None, (broken,), **spec)
    one, both = [f"{STORAGE}/disk-a-id"], [f"{STORAGE}/disk-a-id", f"{STORAGE}/disk-b-id"]
    assert compared(item, shown_server([FRONT], *one)).awaited == (
        f"BlockStorage {broken['metadata']['namespace']}/disk-b has failed",
    )
    assert compared(item, shown_server([FRONT], *both)).awaited == ()


def test_calls_come_in_the_order_of_the_kind_and_each_has_its_own_digest() -> None:
    spec = {"subnetReferences": [ref("net-b")], "elasticIPReference": ref("addr-a")}
    status = {"resourceID": "thing-id", "subnetIDs": [FRONT]}
    found = compared(server(status, **spec), shown_server([FRONT]))
    assert [needed.change.name for needed in found.calls] == [  # type: ignore[union-attr]
        "associateDisassociateSubnets",
        "associateDisassociateElasticIPs",
    ]
    first, second = found.calls
    assert (first.add, first.remove, second.add, second.remove) == ({"net-b-id"}, {FRONT}, {"addr-a-id"}, set())
    assert first.digest != second.digest


# Where it is


RULE_PATH = f"{NETWORK}/vpcs/net-a-id/securityGroups/shop-web-id/securityRules"


def test_a_reference_on_the_path_that_leads_elsewhere_is_refused() -> None:
    item = scene("Subnet", spec={"vpcReference": ref("net-b")})
    found = compared(item, live(), "/projects/SHOP-PROD-ID/providers/Aruba.Network/vpcs/net-a-id/subnets")
    assert found.refused == (Refused("vpcReference", "net-b-id", "net-a-id"),)


STRAYS = [
    ({}, {}, []),
    ({"vpc": {"uri": f"{NETWORK}/vpcs/net-a-id"}}, {"project": {"id": "prj-a-id"}}, []),
    ({"vpc": {"uri": "/x/vpcs/NET-A-ID/"}}, {"project": {"id": "PRJ-A-ID"}}, []),
    ({"vpc": None}, {"project": {"id": None}}, []),
    ({"vpc": {"uri": ""}}, {"project": {"id": ""}}, []),
    ({"vpc": "odd"}, {"project": {"id": 17}}, []),
    ({}, {"project": {"id": "prj-b"}}, ["ProjectMustMatchCloud"]),
    ({"vpc": {"uri": f"{NETWORK}/vpcs/net-b"}}, {}, ["VPCMustMatchCloud"]),
    ({"vpc": {"uri": "net-b"}}, {"project": {"id": "prj-b"}}, ["ProjectMustMatchCloud", "VPCMustMatchCloud"]),
]


@pytest.mark.parametrize(("properties", "metadata", "rules"), STRAYS)
def test_parents_that_the_live_resource_names(properties: Any, metadata: Any, rules: list[str]) -> None:
    """Post validation: a parent that is not named is no conflict."""
    found = compared(scene("SecurityRule"), live(properties, **metadata), RULE_PATH)
    assert [stray.rule for stray in found.strays] == rules


def test_a_stray_names_both_parents_and_the_field() -> None:
    path = "/projects/prj-a-id/providers/Aruba.Network/vpcs"
    found = compared(scene("VPC"), live(project={"id": "prj-b"}), path)
    text = "the cloud says that it belongs to Project prj-b, but spec.projectReference leads to prj-a-id"
    assert found.strays == (Violation("ProjectMustMatchCloud", text),)
    assert compared(scene("VPC"), live(project={"id": "prj-b"}), None).strays == ()
