"""Projects: the tenant's own boxes; synchronous, without a state, undeletable while anything is in them (api §8.1)."""

from __future__ import annotations

from collections.abc import Mapping

from hooks.simulator.errors import dependency
from hooks.simulator.project import responses
from hooks.simulator.resource import Json, Kind, Resource
from hooks.simulator.rules import Draft, Rules
from hooks.simulator.validation import Reader
from hooks.simulator.world import World

PROJECT = Kind("Project", "projects", "project")
DEFAULT_FOLDER = "5f0000000000000000000001"


class ProjectRules(Rules):
    kind = PROJECT
    deletes = 204

    def draft(self, world: World, draft: Draft) -> Json:
        return _read(draft.properties)

    def created(self, world: World, resource: Resource, draft: Draft) -> None:
        _only_default(world, resource)

    def replace(self, world: World, resource: Resource, metadata: Reader, properties: Reader) -> None:
        read = _read(properties)
        properties.check()
        resource.properties.update(read)
        _only_default(world, resource)

    def removable(self, world: World, resource: Resource, query: Mapping[str, str]) -> None:
        if world.store.count_inside(resource):
            raise dependency("project can't be deleted due to the presence of resources")

    def properties(self, world: World, resource: Resource) -> Json:
        return responses.properties(world, resource)


def _read(properties: Reader) -> Json:
    return {
        "description": properties.text("description"),
        "default": properties.flag("default") or False,
        "folderId": properties.text("folderId") or DEFAULT_FOLDER,
    }


def _only_default(world: World, resource: Resource) -> None:
    """Of one client's projects at most one is the default."""
    if not resource.properties["default"]:
        return
    for other in world.store.projects():
        if other is not resource and other.owner == resource.owner:
            other.properties["default"] = False
