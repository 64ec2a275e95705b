"""The log of everything that was asked of the cloud and of the token endpoint, without secrets.

The edge writes it; `GET calls` reads it. A call is listed from its arrival on; `status` and `ms` stay null until it is
over, and `status` stays null when its connection was cut.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from urllib.parse import parse_qs

BLANK = "***"
_SECRET = frozenset({"client_secret", "clientsecret", "password", "userdata", "secret"})


@dataclass
class Call:
    n: int
    time: str
    method: str
    path: str
    query: dict[str, Any]
    status: int | None
    ms: float | None
    clientId: str | None  # noqa: N815  the name on the wire
    requestBody: Any  # noqa: N815


class Calls:
    """`n` counts arrivals from 1, so a call's place in the list is n - 1."""

    def __init__(self) -> None:
        self._calls: list[Call] = []

    def arrive(
        self, now: datetime, method: str, path: str, query: str, headers: Mapping[str, str], body: bytes
    ) -> Call:
        n = len(self._calls) + 1
        parsed = _without_secrets(read_body(headers.get("content-type", ""), body))
        call = Call(n, stamp(now), method, path, _blanked(_flat(query)), None, None, None, parsed)
        self._calls.append(call)
        return call

    def since(self, n: int) -> list[dict[str, Any]]:
        return [asdict(call) for call in self._calls[max(n, 0) :]]


def stamp(when: datetime) -> str:
    """ISO 8601 in UTC, with `Z`, as the cloud writes it."""
    return when.isoformat(timespec="microseconds").replace("+00:00", "Z")


def read_body(content_type: str, body: bytes) -> Any:
    """The parsed body: a form, JSON, or else its text; None when there is none.

    JSON that could not be written down again (half of a surrogate pair, endless nesting) counts as text.
    """
    text = body.decode("utf-8", "replace")
    if not text:
        return None
    if content_type.startswith("application/x-www-form-urlencoded"):
        return _flat(text)
    try:
        parsed = json.loads(text)
        if "\\u" in text:
            json.dumps(parsed, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return text
    return parsed


def _flat(query: str) -> dict[str, Any]:
    fields = parse_qs(query, keep_blank_values=True)
    return {name: values[0] if len(values) == 1 else values for name, values in fields.items()}


def _without_secrets(body: Any) -> Any:
    """A body that could not be parsed is blanked as a whole if it names a secret anywhere."""
    if isinstance(body, str):
        return BLANK if any(word in body.lower() for word in _SECRET) else body
    return _blanked(body)


def _blanked(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: BLANK if key.lower() in _SECRET else _blanked(one) for key, one in value.items()}
    return [_blanked(one) for one in value] if isinstance(value, list) else value
