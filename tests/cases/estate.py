"""What somebody else left in the cloud: a whole set of resources that no object stands for, and how to adopt it."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from tests.cases import nine
from tests.world.house import House
from tests.world.judge import owner_tags
from tests.world.manifests import fixture_set

Object = dict[str, Any]
Key = tuple[str, str]
"""Kind and name."""


async def estate(house: House, *items: Object, tags: bool = False) -> dict[Key, str]:
    """The IDs of resources made for these objects (Test10 by default), which are gone; `tags`: theirs are still on."""
    items = items or tuple(fixture_set("Test10"))
    await house.apply(*items)
    await house.until(house.all_active)
    ids = {key(item): item["status"]["resourceID"] for item in await house.objects()}
    [project] = [item for item in items if item["kind"] == "Project"]
    await house.patch("Project", project["metadata"]["name"], noted(delete_policy="orphan"))
    await house.delete("Project", project["metadata"]["name"])
    await house.until(house.all_gone)
    if not tags:
        for row in await house.resources():
            kept = [tag for tag in row["tags"] if tag not in owner_tags(row)]
            await house.admin("POST", f"resources/{row['id']}", {"metadata": {"tags": kept}})
    return ids


def key(item: Object) -> Key:
    return item["kind"], item["metadata"]["name"]


def noted(**annotations: str | None) -> Object:
    """A patch of our annotations."""
    return {"metadata": {"annotations": {f"arubacloud.com/{k.replace('_', '-')}": v for k, v in annotations.items()}}}


def adopting(item: Object, resource_id: str, **annotations: str) -> Object:
    """The manifest with the annotation that names a resource."""
    item = deepcopy(item)
    item["metadata"].setdefault("annotations", {}).update(
        noted(resource_id=resource_id, **annotations)["metadata"]["annotations"]
    )
    return item


async def adopted(house: House, kind: str) -> str:
    """The subject stands for a resource that was there before, as does everything that it needs; its ID."""
    ids = await estate(house, *nine.needs(kind), nine.subject(kind))
    items = [*nine.needs(kind), nine.subject(kind)]
    await house.apply(*(adopting(item, ids[key(item)]) for item in items))
    await house.until(house.all_active)
    return ids[kind, nine.name(kind)]


def _server(rows: list[Object], boot: Object) -> Object:
    """Properties of a server on the set's own network, with a boot volume of its own."""

    def of(kind: str) -> Object:
        return {"uri": next(row["uri"] for row in rows if row["kind"] == kind)}

    network = {"vpc": of("VPC"), "subnets": [of("Subnet")], "securityGroups": [of("SecurityGroup")]}
    return {"dataCenter": "ITBG-1", "flavorName": "CSO2A4", "bootVolume": {"uri": boot["uri"]}, **network}


async def foreign(house: House, kind: str, tags: list[str]) -> str:
    """A resource of the subject's name in the place where the subject's would be, made by somebody else; its ID."""
    project = (await house.status("Project", "shop")).get("resourceID", "")
    made = {"kind": kind, "name": nine.name(kind), "tags": tags, **({"projectId": project} if project else {})}
    if kind == "BlockStorage":
        made["properties"] = {"sizeGb": 40, "billingPeriod": "Hour", "dataCenter": "ITBG-1"}
    if kind == "CloudServer":
        image = {"bootable": True, "image": "LU24-001", "sizeGb": 20, "billingPeriod": "Hour", "dataCenter": "ITBG-1"}
        disk = {"kind": "BlockStorage", "projectId": project, "name": "other-disk", "properties": image}
        boot = await house.admin("POST", "resources", disk)
        made["properties"] = _server(await house.resources(), boot)
    return str((await house.admin("POST", "resources", made))["id"])
