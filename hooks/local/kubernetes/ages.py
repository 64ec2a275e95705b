"""How long ago, as kubectl writes it: `5s`, `4m30s`, `3h`, `12d`. For `table`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

_SECOND, _MINUTE, _HOUR, _DAY = 1, 60, 3600, 86400
_YEAR = 365 * _DAY
_MARKS = {_SECOND: "s", _MINUTE: "m", _HOUR: "h", _DAY: "d", _YEAR: "y"}
_STEPS = (
    (2 * _MINUTE, _SECOND, None),
    (10 * _MINUTE, _MINUTE, _SECOND),
    (3 * _HOUR, _MINUTE, None),
    (8 * _HOUR, _HOUR, _MINUTE),
    (2 * _DAY, _HOUR, None),
    (8 * _DAY, _DAY, _HOUR),
    (2 * _YEAR, _DAY, None),
    (8 * _YEAR, _YEAR, _DAY),
)
"""Below so many seconds: the unit, and the smaller one that is shown with it."""
UNKNOWN = "<unknown>"


def age(moment: Any, now: datetime) -> str:
    """The age of an RFC 3339 text."""
    if not isinstance(moment, str):
        return UNKNOWN
    try:
        return human((now - datetime.fromisoformat(moment)).total_seconds())
    except (TypeError, ValueError):
        return "<invalid>"


def human(span: float) -> str:
    """Seconds in at most two units (apimachinery's `HumanDuration`)."""
    seconds = int(span)
    if seconds < 0:
        return "0s" if seconds >= -1 else "<invalid>"
    unit, part = next(((unit, part) for limit, unit, part in _STEPS if seconds < limit), (_YEAR, None))
    rest = seconds % unit // part if part else 0
    whole = f"{seconds // unit}{_MARKS[unit]}"
    return f"{whole}{rest}{_MARKS[part]}" if part and rest else whole
