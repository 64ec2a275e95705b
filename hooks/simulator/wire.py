"""How resources look on the wire: the envelope that all kinds share (api §4.2, §4.3).

The families add their properties; the collection room puts both together.
"""

from __future__ import annotations

from typing import Any

from hooks.simulator.calls import stamp
from hooks.simulator.resource import Json, Kind, Resource
from hooks.simulator.world import World

ACCOUNT = "aru-000001"
_LOCATION = {"code": "ITBG", "country": "IT", "city": "Bergamo", "name": "Bergamo"}
_CASINGS = {
    "/elasticIps/": "/elasticIPs/",
    "/blockStorages/": "/blockstorages/",
    "/securityGroups/": "/securitygroups/",
}


def uri(world: World, resource: Resource) -> str:
    """The resource's path, as the cloud spells it today (quirk `uriCasing`)."""
    path = resource.uri
    if world.quirks.uri_casing:
        for usual, other in _CASINGS.items():
            path = path.replace(usual, other)
    return path


def reference(world: World, resource: Resource) -> Json:
    return {"uri": uri(world, resource)}


def linked(world: World, resources: list[Resource]) -> list[Json]:
    return [{"uri": uri(world, resource), "strictCorrelation": False} for resource in resources]


def location(region: str | None) -> Json | None:
    return {**_LOCATION, "value": region} if region else None


def category(kind: Kind) -> Json:
    family = kind.provider.rpartition(".")[2]
    return {"name": family, "provider": kind.provider, "typology": {"id": kind.typology, "name": kind.name}}


def metadata(world: World, resource: Resource, *, owned: bool) -> Json:
    """The long form; `owned` adds the members that the compute service leaves out."""
    shown: Json = {
        "id": resource.id,
        "uri": uri(world, resource),
        "name": resource.name,
        "location": location(resource.region),
        "project": {"id": resource.project.id},
        "tags": resource.tags,
        "category": category(resource.kind),
        "creationDate": stamp(resource.created),
        "createdBy": ACCOUNT,
        "updateDate": stamp(resource.updated) if resource.updated else None,
        "updatedBy": ACCOUNT if resource.updated else None,
        "version": f"{resource.revision}.0",
        "createdUser": ACCOUNT,
        "updatedUser": ACCOUNT if resource.updated else None,
    }
    if owned:
        shown |= {"ownerId": ACCOUNT, "linkedResources": [], "managedBy": None}
    if resource.region is None:
        del shown["location"]
    return shown | resource.overrides


def status(resource: Resource) -> Json:
    disabled: Json = {"isDisabled": resource.state == "Disabled", "reasons": list(resource.disabled_for)}
    if resource.before and resource.before[0] and resource.disabled_for:
        state, since = resource.before
        disabled["previousStatus"] = {"state": state, "creationDate": stamp(since) if since else None}
    return {
        "state": resource.state,
        "creationDate": stamp(resource.since) if resource.since else None,
        "disableStatusInfo": disabled,
        "failureReason": resource.failure_reason,
    }


def dig(body: Any, path: str) -> Any:
    """The value at a dotted path, None where it breaks off."""
    for name in path.split("."):
        body = body.get(name) if isinstance(body, dict) else None
    return body
