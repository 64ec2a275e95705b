"""Which fields an object has, as paths, and their `fieldsV1` form: the ground under managed fields and apply.

A path is a tuple of `fieldsV1` steps: `f:` a field, `k:` an item of a list by its keys, `v:` an item of a set.
Source: structured-merge-diff, package `fieldpath`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from hooks.local.kubernetes.lists import TYPE, identity
from hooks.local.kubernetes.naming import METADATA
from hooks.local.kubernetes.objects import Object
from hooks.local.kubernetes.resources import Resource
from hooks.local.kubernetes.structural import member

Step = str
FieldPath = tuple[Step, ...]
Leaves = dict[FieldPath, Any]
"""Each owned path with its value; None for a list item, which is there or not."""

_UNOWNED = frozenset(
    "name namespace uid creationTimestamp resourceVersion generation managedFields selfLink deletionTimestamp"
    " deletionGracePeriodSeconds generateName".split()
)


def ownable(resource: Resource, obj: Object, part: str) -> Object:
    """The fields that a write of this part may own."""
    if part == "status":
        return {"status": obj["status"]} if "status" in obj else {}
    body = {name: value for name, value in obj.items() if name not in ("apiVersion", "kind", "metadata")}
    if resource.status:
        body.pop("status", None)
    meta = {name: value for name, value in (obj.get("metadata") or {}).items() if name not in _UNOWNED}
    return {"metadata": meta, **body} if meta else body


def schema_of(resource: Resource) -> Object:
    """The whole object's schema, metadata included."""
    source = resource.schema.source
    return {**source, "properties": {**(source.get("properties") or {}), "metadata": METADATA}}


def leaves(value: Any, schema: Object) -> Leaves:
    return dict(_walk(value, schema, ()))


def _walk(value: Any, schema: Object, path: FieldPath) -> Iterator[tuple[FieldPath, Any]]:
    if isinstance(value, dict) and value and schema.get("x-kubernetes-map-type") != "atomic":
        for name, item in value.items():
            yield from _walk(item, member(schema, name) or {}, (*path, f"f:{name}"))
    elif isinstance(value, list) and value and granular(schema):
        for item in value:
            yield from _walk_item(item, schema, path)
    elif path:
        yield path, value


def _walk_item(item: Any, schema: Object, path: FieldPath) -> Iterator[tuple[FieldPath, Any]]:
    here = (*path, item_step(item, schema))
    yield here, None
    if schema[TYPE] == "map":
        yield from _walk(item, schema.get("items") or {}, here)


def granular(schema: Object) -> bool:
    return schema.get(TYPE) in ("map", "set")


def item_step(item: Any, schema: Object) -> Step:
    mark = "k" if schema[TYPE] == "map" and isinstance(item, dict) else "v"
    return f"{mark}:{json.dumps(identity(item, schema), sort_keys=True, separators=(',', ':'))}"


def encode(paths: Iterable[FieldPath]) -> Object:
    """As `fieldsV1`: nested maps, with `.` where a path is owned that has paths below it."""
    root: Object = {}
    for path in sorted(paths):
        node = root
        for step in path:
            node = node.setdefault(step, {})
        node["."] = {}
    return _tidy(root)


def _tidy(node: Object) -> Object:
    if set(node) == {"."}:
        return {}
    return {step: _tidy(inner) if step != "." else {} for step, inner in node.items()}


def decode(fields: Object, path: FieldPath = ()) -> Iterator[FieldPath]:
    for step, inner in fields.items():
        if step == ".":
            yield path
        elif inner:
            yield from decode(inner, (*path, step))
        else:
            yield (*path, step)


def readable(path: FieldPath) -> str:
    """As an error names it: `.spec.ports[name="a"].port`."""
    return "".join(_readable_step(step) for step in path)


def _readable_step(step: Step) -> str:
    mark, _, text = step.partition(":")
    if mark == "f":
        return f".{text}"
    if mark == "v":
        return f"[={text}]"
    return "[" + ",".join(f"{name}={json.dumps(value)}" for name, value in json.loads(text).items()) + "]"
