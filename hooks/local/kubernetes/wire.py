"""The protobuf wire format, as far as Kubernetes' messages use it. `protobuf` holds the messages."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from hooks.local.kubernetes.objects import Object

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Read = Callable[[Any], Any]
Message = dict[int, tuple[str, Read]]
"""Field number to the field's JSON name and how its wire value is read."""


def read(raw: bytes, fields: Message) -> Object:
    """One message. A field that appears twice is a list's or a map's."""
    found: Object = {}
    for number, value in _fields(raw):
        if number not in fields:
            continue
        name, convert = fields[number]
        item = convert(value)
        if isinstance(found.get(name), list):
            found[name] += item
        elif isinstance(found.get(name), dict) and isinstance(item, dict):
            found[name] |= item
        elif item is not None:
            found[name] = item
    return found


def _fields(raw: bytes) -> Iterator[tuple[int, Any]]:
    position = 0
    while position < len(raw):
        tag, position = _varint(raw, position)
        match tag & 7:
            case 0:
                value, position = _varint(raw, position)
                yield tag >> 3, value
            case 2:
                size, start = _varint(raw, position)
                position = start + size
                if position > len(raw):
                    raise ValueError("it ends too early")
                yield tag >> 3, raw[start:position]
            case wire:
                raise ValueError(f"wire type {wire} is not used by Kubernetes' messages")


def _varint(raw: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = raw[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7


def text(value: bytes) -> str | None:
    return value.decode() or None


def whole(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value


def message(fields: Message) -> Read:
    return lambda value: read(value, fields)


def several(item: Read) -> Read:
    return lambda value: [item(value)]


def encoded(value: bytes) -> str:
    return base64.b64encode(value).decode()


def mapping(item: Read) -> Read:
    entry: Message = {1: ("key", bytes.decode), 2: ("value", item)}

    def one(value: bytes) -> Object:
        pair = read(value, entry)
        return {pair.get("key", ""): pair.get("value", "")}

    return one


def moment(value: bytes) -> str | None:
    """A time; the zero time is none. Parts of a second are shown where there are any (`metav1.MicroTime`)."""
    parts = read(value, {1: ("seconds", whole), 2: ("nanos", whole)})
    if not parts.get("seconds"):
        return None
    at = _EPOCH + timedelta(seconds=parts["seconds"], microseconds=parts.get("nanos", 0) // 1000)
    return at.strftime("%Y-%m-%dT%H:%M:%S.%fZ" if parts.get("nanos") else "%Y-%m-%dT%H:%M:%SZ")


def texts(*names: str) -> Message:
    """Fields 1, 2, 3, … that are all texts."""
    return {number: (name, text) for number, name in enumerate(names, 1)}
