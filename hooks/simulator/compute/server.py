"""Cloud servers (api §8.9): they bind what they are made from until they are really gone."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from hooks.simulator import lifecycle
from hooks.simulator.compute import holdings, responses
from hooks.simulator.compute.errors import NO_FLAVOR, WINDOWS_TOO_SMALL, boot_volume_in_use, version_required
from hooks.simulator.compute.flavors import FLAVORS, carries
from hooks.simulator.network.addresses import lease
from hooks.simulator.project.rules import PROJECT
from hooks.simulator.resource import Json, Kind, Resource, link
from hooks.simulator.rules import Draft, Rules
from hooks.simulator.validation import ZONES, Reader
from hooks.simulator.world import World

CLOUD_SERVER = Kind("CloudServer", "cloudServers", "cloudServer", PROJECT, "Aruba.Compute")


class CloudServerRules(Rules):
    kind = CLOUD_SERVER
    regional = True
    owned = False
    delete_body = True

    def draft(self, world: World, draft: Draft) -> Json:
        if draft.query.get("api-version") != "1.1":
            raise version_required()
        sent = draft.properties
        zone, flavor = sent.choice("dataCenter", ZONES), sent.text("flavorName", required=True)
        if flavor and flavor not in FLAVORS:
            sent.note("flavorName", NO_FLAVOR)
        for name in ("vpc", "bootVolume"):
            sent.uri(name, required=True)
        for name in ("subnets", "securityGroups"):
            sent.uris(name, required=not sent.flag("vpcPreset"))
        draft.check()
        held = holdings.read(world, draft)
        if flavor and not carries(flavor, held.boot_volume.properties["image"]):
            sent.note("flavorName", WINDOWS_TOO_SMALL)
        return {"dataCenter": zone, "flavorName": flavor}

    def created(self, world: World, resource: Resource, draft: Draft) -> None:
        """Everything is bound from the first moment; addresses come with the end of the creation."""
        held = holdings.read(world, draft)
        resource.hidden |= {"vpc": held.vpc, "boot": held.boot_volume, "key": held.key_pair}
        resource.hidden["interfaces"] = [{"subnet": subnet, "mac": None, "ip": None} for subnet in held.subnets]
        for one in held:
            bind(resource, one, world.now())

    def completed(self, world: World, resource: Resource, when: datetime) -> None:
        plug(world, resource)

    def replace(self, world: World, resource: Resource, metadata: Reader, properties: Reader) -> None:
        raise boot_volume_in_use()

    def remove(self, world: World, resource: Resource, query: Mapping[str, str]) -> None:
        """What it held is free only once it is gone; the boot disk may be asked to go after it."""
        boot: Resource = resource.hidden["boot"]
        if query.get("deleteBootVolumeOnCascade", "").lower() != "true":
            return

        def follow(when: datetime) -> None:
            if boot.alive:
                lifecycle.begin_delete(world, boot)

        lifecycle.begin_delete(world, resource, follow)

    def removable(self, world: World, resource: Resource, query: Mapping[str, str]) -> None:
        """Nothing else needs a server."""

    def properties(self, world: World, resource: Resource) -> Json:
        return responses.cloud_server(world, resource)


def bind(server: Resource, other: Resource, when: datetime) -> None:
    link(server, other)
    lifecycle.calm(other, when)


def plug(world: World, server: Resource) -> None:
    """Give every interface that has none a MAC and an address."""
    for interface in server.hidden["interfaces"]:
        if interface["mac"] is None:
            interface |= {"mac": world.ids.mac(), "ip": lease(interface["subnet"])}
