"""How often something may happen: the shared bucket of a controller's retries and the Event spam filter use it."""

from __future__ import annotations

__all__ = ["TokenBucket"]


class TokenBucket:
    """`burst` tokens at first, then one every `interval` seconds."""

    def __init__(self, interval: float, burst: int) -> None:
        self._interval = interval
        self._slack = interval * (burst - 1)
        self._next = float("-inf")

    def reserve(self, now: float) -> float:
        """Take a token, in advance if need be; the seconds to wait for it."""
        due = max(self._next, now)
        self._next = due + self._interval
        return max(0.0, due - self._slack - now)

    def allow(self, now: float) -> bool:
        """Take a token if there is one."""
        if max(self._next, now) - self._slack > now:
            return False
        self.reserve(now)
        return True
