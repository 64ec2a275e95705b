"""Schemas of ours with their checks taken away: what another operator, or an older version of this one, has let in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Object = dict[str, Any]
CHECKS = ("pattern", "x-kubernetes-validations", "enum", "minLength", "maxLength", "minimum", "maximum", "maxItems")


def loosen(schema: Object, *more: str) -> None:
    """No checks, here and below, in place; `more` are further words that go, such as `required`."""
    for part in _parts(schema):
        for word in (*CHECKS, *more):
            part.pop(word, None)


def _parts(schema: Object) -> Iterator[Object]:
    """A schema and all in it; properties that are named like a word of schemas are no such word."""
    yield schema
    for inner in schema.get("properties", {}).values():
        yield from _parts(inner)
    if isinstance(schema.get("items"), dict):
        yield from _parts(schema["items"])
