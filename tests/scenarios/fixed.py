"""Fields that cannot change once the resource exists: for each of them wrong values and other good ones.

The fields come from the declarations: whatever no change covers. A field that is new there needs a row here.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any, NamedTuple

from tests.cases import nine
from tests.world.house import House
from tests.world.manifests import TARGETS, ref, references

Object = dict[str, Any]
IGNORED = "tenant"
"""Says whose credentials are used; judged by its own rules (S13)."""
FIXED = [
    (kind, field.name)
    for kind in nine.ALL
    for field in nine.KINDS[kind].fields
    if field.name not in nine.KINDS[kind].mutable and field.name != IGNORED
]
"""Every field of every kind that no call changes."""
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOTHEROTHEROTHEROTHEROTHEROTHEROTHEROTHER other"
ELSEWHERE, SECOND = ref("elsewhere"), ref("second")
OWN_PLACE = ("VPC", "KeyPair", "ElasticIP", "BlockStorage")
"""Kinds whose only reference is the project, and which name a region to the cloud."""


class Wrong(NamedTuple):
    """A value that does not go through before creation: by which phase reason, and what the message says of it."""

    value: Any
    reason: str
    told: str


def _by_rule(value: Any, rule: str) -> Wrong:
    return Wrong(value, "IntentionValidationFailed", f"[{rule}]")


def _by_cloud(value: Any, told: str) -> Wrong:
    return Wrong(value, "ValidationFailed", told)


TENANT = "TenantMustMatch"
WRONG: dict[tuple[str, str], Wrong] = {
    **{(kind, "region"): _by_cloud("ITBG-Other", "Location Value: ITBG-Other not found") for kind in OWN_PLACE},
    **{(kind, "projectReference"): _by_rule(ELSEWHERE, f"{TENANT}Project") for kind in nine.CHILDREN},
    **{(kind, "vpcReference"): _by_rule(ELSEWHERE, f"{TENANT}VPC") for kind in ("Subnet", "SecurityGroup")},
    ("Subnet", "region"): _by_rule("ITBG-Other", "RegionMustMatchVPC"),
    ("Subnet", "cidr"): _by_rule("8.8.8.0/24", "Possible"),
    ("SecurityGroup", "region"): _by_rule("ITBG-Other", "RegionMustMatchVPC"),
    ("SecurityRule", "region"): _by_rule("ITBG-Other", "RegionMustMatchSecurityGroup"),
    ("SecurityRule", "vpcReference"): _by_rule(ELSEWHERE, "VPCMustMatchSecurityGroup"),
    ("SecurityRule", "securityGroupReference"): _by_rule(ELSEWHERE, f"{TENANT}SecurityGroup"),
    ("SecurityRule", "protocol"): _by_rule("ICMP", "PortFits"),
    ("SecurityRule", "port"): _by_rule("90-80", "PortFits"),
    ("SecurityRule", "target.type"): _by_rule("SecurityGroup", "TargetMustExist"),
    ("SecurityRule", "target.value"): _by_rule("no-range", "TargetFits"),
    ("KeyPair", "tags"): _by_rule(["abc"], "TagsFit"),
    ("KeyPair", "value"): _by_cloud("not a key", "an OpenSSH public key is expected"),
    ("BlockStorage", "zone"): _by_cloud("ITBG-9", "'ITBG-9' is not one of"),
    ("BlockStorage", "bootable"): _by_rule(False, "ImageWhenBootable"),
    ("BlockStorage", "image"): _by_cloud("XX99-001", "image 'XX99-001' not found"),
    ("CloudServer", "tags"): _by_rule(["abc"], "TagsFit"),
    ("CloudServer", "region"): _by_rule("ITBG-Other", "RegionMustMatchVPC"),
    ("CloudServer", "zone"): _by_rule("ITBG-2", "ZoneMustMatchBootVolume"),
    ("CloudServer", "flavorName"): _by_cloud("CSO9A9", "Product not found in catalog"),
    ("CloudServer", "vpcReference"): _by_rule(ELSEWHERE, "VPCMustMatchAllSubnets"),
    ("CloudServer", "keyPairReference"): _by_rule(ELSEWHERE, f"{TENANT}KeyPair"),
    ("CloudServer", "bootVolumeReference"): _by_rule(ref("plain"), "BootVolumeMustBeBootable"),
}
"""What a rule, or the cloud itself, refuses. For the others the schema knows all words that there are."""
GOOD: dict[tuple[str, str], Any] = {
    **{(kind, "projectReference"): SECOND for kind in OWN_PLACE},
    ("Subnet", "type"): "Basic",
    ("Subnet", "cidr"): "192.168.7.0/24",
    ("Subnet", "vpcReference"): SECOND,
    ("SecurityGroup", "vpcReference"): SECOND,
    ("SecurityRule", "protocol"): "UDP",
    ("SecurityRule", "port"): "8443",
    ("SecurityRule", "direction"): "Ingress",
    ("SecurityRule", "target.value"): "10.1.0.0/16",
    ("SecurityRule", "securityGroupReference"): SECOND,
    ("KeyPair", "value"): KEY,
    ("KeyPair", "tags"): ["other-tag"],
    ("BlockStorage", "zone"): "ITBG-2",
    ("BlockStorage", "type"): "Performance",
    ("BlockStorage", "image"): "LU24-001",
    ("CloudServer", "tags"): ["other-tag"],
    ("CloudServer", "flavorName"): "CSO2A4",
    ("CloudServer", "keyPairReference"): SECOND,
    ("CloudServer", "bootVolumeReference"): SECOND,
}
"""Other values that are as good, alone. The others are tied to what the references say, or have no second value."""


def other(kind: str, field: str) -> Any:
    """A value that the subject does not have and the schema takes; of references one within the same tenant."""
    if (kind, field) in GOOD:
        return GOOD[kind, field]
    return SECOND if field in TARGETS else WRONG[kind, field].value


def extras(kind: str, field: str, name: str) -> list[Object]:
    """What a reference of this field to `elsewhere`, `second` or `plain` leads to, after its own needs."""
    if field not in TARGETS:
        return []
    return _named(TARGETS[field], name)


def _named(kind: str, name: str) -> list[Object]:
    """An object of the kind under this name; `elsewhere` is another tenant's, with a project of its own."""
    item = deepcopy(nine.subject(kind))
    item["metadata"]["name"] = name
    before: list[Object] = []
    if name == "elsewhere":
        item["spec"]["tenant"] = "ARU-000002"
        for reference, found in references(item):
            found["name"] = name
            before += [one for one in _named(TARGETS[reference], name) if one not in before]
    if name == "plain":
        item["spec"] = {key: value for key, value in item["spec"].items() if key not in ("bootable", "image")}
    if kind == "Subnet":
        item["spec"]["cidr"] = "192.168.9.0/24"
    return [*before, item]


async def resource_of(house: House, field: str, reference: Object) -> str:
    """The ID behind a reference."""
    return str((await house.status(TARGETS[field], reference["name"]))["resourceID"])


def spec_with(kind: str, field: str, value: Any) -> Object:
    """The subject with one field, dotted, set to a value."""
    item = nine.subject(kind)
    place = item["spec"]
    *steps, last = field.split(".")
    for step in steps:
        place = place[step]
    if value is not None:
        place[last] = deepcopy(value)
    return item
