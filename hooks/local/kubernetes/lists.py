"""Lists of type `set` and `map`: no two items may be the same. Asked by `schema`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hooks.local.kubernetes.errors import Fault, shown
from hooks.local.kubernetes.objects import Object
from hooks.local.kubernetes.structural import member
from hooks.local.kubernetes.validation import Finding, Path, dotted

TYPE = "x-kubernetes-list-type"
KEYS = "x-kubernetes-list-map-keys"


def identity(item: Any, schema: Object) -> Any:
    """What tells an item from the others: its keys in a list of type map, itself in a set."""
    if schema.get(TYPE) != "map" or not isinstance(item, dict):
        return item
    inner = (schema.get("items") or {}).get("properties") or {}
    return {name: item.get(name, inner.get(name, {}).get("default")) for name in schema.get(KEYS) or []}


def duplicates(schema: Object, value: Any, path: Path = ()) -> Iterator[Finding]:
    if isinstance(value, dict):
        for name, item in value.items():
            inner = member(schema, name)
            if inner:
                yield from duplicates(inner, item, (*path, name))
    elif isinstance(value, list):
        yield from _in_list(schema, value, path)
        for index, item in enumerate(value):
            yield from duplicates(schema.get("items") or {}, item, (*path, index))


def _in_list(schema: Object, items: list[Any], path: Path) -> Iterator[Finding]:
    if schema.get(TYPE) not in ("set", "map"):
        return
    seen: set[str] = set()
    for index, item in enumerate(items):
        if schema[TYPE] == "map" and not isinstance(item, dict):
            continue
        name = identity(item, schema)
        token = json.dumps(name, sort_keys=True)
        if token in seen:
            where = (*path, index)
            yield where, Fault(dotted(where), "FieldValueDuplicate", f"Duplicate value: {shown(name)}")
        seen.add(token)
