"""The one shape every room handles: a Kubernetes object as plain JSON data, never changed once it is stored."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

Object = dict[str, Any]
Key = tuple[str, str]
"""Namespace (empty for a cluster-scoped object) and name."""


def metadata(obj: Object) -> Object:
    """The object's metadata, empty when there is none, or when a client sent something else in its place."""
    meta = obj.get("metadata")
    return meta if isinstance(meta, dict) else {}


def key_of(obj: Object) -> Key:
    meta = metadata(obj)
    return meta.get("namespace", ""), meta.get("name", "")


def with_metadata(obj: Object, **fields: Any) -> Object:
    """A copy with some metadata set; a value of None takes the field away."""
    meta = {**metadata(obj), **fields}
    return {**obj, "metadata": {name: value for name, value in meta.items() if value is not None}}


def deleting(obj: Object) -> bool:
    return metadata(obj).get("deletionTimestamp") is not None


def finalizers(obj: Object) -> list[str]:
    return metadata(obj).get("finalizers") or []


def timestamp(moment: datetime) -> str:
    """Kubernetes' `metav1.Time`: RFC 3339 in UTC, whole seconds."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
