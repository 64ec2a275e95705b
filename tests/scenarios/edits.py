"""Edits of specs: for every field that can change, values to change it to, and what the cloud must be asked then.

Fields come from the declarations; values and requests are written by hand from the API's documentation (api §8), so
that a declaration which asks for something else is seen. Shared by the update matrix and the tests of fixed fields.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any, NamedTuple

from hooks.http import Response
from tests.cases import nine
from tests.world.house import House
from tests.world.judge import OWNER_TAG, settled
from tests.world.manifests import TARGETS, make, ref

Object = dict[str, Any]
MERGE = {"Content-Type": "application/merge-patch+json"}
MUTABLE = [(kind, field) for kind in nine.ALL for field in sorted(nine.KINDS[kind].mutable)]
"""Every field of every kind that some call can change."""
VALUES: dict[tuple[str, str], tuple[Any, ...]] = {
    ("Project", "description"): ("other words", "quite other words"),
    ("Subnet", "dhcp.enabled"): (False, True),
    ("ElasticIP", "billingPeriod"): ("Month", "Hour"),
    ("BlockStorage", "sizeGB"): (50, 60),
    ("CloudServer", "subnetReferences"): ([ref("shop"), ref("next")], [ref("next")]),
    ("CloudServer", "securityGroupReferences"): ([ref("shop"), ref("next")], [ref("next")]),
    ("CloudServer", "elasticIPReference"): (ref("next"), None, ref("shop")),
    ("CloudServer", "dataVolumeReferences"): ([ref("next"), ref("third")], [ref("third")]),
}
"""Values after that of the subject, each other than the one before it; two at least."""
TAGS = (["blue-tag", "green-tag"], ["green-tag"])
HOURLY = ("BlockStorage", "billingPeriod")
"""Can be changed as far as the API goes, but there is only one value that it takes."""
EDITS = [edit for edit in MUTABLE if edit != HOURLY]


def values(kind: str, field: str) -> tuple[Any, ...]:
    """Values to change a field to. A field that is new here needs two of its own at least."""
    return TAGS if field == "tags" else VALUES[kind, field]


def laid(field: str, value: Any) -> Object:
    """A spec, or a part of one, with a value at a dotted field; a list or reference is not shared with anybody."""
    value = deepcopy(value)
    for step in reversed(field.split(".")):
        value = {step: value}
    return dict(value)


def present(kind: str, field: str) -> Any:
    """The value that the subject has from the start."""
    value: Any = nine.subject(kind)["spec"]
    for step in field.split("."):
        value = (value or {}).get(step)
    return value


class Action(NamedTuple):
    """A call that changes one list of a server's (api §8.9)."""

    name: str
    add: str
    remove: str


ACTIONS = {
    "subnetReferences": Action("associateDisassociateSubnets", "subnetsToAssociate", "subnetsToDisassociate"),
    "securityGroupReferences": Action(
        "associateDisassociateSecurityGroups", "securityGroupsToAssociate", "securityGroupsToDisassociate"
    ),
    "elasticIPReference": Action(
        "associateDisassociateElasticIPs", "elasticIPsToAssociate", "elasticIPsToDisassociate"
    ),
    "dataVolumeReferences": Action("attachDetachDataVolumes", "volumesToAttach", "volumesToDetach"),
}


def _disk() -> Object:
    """Fit for data only."""
    spec = {**nine.subject("BlockStorage")["spec"], "bootable": False}
    spec.pop("image")
    return spec


def spares(kind: str, *fields: str) -> list[Object]:
    """What these fields of a server are changed to: one more of what they refer to, two of volumes."""
    found = {
        "subnetReferences": [make("Subnet", "next", {**nine.subject("Subnet")["spec"], "cidr": "192.168.2.0/24"})],
        "securityGroupReferences": [make("SecurityGroup", "next", nine.subject("SecurityGroup")["spec"])],
        "elasticIPReference": [make("ElasticIP", "next", nine.subject("ElasticIP")["spec"])],
        "dataVolumeReferences": [make("BlockStorage", name, _disk()) for name in ("next", "third")],
    }
    return [item for field in fields if kind == "CloudServer" for item in found[field]]


async def ready(house: House, kind: str, *fields: str) -> Object:
    """What the subject and edits of these fields need is Active; the subject is returned, not yet applied."""
    await house.apply(*nine.needs(kind), *spares(kind, *fields))
    await house.until(house.all_active)
    return nine.subject(kind)


async def up(house: House, kind: str, *fields: str) -> str:
    """The subject is Active, and so is all that edits of these fields need; its resource's ID."""
    await house.apply(await ready(house, kind, *fields))
    await house.until(house.all_active)
    return str((await house.status(kind, nine.name(kind)))["resourceID"])


async def edit(house: House, kind: str, field: str, value: Any) -> None:
    await house.patch(kind, nine.name(kind), {"spec": laid(field, value)})


async def attempt(house: House, kind: str, spec: Object) -> Response:
    """An edit of the subject's spec, whatever the API server says to it."""
    url = f"{house.path(nine.subject(kind))}/{nine.name(kind)}"
    return await house.kube.patch(url, json={"spec": spec}, headers=MERGE)


async def up_to_date(house: House, kind: str) -> bool:
    """Active and Ready for the spec as it is now."""
    item = await house.get(kind, nine.name(kind)) or {}
    return settled(item) and item["status"]["observedGeneration"] == item["metadata"]["generation"]


async def uris(house: House, field: str, value: Any) -> list[str]:
    """The cloud paths of the resources of referenced objects, sorted."""
    target = TARGETS[field]
    ids = [(await house.status(target, one["name"]))["resourceID"] for one in as_list(value)]
    return sorted(row["uri"] for row in await house.resources(target) if row["id"] in ids)


def as_list(value: Any) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def cloud_has(house: House, kind: str, resource_id: str, field: str) -> Any:
    """What the simulated cloud itself holds: a value; of tags and of lists a sorted list, of tags or paths."""
    house.simulator.world.settle()
    one = house.simulator.world.store.find(resource_id)
    assert one is not None
    if field == "tags":
        return sorted(tag for tag in one.tags or () if not OWNER_TAG.fullmatch(tag))
    if field in TARGETS:
        held = one.bound(TARGETS[field])
        return sorted(other.uri for other in held if other is not one.hidden["boot"])
    value: Any = one.properties
    for step in nine.KINDS[kind].by_name[field].at.path.split("."):
        value = value[step]
    return value


async def in_cloud_words(house: House, field: str, value: Any) -> Any:
    """A spec's value as `cloud_has` tells it."""
    if field == "tags":
        return sorted(value)
    return await uris(house, field, value) if field in TARGETS else value
