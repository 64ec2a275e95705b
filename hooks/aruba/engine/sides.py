"""Both sides of a comparison in the same words: what the spec asks for, and what the cloud has. `compare` uses them.

A value that the cloud does not return is no opinion, never a difference. Lists are sets; words of the platform compare
without case; references compare by ID (design §4).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from hooks.aruba.engine.findings import Resolved
from hooks.aruba.engine.notes import is_owner_tag
from hooks.aruba.model.fields import FieldSpec, value_at
from hooks.aruba.model.kind import Kind
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


def differ(kind: Kind, field: FieldSpec, asked: Any, has: Any) -> bool:
    """Whether the cloud has something else than is asked for."""
    if has is None:
        return False
    if field.to is not None:
        return (asked is not None or field.seen is not None) and as_set(asked) != as_set(has)
    if asked is None:
        return False
    if field.name == "tags" and field.name not in kind.mutable:
        return not asked <= has  # what was added elsewhere cannot be taken away, and does no harm
    return bool(_spelled(field, asked) != _spelled(field, has))


def digest(values: Any) -> str:
    """A short word for what is asked for, the same in every process and every replica."""
    text = json.dumps(values, sort_keys=True, default=lambda value: sorted(map(str, value)))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def as_set(value: Any) -> frozenset[str]:
    """One reference, none or several, as a set of IDs."""
    if value is None:
        return frozenset()
    return value if isinstance(value, frozenset) else frozenset({value})


def _spelled(field: FieldSpec, value: Any) -> Any:
    """Blanks at the ends say nothing, nor does the case of a word (cases 15)."""
    if not isinstance(value, str):
        return value
    return value.strip().casefold() if field.word else value.strip()


def _wanted(field: FieldSpec, resolved: Resolved) -> Any:
    if field.to is not None:
        return resolved.ids(field)
    assert resolved.spec is not None
    value = value_at(resolved.spec, field.name)
    if value is None and field.absent is not None:
        return field.absent.means
    if field.name == "tags":
        return frozenset(tag for tag in value or () if not is_owner_tag(tag))
    return frozenset(value) if isinstance(value, tuple) else value


def _actual(field: FieldSpec, live: Live) -> Any:
    value = field.read(live)
    if field.name == "tags":
        return frozenset(tag for tag in live.tags if not is_owner_tag(tag))
    if field.to is not None and not field.many and isinstance(value, frozenset):
        return next(iter(value)) if len(value) == 1 else value
    return frozenset(value) if isinstance(value, list) else value
