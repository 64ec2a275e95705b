"""How the compute service shows its resources: a server does not echo its request (cases F14)."""

from __future__ import annotations

from hooks.simulator import wire
from hooks.simulator.compute.flavors import flavor
from hooks.simulator.resource import Json, Resource
from hooks.simulator.world import World


def key_pair(world: World, resource: Resource) -> Json:
    return {"linkedResources": wire.linked(world, list(resource.links.values()))} | resource.properties


def cloud_server(world: World, resource: Resource) -> Json:
    """Groups, addresses and volumes are mixed in `linkedResources`; subnets are URIs of the interfaces."""
    hidden, stored = resource.hidden, dict(resource.properties)
    name = stored.pop("flavorName", None)
    mixed = [one for kind in ("SecurityGroup", "ElasticIP", "BlockStorage") for one in resource.bound(kind)]
    shown: Json = {
        "linkedResources": wire.linked(world, mixed),
        "vpc": wire.reference(world, hidden["vpc"]),
        "flavor": flavor(name) if name else None,
        "bootVolume": wire.reference(world, hidden["boot"]),
        "networkInterfaces": _interfaces(world, resource),
    }
    if hidden["key"] is not None:
        shown["keyPair"] = wire.reference(world, hidden["key"])
    return shown | stored


def _interfaces(world: World, server: Resource) -> list[Json]:
    """The elastic addresses belong to the first interface."""
    public = [ip.properties["address"] for ip in server.bound("ElasticIP")]
    return [
        {
            "subnet": wire.uri(world, interface["subnet"]),
            "macAddress": interface["mac"],
            "ips": [address for address in (interface["ip"], *(() if number else public)) if address],
            "properties": {},
        }
        for number, interface in enumerate(server.hidden["interfaces"])
    ]
