"""Events: one store, seen as core `v1` (kubectl describe) and as `events.k8s.io/v1` (kubectl events)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from hooks.local.kubernetes.ages import UNKNOWN, age
from hooks.local.kubernetes.errors import Fault, invalid_value
from hooks.local.kubernetes.objects import Object, metadata
from hooks.local.kubernetes.resources import Column, Resource
from hooks.local.kubernetes.schema import Schema
from hooks.local.kubernetes.table import path_column

TABLE = "events"
_RENAMED = {
    "involvedObject": "regarding",
    "message": "note",
    "source": "deprecatedSource",
    "firstTimestamp": "deprecatedFirstTimestamp",
    "lastTimestamp": "deprecatedLastTimestamp",
    "count": "deprecatedCount",
    "reportingComponent": "reportingController",
}
"""The core name of each field that the newer group calls otherwise."""
_TEXT: Object = {"type": "string"}
_TIME: Object = {"type": "string", "format": "date-time", "nullable": True}
_REFERENCE: Object = {
    "type": "object",
    "properties": dict.fromkeys(
        ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"), _TEXT
    ),
}
_CORE: Object = {
    "involvedObject": _REFERENCE,
    "related": _REFERENCE,
    "reason": _TEXT,
    "message": _TEXT,
    "type": _TEXT,
    "action": _TEXT,
    "source": {"type": "object", "properties": {"component": _TEXT, "host": _TEXT}},
    "firstTimestamp": _TIME,
    "lastTimestamp": _TIME,
    "eventTime": _TIME,
    "count": {"type": "integer"},
    "series": {"type": "object", "properties": {"count": {"type": "integer"}, "lastObservedTime": _TIME}},
    "reportingComponent": _TEXT,
    "reportingInstance": _TEXT,
}
_SELECTABLE = {"reason": "reason", "type": "type"}
_SOURCES = {"reportingComponent": "reportingComponent", "source": "source.component"}


def resources() -> list[Resource]:
    return [_events("", _CORE, "involvedObject"), _events("events.k8s.io", _newer_fields(), "regarding")]


def _newer_fields() -> Object:
    return {_RENAMED.get(name, name): schema for name, schema in _CORE.items()}


def _events(group: str, fields: Object, subject: str) -> Resource:
    paths = [f"{subject}.{name}" for name in _REFERENCE["properties"]]
    return Resource(
        group=group,
        version="v1",
        plural="events",
        singular="event",
        kind="Event",
        namespaced=True,
        schema=Schema({"type": "object", "description": "Event is a report of an event.", "properties": fields}),
        short_names=("ev",),
        generations=False,
        stored_as=TABLE,
        columns=_columns(subject, "note" if group else "message"),
        fields={**{path: path for path in paths}, **_SELECTABLE, **({} if group else _SOURCES)},
        check=_check(subject),
        read=_newer if group else None,
        write=_core if group else None,
    )


def _check(subject: str) -> Callable[[Object, Object | None], Iterable[Fault]]:
    """An event lives in the namespace of what it is about, or in `default`."""

    def check(new: Object, old: Object | None) -> Iterable[Fault]:
        about, own = (new.get(subject) or {}).get("namespace", ""), metadata(new).get("namespace")
        if (about or "default") != own:
            yield invalid_value(f"{subject}.namespace", about, "does not match event.namespace")

    return check


def _renamed(names: dict[str, str], api_version: str) -> Callable[[Object], Object]:
    def convert(obj: Object) -> Object:
        return {**{names.get(name, name): value for name, value in obj.items()}, "apiVersion": api_version}

    return convert


_newer = _renamed(_RENAMED, "events.k8s.io/v1")
_core = _renamed({newer: core for core, newer in _RENAMED.items()}, "v1")


def _last_seen(obj: Object, now: datetime) -> str:
    series = (obj.get("series") or {}).get("lastObservedTime")
    times = (series, obj.get("lastTimestamp"), obj.get("deprecatedLastTimestamp"), obj.get("eventTime"))
    moment = next((time for time in times if time), metadata(obj).get("creationTimestamp"))
    return age(moment, now) if moment else UNKNOWN


def _columns(subject: str, text: str) -> tuple[Column, ...]:
    def about(obj: Object, now: datetime) -> Any:
        regarding = obj.get(subject) or {}
        return f"{regarding.get('kind', '').lower()}/{regarding.get('name', '')}"

    return (
        Column("Last Seen", "string", _last_seen),
        path_column("Type", ".type"),
        path_column("Reason", ".reason"),
        Column("Object", "string", about),
        path_column("Message", f".{text}"),
    )
