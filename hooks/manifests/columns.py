"""What `kubectl get` shows of a kind. Called by `crd` and `pages`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel

from hooks.aruba.model.kind import Kind
from hooks.aruba.model.marks import Column

Printed = dict[str, Any]


def columns(kind: Kind) -> list[Printed]:
    """Where it stands, what is particular to the kind, then the long texts, with the age last."""
    return [
        _printed("Phase", ".status.phase"),
        _printed("Ready", '.status.conditions[?(@.type=="Ready")].status'),
        _printed("Reason", '.status.conditions[?(@.type=="Ready")].reason', priority=1),
        _printed("State", ".status.cloudState", priority=1),
        *_marked(kind.spec, ".spec"),
        *_marked(kind.status, ".status"),
        _printed("Resource ID", ".status.resourceID"),
        _printed("Message", ".status.message"),
        _printed("Age", ".metadata.creationTimestamp", "date"),
    ]


def _marked(model: type[BaseModel], path: str) -> Iterator[Printed]:
    for name, info in model.model_fields.items():
        for mark in info.metadata:
            if isinstance(mark, Column):
                yield _printed(mark.name, f"{path}.{name}", mark.type, mark.priority)
        for inner in (info.annotation, *get_args(info.annotation)):
            if isinstance(inner, type) and issubclass(inner, BaseModel):
                yield from _marked(inner, f"{path}.{name}")


def _printed(name: str, path: str, kind: str = "string", priority: int = 0) -> Printed:
    column: Printed = {"name": name, "type": kind, "jsonPath": path}
    return {**column, "priority": priority} if priority else column
