"""VPCs (api §8.2): a box in a region, without addresses of its own; with `preset` it comes furnished."""

from __future__ import annotations

from collections.abc import Mapping

from hooks.simulator.collection import Collection
from hooks.simulator.network import defaults, responses
from hooks.simulator.project.rules import PROJECT
from hooks.simulator.resource import Json, Kind, Resource
from hooks.simulator.rules import Draft, Rules
from hooks.simulator.validation import Reader
from hooks.simulator.world import World

VPC = Kind("VPC", "vpcs", "vpc", PROJECT, "Aruba.Network")
_FURNITURE: Json = {"metadata": {"name": "default"}}


class VpcRules(Rules):
    kind = VPC
    regional = True
    filters = False
    deleted_flag = "ignoreDeletedStatus"
    parts = ("Subnet", "SecurityGroup")

    def __init__(self, subnets: Collection, groups: Collection) -> None:
        self._subnets = subnets
        self._groups = groups

    def draft(self, world: World, draft: Draft) -> Json:
        """`default` is taken flat only; one nested a level deeper is an unknown member (api §8.2)."""
        draft.properties.flag("preset")
        default = draft.properties.flag("default") or False
        first = not any(one.region == draft.region for one in world.store.children(draft.project, "VPC"))
        return {"default": default or (world.quirks.first_vpc_default and first)}

    def created(self, world: World, resource: Resource, draft: Draft) -> None:
        defaults.claim(world, resource)
        if draft.properties.flag("preset"):
            self.furnish(resource)

    def furnish(self, vpc: Resource) -> None:
        """One subnet and one security group with default settings."""
        self._subnets.make(vpc, _FURNITURE | {"properties": {"type": "Basic", "default": True}}, {}, vpc.owner)
        self._groups.make(vpc, _FURNITURE | {"properties": {"default": True, "preset": True}}, {}, vpc.owner)

    def replace(self, world: World, resource: Resource, metadata: Reader, properties: Reader) -> None:
        default = properties.flag("default")
        properties.check()
        if default is not None:
            resource.properties["default"] = default
            defaults.claim(world, resource)

    def removable(self, world: World, resource: Resource, query: Mapping[str, str]) -> None:
        defaults.guard(world, resource, query, "newDefaultVpc", last_may_go=False)
        super().removable(world, resource, query)

    def remove(self, world: World, resource: Resource, query: Mapping[str, str]) -> None:
        defaults.hand_over(world, resource, query.get("newDefaultVpc"))

    def properties(self, world: World, resource: Resource) -> Json:
        return responses.vpc(world, resource)
