"""Spec against cloud, field by field: what a call can settle, what nothing can, and what was only added elsewhere.

A value that the cloud does not return is no opinion, never a difference. Lists are sets; words of an enumeration
compare without case; references compare by ID (design §4).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hooks.aruba.engine.findings import Comparison, Needed, Refused, Resolved
from hooks.aruba.engine.notes import is_owner_tag
from hooks.aruba.engine.recall import Past
from hooks.aruba.model.fields import FieldSpec, value_at
from hooks.aruba.model.kind import Action, Change, Kind
from hooks.aruba.model.live import Live

Values = Mapping[str, Any]


def wanted(kind: Kind, resolved: Resolved) -> Values:
    """What the spec asks for, in the words that the cloud's values are read in."""
    values = {f.name: _wanted(f, resolved) for f in kind.fields if f.compared}
    return kind.lay.plain(values) if kind.lay is not None else values


def actual(kind: Kind, live: Live) -> Values:
    """What the cloud has, None where it does not say."""
    plain = kind.lay.read(live) if kind.lay is not None else live
    return {f.name: _actual(f, plain) for f in kind.fields if f.compared}


def compare(kind: Kind, resolved: Resolved, past: Past, live: Live | None, path: str | None) -> Comparison:
    """All differences between the spec and a settled resource; none without a resource or a readable spec."""
    if live is None or resolved.spec is None:
        return Comparison()
    asked, has = wanted(kind, resolved), actual(kind, live)
    differing = [f for f in kind.fields if f.compared and _differs(kind, f, asked[f.name], has[f.name])]
    calls = [call for change in kind.changes for call in _needed(kind, change, differing, (asked, has), past, resolved)]
    refused = list(_elsewhere(kind, resolved, path))
    refused += [Refused(f.name, asked[f.name], has[f.name]) for f in differing if not _settled(kind, f, asked, has)]
    return Comparison(tuple(calls), tuple(refused))


def _elsewhere(kind: Kind, resolved: Resolved, path: str | None) -> Iterator[Refused]:
    """References on the path that lead elsewhere than where the resource is: it cannot be moved."""
    for name, has in kind.collection.ids(path or "").items():
        field = kind.parent_field(name)
        asked = resolved.ids(field)
        if isinstance(asked, str) and asked != has.lower():
            yield Refused(field.name, asked, has)


def _wanted(field: FieldSpec, resolved: Resolved) -> Any:
    if field.to is not None:
        return resolved.ids(field)
    assert resolved.spec is not None
    value = value_at(resolved.spec, field.name)
    if field.name == "tags":
        return frozenset(tag for tag in value or () if not is_owner_tag(tag))
    return frozenset(value) if isinstance(value, tuple) else value


def _actual(field: FieldSpec, live: Live) -> Any:
    value = field.read(live)
    if field.name == "tags":
        return frozenset(tag for tag in live.tags if not is_owner_tag(tag))
    if field.to is not None and not field.many and isinstance(value, frozenset):
        return next(iter(sorted(value)), None) if len(value) < 2 else value
    return frozenset(value) if isinstance(value, list) else value


def _differs(kind: Kind, field: FieldSpec, asked: Any, has: Any) -> bool:
    if field.to is not None:
        return _references_differ(field, asked, has)
    if has is None or asked is None:
        return False
    if field.name == "tags" and field.name not in kind.mutable:
        return not asked <= has  # what was added elsewhere cannot be taken away, and does no harm
    if field.literal and isinstance(asked, str) and isinstance(has, str):
        return asked.casefold() != has.casefold()
    return bool(asked != has)


def _references_differ(field: FieldSpec, asked: Any, has: Any) -> bool:
    """Whether wanted things are missing, or things are there that are not wanted."""
    if field.seen is None and (has is None or asked is None):
        return False
    if has is None:
        return False
    return _as_set(asked) != _as_set(has)


def _as_set(value: Any) -> frozenset[str]:
    if value is None:
        return frozenset()
    return value if isinstance(value, frozenset) else frozenset({value})


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
    if not isinstance(change, Action):
        return [Needed(change)]
    field = fields[0]
    want, there = _as_set(asked[field.name]), _as_set(has[field.name])
    known = all(target.id for target in resolved.of(field.name))
    ours = past.ids_of(field.id_field) if known else frozenset()
    ready = frozenset(target.id.lower() for target in resolved.of(field.name) if target.ready)
    add, remove = (want - there) & ready, (there & ours) - want
    return [Needed(change, add, remove)] if add or remove else []
