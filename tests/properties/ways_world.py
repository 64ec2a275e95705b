"""One object, its relatives and a small cloud, all in memory: the world in which ways out are looked for.

`World` is plain data, so that a search can copy and compare it; `ways_ports` plays the real `reconcile` on it,
`ways_moves` says what else can happen to it, `ways_search` searches. Times are seconds after `EPOCH`.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from hooks.aruba.engine import notes
from hooks.aruba.kinds import discover
from hooks.aruba.model.live import Live
from hooks.meta.times import format_time
from tests.world.time import EPOCH

Object = dict[str, Any]
CATALOG = discover()
NAMESPACE = "team"
UID = "0b6f6d0e-2f0a-4a58-9f27-3e3f1b1f0001"
TAG = notes.owner_tag(UID)
STRANGER = notes.owner_tag("somebody-else")
FINALIZER = "metacontroller.io/compositecontroller-ways"
REST = {"BlockStorage": "NotUsed", "ElasticIP": "NotUsed"}
CHANGING = ("InCreation", "Updating", "Deleting")


def ref(name: str) -> Object:
    return {"name": name, "namespace": NAMESPACE}


_PLACE = {"tenant": "t-100", "region": "ITBG-Bergamo", "tags": ["blue"], "projectReference": ref("prj-a")}
SPECS: dict[str, Object] = {
    "Project": {"tenant": "t-100", "description": "one", "tags": ["blue"]},
    "VPC": _PLACE,
    "Subnet": _PLACE
    | {"type": "Advanced", "cidr": "10.20.1.0/24", "dhcp": {"enabled": True}, "vpcReference": ref("net-a")},
    "BlockStorage": _PLACE | {"zone": "ITBG-1", "sizeGB": 20, "billingPeriod": "Hour", "type": "Standard"},
    "CloudServer": _PLACE
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
}
"""The subjects of the search, each as its user wants it."""
RELATIVES: dict[str, tuple[str, Object]] = {
    "prj-a": ("Project", {"tenant": "t-100"}),
    "net-a": ("VPC", _PLACE),
    "sub-a": ("Subnet", SPECS["Subnet"]),
    "grp-a": ("SecurityGroup", _PLACE | {"vpcReference": ref("net-a")}),
    "key-a": ("KeyPair", _PLACE | {"value": "ssh-ed25519 AAAA key"}),
    "boot-a": ("BlockStorage", SPECS["BlockStorage"] | {"bootable": True, "image": "LU24-001"}),
    "data-a": ("BlockStorage", SPECS["BlockStorage"]),
    "data-b": ("BlockStorage", SPECS["BlockStorage"]),
    "eip-a": ("ElasticIP", _PLACE | {"billingPeriod": "Hour"}),
}
"""What subjects refer to, by name."""
NEEDED = {
    "Project": (),
    "VPC": ("prj-a",),
    "Subnet": ("prj-a", "net-a"),
    "BlockStorage": ("prj-a",),
    "CloudServer": ("prj-a", "net-a", "sub-a", "grp-a", "key-a", "boot-a", "data-a", "eip-a"),
}
"""Which of them are there from the start."""


@dataclass
class World:
    """`subject` is None once the object is gone; `others` are further objects by name; `rows` is the cloud."""

    kind: str
    subject: Object | None
    now: float = 0.0
    appointed: float = 0.0
    version: int = 1
    made: int = 0
    others: dict[str, Object] = field(default_factory=dict)
    rows: list[Object] = field(default_factory=list)

    @property
    def status(self) -> Object:
        return ((self.subject or {}).get("status")) or {}

    @property
    def deleting(self) -> bool:
        return self.subject is not None and "deletionTimestamp" in self.subject["metadata"]

    @property
    def annotations(self) -> Object:
        assert self.subject is not None
        return self.subject["metadata"]["annotations"]

    def ready(self) -> Object:
        return next((c for c in self.status.get("conditions", ()) if c["type"] == "Ready"), {})

    def stalled(self) -> bool:
        return any(c["type"] == "Stalled" and c["status"] == "True" for c in self.status.get("conditions", ()))

    def suspended(self) -> Object:
        """The condition of that name, while it is True."""
        found = (c for c in self.status.get("conditions", ()) if c["type"] == "Suspended" and c["status"] == "True")
        return next(found, {})

    def touched(self) -> None:
        """The subject was written to: a new version, and a pass at once, since Metacontroller watches it."""
        assert self.subject is not None
        self.version += 1
        self.subject["metadata"]["resourceVersion"] = str(self.version)
        self.appointed = self.now

    def edited(self) -> None:
        assert self.subject is not None
        self.subject["metadata"]["generation"] += 1
        self.touched()

    def mine(self) -> list[Object]:
        """Live resources that carry the subject's tag and nobody else's."""
        return [row for row in self.rows if TAG in row["tags"] and STRANGER not in row["tags"]]

    def known(self) -> Object | None:
        """The resource that the status names, or else one with the subject's tag."""
        named = [row for row in self.rows if row["id"] == self.status.get("resourceID")]
        return next(iter([*named, *self.mine()]), None)

    def shown(self, row: Object) -> bool:
        return row["shows"] <= self.now

    def new_id(self) -> str:
        self.made += 1
        return f"id{self.made}"


def fresh(kind: str) -> World:
    """The object as just applied, everything that it refers to Active."""
    world = World(kind, None)
    for name in NEEDED[kind]:
        world.others[name] = relative(world, name)
    metadata = {"name": "unit-a", "namespace": NAMESPACE, "uid": UID, "generation": 1, "resourceVersion": "1"}
    world.subject = {
        "apiVersion": "arubacloud.com/v1alpha1",
        "kind": kind,
        "metadata": metadata | {"annotations": {}, "labels": {}, "finalizers": []},
        "spec": deepcopy(SPECS[kind]),
    }
    return world


def relative(world: World, name: str) -> Object:
    """One object that a subject refers to, Active, with its resource in the cloud."""
    kind, spec = RELATIVES[name]
    declared = CATALOG[kind]
    ids = {f.id_field: f"of-{f.to.kind.lower()}" for f in declared.references if f.to is not None}
    status = {"phase": "Active", "resourceID": f"of-{name}", **ids}
    if "projectID" in status:
        status["projectID"] = "of-prj-a"
    if "vpcID" in status:
        status["vpcID"] = "of-net-a"
    _stand(world, kind, name, status)
    return {
        "apiVersion": "arubacloud.com/v1alpha1",
        "kind": kind,
        "metadata": {"name": name, "namespace": NAMESPACE, "uid": f"uid-{name}", "finalizers": [FINALIZER]},
        "spec": deepcopy(spec),
        "status": status,
    }


def _stand(world: World, kind: str, name: str, status: Object) -> None:
    """The relative's own resource."""
    places = {"project": status.get("projectID", ""), "vpc": status.get("vpcID", "")}
    path = CATALOG[kind].collection.at({p: places[p] for p in CATALOG[kind].collection.placeholders})
    if not any(row["id"] == status["resourceID"] for row in world.rows):
        world.rows.append(row_of(kind, path, status["resourceID"], name, ["k8s-relative"], {}, shows=0.0))


def row_of(
    kind: str, path: str, resource_id: str, name: str, tags: list[str], properties: Object, shows: float
) -> Object:
    """A resource at rest; `shows` is when reads begin to show it."""
    return {
        "kind": kind,
        "path": path,
        "id": resource_id,
        "name": name,
        "tags": tags,
        "region": "ITBG-Bergamo",
        "state": REST.get(kind, "Active"),
        "properties": properties,
        "shows": shows,
    }


def live_of(row: Object) -> Live:
    """A resource as the API shows it."""
    metadata = {"id": row["id"], "name": row["name"], "tags": row["tags"], "location": {"value": row["region"]}}
    if row["kind"] != "Project":
        metadata["project"] = {"id": row.get("strayed") or row["path"].split("/")[2]}
    status = {} if row["kind"] == "Project" else {"state": row["state"]}
    return Live({"metadata": metadata, "status": status, "properties": row["properties"]})


def stamp(seconds: float) -> str:
    return format_time(EPOCH + timedelta(seconds=seconds))
