"""`Kind`: everything the engine knows of one kind of resource, as data (declarations.md)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from hooks.aruba.model.fields import FieldSpec, spec_fields
from hooks.aruba.model.live import Live
from hooks.aruba.model.paths import segment
from hooks.aruba.model.schema import CommonSpec, CommonStatus
from hooks.aruba.model.states import States

Body = dict[str, Any]


class Names(NamedTuple):
    """Kind, plural and short names, as users type them."""

    kind: str
    plural: str
    short: str
    long_short: str

    @property
    def singular(self) -> str:
        return self.kind.lower()


class Collection(NamedTuple):
    """Where the API keeps the resources of a kind. Placeholders are lowercase kinds: `{project}`, `{vpc}`."""

    path: str
    create_version: str = "1.0"

    @property
    def placeholders(self) -> tuple[str, ...]:
        return tuple(re.findall(r"\{(\w+)\}", self.path))

    def ids(self, path: str) -> dict[str, str]:
        """The IDs on a filled path, by placeholder; empty when the path is not of this collection."""
        pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+)", re.escape(self.path))
        found = re.fullmatch(pattern, path)
        return found.groupdict() if found else {}

    @property
    def name(self) -> str:
        """The last segment, such as `blockStorages`."""
        return self.path.rsplit("/", 1)[-1]

    def at(self, ids: Mapping[str, str]) -> str:
        """The path with its placeholders filled from `ids`. KeyError when one is missing, ValueError for a bad one."""
        return self.path.format_map({name: segment(ids[name]) for name in self.placeholders})


class Put(NamedTuple):
    """A change settled by PUT: these fields, in a body of the metadata and property members named.

    Members are carried as the cloud shows them, with our fields laid over, so that what we do not manage stays.
    """

    fields: tuple[str, ...]
    body: tuple[str, ...] = ()
    metadata: tuple[str, ...] = ("name", "tags", "location")


class Action(NamedTuple):
    """A change of one list settled by POST to `<item>/<name>` with what to add and what to remove (api §8.9)."""

    name: str
    field: str
    add: str
    remove: str

    @property
    def fields(self) -> tuple[str, ...]:
        return (self.field,)


Change = Put | Action


def rule(test: Callable[..., Any]) -> str:
    """The name that users see of a rule, from that of its function: `image_when_bootable` -> `ImageWhenBootable`."""
    return "".join(part.capitalize() for part in test.__name__.split("_"))


class Check(NamedTuple):
    """A rule about the values of these fields; `test` takes the spec and returns the fault in a sentence, or None."""

    fields: tuple[str, ...]
    test: Callable[[Any], str | None]


class Demand(NamedTuple):
    """A rule about a referenced object: `test` takes its spec, as stored, and returns what it lacks, or None."""

    reference: str
    test: Callable[[Mapping[str, Any]], str | None]


class Sibling(NamedTuple):
    """A rule about the other resources of the collection, looked at before a creation.

    `test` takes the spec and one of them, and returns what stands in the way, or None.
    """

    test: Callable[[Any, Live], str | None]


class Pointer(NamedTuple):
    """A resource that the spec names by its cloud path, which must be there before a creation.

    `path` takes the spec and returns that path, or None; `within` is the collection that it must lie in, with the
    placeholders of the kind's own path.
    """

    path: Callable[[Any], str | None]
    within: str
    field: str


class Holder(NamedTuple):
    """A collection of the project, such as `Aruba.Storage/snapshots`, whose resources hold this one from going.

    `by` is the property in which they name it.
    """

    collection: str
    by: str


class Lay(NamedTuple):
    """A kind's own reading and writing, laid over the marks, where the wire has another vocabulary.

    `write` turns the property body built from the marks into the one sent; `read` turns a live resource into one in
    the spec's words; `plain` brings a spec's values into the same words, so that both sides compare.
    """

    write: Callable[[Body], Body]
    read: Callable[[Live], Live]
    plain: Callable[[dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True)
class Kind:
    """One kind. What is not listed here follows from what is: owner, parent IDs, cascade order, CRD, RBAC, docs."""

    names: Names
    spec: type[CommonSpec]
    status: type[CommonStatus]
    collection: Collection
    sample: Mapping[str, Any]
    full_sample: Mapping[str, Any] = field(default_factory=dict)
    states: States = States.SHOWN
    changes: tuple[Change, ...] = ()
    checks: tuple[Check, ...] = ()
    fixed: Mapping[str, Any] = field(default_factory=dict)
    """Properties sent at every creation, such as `default: false`."""
    located: bool = True
    """Whether `metadata.location` is sent at creation; children of a VPC take the VPC's."""
    lay: Lay | None = None
    demands: tuple[Demand, ...] = ()
    siblings: tuple[Sibling, ...] = ()
    pointers: tuple[Pointer, ...] = ()
    held_by: tuple[Holder, ...] = ()
    inventory: str = ""
    """Sub-collection that lists everything inside, of whatever kind: it names what keeps a resource from going."""
    recreate: bool = True
    """Whether a resource that vanished is made again by default; False where the new one would be another thing."""
    cel: tuple[tuple[str, str, str], ...] = ()
    """Extra CEL rules at `spec`: rule, message, field path."""

    def __post_init__(self) -> None:
        kinds = {f.to.kind.lower() for f in self.fields if f.to is not None and not f.many}
        for name in self.collection.placeholders:
            if name not in kinds:
                raise ValueError(f"{self.names.kind}: the path needs {{{name}}}, but no reference leads there")
        for change in self.changes:
            for name in change.fields:
                if name not in self.by_name:
                    raise ValueError(f"{self.names.kind}: a change names the unknown field {name}")
                if not self.by_name[name].compared:
                    raise ValueError(f"{self.names.kind}: the changed field {name} cannot be read back")
        placed = {self.parent_field(name).name for name in self.collection.placeholders}
        for f in self.fields:
            if not f.compared and f.ignored is None and f.name not in placed:
                raise ValueError(f"{self.names.kind}: {f.name} is neither compared, nor on the path, nor Ignored(why)")

    @cached_property
    def fields(self) -> tuple[FieldSpec, ...]:
        return tuple(spec_fields(self.spec))

    @cached_property
    def by_name(self) -> dict[str, FieldSpec]:
        return {f.name: f for f in self.fields}

    @cached_property
    def references(self) -> tuple[FieldSpec, ...]:
        return tuple(f for f in self.fields if f.to is not None)

    @cached_property
    def mutable(self) -> frozenset[str]:
        """Fields that some change settles; every other compared field is refused."""
        return frozenset(name for change in self.changes for name in change.fields)

    @cached_property
    def owner(self) -> FieldSpec | None:
        """The reference to the owner: the last placeholder of the path. None for a root such as Project."""
        if not self.collection.placeholders:
            return None
        return self.parent_field(self.collection.placeholders[-1])

    def parent_field(self, placeholder: str) -> FieldSpec:
        """The single reference that fills a placeholder."""
        return next(f for f in self.references if not f.many and f.to is not None and f.to.kind.lower() == placeholder)

    def __str__(self) -> str:
        return self.names.kind
