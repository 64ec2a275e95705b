"""How fast one credential may call: our own limit, and the pause that the cloud asked for (cases 89).

A session owns one `Rate`. Whoever comes learns at once how long the wait is, so that nobody queues in vain.
"""

from __future__ import annotations

from collections import deque

from hooks.clock import Clock

KEPT = 15.0
"""Seconds for which a reserved place is kept: a fenced PATCH comes between `reserve` and its use (design §5.3)."""


class Rate:
    """So many requests a second, a fifth of a second's worth at once."""

    def __init__(self, clock: Clock, per_second: float) -> None:
        self._clock = clock
        self._interval = 1.0 / per_second
        self._burst = max(0.0, per_second / 5 - 1) * self._interval
        self._next = clock.monotonic()
        self._paused_until = self._next
        self._reserved: deque[float] = deque()

    def take(self, longest: float) -> float | None:
        """Take the next place: seconds to wait for it, or None (and nothing taken) if that is more than `longest`."""
        wait = self.wait()
        if wait > longest:
            return None
        self._next = max(self._next, self._clock.monotonic()) + self._interval
        return wait

    def wait(self) -> float:
        """Seconds until the next free place."""
        return max(0.0, self._next - self._burst - self._clock.monotonic())

    def keep(self) -> None:
        """Set aside a place that was taken and waited for."""
        self._reserved.append(self._clock.monotonic() + KEPT)

    def use_kept(self) -> bool:
        """Use a place set aside, if there is one."""
        now = self._clock.monotonic()
        while self._reserved:
            if self._reserved.popleft() > now:
                return True
        return False

    def pause(self, seconds: float) -> None:
        """Hold everything back for so long, as the cloud asked."""
        self._paused_until = max(self._paused_until, self._clock.monotonic() + seconds)

    @property
    def paused(self) -> float:
        """Seconds that the pause still lasts."""
        return max(0.0, self._paused_until - self._clock.monotonic())
