"""RFC 3339 times and Go durations, as they stand in objects and settings."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_PART = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)")


def parse_duration(text: str) -> timedelta:
    """Read a Go duration such as `10m`, `1h30m` or `500ms`.

    Raises ValueError, naming the text, for anything else, signs included.
    """
    total, at = 0.0, 0
    for part in _PART.finditer(text):
        if part.start() != at:
            break
        total += float(part[1]) * _UNITS[part[2]]
        at = part.end()
    if text == "0":
        return timedelta()
    if not text or at != len(text):
        raise ValueError(f"{text!r} is not a duration: write it like 90s, 10m or 1h30m")
    return timedelta(seconds=total)


def format_duration(span: timedelta) -> str:
    """Write a duration as Go prints it: `10m0s`, `1h0m0s`, `2.5s`."""
    seconds = span.total_seconds()
    hours, rest = divmod(seconds, 3600)
    minutes, rest = divmod(rest, 60)
    text = f"{rest:.3f}".rstrip("0").rstrip(".") + "s"
    if hours:
        return f"{int(hours)}h{int(minutes)}m{text}"
    return f"{int(minutes)}m{text}" if minutes else text


def parse_time(text: object) -> datetime | None:
    """Read an RFC 3339 time; None for what is not one."""
    if not isinstance(text, str):
        return None
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def format_time(at: datetime) -> str:
    """Whole seconds in UTC, as Kubernetes writes them: `2026-07-01T08:00:00Z`."""
    return at.astimezone(UTC).replace(microsecond=0).strftime("%Y-%m-%dT%H:%M:%SZ")


def format_precise(at: datetime) -> str:
    """Milliseconds in UTC, where a poll schedule hangs on it: `2026-07-01T08:00:00.250Z`."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"
