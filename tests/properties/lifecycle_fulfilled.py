"""Whether a resource of the simulated cloud is what an object's spec asks for; judged without the operator's own rules.

Each kind's differences by field of the spec, as the cloud's own book-keeping has them. For `lifecycle_truth`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hooks.simulator.resource import Resource
from tests.world.judge import OWNER_TAG

Object = dict[str, Any]
Ids = Callable[[str, Any], set[str]]
"""From a reference field and its value to the IDs that the named objects have."""
MUTABLE_TAGS = ("Project", "VPC", "Subnet", "SecurityGroup", "SecurityRule", "ElasticIP", "BlockStorage")
BOUND = {
    "subnetReferences": "Subnet",
    "securityGroupReferences": "SecurityGroup",
    "elasticIPReference": "ElasticIP",
    "dataVolumeReferences": "BlockStorage",
}


def differences(item: Object, resource: Resource, ids: Ids) -> dict[str, tuple[Any, Any]]:
    """Field of the spec -> wanted and actual, for every field in which they are not the same."""
    spec, has = item["spec"], resource.properties
    sides = {
        "Project": lambda: {"description": (spec.get("description") or "", has["description"] or "")},
        "Subnet": lambda: _subnet(spec, has),
        "SecurityRule": lambda: _rule(spec, has),
        "KeyPair": lambda: {"value": (spec["value"], has["value"])},
        "ElasticIP": lambda: {"billingPeriod": (spec["billingPeriod"], has["billingPlan"]["billingPeriod"])},
        "BlockStorage": lambda: _volume(spec, has),
        "CloudServer": lambda: _server(spec, resource, ids),
    }.get(item["kind"], dict)()
    if item["kind"] != "Project" and resource.region is not None:
        sides["region"] = (spec["region"], resource.region)
    found = {field: pair for field, pair in sides.items() if pair[0] != pair[1]}
    wanted = set(spec.get("tags") or ())
    tags = {tag for tag in resource.tags or () if not OWNER_TAG.fullmatch(tag)}
    if tags != wanted and (item["kind"] in MUTABLE_TAGS or not wanted <= tags):
        found["tags"] = (wanted, tags)
    return found


def _subnet(spec: Object, has: Object) -> dict[str, tuple[Any, Any]]:
    return {
        "type": (spec["type"], has["type"]),
        "cidr": (spec["cidr"], has["network"]["address"]),
        "dhcp.enabled": (spec["dhcp"]["enabled"], has["dhcp"]["enabled"]),
    }


def _rule(spec: Object, has: Object) -> dict[str, tuple[Any, Any]]:
    return {
        "protocol": (spec["protocol"], has["protocol"]),
        "port": (spec["port"], has["port"]),
        "direction": (spec["direction"], has["direction"]),
        "target.value": (spec["target"]["value"], has["target"]["value"]),
    }


def _volume(spec: Object, has: Object) -> dict[str, tuple[Any, Any]]:
    fields = {"sizeGB": "sizeGb", "billingPeriod": "billingPeriod", "zone": "dataCenter", "image": "image"}
    return {name: (spec[name], has[there]) for name, there in fields.items() if spec.get(name) is not None}


def _server(spec: Object, server: Resource, ids: Ids) -> dict[str, tuple[Any, Any]]:
    """What was attached by somebody else, beyond the spec, is no difference."""
    found: dict[str, tuple[Any, Any]] = {
        "bootVolumeReference": (ids("bootVolumeReference", spec["bootVolumeReference"]), {server.hidden["boot"].id}),
        "keyPairReference": (ids("keyPairReference", spec["keyPairReference"]), {server.hidden["key"].id}),
    }
    found = {field: (next(iter(wanted), None), *has) for field, (wanted, has) in found.items() if wanted}
    found["flavorName"] = (spec["flavorName"], server.properties["flavorName"])
    for field in BOUND:
        wanted, there = ids(field, spec.get(field)), bound(server, field)
        found[field] = (wanted, there & wanted)
    return found


def bound(server: Resource, field: str) -> set[str]:
    """What the server holds, by the field of the spec that it belongs to."""
    held = {one.id for one in server.bound(BOUND[field])}
    return held - {server.hidden["boot"].id}
