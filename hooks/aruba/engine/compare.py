"""Spec against cloud, field by field: what a call can settle, what nothing can, and what was only added elsewhere.

Also what the live resource says of its own parents, against where it was made (post validation, promise EN-23).
"""

from __future__ import annotations

from collections.abc import Iterator

from hooks.aruba.engine.findings import Comparison, Extra, Needed, Refused, Resolved
from hooks.aruba.engine.recall import Past
from hooks.aruba.engine.sides import Values, actual, as_set, differ, digest, wanted
from hooks.aruba.engine.values import Violation
from hooks.aruba.model.fields import FieldSpec
from hooks.aruba.model.kind import Action, Change, Kind
from hooks.aruba.model.live import Live, last_segment


def compare(kind: Kind, resolved: Resolved, past: Past, live: Live | None, path: str | None) -> Comparison:
    """All differences between the spec and a settled resource; none without a resource or a readable spec."""
    if live is None or resolved.spec is None:
        return Comparison()
    asked, has = wanted(kind, resolved), actual(kind, live)
    differing = [f for f in kind.fields if f.compared and differ(kind, f, asked[f.name], has[f.name])]
    calls = [call for change in kind.changes for call in _needed(kind, change, differing, (asked, has), past, resolved)]
    refused = list(_elsewhere(kind, resolved, path))
    refused += [Refused(f.name, asked[f.name], has[f.name]) for f in differing if not _settled(kind, f, asked, has)]
    return Comparison(
        calls=tuple(calls),
        refused=tuple(refused),
        extra=tuple(_extra(kind, differing, asked, has, past)),
        strays=tuple(_strays(kind, live, path)),
        awaited=tuple(_awaited(kind, differing, has, resolved)),
        asked=digest(asked) if all(target.id for target in resolved.targets) else "",
    )


def _elsewhere(kind: Kind, resolved: Resolved, path: str | None) -> Iterator[Refused]:
    """References on the path that lead elsewhere than where the resource is: it cannot be moved."""
    for name, has in kind.collection.ids(path or "").items():
        field = kind.parent_field(name)
        asked = resolved.ids(field)
        if isinstance(asked, str) and asked != has.lower():
            yield Refused(field.name, asked, has)


def _strays(kind: Kind, live: Live, path: str | None) -> Iterator[Violation]:
    """Parents that the live resource names, where they are others than those it was made in. Lenient: a parent that
    is not named is no conflict (behaviour §5 W16).
    """
    for name, made_in in kind.collection.ids(path or "").items():
        said = live.meta("project.id") if name == "project" else last_segment(live.get(f"{name}.uri"))
        if isinstance(said, str) and said and said.lower() != made_in.lower():
            field = kind.parent_field(name)
            parent = field.to.kind if field.to is not None else name
            text = f"the cloud says that it belongs to {parent} {said}, but spec.{field.name} leads to {made_in}"
            yield Violation(f"{parent}MustMatchCloud", text)


def _settled(kind: Kind, field: FieldSpec, asked: Values, has: Values) -> bool:
    """Whether some change covers this difference."""
    if field.name not in kind.mutable:
        return False
    return not (field.grows and asked[field.name] < has[field.name])


def _needed(
    kind: Kind,
    change: Change,
    differing: list[FieldSpec],
    sides: tuple[Values, Values],
    past: Past,
    resolved: Resolved,
) -> list[Needed]:
    """The change, when it has something to do. Only what we attached is ever taken away, and only while every
    reference of the list is known: an object that is missing for a moment must not detach anything.
    """
    asked, has = sides
    fields = [f for f in differing if f.name in change.fields and _settled(kind, f, asked, has)]
    if not fields:
        return []
    names = tuple(f.name for f in fields)
    if not isinstance(change, Action):
        return [Needed(change, names, digest({name: asked[name] for name in change.fields}))]
    field = fields[0]
    want, there = as_set(asked[field.name]), as_set(has[field.name])
    known = all(target.id for target in resolved.of(field.name))
    ours = past.ids_of(field.id_field) if known else frozenset()
    ready = frozenset(target.id.lower() for target in resolved.of(field.name) if target.ready)
    add, remove = (want - there) & ready, (there & ours) - want
    if not add and not remove:
        return []
    return [Needed(change, names, digest([change.name, add, remove]), add, remove)]


def _awaited(kind: Kind, differing: list[FieldSpec], has: Values, resolved: Resolved) -> Iterator[str]:
    """What is wanted, not attached, and cannot be named in a call as it is: an address whose resource is lost."""
    for field in differing:
        if field.name in kind.mutable and field.to is not None:
            there = as_set(has[field.name])
            yield from (t.missing for t in resolved.of(field.name) if t.id and t.id.lower() not in there and t.missing)


def _extra(kind: Kind, differing: list[FieldSpec], asked: Values, has: Values, past: Past) -> Iterator[Extra]:
    """What was attached elsewhere: neither wanted nor ever ours. It is told, and left alone (cases 64)."""
    actions = {name for change in kind.changes if isinstance(change, Action) for name in change.fields}
    for field in differing:
        if field.name in actions:
            more = as_set(has[field.name]) - as_set(asked[field.name]) - past.ids_of(field.id_field)
            if more:
                yield Extra(field.name, more)
