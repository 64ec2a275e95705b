"""A point in monotonic time after which a pass must not start anything."""

from __future__ import annotations

from typing import NamedTuple


class Deadline(NamedTuple):
    """`at` is in the seconds of `Clock.monotonic`."""

    at: float

    def remaining(self, monotonic: float) -> float:
        """Seconds left, never negative."""
        return max(0.0, self.at - monotonic)

    def within(self, monotonic: float, seconds: float) -> Deadline:
        """The earlier of this deadline and one so many seconds from now."""
        return Deadline(min(self.at, monotonic + seconds))
