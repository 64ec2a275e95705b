"""A resource's values and references by its kind's declaration, in the words of our schema. `drafts` asks.

The cloud's side is read as every comparison reads it (`engine.sides`). Where the wire has other words than the schema
(`Lay`), the word is looked for that a comparison would take for the same, first among the schema's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hooks.aruba.engine import sides
from hooks.aruba.engine.notes import is_owner_tag
from hooks.aruba.importing.found import Found, Key
from hooks.aruba.model.fields import FieldSpec
from hooks.aruba.model.kind import Kind
from hooks.aruba.model.live import Live


def values(kind: Kind, live: Live, words: tuple[str, ...]) -> dict[str, Any]:
    """What the cloud says of each field that is no reference, by dotted name; what it does not say is left out.

    `words` is the vocabulary of the kind.
    """
    has = sides.actual(kind, live)
    raw = {f.name: f.read(live) for f in kind.fields if f.compared}
    said: dict[str, Any] = {}
    for field in kind.fields:
        if field.to is not None or not field.compared or has[field.name] is None:
            continue
        if field.name == "tags":
            said["tags"] = [tag for tag in dict.fromkeys(live.tags) if not is_owner_tag(tag)]
        elif field.absent is None or has[field.name] != field.absent.means:
            said[field.name] = _spoken(kind, field, raw, has[field.name], words)
    return {name: value for name, value in said.items() if value != []}


def vocabulary(kind: Kind) -> tuple[str, ...]:
    """Every word that the kind's schema has for something: the choices of all its fields."""
    return tuple(_words(kind.spec.model_json_schema()))


def _words(schema: Any) -> Iterator[str]:
    if isinstance(schema, list):
        for item in schema:
            yield from _words(item)
    if not isinstance(schema, dict):
        return
    choices = schema.get("enum")
    told = [*(choices if isinstance(choices, list) else ()), schema.get("const")]
    yield from (word for word in told if isinstance(word, str))
    for item in schema.values():
        yield from _words(item)


def _spoken(kind: Kind, field: FieldSpec, raw: dict[str, Any], has: Any, words: tuple[str, ...]) -> Any:
    """The first of the schema's words, the cloud's own and the word that it is read as which is the same to us."""
    own = words if isinstance(has, str) else ()
    for word in (*own, raw[field.name], has):
        asked = {**raw, field.name: word}
        if kind.lay is not None:
            asked = kind.lay.plain(asked)
        one = asked[field.name]
        if one is not None and not sides.differ(kind, field, frozenset(one) if isinstance(one, list) else one, has):
            return word
    return raw[field.name]


def references(found: Found) -> dict[str, tuple[Key, ...]]:
    """What each reference leads to, as far as the path or the cloud says, several in the order of their IDs."""
    kind = found.kind
    placed = kind.collection.ids(found.path)
    on_path = {kind.parent_field(name).name: resource_id.lower() for name, resource_id in placed.items()}
    has = sides.actual(kind, found.live)
    led: dict[str, tuple[Key, ...]] = {}
    for field in kind.references:
        ids = sides.as_set(on_path.get(field.name, has.get(field.name)))
        if field.to is not None and ids:
            led[field.name] = tuple((field.to.kind, one) for one in sorted(ids))
    return led
