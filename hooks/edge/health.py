"""Whether this process may be sent calls, and how those it depends on are doing (interfaces, "Hooks").

Only its own reasons make it unready: a cloud that is down would otherwise take every replica out of service, and with
them the answers that tell users about it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hooks.clock import Clock

Reasons = Callable[[], tuple[str, ...]]


class Peer:
    """What was last seen of somebody we depend on: `unknown` before the first call, then `ok` or `failing`."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._state = "unknown"
        self._text = ""
        self._seen: float | None = None
        self._since: float | None = None

    def ok(self) -> None:
        """It answered."""
        self._saw("ok", "")

    def failed(self, text: str) -> None:
        """It did not, or not usefully; `text` says how, in one line."""
        self._saw("failing", text)

    def view(self) -> dict[str, Any]:
        """State; seconds since the last call (`age`) and since the state began (`for`)."""
        now = self._clock.monotonic()
        ages = {"age": self._seen, "for": self._since}
        shown: dict[str, Any] = {"state": self._state}
        shown |= {name: None if at is None else round(now - at, 1) for name, at in ages.items()}
        return {**shown, "detail": self._text} if self._text else shown

    def _saw(self, state: str, text: str) -> None:
        self._seen = self._clock.monotonic()
        if state != self._state:
            self._since = self._seen
        self._state, self._text = state, text


def nothing() -> tuple[str, ...]:
    """No reasons."""
    return ()


@dataclass(frozen=True)
class Health:
    """`own` gives this process's reasons for not being ready, `notes` what is wrong without being one."""

    own: Reasons = nothing
    notes: Reasons = nothing
    peers: Mapping[str, Peer] = field(default_factory=dict)

    def report(self, draining: bool) -> tuple[bool, dict[str, Any]]:
        """Ready or not, and the whole story as JSON."""
        reasons = (*(("draining",) if draining else ()), *self.own())
        peers = {name: peer.view() for name, peer in self.peers.items()}
        return not reasons, {"ready": not reasons, "reasons": reasons, "notes": self.notes(), "peers": peers}
