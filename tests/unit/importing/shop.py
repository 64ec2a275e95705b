"""A small project as the cloud shows it, written down by hand: one resource of every kind, each after its needs."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from hooks.aruba.importing import Found, Import, Place, sift
from hooks.aruba.kinds import discover
from hooks.aruba.model.live import Live

Object = dict[str, Any]
CATALOG = discover()
PLACE = Place("shop")
P = "/projects/p1"
NET, COMPUTE, STORAGE = (f"{P}/providers/Aruba.{name}" for name in ("Network", "Compute", "Storage"))
VPC = f"{NET}/vpcs/v1"
GROUP = f"{VPC}/securityGroups/g1"
PATHS = {
    "Project": "/projects",
    "VPC": f"{NET}/vpcs",
    "Subnet": f"{VPC}/subnets",
    "SecurityGroup": f"{VPC}/securityGroups",
    "SecurityRule": f"{GROUP}/securityRules",
    "KeyPair": f"{COMPUTE}/keyPairs",
    "ElasticIP": f"{NET}/elasticIps",
    "BlockStorage": f"{STORAGE}/blockStorages",
    "CloudServer": f"{COMPUTE}/cloudServers",
}
ANYWHERE = {"kind": "IP", "value": "0.0.0.0/0"}
RULE = {"direction": "Ingress", "protocol": "TCP", "port": "443", "target": ANYWHERE}
SERVER = {
    "dataCenter": "ITBG-2",
    "flavor": {"name": "CSO2A4"},
    "vpc": {"uri": VPC},
    "keyPair": {"uri": f"{COMPUTE}/keyPairs/k1"},
    "bootVolume": {"uri": f"{STORAGE}/blockStorages/b1"},
    "networkInterfaces": [{"subnet": f"{VPC}/subnets/s1"}],
    "linkedResources": [
        {"uri": GROUP},
        {"uri": f"{NET}/elasticIPs/E1"},
        {"uri": f"{STORAGE}/blockStorages/b1"},
        {"uri": f"{STORAGE}/blockStorages/b2"},
    ],
}
BOOT = {"sizeGb": 30, "billingPeriod": "Hour", "dataCenter": "ITBG-2", "bootable": True, "image": "LU24-001"}


def found(kind: str, resource_id: str, properties: Object | None = None, **more: Any) -> Found:
    """`state`, `name`, `tags`, `region` (None: not shown), `path` and `data` in place of what is usual."""
    region = more.get("region", "ITBG-Bergamo")
    metadata: Object = {"id": resource_id, "name": more.get("name", f"{kind.lower()}-{resource_id}")}
    metadata |= {"tags": more.get("tags"), "project": {"id": "p1"}, "managedBy": more.get("managed")}
    if region is not None and kind != "Project":
        metadata["location"] = {"value": region}
    body = {"metadata": metadata, "properties": deepcopy(properties or {}), "data": more.get("data")}
    if kind != "Project":
        body["status"] = {"state": more.get("state", "Active"), "failureReason": more.get("trouble")}
    return Found(CATALOG[kind], more.get("path", PATHS[kind]), Live(body))


def shop() -> dict[str, Found]:
    """By ID. The address is bound, the second volume is attached and shows no zone, children show no region."""
    subnet = {"type": "Advanced", "network": {"address": "10.20.1.0/24"}, "dhcp": {"enabled": True}, "default": False}
    rows = [
        found("Project", "p1", {"description": None, "default": False}),
        found("VPC", "v1", {"default": False}),
        found("Subnet", "s1", subnet, region=None),
        found("SecurityGroup", "g1", {"default": False}, region=None),
        found("SecurityRule", "r1", RULE, region=None),
        found("KeyPair", "k1", {"value": "ssh-ed25519 AAAA ops"}),
        found("ElasticIP", "e1", {"billingPlan": {"billingPeriod": "hourly"}}, state="Used"),
        found("BlockStorage", "b1", BOOT, state="Used"),
        found("BlockStorage", "b2", {"sizeGb": 50, "billingPeriod": "Hour", "dataCenter": None}, state="Used"),
        found("CloudServer", "c1", SERVER),
    ]
    return {row.live.id: row for row in rows}


def sifted(rows: dict[str, Found] | list[Found]) -> Import:
    return sift(CATALOG, list(rows.values()) if isinstance(rows, dict) else rows, PLACE)


def manifests(made: Import) -> dict[str, Object]:
    """By ID."""
    return {one.found.live.id: one.manifest for one in made.adopted}


def reasons(made: Import) -> dict[str, str]:
    """By ID, why each that is left out is."""
    return {one.found.live.id: one.why for one in made.left}


def spec(made: Import, resource_id: str) -> Object:
    return dict(manifests(made)[resource_id]["spec"])
