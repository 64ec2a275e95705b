"""What the user does to the subject of a `World`, and what becomes of the objects around it. `ways_moves` names each.

Every function changes the world in place and says whether that was possible.
"""

from __future__ import annotations

from typing import Any

from hooks.aruba.engine.notes import CREATE_PENDING as MARK
from hooks.aruba.engine.notes import RESOURCE_ID, uses
from tests.properties.ways_world import FINALIZER, NAMESPACE, SPECS, UID, World, ref, stamp

POLICIES = (
    "on-external-delete",
    "drift-policy",
    "reconcile-at",
    "resource-name",
    "adoption-policy",
    "delete-policy",
    "mode",
    "suspend",
    "deletion-protection",
)
"""What a manifest would say again; not resource-id, which the operator keeps by itself once it has adopted."""
FIXED = {"VPC": "region", "Subnet": "type", "BlockStorage": "zone", "CloudServer": "flavorName"}
OTHERWISE = {"region": "ITBG-Other", "type": "Basic", "zone": "ITBG-2", "flavorName": "CSO4A8"}
"""A field of each kind that cannot be changed later, and another value for it."""
KIN = {"Project": ("VPC", "projectReference"), "VPC": ("Subnet", "vpcReference")}
"""What a subject may own, and by which reference."""
USER = {"Subnet": "subnetReferences", "BlockStorage": "bootVolumeReference"}
"""By which reference a server may use a subject."""


def edits(field: str, one: Any, other: Any, world: World) -> bool:
    """Between two values."""
    assert world.subject is not None
    spec = world.subject["spec"]
    spec[field] = one if spec.get(field) == other else other
    world.edited()
    return True


def edits_fixed(world: World) -> bool:
    """A value that cannot be changed later: the schema's rules hold it once an ID is recorded."""
    field = FIXED.get(world.kind)
    if field is None or world.status.get("resourceID"):
        return False
    return edits(field, SPECS[world.kind][field], OTHERWISE[field], world)


def shrinks(world: World) -> bool:
    return world.kind == "BlockStorage" and edits("sizeGB", 20, 10, world)


def attaches(world: World) -> bool:
    """One volume more, whose object may not be there yet."""
    wanted = SPECS["CloudServer"]["dataVolumeReferences"]
    return world.kind == "CloudServer" and edits("dataVolumeReferences", wanted, [*wanted, ref("data-b")], world)


def detaches(field: str, world: World) -> bool:
    return field in SPECS[world.kind] and edits(field, SPECS[world.kind].get(field), None, world)


def goes_wrong(world: World) -> bool:
    """A spec that breaks a rule, or one put right again."""
    if world.kind == "Project":
        return annotates("resource-name", "a", world)
    return edits("tenant", "t-100", "t-200", world)


def annotates(name: str, value: str, world: World) -> bool:
    """A policy is set, or taken back."""
    key = f"arubacloud.com/{name}"
    if world.annotations.get(key) == value:
        del world.annotations[key]
    else:
        world.annotations[key] = value
    world.touched()
    return True


def replaced(world: World) -> bool:
    """`kubectl replace` with a manifest that knows only what the user wrote. Not while the status is lost as well."""
    assert world.subject is not None
    meta = world.subject["metadata"]
    if world.deleting or not meta["annotations"] or not _recorded(world):
        return False
    written = {f"arubacloud.com/{name}" for name in POLICIES}
    meta["annotations"] = {key: text for key, text in meta["annotations"].items() if key in written}
    meta["labels"], meta["finalizers"] = {}, []
    world.touched()
    return True


def _recorded(world: World) -> bool:
    """The status knows that a resource was asked for, if one was."""
    status = world.status
    asked = any(c["type"] == "Creating" for c in status.get("conditions", ())) or "resourceID" in status
    return asked or not world.mine()


def wiped(world: World) -> bool:
    """The status is lost. Not while the metadata is lost as well: then nothing knows of the resource but its tag."""
    if world.subject is None or not world.status or not {MARK, RESOURCE_ID} & set(world.annotations):
        return False
    world.subject["status"] = None
    world.touched()
    return True


def deleted(world: World) -> bool:
    """Once the finalizer is there: before it nobody could be told."""
    if world.subject is None or world.deleting or not world.subject["metadata"]["finalizers"]:
        return False
    world.subject["metadata"]["deletionTimestamp"] = stamp(world.now)
    world.edited()
    return True


def fares(name: str, phase: str, world: World) -> bool:
    item = world.others.get(name)
    if item is None or item["status"].get("phase") == phase:
        return False
    item["status"]["phase"] = phase
    if phase == "Pending":
        item["status"].pop("resourceID", None)
    return seen(world)


def leaves(name: str, world: World) -> bool:
    item = world.others.get(name)
    if item is None or "deletionTimestamp" in item["metadata"]:
        return False
    item["metadata"]["deletionTimestamp"] = stamp(world.now)
    return seen(world)


def is_lost(name: str, world: World) -> bool:
    """Its object is gone; what it stood for in the cloud is not."""
    return world.others.pop(name, None) is not None and seen(world)


def joins(world: World) -> bool:
    """A child, or a user, of the subject's."""
    if world.subject is None or world.deleting or "kin-a" in world.others:
        return False
    if world.kind in KIN:
        kind, field = KIN[world.kind]
        label, spec = f"arubacloud.com/owner-{world.kind.lower()}", {field: ref("unit-a")}
        labels = {label: UID}
    elif world.kind in USER:
        kind, field = "CloudServer", USER[world.kind]
        what = [ref("unit-a")] if field.endswith("s") else ref("unit-a")
        labels, spec = {uses(UID): "true"}, {field: what}
    else:
        return False
    metadata = {
        "name": "kin-a",
        "namespace": NAMESPACE,
        "uid": "uid-kin-a",
        "resourceVersion": "1",
        "finalizers": [FINALIZER],
    }
    status = {"phase": "Active", "resourceID": "of-kin-a"}
    world.others["kin-a"] = {"kind": kind, "metadata": {**metadata, "labels": labels}, "spec": spec, "status": status}
    return True


def kin_says(name: str, value: str, world: World) -> bool:
    """The child's own word on what becomes of it, or that taken back."""
    kin = world.others.get("kin-a")
    if kin is None or world.kind not in KIN:
        return False
    said = kin["metadata"].setdefault("annotations", {})
    if said.pop(f"arubacloud.com/{name}", None) != value:
        said[f"arubacloud.com/{name}"] = value
    return seen(world)


def kin_adopted(world: World) -> bool:
    """The child stands for something that it did not make."""
    kin = world.others.get("kin-a")
    if kin is None or world.kind not in KIN or "origin" in kin["status"]:
        return False
    kin["status"]["origin"] = "Adopted"
    return seen(world)


def parts(world: World) -> bool:
    """The child or user is gone."""
    return world.others.pop("kin-a", None) is not None and seen(world)


def seen(world: World) -> bool:
    """Metacontroller wakes whoever refers to what changed."""
    world.appointed = world.now
    return True
