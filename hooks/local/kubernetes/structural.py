"""Structural schemas at work on data: unknown fields are dropped (and named), defaults are filled in.

Called by `decode` on what a client sent. Source: Kubernetes, "Extend the API with CustomResourceDefinitions".
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from hooks.local.kubernetes.objects import Object

KEEP = "x-kubernetes-preserve-unknown-fields"
EMBEDDED = "x-kubernetes-embedded-resource"
_ENVELOPE = frozenset({"apiVersion", "kind", "metadata"})


def prune(value: Any, schema: Object, path: str, unknown: list[str]) -> Any:
    """A copy without the fields that the schema does not know; their paths are added to `unknown`."""
    if isinstance(value, dict):
        return _prune_map(value, schema, path, unknown)
    if isinstance(value, list):
        items = schema.get("items") or {KEEP: True}
        return [prune(item, items, f"{path}[{index}]", unknown) for index, item in enumerate(value)]
    return value


def _prune_map(value: Object, schema: Object, path: str, unknown: list[str]) -> Object:
    kept: Object = {}
    for name, item in value.items():
        inner = _member(schema, name)
        where = f"{path}.{name}" if path else name
        if inner is None:
            unknown.append(where)
        else:
            kept[name] = prune(item, inner, where, unknown)
    return kept


def _member(schema: Object, name: str) -> Object | None:
    """The schema of one field; None when the field is unknown."""
    inner = member(schema, name)
    if inner is not None:
        return inner
    if schema.get(KEEP) or (schema.get(EMBEDDED) and name in _ENVELOPE):
        return {KEEP: True}
    return None


def member(schema: Object, name: str) -> Object | None:
    """What the schema itself says of a field, by its own name or as a map's value."""
    declared = schema.get("properties") or {}
    if name in declared:
        found: Object = declared[name]
        return found
    rest = schema.get("additionalProperties")
    if rest is True:
        return {KEEP: True}
    return rest if isinstance(rest, dict) else None


def fill(value: Any, schema: Object) -> Any:
    """A copy with the schema's defaults where a field is absent, or null where null is not allowed."""
    if isinstance(value, list) and schema.get("items"):
        return [fill(item, schema["items"]) for item in value]
    if not isinstance(value, dict):
        return value
    filled = {name: item for name, item in value.items() if not _yields(item, member(schema, name))}
    for name, inner in (schema.get("properties") or {}).items():
        if name not in filled and "default" in inner:
            filled[name] = deepcopy(inner["default"])
    return {name: fill(item, member(schema, name) or {}) for name, item in filled.items()}


def _yields(item: Any, schema: Object | None) -> bool:
    return item is None and schema is not None and "default" in schema and not schema.get("nullable")
