"""What the lifecycle machine plays with: objects of all nine kinds, their edits, faults, quirks, and a watched house.

`test_lifecycle_machine` chooses, `lifecycle_truth` judges.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from hooks.http import ConnectError, Request, Response
from hooks.simulator import FAST
from tests.world.house import HOOKS, House
from tests.world.manifests import make, name_of, ref

Object = dict[str, Any]
ENVIRON = {"ARUBA_LISTING_AGE": "60s"}
"""What somebody changes in the cloud is noticed within a minute or so."""
STRANGER = "k8s-stranger"
"""How another object's owner tag begins, where the machine puts one on a resource."""
HOOKS_A_MINUTE = 150
"""Calls of one object's hooks in a minute of virtual time, whatever happens: a failure that lasts is asked about each
second at the very most, and what happens around an object wakes it.
"""
WRITES_A_MINUTE = 60
"""New versions of one object in a minute."""
AT_ONCE = 200
"""Hook calls at one moment for all objects together: more is a loop that would never end."""
PLACE = {"tenant": "t-100", "region": "ITBG-Bergamo", "projectReference": ref("prj-a")}
INSIDE = PLACE | {"vpcReference": ref("net-a")}
VOLUME = PLACE | {"zone": "ITBG-1", "sizeGB": 20, "billingPeriod": "Hour"}
ANYBODY = {"type": "Ip", "value": "0.0.0.0/0"}
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLE ops"
SPECS: dict[str, tuple[str, Object]] = {
    "prj-a": ("Project", {"tenant": "t-100", "description": "one"}),
    "net-a": ("VPC", PLACE),
    "sub-a": ("Subnet", INSIDE | {"type": "Advanced", "cidr": "10.20.1.0/24", "dhcp": {"enabled": True}}),
    "sub-b": ("Subnet", INSIDE | {"type": "Advanced", "cidr": "10.20.2.0/24", "dhcp": {"enabled": False}}),
    "grp-a": ("SecurityGroup", INSIDE),
    "grp-b": ("SecurityGroup", INSIDE),
    "rule-a": (
        "SecurityRule",
        INSIDE
        | {
            "protocol": "TCP",
            "port": "443",
            "direction": "Ingress",
            "target": ANYBODY,
            "securityGroupReference": ref("grp-a"),
        },
    ),
    "key-a": ("KeyPair", PLACE | {"value": KEY}),
    "eip-a": ("ElasticIP", PLACE | {"billingPeriod": "Hour"}),
    "boot-a": ("BlockStorage", VOLUME | {"bootable": True, "image": "LU24-001"}),
    "data-a": ("BlockStorage", VOLUME),
    "data-b": ("BlockStorage", VOLUME),
    "srv-a": (
        "CloudServer",
        PLACE
        | {
            "zone": "ITBG-1",
            "flavorName": "CSO2A4",
            "vpcReference": ref("net-a"),
            "subnetReferences": [ref("sub-a")],
            "securityGroupReferences": [ref("grp-a")],
            "keyPairReference": ref("key-a"),
            "bootVolumeReference": ref("boot-a"),
            "dataVolumeReferences": [ref("data-a")],
            "elasticIPReference": ref("eip-a"),
        },
    ),
}
"""The pool: every object that may be there, by name."""
FIRST = tuple(name for name in SPECS if not name.endswith("-b"))
"""What is applied at the start; the rest comes when the machine says so."""
TAGS: tuple[Any, ...] = (["blue"], ["blue", "green"], [], None, ["no"])
EDITS: dict[str, dict[str, tuple[Any, ...]]] = {
    "Project": {"tags": TAGS, "description": ("one", "two", None)},
    "VPC": {"tags": TAGS},
    "Subnet": {"tags": TAGS, "dhcp": ({"enabled": True}, {"enabled": False})},
    "SecurityGroup": {"tags": TAGS},
    "SecurityRule": {"tags": TAGS},
    "KeyPair": {"tags": TAGS},
    "ElasticIP": {"tags": TAGS, "billingPeriod": ("Hour", "Month")},
    "BlockStorage": {"tags": TAGS, "sizeGB": (20, 30, 40), "billingPeriod": ("Hour", "Month")},
    "CloudServer": {
        "tags": TAGS,
        "dataVolumeReferences": ([ref("data-a")], [ref("data-a"), ref("data-b")], [ref("data-b")], None),
        "elasticIPReference": (ref("eip-a"), None),
        "subnetReferences": ([ref("sub-a")], [ref("sub-a"), ref("sub-b")], [ref("sub-a"), ref("sub-a")]),
        "securityGroupReferences": ([ref("grp-a")], [ref("grp-a"), ref("grp-b")], [ref("grp-b")]),
    },
}
"""Fields that a user may edit, by kind, with values right and wrong. What the schema fixes is not among them."""
ANNOTATIONS: dict[str, tuple[str | None, ...]] = {
    "drift-policy": ("report", "correct", "perhaps", None),
    "on-external-delete": ("recreate", "report", None),
    "timeout": ("3m", "soon", None),
    "reconcile-at": ("once", "twice"),
}
COLLECTIONS = ("", "vpcs", "subnets", "securityGroups", "securityRules", "keyPairs", "elasticIps", "blockStorages")
PLACES = (*COLLECTIONS, "cloudServers", "projects")
WRONG = {"title": "One or more validation errors occurred.", "status": 400}
ANSWERS: dict[str, Object] = {
    "invalid": {"status": 400, "body": WRONG | {"errors": [{"fieldName": "Tag", "errorMessage": "not this one"}]}},
    "not ready": {"status": 400, "body": {"title": "Bad Request", "status": 400, "detail": "vpc not in valid status"}},
    "forbidden": {"status": 403, "body": {"title": "Forbidden", "status": 403}},
    "not found": {"status": 404, "body": {"title": "Not Found", "status": 404}},
    "no such page": {"status": 404, "text": "<html>not here</html>", "headers": {"Content-Type": "text/html"}},
    "throttled": {"status": 429, "headers": {"Retry-After": "3"}},
    "away": {"status": 503, "text": "<html>502</html>"},
    "broken": {"status": 500, "work": True},
    "cut before": {"drop": "before"},
    "cut after": {"drop": "after"},
    "slow": {"delay": 8.0},
    "very slow": {"delay": 27.0},
}
SPOKEN = ("invalid", "not ready", "not found")
"""Only writes meet these: of a read they would be lies by which anybody must lose track."""
QUIRKS: dict[str, tuple[Any, ...]] = {
    "readLag": (0.0, 3.0, 15.0),
    "listLag": (0.0, 3.0, 20.0),
    "emptyListIs404": (False, True),
    "pageLimit": (None, 1, 2),
    "secondDelete": (None, 202, 400, 404),
    "thinCreate": (None, "noUri", "noStatus", "noBody", "204"),
    "uriCasing": (False, True),
    "errorShape": (None, 2, 4),
    "neverSettle": (None, "VPC", "BlockStorage", "CloudServer"),
}
HARMLESS: Object = {name: values[0] for name, values in QUIRKS.items()}
BY_HAND: dict[str, Object] = {
    "BlockStorage": {"sizeGb": 70},
    "ElasticIP": {"billingPlan": {"billingPeriod": "Month"}},
    "Project": {"description": "by hand"},
}
"""What a person at the console changes besides tags."""


def strange(tags: list[str] | None) -> bool:
    """Whether a resource was made to look like another object's."""
    return any(tag.startswith(STRANGER) for tag in tags or ())


def stranger(name: str) -> str:
    """An owner tag that no object has, another one for each name."""
    return f"{STRANGER}{name.replace('-', '')}{'a' * 16}"[:20]


def manifest(name: str) -> Object:
    kind, spec = SPECS[name]
    return json.loads(json.dumps(make(kind, name, spec)))


def house() -> Object:
    """Options of a house for the machine."""
    return {"timings": FAST, "environ": ENVIRON}


class Watched:
    """Stands before the network: counts hook calls, per object and minute, and new versions of each object."""

    def __init__(self, house: House) -> None:
        self.calls: Counter[tuple[str, int]] = Counter()
        self.versions: dict[tuple[str, int], set[str]] = {}
        self.struck = ""
        self._house, self._pass_on = house, house.net.handle_async_request
        self._moment, self._at_once = -1.0, 0
        house.net.handle_async_request = self.handle  # type: ignore[method-assign]

    async def handle(self, request: Request) -> Response:
        if request.url.host == HOOKS and not request.url.path.endswith("/customize"):
            self._count(json.loads(await request.aread())["parent"]["metadata"])
            if self.struck:
                raise ConnectError("hook calls without end", request=request)
        return await self._pass_on(request)

    def _count(self, meta: Object) -> None:
        now = self._house.clock.monotonic()
        self._at_once = self._at_once + 1 if self._moment == now else 1
        self._moment = now
        key = (meta["name"], int(now // 60))
        self.calls[key] += 1
        self.versions.setdefault(key, set()).add(meta["resourceVersion"])
        if self._at_once > AT_ONCE:
            self.struck = self.struck or f"{self._at_once} hook calls at one moment, the last for {meta['name']}"

    def problems(self) -> list[str]:
        found = [self.struck] if self.struck else []
        found += [f"{name}: {n} hook calls in minute {m}" for (name, m), n in self.calls.items() if n > HOOKS_A_MINUTE]
        seen = {key: len(versions) for key, versions in self.versions.items()}
        return found + [f"{name}: {n} versions in minute {m}" for (name, m), n in seen.items() if n > WRITES_A_MINUTE]


__all__ = ["Watched", "manifest", "name_of"]
