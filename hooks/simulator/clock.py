"""The simulator's own clock: it follows the machine's until a test takes hold of it through the admin API.

Everything that waits in the simulator (transitions, token lifetime, lags, injected delays) waits on this one, so that
one `advance` moves all of it. Used by every room here; nothing else reads the time.
"""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from typing import Literal

from hooks.clock import Clock

Mode = Literal["real", "manual"]
_SHORTEST_NAP = 0.001  # below this, rounding of the clocks could make a sleeper spin


class SteeredClock:
    """Real mode: the given clock plus what was advanced. Manual mode: stands still until advanced."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._ahead = timedelta()
        self._standing: datetime | None = None
        self._moved = asyncio.Event()

    @property
    def mode(self) -> Mode:
        return "real" if self._standing is None else "manual"

    def now(self) -> datetime:
        """Simulated time, aware, in UTC."""
        return self._clock.now() + self._ahead if self._standing is None else self._standing

    def advance(self, seconds: float) -> None:
        """Move on by so many seconds, in either mode."""
        step = timedelta(seconds=seconds)
        if self._standing is None:
            self._ahead += step
        else:
            self._standing += step
        self._wake()

    def switch(self, mode: Mode) -> None:
        """Change the mode; the time shown does not jump."""
        now = self.now()
        self._standing = now if mode == "manual" else None
        self._ahead = now - self._clock.now()
        self._wake()

    async def sleep(self, seconds: float) -> None:
        """Wait until so many simulated seconds have passed, however they pass."""
        due = self.now() + timedelta(seconds=seconds)
        while (left := (due - self.now()).total_seconds()) > 0:
            await self._nap(max(left, _SHORTEST_NAP))

    async def _nap(self, seconds: float) -> None:
        waits = {asyncio.ensure_future(self._moved.wait())}
        if self._standing is None:
            waits.add(asyncio.ensure_future(_rest(self._clock, seconds)))
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    def _wake(self) -> None:
        self._moved.set()
        self._moved = asyncio.Event()


async def _rest(clock: Clock, seconds: float) -> Literal[True]:
    await clock.sleep(seconds)
    return True
