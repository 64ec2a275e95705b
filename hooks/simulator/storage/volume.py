"""Block storage (api §8.8): volumes, plain or bootable, free or bound to one server."""

from __future__ import annotations

from collections.abc import Mapping

from hooks.simulator.errors import not_settled
from hooks.simulator.project.rules import PROJECT
from hooks.simulator.resource import Json, Kind, Resource
from hooks.simulator.rules import Draft, Rules
from hooks.simulator.storage import responses
from hooks.simulator.storage.errors import FIXED_TYPE, FIXED_ZONE, SHRINK, has_snapshots
from hooks.simulator.validation import PERIODS, ZONES, Reader, resolve
from hooks.simulator.world import World

VOLUME = Kind("BlockStorage", "blockStorages", "blockStorage", PROJECT, "Aruba.Storage", settled="NotUsed")
SNAPSHOT = Kind("Snapshot", "snapshots", "snapshot", PROJECT, "Aruba.Storage")

IMAGES = frozenset(
    {
        "LU24-001",
        "LU22-001",
        "LU20-001",
        "DE12-001",
        "DE11-001",
        "alma9",
        "alma8",
        "osuse15_2_x64_1_0",
        "WS22-001_W2K22_1_0",
        "WS19-001_W2K19_1_0",
    }
)
TYPES = ("Standard", "Performance")
LARGEST = 16384


class VolumeRules(Rules):
    kind = VOLUME
    regional = True
    deleted_flag = "includeDeleted"
    puts = 202
    delete_body = True

    def draft(self, world: World, draft: Draft) -> Json:
        properties = draft.properties
        source = resolve(world, draft.project, SNAPSHOT, properties.uri("snapshot"), "snapshot")
        if source is not None and not source.settled:
            raise not_settled("snapshot")
        zone = properties.choice("dataCenter", ZONES, "")
        return {
            "sizeGb": _read_size(properties),
            "billingPeriod": properties.choice("billingPeriod", PERIODS),
            "dataCenter": zone or None,
            "type": properties.choice("type", TYPES, "Standard"),
            **_read_image(properties),
        }

    def pace(self, resource: Resource) -> str:
        return "createBootable" if resource.properties["bootable"] else "create"

    def replace(self, world: World, resource: Resource, metadata: Reader, properties: Reader) -> None:
        """Size may grow, the period may change; type and zone may only be repeated; the rest is ignored."""
        now = resource.properties
        size = properties.number("sizeGb")
        period = properties.choice("billingPeriod", PERIODS, now["billingPeriod"])
        if size is not None and size < now["sizeGb"]:
            properties.note("sizeGb", SHRINK)
        if size is not None and size > LARGEST:
            properties.note("sizeGb", f"at most {LARGEST} GB")
        if properties.choice("type", TYPES, now["type"]) != now["type"]:
            properties.note("type", FIXED_TYPE)
        if "dataCenter" in properties and properties.text("dataCenter") != now["dataCenter"]:
            properties.note("dataCenter", FIXED_ZONE)
        properties.check()
        now |= {"sizeGb": size or now["sizeGb"], "billingPeriod": period}

    def removable(self, world: World, resource: Resource, query: Mapping[str, str]) -> None:
        super().removable(world, resource, query)
        snapshots = world.store.children(resource.project, "Snapshot")
        if any(snapshot.hidden["volume"] is resource for snapshot in snapshots):
            raise has_snapshots()

    def properties(self, world: World, resource: Resource) -> Json:
        return responses.volume(world, resource)


def _read_size(properties: Reader) -> int | None:
    size = properties.number("sizeGb", required=True)
    if size is not None and not 1 <= size <= LARGEST:
        properties.note("sizeGb", f"1 to {LARGEST} GB are expected")
    return size


def _read_image(properties: Reader) -> Json:
    """An image makes sense on a bootable volume only."""
    bootable, image = properties.flag("bootable") or False, properties.text("image") or None
    if image and image not in IMAGES:
        properties.note("image", f"image '{image}' not found")
    if image and not bootable:
        properties.note("image", "an image needs bootable to be true")
    return {"bootable": bootable, "image": image}
