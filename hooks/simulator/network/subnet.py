"""Subnets (api §8.3): Advanced ones bring their network, Basic ones may leave it to the platform."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import IPv4Network

from hooks.simulator.network import addresses, defaults, responses
from hooks.simulator.network.vpc import VPC
from hooks.simulator.resource import Json, Kind, Resource
from hooks.simulator.rules import Draft, Rules
from hooks.simulator.validation import Reader
from hooks.simulator.world import World

SUBNET = Kind("Subnet", "subnets", "subnet", VPC, "Aruba.Network")


class SubnetRules(Rules):
    kind = SUBNET
    filters = False
    deleted_flag = "ignoreDeletedStatus"

    def draft(self, world: World, draft: Draft) -> Json:
        properties = draft.properties
        kind = properties.choice("type", ("Basic", "Advanced"))
        default = properties.flag("default") or False
        others = addresses.taken(world.store.children(draft.parent, "Subnet")) if draft.parent else []
        network = addresses.read_network(properties, others, required=kind == "Advanced")
        dhcp = addresses.read_dhcp(properties, network or addresses.free_network(others))
        draft.check()
        network = network or addresses.free_network(others)
        return {
            "type": kind,
            "default": default,
            "network": {"address": str(network), "gateway": str(network[1])},
            "dhcp": _completed(dhcp, network, kind),
        }

    def created(self, world: World, resource: Resource, draft: Draft) -> None:
        defaults.claim(world, resource)

    def replace(self, world: World, resource: Resource, metadata: Reader, properties: Reader) -> None:
        """`default` by the specification, `dhcp` as a whole as the official clients do; the rest is ignored (F11)."""
        default = properties.flag("default")
        dhcp = addresses.read_dhcp(properties, IPv4Network(resource.properties["network"]["address"]))
        properties.check()
        if default is not None:
            resource.properties["default"] = default
            defaults.claim(world, resource)
        if dhcp is not None:
            resource.properties["dhcp"] = dhcp

    def removable(self, world: World, resource: Resource, query: Mapping[str, str]) -> None:
        """The last subnet of a VPC may go though it is the default one: else no VPC could ever be emptied."""
        defaults.guard(world, resource, query, "newDefaultSubnet", last_may_go=True)
        super().removable(world, resource, query)

    def remove(self, world: World, resource: Resource, query: Mapping[str, str]) -> None:
        defaults.hand_over(world, resource, query.get("newDefaultSubnet"))

    def properties(self, world: World, resource: Resource) -> Json:
        return responses.subnet(world, resource)


def _completed(dhcp: Json | None, network: IPv4Network, kind: str | None) -> Json:
    """What the platform adds: Basic means that it configures everything."""
    settings = dhcp or {"enabled": kind == "Basic", "routes": [], "dns": []}
    if settings["enabled"] and "range" not in settings:
        settings["range"] = addresses.default_range(network)
    return settings
