"""How the storage service shows its resources."""

from __future__ import annotations

from hooks.simulator import wire
from hooks.simulator.resource import Json, Resource
from hooks.simulator.world import World


def volume(world: World, resource: Resource) -> Json:
    """Bound to the server that it is attached to, if any."""
    return {"linkedResources": wire.linked(world, list(resource.links.values()))} | resource.properties


def snapshot(world: World, resource: Resource) -> Json:
    source: Resource = resource.hidden["volume"]
    return {"volume": {"uri": wire.uri(world, source), "name": source.name}} | resource.properties
