"""What the platform or a person at the console does to resources behind the clients' backs.

Called by the admin API. Changes are made as asked, sensible or not: clients have to live with them.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from hooks.simulator import lifecycle
from hooks.simulator.collection import Collection
from hooks.simulator.resource import Json, Resource
from hooks.simulator.validation import REGION, last_segment
from hooks.simulator.world import World

_MINIMAL: Mapping[str, Json] = {
    "Subnet": {"type": "Basic"},
    "SecurityRule": {"direction": "Ingress", "protocol": "ANY", "target": {"kind": "Ip", "value": "0.0.0.0/0"}},
    "KeyPair": {"value": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA== console"},
    "BlockStorage": {"sizeGb": 10, "billingPeriod": "Hour"},
    "Snapshot": {"billingPeriod": "Hour"},
    "CloudServer": {"dataCenter": "ITBG-1", "flavorName": "CSO1A2"},
}


class Change(BaseModel):
    """`properties` and `metadata` are laid over what is there, nulls included; `reasons` go with `Disabled`."""

    model_config = ConfigDict(extra="forbid")
    state: str | None = None
    failureReason: str | None = None  # noqa: N815  the name on the wire
    reasons: list[str] = Field(default_factory=list)
    properties: dict[str, Any] = Field(default_factory=dict)
    metadata: dict[str, Any] = Field(default_factory=dict)


class Foreign(BaseModel):
    """Something made by somebody else. A child's parent is `parentId`, or the one its `properties.vpc` or
    `properties.securityGroup` refers to, or the only one there is. What is left out of `properties` is filled in.
    """

    model_config = ConfigDict(extra="forbid")
    kind: str
    projectId: str | None = None  # noqa: N815
    parentId: str | None = None  # noqa: N815
    name: str
    tags: list[str] | None = None
    properties: dict[str, Any] = Field(default_factory=dict)


def change(world: World, resource: Resource, asked: Change) -> None:
    """A new state cancels the transition under way; everything else leaves it alone."""
    if asked.state is not None:
        resource.transition = None
        resource.enter(asked.state, world.now())
        resource.disabled_for = asked.reasons
    if "failureReason" in asked.model_fields_set:
        resource.failure_reason = asked.failureReason
    resource.properties |= asked.properties
    metadata = dict(asked.metadata)
    if isinstance(metadata.get("name"), str):
        resource.name = metadata.pop("name")
    if "tags" in metadata:
        resource.tags = metadata.pop("tags")
    resource.overrides |= metadata


def remove(world: World, resource: Resource) -> None:
    """Gone at once, whatever was inside or bound."""
    lifecycle.bury(world, resource, world.now())


def add(world: World, collections: Mapping[str, Collection], foreign: Foreign) -> Resource:
    """By the cloud's own rules, but settled at once. Raises a refusal, or LookupError for an unknown kind or parent."""
    if foreign.kind not in collections:
        raise LookupError(f"no kind {foreign.kind}; known are {', '.join(collections)}")
    collection = collections[foreign.kind]
    metadata = {"name": foreign.name, "tags": foreign.tags, "location": {"value": REGION}}
    body = {"metadata": metadata, "properties": {**_MINIMAL.get(foreign.kind, {}), **foreign.properties}}
    parent = _parent(world, collection, foreign)
    resource = collection.make(parent, body, {"api-version": "1.1"}, parent.project.owner if parent else None)
    _finish(resource, world.now())
    return resource


def _finish(resource: Resource, now: datetime) -> None:
    if resource.transition is not None:
        transition, resource.transition = resource.transition, None
        transition.done(now)


def _parent(world: World, collection: Collection, foreign: Foreign) -> Resource | None:
    wanted = collection.kind.parent
    if wanted is None:
        return None
    project = world.store.find(foreign.projectId or "")
    if project is None or not project.alive:
        raise LookupError(f"no project {foreign.projectId}")
    candidates = (
        [project] if wanted.parent is None else [one for one in world.store.inside(project) if one.kind is wanted]
    )
    named = foreign.parentId or (_named(foreign) if wanted.parent else None)
    fitting = [one for one in candidates if named in (None, one.id)]
    if len(fitting) != 1:
        raise LookupError(f"which {wanted.name}? {len(fitting)} of {len(candidates)} fit; give parentId")
    return fitting[0]


def _named(foreign: Foreign) -> str | None:
    for name in ("securityGroup", "vpc"):
        reference = foreign.properties.get(name)
        if isinstance(reference, dict) and isinstance(reference.get("uri"), str):
            return last_segment(reference["uri"])
    return None
