"""The project family's paths: projects, and what is inside of one or of all (api §8.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from hooks.simulator import listing
from hooks.simulator.api import Asked, endpoint, locate, visible_project
from hooks.simulator.collection import Collection
from hooks.simulator.errors import not_found
from hooks.simulator.project import responses
from hooks.simulator.project.rules import PROJECT, ProjectRules
from hooks.simulator.resource import Json, Resource
from hooks.simulator.validation import REGION
from hooks.simulator.world import World

_FURNITURE: Json = {
    "metadata": {"name": "default", "location": {"value": REGION}},
    "properties": {"default": True, "preset": True},
}


class Projects(Collection):
    """Projects, and the lists of everything. `vpcs` furnishes new ones under quirk `projectPreset`."""

    def __init__(self, world: World, rules: ProjectRules, vpcs: Collection) -> None:
        super().__init__(world, rules)
        self._vpcs = vpcs

    def routes(self) -> list[Route]:
        """`/projects/resources` comes first: it would be taken for a project's id."""
        everything = endpoint(self.world, "/projects/resources", {"GET": self.everything})
        inside = endpoint(self.world, "/projects/{project}/resources", {"GET": self.inside})
        return [everything, *super().routes(), inside]

    def make(self, parent: Resource | None, body: Any, query: Mapping[str, str], owner: str | None) -> Resource:
        project = super().make(parent, body, query, owner)
        if self.world.quirks.project_preset:
            self._vpcs.make(project, _FURNITURE, {}, owner)
        return project

    def body(self, resource: Resource) -> Json:
        return responses.body(self.world, resource)

    def everything(self, asked: Asked) -> Response:
        projects = [project for project in self.world.store.projects() if visible_project(asked, project)]
        return self._contents(asked, projects)

    def inside(self, asked: Asked) -> Response:
        project = locate(self.world, asked, PROJECT)
        if not self.world.readable(project):
            raise not_found()
        return self._contents(asked, [project])

    def _contents(self, asked: Asked, projects: list[Resource]) -> Response:
        world = self.world
        items = [one for project in projects for one in world.store.inside(project) if world.listed(one)]
        if text := asked.query.get("filter"):
            test = listing.parse_filter(text)
            items = [item for item in items if test(responses.content(world, item))]

        def show(item: Resource) -> Json:
            return responses.content(world, item)

        return JSONResponse(listing.envelope(items, show, asked.path, asked.query, world.quirks))
