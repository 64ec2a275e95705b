"""`metav1.Condition` and the one rule about its time."""

from __future__ import annotations

from typing import Any, NamedTuple

from hooks.meta.text import one_line

LIMIT = 1024
"""Longest message: enough to say what is wrong; the whole of it is in `status.message` (cases 85)."""


class Condition(NamedTuple):
    """A condition as it should stand; its time is settled by `carry`."""

    type: str
    status: str
    reason: str
    message: str
    observedGeneration: int = 0


def carry(wanted: Condition, before: dict[str, Any] | None, now: str) -> dict[str, Any]:
    """The condition as written: `lastTransitionTime` moves only when `status` changes."""
    same = before is not None and before.get("status") == wanted.status and before.get("lastTransitionTime")
    since = before["lastTransitionTime"] if same and before is not None else now
    return {
        "type": wanted.type,
        "status": wanted.status,
        "reason": wanted.reason,
        "message": _legible(wanted.message),
        "observedGeneration": wanted.observedGeneration,
        "lastTransitionTime": since,
    }


def _legible(message: str) -> str:
    """What is short and plain stays as it was written, to the letter."""
    return message if len(message) <= LIMIT and message.isprintable() else one_line(message, LIMIT)


def by_type(conditions: Any) -> dict[str, dict[str, Any]]:
    """Conditions of a status by their type; what is not one is passed over."""
    found = {}
    for item in conditions if isinstance(conditions, list) else ():
        if isinstance(item, dict) and isinstance(item.get("type"), str):
            found[item["type"]] = item
    return found
