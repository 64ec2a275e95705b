"""Time as the API server tells it, so that all replicas measure the age of a create mark alike (design §5.4)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from hooks.clock import Clock

SLACK = timedelta(seconds=1)
"""How far outside a `Date`'s own second our notion may lie before it moves: less is jitter of network and scheduler."""


class ServerClock:
    """A machine's clock, corrected in whole seconds by the `Date` of answers."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._offset = timedelta()

    def now(self) -> datetime:
        return self._clock.now() + self._offset

    def monotonic(self) -> float:
        return self._clock.monotonic()

    async def sleep(self, seconds: float) -> None:
        await self._clock.sleep(seconds)

    def learn(self, date: str | None, sent: datetime) -> None:
        """Take in the `Date` of an answer to a request that left at `sent` (the machine's own time)."""
        at = _parse(date)
        if at is None:
            return
        # The answer was stamped between `sent` and now, at some moment within that second.
        least, most = at - self._clock.now(), at + timedelta(seconds=1) - sent
        if not least - SLACK <= self._offset <= most + SLACK:
            self._offset = timedelta(seconds=round(((least + most) / 2).total_seconds()))


def _parse(date: str | None) -> datetime | None:
    try:
        at = parsedate_to_datetime(date) if date else None
    except ValueError:
        return None
    return at.replace(tzinfo=UTC) if at is not None and at.tzinfo is None else at
