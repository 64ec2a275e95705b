"""JSON as Metacontroller's strict decoder takes it (mc §2.5): for hook replies and for the controllers' own selectors.

A null counts as absent, as in Go. An unknown or doubled field, a wrong type and NaN fail. Doubled fields fail at every
depth, also where the original would look away (inside children, which this engine refuses anyway).
"""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn, TypeAlias

from hooks.local.metacontroller.errors import HookError

__all__ = ["Types", "fields", "parse", "strings"]

Types: TypeAlias = dict[str, type | tuple[type, ...]]


def parse(raw: bytes) -> Any:
    """The document, or `HookError`."""
    try:
        return json.loads(
            raw.decode(), object_pairs_hook=_once, parse_constant=_no_number, parse_float=_finite, parse_int=_integer
        )
    except (ValueError, RecursionError) as wrong:
        raise HookError(f"can't unmarshal webhookResponse: {wrong}") from wrong


def fields(value: Any, types: Types, where: str) -> dict[str, Any]:
    """The fields of an object that are not null, each known and rightly typed."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise HookError(f"can't unmarshal webhookResponse: {where or 'the reply'} must be an object")
    for name, item in value.items():
        path = f"{where}.{name}".lstrip(".")
        if name not in types:
            raise HookError(f'strict validation failed for v2 webhookResponse: unknown field "{path}"')
        if item is not None and not _is(item, types[name]):
            raise HookError(f"can't unmarshal webhookResponse: {path} cannot be {type(item).__name__}")
    return {name: item for name, item in value.items() if item is not None}


def strings(values: list[Any], where: str) -> list[str]:
    """A list of strings; a null in it is the empty string, as in Go."""
    for item in values:
        if item is not None and not isinstance(item, str):
            raise HookError(f"can't unmarshal webhookResponse: {where} takes strings, not {type(item).__name__}")
    return [item or "" for item in values]


def _is(item: Any, wanted: type | tuple[type, ...]) -> bool:
    if isinstance(item, bool):
        return wanted is bool
    return isinstance(item, wanted)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, item in pairs:
        if name in found:
            raise ValueError(f'strict validation failed: duplicate field "{name}"')
        found[name] = item
    return found


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text} is out of range")
    return number


def _integer(text: str) -> int | float:
    number = int(text)
    return number if -(2**63) <= number < 2**63 else float(text)
