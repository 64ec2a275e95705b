"""What the cloud holds: resources, how they hang together, and where to find them.

Pure data; rules live in the families, changes of state in the lifecycle.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from hooks.simulator.transitions import Transition

Json = dict[str, Any]

TRANSITORY = frozenset(
    {"InCreation", "Creating", "Pending", "Provisioning", "Updating", "Deleting", "Disabling", "Enabling"}
)
BROKEN = frozenset({"Failed", "Error", "Disabled", "Deleted"})


@dataclass(frozen=True)
class Kind:
    """Where a kind of resource lives on the wire. `name` is the CR kind, as outsiders know it."""

    name: str
    segment: str
    typology: str
    parent: Kind | None = None
    provider: str = ""
    settled: str = "Active"

    @cached_property
    def lineage(self) -> tuple[Kind, ...]:
        """From the project down to this kind."""
        return (*(self.parent.lineage if self.parent else ()), self)

    @cached_property
    def pattern(self) -> str:
        """The collection's path, in lower case, with a placeholder per ancestor."""
        if self.parent is None:
            return f"/{self.segment}"
        above = f"{self.parent.pattern}/{{{self.parent.name.lower()}}}"
        middle = f"/providers/{self.provider.lower()}" if self.parent.parent is None else ""
        return f"{above}{middle}/{self.segment.lower()}"


@dataclass(eq=False)
class Resource:
    """One resource. `links` are the resources it is bound to, held on both sides; `hidden` is never shown."""

    kind: Kind
    id: str
    name: str
    parent: Resource | None
    owner: str | None
    created: datetime
    properties: Json
    tags: list[str] | None = None
    region: str | None = None
    state: str = ""
    since: datetime | None = None
    before: tuple[str, datetime | None] | None = None
    failure_reason: str | None = None
    disabled_for: list[str] = field(default_factory=list)
    updated: datetime | None = None
    revision: int = 1
    deleted: datetime | None = None
    transition: Transition | None = None
    links: dict[str, Resource] = field(default_factory=dict)
    overrides: Json = field(default_factory=dict)
    hidden: Json = field(default_factory=dict)

    @property
    def project(self) -> Resource:
        return self if self.parent is None else self.parent.project

    @property
    def uri(self) -> str:
        if self.parent is None:
            return f"/{self.kind.segment}/{self.id}"
        middle = f"/providers/{self.kind.provider}" if self.parent.parent is None else ""
        return f"{self.parent.uri}{middle}/{self.kind.segment}/{self.id}"

    @property
    def alive(self) -> bool:
        return self.deleted is None

    @property
    def settled(self) -> bool:
        """Neither changing nor broken: others may build on it."""
        return self.state not in TRANSITORY and self.state not in BROKEN

    def enter(self, state: str, when: datetime) -> None:
        if state != self.state:
            self.before = (self.state, self.since)
            self.state, self.since = state, when

    def bound(self, kind: str) -> list[Resource]:
        """The linked resources of one kind."""
        return [other for other in self.links.values() if other.kind.name == kind]


def link(one: Resource, other: Resource) -> None:
    one.links[other.id] = other
    other.links[one.id] = one


def unlink(one: Resource, other: Resource) -> None:
    one.links.pop(other.id, None)
    other.links.pop(one.id, None)


class Store:
    """All resources by id, dead ones included; living ones also by parent and by project, oldest first."""

    def __init__(self) -> None:
        self._all: dict[str, Resource] = {}
        self._projects: dict[str, Resource] = {}
        self._children: dict[tuple[str, str], dict[str, Resource]] = {}
        self._parts: dict[str, dict[str, Resource]] = {}
        self._inside: dict[str, dict[str, Resource]] = {}

    def __iter__(self) -> Iterator[Resource]:
        return iter(self._all.values())

    def find(self, resource_id: str) -> Resource | None:
        """By id, dead or alive."""
        return self._all.get(resource_id)

    def projects(self) -> list[Resource]:
        return list(self._projects.values())

    def children(self, parent: Resource, kind: str) -> list[Resource]:
        return list(self._children.get((parent.id, kind), {}).values())

    def inside(self, project: Resource) -> list[Resource]:
        """Everything alive in a project, at any depth."""
        return list(self._inside.get(project.id, {}).values())

    def count_inside(self, project: Resource) -> int:
        return len(self._inside.get(project.id, {}))

    def below(self, parent: Resource) -> list[Resource]:
        """Living descendants, deepest first."""
        return [one for child in self._parts.get(parent.id, {}).values() for one in (*self.below(child), child)]

    def add(self, resource: Resource) -> None:
        self._all[resource.id] = resource
        for index in self._indexes(resource):
            index[resource.id] = resource

    def bury(self, resource: Resource, when: datetime) -> None:
        """The resource is gone; whatever was bound to it is free of it."""
        resource.deleted, resource.transition = when, None
        for other in list(resource.links.values()):
            unlink(resource, other)
        for index in self._indexes(resource):
            index.pop(resource.id, None)

    def _indexes(self, resource: Resource) -> list[dict[str, Resource]]:
        if resource.parent is None:
            return [self._projects]
        family = self._children.setdefault((resource.parent.id, resource.kind.name), {})
        parts = self._parts.setdefault(resource.parent.id, {})
        return [family, parts, self._inside.setdefault(resource.project.id, {})]
