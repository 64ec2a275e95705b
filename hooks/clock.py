"""The only source of time and of randomness, so that tests can put both under their own hand.

Nothing else in the package may ask the machine for the time or for a random number (ruff bans it): it is handed a
`Clock` or a `Random`.
"""

from __future__ import annotations

import asyncio
import random
import secrets
import time
from datetime import UTC, datetime
from random import Random
from typing import Protocol

__all__ = ["Clock", "Random", "SystemClock", "seeded", "unpredictable"]


class Clock(Protocol):
    """What a room may know of time."""

    def now(self) -> datetime:
        """The wall clock, aware, in UTC."""

    def monotonic(self) -> float:
        """Seconds that never go back; only differences mean anything."""

    async def sleep(self, seconds: float) -> None:
        """Suspend the calling task for so many seconds."""


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def seeded(seed: int) -> Random:
    """A source whose whole sequence follows from `seed`."""
    return random.Random(seed)


def unpredictable() -> Random:
    """A source for jitter and names in production."""
    return random.Random(secrets.randbits(64))
