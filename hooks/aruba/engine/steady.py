"""Keeps a status from swinging between two times when Metacontroller shows us views that lag behind our own answers.

A pass that starts before its predecessor's status has reached Metacontroller's cache comes to the same conclusion a
moment later, and writes it with a later time. The next pass sees the first of the two, and puts it back; and so on for
ever, since each write wakes the next pass (mc §3.5, cases 17). So an answer that says nothing new but its times takes
the times of the one before. What is remembered is only that, for a minute: losing it costs a write, nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from typing import Any

from hooks.aruba.engine.values import Raw

Recent = MutableMapping[str, Raw]
"""The last status answered for each UID, for a short while."""


def steady(status: Raw, before: Raw | None) -> Raw:
    """The status, with the earlier of both times wherever it says the same as the one answered before.

    The earlier one, so that two replicas agree too; of the end of a pause the later one, so that none is cut short.
    """
    if before is None or _timeless(status) != _timeless(before):
        return status
    settled = dict(status)
    for name, choose in _CHOICES.items():
        if name in status:
            settled[name] = choose(status[name], before[name])
    pairs = zip(status.get("conditions", ()), before.get("conditions", ()), strict=True)
    settled["conditions"] = [{**new, _SINCE: min(new[_SINCE], old[_SINCE])} for new, old in pairs]
    return settled


_SINCE = "lastTransitionTime"
_CHOICES: dict[str, Callable[[str, str], str]] = {"phaseStartTime": min, "nextAttemptTime": max}


def _timeless(status: Raw) -> tuple[Any, ...]:
    """A status without its times, for comparing; names of the times that it has stay."""
    plain = {key: key if key in _CHOICES else value for key, value in status.items() if key != "conditions"}
    conditions = status.get("conditions", ())
    return plain, [{key: value for key, value in item.items() if key != _SINCE} for item in conditions]
