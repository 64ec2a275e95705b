"""Strategic merge patches, which kubectl sends for built-in kinds: a merge patch whose keyed lists merge by key.

`writes` calls it; custom resources refuse this kind of patch, as they do in Kubernetes.
"""

from __future__ import annotations

from typing import Any

from hooks.local.kubernetes.fieldsets import granular, item_step, schema_of
from hooks.local.kubernetes.objects import Object
from hooks.local.kubernetes.resources import Resource
from hooks.local.kubernetes.structural import member

_DIRECTIVE = "$patch"


def strategic_merge(target: Object, change: Object, resource: Resource) -> Object:
    merged: Object = _merge(target, change, schema_of(resource))
    return merged


def _merge(target: Any, change: Any, schema: Object) -> Any:
    if isinstance(change, list) and isinstance(target, list) and granular(schema):
        return _merge_list(target, change, schema)
    if not isinstance(change, dict):
        return change
    if change.get(_DIRECTIVE) == "replace":
        return {name: value for name, value in change.items() if name != _DIRECTIVE}
    merged = dict(target) if isinstance(target, dict) else {}
    for name, value in change.items():
        if name.startswith("$deleteFromPrimitiveList/"):
            field = name.partition("/")[2]
            merged[field] = [item for item in merged.get(field) or [] if item not in value]
        elif value is None:
            merged.pop(name, None)
        elif not name.startswith("$"):
            merged[name] = _merge(merged.get(name), value, member(schema, name) or {})
    return merged


def _merge_list(target: list[Any], change: list[Any], schema: Object) -> list[Any]:
    items = {item_step(item, schema): item for item in target}
    for item in change:
        step = item_step(item, schema)
        if isinstance(item, dict) and item.get(_DIRECTIVE) == "delete":
            items.pop(step, None)
        else:
            items[step] = _merge(items.get(step), item, schema.get("items") or {})
    return list(items.values())
