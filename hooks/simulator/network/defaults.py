"""One default among siblings: VPCs of a region, subnets and groups of a VPC (cases F8). Shared by their rules."""

from __future__ import annotations

from collections.abc import Mapping

from hooks.simulator.errors import dependency
from hooks.simulator.network.errors import default_kept
from hooks.simulator.resource import Resource
from hooks.simulator.validation import last_segment
from hooks.simulator.world import World


def siblings(world: World, resource: Resource) -> list[Resource]:
    """The living others of its kind, parent and region."""
    if resource.parent is None:
        return []
    family = world.store.children(resource.parent, resource.kind.name)
    return [one for one in family if one is not resource and one.region == resource.region]


def claim(world: World, resource: Resource) -> None:
    """If it says it is the default one, the others no longer are."""
    if resource.properties.get("default"):
        for other in siblings(world, resource):
            other.properties["default"] = False


def successor(world: World, resource: Resource, given: str | None) -> Resource | None:
    """The sibling that the query names as the next default."""
    if not given:
        return None
    for other in siblings(world, resource):
        if other.id == last_segment(given):
            return other
    raise dependency(f"new default {resource.kind.typology} not found")


def guard(world: World, resource: Resource, query: Mapping[str, str], flag: str, *, last_may_go: bool) -> None:
    """Refuse the DELETE of a default that has no successor."""
    if not resource.properties.get("default") or successor(world, resource, query.get(flag)) is not None:
        return
    if not (last_may_go and not siblings(world, resource)):
        raise default_kept(resource.kind.name if resource.kind.name == "VPC" else resource.kind.typology)


def hand_over(world: World, resource: Resource, given: str | None) -> None:
    """The DELETE is accepted: the successor is the default from now on."""
    heir = successor(world, resource, given)
    if heir is not None:
        heir.properties["default"] = True
        resource.properties["default"] = False
