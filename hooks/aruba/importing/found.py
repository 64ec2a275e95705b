"""One resource as the survey found it: its kind, where it lies, and what the cloud shows of it. All others read it."""

from __future__ import annotations

from typing import NamedTuple

from hooks.aruba.engine.notes import is_owner_tag
from hooks.aruba.model.kind import Kind
from hooks.aruba.model.live import Live
from hooks.meta.text import one_line

Key = tuple[str, str]
"""A kind and an ID in lower case: IDs do not differ in case (cases 40)."""


class Found(NamedTuple):
    """`path` is that of the collection."""

    kind: Kind
    path: str
    live: Live

    @property
    def key(self) -> Key:
        return self.kind.names.kind, self.live.id.lower()

    @property
    def item(self) -> str:
        """The resource's own path."""
        return f"{self.path}/{self.live.id}"

    @property
    def ids(self) -> dict[str, str]:
        """The IDs that the path of something inside this resource needs, by placeholder."""
        return {**self.kind.collection.ids(self.path), self.kind.names.singular: self.live.id}

    @property
    def owner_tags(self) -> tuple[str, ...]:
        """The tags of objects that made it; none where a person or another program did."""
        return tuple(tag for tag in self.live.tags if is_owner_tag(tag))

    def __str__(self) -> str:
        return f"{self.kind} {one_line(self.live.name, 100) or 'without a name'} ({one_line(self.live.id, 100)})"
