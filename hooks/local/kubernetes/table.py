"""Tables, the form in which kubectl asks for what it prints, and bare metadata, the form for those who need no more.

`negotiate` chooses the form from the request's Accept header; `collection`, `watch` and `app` use it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from hooks.local.kubernetes.ages import age
from hooks.local.kubernetes.jsonpath import compile_path
from hooks.local.kubernetes.objects import Object, metadata
from hooks.local.kubernetes.resources import Column, Resource

META = "meta.k8s.io/v1"
NAME = Column(
    "Name", "string", lambda obj, now: metadata(obj).get("name", ""), format="name", description="Name of the object."
)
AGE = Column(
    "Age",
    "string",
    lambda obj, now: age(metadata(obj).get("creationTimestamp"), now),
    description="Time since creation.",
)


def path_column(name: str, path: str, kind: str = "string", priority: int = 0, description: str = "") -> Column:
    """A column that shows what is found at a JSONPath. Raises ValueError for a path that is not understood."""
    find = compile_path(path)

    def read(obj: Object, now: datetime) -> Any:
        found = find(obj)
        if not found or found[0] is None:
            return None
        return age(found[0], now) if kind == "date" else _cell(found, kind)

    return Column(name, "string" if kind == "date" else kind, read, priority, description=description)


def _cell(found: list[Any], kind: str) -> Any:
    value = found[0]
    if kind == "integer" and not isinstance(value, bool) and isinstance(value, int | float):
        return int(value)
    if kind in ("number", "boolean"):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(str(one) for one in found) if len(found) > 1 else _text(value)


def _text(value: Any) -> str:
    return json.dumps(value, separators=(",", ":")) if isinstance(value, dict | list) else str(value)


def columns_of(resource: Resource) -> tuple[Column, ...]:
    return (NAME, *(resource.columns or (AGE,)))


def definitions(resource: Resource) -> list[Object]:
    return [
        {
            "name": column.name,
            "type": column.type,
            "format": column.format,
            "description": column.description or column.name,
            "priority": column.priority,
        }
        for column in columns_of(resource)
    ]


def table(
    resource: Resource, objects: Iterable[Object], meta: Object, now: datetime, include: str = "Metadata"
) -> Object:
    """The objects as rows; `include` says what of each object comes along: Metadata, Object or None."""
    return {
        "kind": "Table",
        "apiVersion": META,
        "metadata": meta,
        "columnDefinitions": definitions(resource),
        "rows": [_row(resource, obj, now, include) for obj in objects],
    }


def _row(resource: Resource, obj: Object, now: datetime, include: str) -> Object:
    row: Object = {"cells": [column.read(obj, now) for column in columns_of(resource)]}
    if include == "Object":
        return {**row, "object": obj}
    return row if include == "None" else {**row, "object": partial(obj)}


def partial(obj: Object) -> Object:
    return {"kind": "PartialObjectMetadata", "apiVersion": META, "metadata": metadata(obj)}
