"""What a family tells about each of its kinds; the collection room does everything that kinds have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from hooks.simulator.errors import in_use
from hooks.simulator.resource import Json, Kind, Resource
from hooks.simulator.validation import Reader
from hooks.simulator.world import World


@dataclass(frozen=True)
class Draft:
    """A create that is being judged."""

    parent: Resource | None
    metadata: Reader
    properties: Reader
    region: str | None
    query: Mapping[str, str]

    @property
    def project(self) -> Resource:
        if self.parent is None:
            raise LookupError("a project is in no project")
        return self.parent.project

    def check(self) -> None:
        """Refuse if anything in the body was found wrong (all its readers share their findings)."""
        self.metadata.check()


class Rules:
    """One kind: its wire facts as class variables, its behaviour as methods to override."""

    kind: ClassVar[Kind]
    regional: ClassVar[bool] = False  # a create must name the region; otherwise it is the parent's
    owned: ClassVar[bool] = True  # shows owner, manager and links in its metadata
    filters: ClassVar[bool] = True  # its lists honour `filter`
    deleted_flag: ClassVar[str] = ""  # the query flag that shows deleted ones by id
    puts: ClassVar[int | None] = 200  # how a PUT is answered; None: there is none
    deletes: ClassVar[int] = 202  # how a DELETE is answered
    delete_body: ClassVar[bool] = False
    parts: ClassVar[tuple[str, ...]] = ()  # child kinds that must be gone before it can go

    def draft(self, world: World, draft: Draft) -> Json:
        """Read and judge the body; returns the properties as they are stored. Raises a refusal."""
        return {}

    def created(self, world: World, resource: Resource, draft: Draft) -> None:
        """It exists now: bind what it holds, make what comes with it."""

    def completed(self, world: World, resource: Resource, when: datetime) -> None:
        """Its creation is over: fill in what the platform decides."""

    def pace(self, resource: Resource) -> str:
        """The operation whose pace its creation follows."""
        return "create"

    def replace(self, world: World, resource: Resource, metadata: Reader, properties: Reader) -> None:
        """Judge a PUT and store what it changes besides name and tags. Raises a refusal."""

    def removable(self, world: World, resource: Resource, query: Mapping[str, str]) -> None:
        """Refuse a DELETE that must wait; the default: while parts or users of it exist."""
        if any(self.blocks(part) for kind in self.parts for part in world.store.children(resource, kind)):
            raise in_use()
        if resource.bound("CloudServer"):
            raise in_use()

    def blocks(self, part: Resource) -> bool:
        """Whether this part keeps its whole alive."""
        return True

    def remove(self, world: World, resource: Resource, query: Mapping[str, str]) -> None:
        """Something to do besides, once a DELETE is accepted."""

    def properties(self, world: World, resource: Resource) -> Json:
        """What an answer shows."""
        return dict(resource.properties)

    def extras(self, resource: Resource) -> Json:
        """Further members of an answer, beside metadata, status and properties."""
        return {}

    def changed_answer(self, body: Json) -> Json:
        """The answer to a PUT, where it differs from that to a GET."""
        return body
