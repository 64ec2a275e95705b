"""What a served resource is, and the table of those being served. `builtin` and `definitions` fill it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from hooks.local.kubernetes.errors import Fault
from hooks.local.kubernetes.objects import Object
from hooks.local.kubernetes.schema import Schema

VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the Table that kubectl prints; `read` gives the cell of one object at one moment."""

    name: str
    type: str
    read: Callable[[Object, datetime], Any]
    priority: int = 0
    format: str = ""
    description: str = ""


@dataclass(frozen=True, eq=False)
class Resource:
    """One resource in one version; `table` is where its objects are kept, which several versions may share."""

    group: str
    version: str
    plural: str
    singular: str
    kind: str
    namespaced: bool
    schema: Schema
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    status: bool = False
    columns: tuple[Column, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)
    """What a field selector may name, besides the object's own name and namespace, and the path it stands for."""
    custom: bool = False
    cleanup: str = ""
    """The finalizer that a delete puts on, for a controller of this API to take off."""
    generations: bool = True
    protected: frozenset[str] = frozenset()
    """Names that may not be deleted."""
    stored_as: str = ""
    verbs: tuple[str, ...] = VERBS
    list_kind: str = ""
    read: Callable[[Object], Object] | None = None
    """From the stored form to this version's, where they differ by more than the version's name."""
    write: Callable[[Object], Object] | None = None
    born: Callable[[Object], Object] | None = None
    """What the server adds to a new object, beyond the schema's defaults."""
    check: Callable[[Object, Object | None], Iterable[Fault]] | None = None
    """What is wrong beyond the schema; the old object comes second."""

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def qualified(self) -> str:
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def qualified_kind(self) -> str:
        return f"{self.kind}.{self.group}" if self.group else self.kind

    @property
    def list_name(self) -> str:
        return self.list_kind or f"{self.kind}List"

    @property
    def table(self) -> str:
        return self.stored_as or self.qualified

    def shown(self, obj: Object) -> Object:
        """A stored object as this version shows it."""
        if self.read is not None:
            return self.read(obj)
        if obj.get("apiVersion") == self.api_version:
            return obj
        return {**obj, "apiVersion": self.api_version, "kind": self.kind}


class Served:
    """The resources served now. A CRD's come and go while the server runs."""

    def __init__(self, resources: Iterable[Resource]) -> None:
        self._by_path: dict[tuple[str, str, str], Resource] = {}
        for resource in resources:
            self.add(resource)

    def add(self, resource: Resource) -> None:
        self._by_path[resource.group, resource.version, resource.plural] = resource

    def drop(self, group: str, plural: str) -> None:
        for path in [path for path in self._by_path if path[0] == group and path[2] == plural]:
            del self._by_path[path]

    def find(self, group: str, version: str, plural: str) -> Resource | None:
        return self._by_path.get((group, version, plural))

    def required(self, group: str, version: str, plural: str) -> Resource:
        return self._by_path[group, version, plural]

    def all(self) -> list[Resource]:
        return list(self._by_path.values())

    def tables(self) -> list[Resource]:
        """One resource for each table, so that a walk over all objects meets each once."""
        return list({resource.table: resource for resource in reversed(self.all())}.values())

    def of_table(self, table: str) -> list[Resource]:
        return [resource for resource in self._by_path.values() if resource.table == table]

    def of_group(self, group: str) -> list[Resource]:
        return [resource for resource in self._by_path.values() if resource.group == group]

    def versions(self) -> dict[str, list[str]]:
        """Group to its versions, the preferred one first."""
        found: dict[str, list[str]] = {}
        for group, version, _ in self._by_path:
            known = found.setdefault(group, [])
            if version not in known:
                known.append(version)
        return found
