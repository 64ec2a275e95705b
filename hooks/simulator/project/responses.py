"""How a project is shown (short metadata, no status), and how anything is shown in a project's `resources`."""

from __future__ import annotations

from hooks.simulator import wire
from hooks.simulator.calls import stamp
from hooks.simulator.resource import Json, Resource
from hooks.simulator.world import World


def body(world: World, resource: Resource) -> Json:
    metadata = {
        "id": resource.id,
        "name": resource.name,
        "tags": resource.tags,
        "createdBy": wire.ACCOUNT,
        "creationDate": stamp(resource.created),
        "ownerId": wire.ACCOUNT,
    }
    return {"metadata": metadata | resource.overrides, "properties": properties(world, resource)}


def properties(world: World, resource: Resource) -> Json:
    return {"resourcesNumber": world.store.count_inside(resource)} | resource.properties


def content(world: World, resource: Resource) -> Json:
    """One row of `resources`: every kind alike."""
    period = resource.properties.get("billingPeriod")
    plan = resource.properties.get("billingPlan") or ({"billingPeriod": period} if period else None)
    shown: Json = {"linkedResources": wire.linked(world, list(resource.links.values()))}
    return {
        "metadata": wire.metadata(world, resource, owned=True),
        "status": wire.status(resource),
        "properties": shown | ({"billingPlan": plan} if plan else {}),
    }
