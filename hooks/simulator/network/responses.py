"""How the network service shows its resources: what is stored, and what it is bound to."""

from __future__ import annotations

from hooks.simulator import wire
from hooks.simulator.resource import Json, Resource
from hooks.simulator.world import World


def vpc(world: World, resource: Resource) -> Json:
    """Bound to its subnets, its groups and the servers inside."""
    children = [*world.store.children(resource, "Subnet"), *world.store.children(resource, "SecurityGroup")]
    return _shown(world, resource, [*children, *resource.links.values()])


def subnet(world: World, resource: Resource) -> Json:
    return _shown(world, resource, list(resource.links.values())) | _parent(world, resource)


def security_group(world: World, resource: Resource) -> Json:
    """Bound to its rules and the servers that it protects."""
    rules = world.store.children(resource, "SecurityRule")
    return _shown(world, resource, [*rules, *resource.links.values()]) | _parent(world, resource)


def security_rule(world: World, resource: Resource) -> Json:
    return _shown(world, resource, [])


def elastic_ip(world: World, resource: Resource) -> Json:
    return _shown(world, resource, list(resource.links.values()))


def _shown(world: World, resource: Resource, links: list[Resource]) -> Json:
    """A member that was changed by hand (admin API) is shown as it was put there."""
    return {"linkedResources": wire.linked(world, links)} | resource.properties


def _parent(world: World, resource: Resource) -> Json:
    return {"vpc": wire.reference(world, resource.parent)} if resource.parent else {}
