"""What the rooms of one pass hand to each other: references resolved, claims, differences, relatives. No decisions."""

from __future__ import annotations

from typing import Any, NamedTuple

from hooks.aruba.engine.values import Diff, Family, Raw, Target, Violation
from hooks.aruba.model.catalog import refers
from hooks.aruba.model.fields import FieldSpec
from hooks.aruba.model.kind import Change, Kind
from hooks.aruba.model.schema import CommonSpec
from hooks.meta.outcomes import Trouble

NAMED = 5
"""How many things a message names."""


class Resolved(NamedTuple):
    """The references of one object. `spec` is None when the stored spec does not fit our model: `fault` says how."""

    spec: CommonSpec | None
    fault: str
    targets: tuple[Target, ...]
    waits: tuple[str, ...]
    late_waits: tuple[str, ...]
    lacking: tuple[str, ...]
    """What a change would bring, once it has an ID."""
    failed: bool
    """Some reference is to an object that has failed."""
    parting: bool
    """Something detachable is being deleted and will soon be let go of."""
    parted: tuple[Target, ...]
    """What has been let go of: no longer wanted, perhaps not yet detached."""

    def waiting_for(self, waits: tuple[str, ...]) -> str:
        """What is waited for, in a sentence, and what can be done about it."""
        missing = dict.fromkeys(f"spec.{target.field}" for target in self.targets if target.raw is None)
        step = "It goes on by itself"
        if missing:
            step = f"Create what does not exist, or correct {', '.join(missing)}"
        elif self.failed:
            step = "The message of what has failed says why; this goes on by itself once that is Active"
        return f"Waiting: {'; '.join(waits)}. {step}"

    def of(self, field: str) -> tuple[Target, ...]:
        return tuple(target for target in self.targets if target.field == field)

    def ids(self, field: FieldSpec) -> frozenset[str] | str | None:
        """Wanted IDs of a reference: a set for a list, one ID or None for a single one."""
        found = [target.id.lower() for target in self.of(field.name) if target.id]
        if field.many:
            return frozenset(found)
        return found[0] if found else None

    def parents(self, kind: Kind) -> dict[str, str] | None:
        """The IDs that the kind's path needs; None when one is not known."""
        ids: dict[str, str] = {}
        for name in kind.collection.placeholders:
            target = next(iter(self.of(kind.parent_field(name).name)), None)
            if target is None or not target.id:
                return None
            ids[name] = target.id
        return ids


def sentence(violations: tuple[Violation, ...]) -> str:
    """Upstream's form: `validation failed: [<Rule>] <text>; [<Rule>] <text>`."""
    return "validation failed: " + "; ".join(f"[{v.rule}] {v.text}" for v in violations)


class Claim(NamedTuple):
    """What has to change in the metadata, None removing a key. Empty when all is as it should be."""

    annotations: dict[str, str | None]
    labels: dict[str, str | None]

    @property
    def stands(self) -> bool:
        return not self.annotations and not self.labels


class Refused(NamedTuple):
    """A difference that no call settles."""

    field: str
    wanted: Any
    actual: Any


class Extra(NamedTuple):
    """What the cloud has attached beyond what is asked for, by ID."""

    field: str
    ids: frozenset[str]


class Needed(NamedTuple):
    """A change to make because of `fields`; `add` and `remove` are IDs, for an action."""

    change: Change
    fields: tuple[str, ...]
    digest: str
    add: frozenset[str] = frozenset()
    remove: frozenset[str] = frozenset()


class Comparison(NamedTuple):
    """All differences. `calls` are in the kind's own order; the engine makes the first and looks again."""

    calls: tuple[Needed, ...] = ()
    refused: tuple[Refused, ...] = ()
    extra: tuple[Extra, ...] = ()
    strays: tuple[Violation, ...] = ()
    """Parents that the live resource names and should not have."""
    awaited: tuple[str, ...] = ()
    """What is to be attached and is not ready for that, in words."""
    asked: str = ""
    """Digest of all that is asked for; empty while a reference is not known."""

    @property
    def diff(self) -> Diff:
        if self.calls:
            return Diff.BOTH if self.refused else Diff.CHANGE
        return Diff.REFUSED if self.refused else Diff.NONE


class Member(NamedTuple):
    """One child or user."""

    kind: Kind
    raw: Raw

    @property
    def path(self) -> str:
        meta = self.raw["metadata"]
        return f"{self.kind} {meta.get('namespace')}/{meta.get('name')}"

    @property
    def deleting(self) -> bool:
        return bool(self.raw["metadata"].get("deletionTimestamp"))

    @property
    def phase(self) -> str:
        return str((self.raw.get("status") or {}).get("phase") or "")

    @property
    def safe_to_delete(self) -> bool:
        """Its finalizer is there, or it has nothing in the cloud.

        Replaced metadata lacks it until the next pass; deleted then, the object would be gone and its resource left.
        """
        finalizers = self.raw["metadata"].get("finalizers") or ()
        guarded = any(str(name).startswith("metacontroller.io/") for name in finalizers)
        return guarded or not (self.raw.get("status") or {}).get("resourceID")

    def names(self, field: str, owner: Raw) -> bool:
        """Whether a reference of this one, or one of a list, leads to the object of this metadata."""
        value = (self.raw.get("spec") or {}).get(field)
        wanted = (owner.get("namespace"), owner.get("name"))
        items = value if isinstance(value, list) else [value]
        return any(isinstance(i, dict) and (i.get("namespace"), i.get("name")) == wanted for i in items)

    def belongs_to(self, owner: Raw) -> bool:
        """A label alone makes no child: the spec must name the parent."""
        return self.kind.owner is not None and self.names(self.kind.owner.name, owner)


class Kin(NamedTuple):
    """Children left, users left, or why they could not be read."""

    children: tuple[Member, ...] = ()
    users: tuple[Member, ...] = ()
    outside: tuple[Member, ...] = ()
    """Users that do not go with this object."""
    blocked: tuple[str, ...] = ()
    """A sentence for each protection that stands against the deletion."""
    trouble: Trouble | None = None

    @property
    def family(self) -> Family:
        if self.trouble is not None:
            return Family.UNREAD
        if self.blocked:
            return Family.BLOCKED
        if self.outside:
            return Family.USED
        if self.children:
            return Family.SOME
        return Family.USED if self.users else Family.NONE

    def next_children(self) -> tuple[Member, ...]:
        """Children to delete now: those whose kind no remaining sibling of another kind refers to (servers first)."""
        kinds = {child.kind.names.kind: child.kind for child in self.children}

        def held(child: Member) -> bool:
            name = child.kind.names.kind
            return any(refers(other, name) for other in kinds.values() if other.names.kind != name)

        return tuple(c for c in self.children if not c.deleting and not held(c) and c.safe_to_delete)
