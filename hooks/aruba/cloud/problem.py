"""What an error answer says, whatever its shape (api §5.3). Total: any bytes give a `Problem` (cases 35).

`errors` classifies by it; the token endpoint's refusals are read with it too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from hooks.aruba.cloud.text import readable
from hooks.meta.text import one_line

UNKNOWN = "Unknown API error"

_FIELD = ("field", "fieldname", "propertyname", "name")
_MESSAGE = ("message", "errormessage", "error", "description")
_WRAPPERS = ("error", "problem", "data", "response")
_SAYS = ("title", "detail", "errors", "status")
_MOST = 20
_DEEPEST = 5


class Wrong(NamedTuple):
    """One entry of `errors`; either part may be empty."""

    field: str
    message: str

    def __str__(self) -> str:
        if not self.field:
            return self.message or "invalid"
        return f"{self.field}: {self.message or 'invalid'}"


class Problem(NamedTuple):
    """`own` tells that the API itself spoke, not something in front of it (cases 14)."""

    title: str
    detail: str
    trace: str
    errors: tuple[Wrong, ...]
    own: bool


def read_json(body: bytes) -> Any:
    """The JSON in a body, None for what is none. Content types lie (F7), so they are not asked."""
    try:
        return json.loads(body.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return None


def read(content_type: str, body: bytes) -> Problem:
    """Read an error answer."""
    html = "html" in content_type.lower()
    whole = read_json(body)
    if isinstance(whole, Mapping):
        return _from_object(_unwrapped(_folded(whole)), "problem+json" in content_type.lower())
    text = body.decode("utf-8", "replace")
    detail = one_line(readable(text) if html or text.lstrip()[:1] == "<" else text)
    return Problem(UNKNOWN, detail, "", (), own=not body.strip() and not html)


def _from_object(body: Mapping[str, Any], declared: bool) -> Problem:
    title = _text(body, "title", "error")
    detail = _text(body, "detail", "error_description", "message")
    return Problem(
        one_line(title, 200) or UNKNOWN,
        one_line(detail),
        one_line(_text(body, "traceid", "trace_id"), 128),
        tuple(wrongs(body.get("errors"))),
        own=declared or "title" in body or "status" in body,
    )


def wrongs(errors: Any) -> list[Wrong]:
    """`errors` in any of the four shapes, or a mixture; what is not empty gives at least one entry."""
    found = list(islice(_entries(errors, "", 0), _MOST))
    return found or ([Wrong("", "invalid")] if errors else [])


def _entries(value: Any, field: str, depth: int) -> Iterator[Wrong]:
    if depth > _DEEPEST or not isinstance(value, Mapping | list):
        if value is not None:
            yield Wrong(field, one_line(str(value), 300))
    elif isinstance(value, list):
        for entry in value:
            yield from _entry(entry, field, depth + 1)
    elif _text(_folded(value), *_FIELD) and _text(_folded(value), *_MESSAGE):
        yield from _entry(value, field, depth + 1)
    else:
        for name, inner in value.items():
            yield from _entries(inner, _joined(field, str(name)), depth + 1)


def _entry(value: Any, field: str, depth: int) -> Iterator[Wrong]:
    """One item of a list: an entry with a field and a message, under whatever keys."""
    if isinstance(value, Mapping):
        folded = _folded(value)
        name, message = _text(folded, *_FIELD), _text(folded, *_MESSAGE)
        if name or message:
            yield Wrong(one_line(_joined(field, name), 200), one_line(message, 300))
            return
    yield from _entries(value, field, depth)


def _joined(outer: str, inner: str) -> str:
    return ".".join(part for part in (outer, inner) if part)


def _folded(body: Mapping[str, Any]) -> dict[str, Any]:
    return {str(name).lower(): value for name, value in body.items()}


def _unwrapped(body: Mapping[str, Any]) -> Mapping[str, Any]:
    if any(name in body for name in _SAYS):
        return body
    inner = next((body[name] for name in _WRAPPERS if isinstance(body.get(name), Mapping)), None)
    return body if inner is None else _folded(inner)


def _text(body: Mapping[str, Any], *names: str) -> str:
    """The first of these members that holds text or a number."""
    found = (body[name] for name in names if isinstance(body.get(name), str | int | float))
    return next((str(value) for value in found if str(value).strip()), "")
