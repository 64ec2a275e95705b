"""The verbs that every collection of the cloud knows: list, create, show, replace, remove.

One `Collection` per kind, made by the families' routes; what is special about the kind comes from its `Rules`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from hooks.simulator import lifecycle, listing, wire
from hooks.simulator.api import Asked, Handler, endpoint, locate, visible_project
from hooks.simulator.errors import invalid, not_found, not_settled, wrong_state
from hooks.simulator.resource import TRANSITORY, Json, Resource
from hooks.simulator.rules import Draft, Rules
from hooks.simulator.validation import Reader, read_name, read_region, read_tags
from hooks.simulator.world import World


class Collection:
    """All resources of one kind, on the wire."""

    def __init__(self, world: World, rules: Rules) -> None:
        self.world = world
        self.rules = rules
        self.kind = rules.kind

    def routes(self) -> list[Route]:
        one: dict[str, Handler] = {"GET": self.show, "DELETE": self.remove}
        if self.rules.puts is not None:
            one["PUT"] = self.replace
        pattern = self.kind.pattern
        return [
            endpoint(self.world, pattern, {"GET": self.browse, "POST": self.create}),
            endpoint(self.world, f"{pattern}/{{{self.kind.name.lower()}}}", one),
        ]

    def browse(self, asked: Asked) -> Response:
        items = self._items(asked)
        if self.rules.filters or self.world.quirks.network_filter:
            items = self._matching(items, asked.query.get("filter"))
        return JSONResponse(listing.envelope(items, self.body, asked.path, asked.query, self.world.quirks))

    def create(self, asked: Asked) -> Response:
        parent = self._parent(asked)
        if parent is not None and not parent.settled:
            raise not_settled(parent.kind.typology)
        if self.world.quirks.reject_tags and Reader(asked.body).inner("metadata").items("tags"):
            raise invalid(("Tag", "tags are not allowed"))
        resource = self.make(parent, asked.body, asked.query, asked.client)
        thin, body = self.world.quirks.thin_create, self.body(resource)
        if thin in ("noBody", "204"):
            return Response(status_code=204 if thin == "204" else 201)
        if thin == "noUri":
            body["metadata"].pop("uri", None)
        if thin == "noStatus":
            body.pop("status", None)
        return JSONResponse(body, 201)

    def show(self, asked: Asked) -> Response:
        resource = locate(self.world, asked, self.kind)
        self.world.timeline.read(resource, self.world.now())
        if not self.world.readable(resource) and not self._shown_though_dead(resource, asked):
            raise not_found()
        return JSONResponse(self.body(resource))

    def replace(self, asked: Asked) -> Response:
        resource = self.living(asked)
        root = Reader(asked.body)
        metadata, properties = root.inner("metadata"), root.inner("properties")
        name, tags = read_name(self.world, metadata), read_tags(metadata)
        root.check()
        if not resource.settled:
            raise wrong_state()
        self.rules.replace(self.world, resource, metadata, properties)
        resource.name, resource.tags = name, tags
        resource.updated, resource.revision = self.world.now(), resource.revision + 1
        lifecycle.begin(self.world, resource, "Updating", "update")
        return JSONResponse(self.rules.changed_answer(self.body(resource)), self.rules.puts or 200)

    def remove(self, asked: Asked) -> Response:
        resource, again = locate(self.world, asked, self.kind), self.world.quirks.second_delete
        if not resource.alive and again == 400:
            raise wrong_state()
        if not self.world.readable(resource) or (resource.state == "Deleting" and again == 404):
            raise not_found()
        if resource.state in TRANSITORY and not (resource.state == "Deleting" and again == 202):
            raise wrong_state()
        if resource.state != "Deleting":
            self.rules.removable(self.world, resource, asked.query)
            lifecycle.begin_delete(self.world, resource)
            self.rules.remove(self.world, resource, asked.query)
        if self.rules.delete_body:
            return JSONResponse(self.body(resource), self.rules.deletes)
        return Response(status_code=self.rules.deletes)

    def make(self, parent: Resource | None, body: Any, query: Mapping[str, str], owner: str | None) -> Resource:
        """Judge a create and carry it out; also used for what comes with something else, and by the admin API."""
        root = Reader(body)
        metadata = root.inner("metadata")
        name, tags = read_name(self.world, metadata), read_tags(metadata)
        region = read_region(metadata, required=self.rules.regional)
        draft = Draft(parent, metadata, root.inner("properties"), region or (parent.region if parent else None), query)
        properties = self.rules.draft(self.world, draft)
        root.check()
        resource = Resource(self.kind, self.world.ids.resource(), name, parent, owner, self.world.now(), properties)
        resource.tags, resource.region = tags, draft.region
        self.world.store.add(resource)
        self.rules.created(self.world, resource, draft)
        self._begin(resource)
        return resource

    def living(self, asked: Asked) -> Resource:
        """The resource that the path names, if it can be read."""
        resource = locate(self.world, asked, self.kind)
        if not self.world.readable(resource):
            raise not_found()
        return resource

    def body(self, resource: Resource) -> Json:
        """The resource as an answer shows it."""
        return {
            "metadata": wire.metadata(self.world, resource, owned=self.rules.owned),
            "status": wire.status(resource),
            "properties": self.rules.properties(self.world, resource),
            **self.rules.extras(resource),
        }

    def _begin(self, resource: Resource) -> None:
        def completed(when: datetime) -> None:
            self.rules.completed(self.world, resource, when)

        lifecycle.begin(self.world, resource, "InCreation", self.rules.pace(resource), completed)

    def _parent(self, asked: Asked) -> Resource | None:
        if self.kind.parent is None:
            return None
        parent = locate(self.world, asked, self.kind.parent)
        if not self.world.readable(parent):
            raise not_found()
        return parent

    def _items(self, asked: Asked) -> list[Resource]:
        parent = self._parent(asked)
        if parent is None:
            items = [project for project in self.world.store.projects() if visible_project(asked, project)]
        else:
            items = self.world.store.children(parent, self.kind.name)
        now = self.world.now()
        for item in items:
            self.world.timeline.read(item, now)
        return [item for item in items if self.world.listed(item)]

    def _matching(self, items: list[Resource], text: str | None) -> list[Resource]:
        if not text:
            return items
        test = listing.parse_filter(text)
        return [item for item in items if test(self.body(item))]

    def _shown_though_dead(self, resource: Resource, asked: Asked) -> bool:
        if resource.deleted is None:
            return False
        flag = asked.query.get(self.rules.deleted_flag, "") if self.rules.deleted_flag else ""
        lag = self.world.quirks.deleted_rule_lag if self.kind.name == "SecurityRule" else 0.0
        return flag.lower() == "true" or resource.deleted + timedelta(seconds=lag) > self.world.now()
