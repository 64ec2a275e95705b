"""All kinds together: who owns whom, who uses whom, and in which order things go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from hooks.aruba.model.kind import Kind


class Catalog:
    """An immutable set of kinds. Raises ValueError when a reference leads to a kind that is not in it."""

    def __init__(self, kinds: Iterable[Kind]) -> None:
        self._kinds = {kind.names.kind: kind for kind in kinds}
        for kind in self._kinds.values():
            for field in kind.references:
                if field.to is not None and field.to.kind not in self._kinds:
                    raise ValueError(f"{kind}.{field.name} refers to the unknown kind {field.to.kind}")

    def __iter__(self) -> Iterator[Kind]:
        return iter(self._kinds.values())

    def __getitem__(self, name: str) -> Kind:
        return self._kinds[name]

    def get(self, name: str) -> Kind | None:
        return self._kinds.get(name)

    @cached_property
    def _children(self) -> dict[str, tuple[Kind, ...]]:
        return {name: tuple(k for k in self if _owner(k) == name) for name in self._kinds}

    @cached_property
    def _users(self) -> dict[str, tuple[Kind, ...]]:
        return {name: tuple(k for k in self if _owner(k) != name and refers(k, name)) for name in self._kinds}

    def children(self, kind: Kind) -> tuple[Kind, ...]:
        """Kinds whose objects this kind owns, and which go when it goes."""
        return self._children[kind.names.kind]

    def below(self, kind: Kind) -> tuple[Kind, ...]:
        """Kinds whose objects go when this kind's object goes, at any depth."""
        return tuple(k for child in self.children(kind) for k in (child, *self.below(child)))

    def users(self, kind: Kind) -> tuple[Kind, ...]:
        """Kinds whose objects refer to this kind without being owned by it."""
        return self._users[kind.names.kind]


def _owner(kind: Kind) -> str | None:
    return kind.owner.to.kind if kind.owner is not None and kind.owner.to is not None else None


def refers(kind: Kind, name: str) -> bool:
    """Whether a kind has any reference to the kind of this name."""
    return any(field.to is not None and field.to.kind == name for field in kind.references)
