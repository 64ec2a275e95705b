"""Virtual time: a clock that follows the running event loop, which looptime advances without waiting."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

EPOCH = datetime(2026, 7, 1, 8, 0, 0, tzinfo=UTC)


class LoopClock:
    """`hooks.clock.Clock` over the loop's own time: 08:00 UTC on 1 July 2026 plus the loop's seconds."""

    def now(self) -> datetime:
        return EPOCH + timedelta(seconds=self.monotonic())

    def monotonic(self) -> float:
        return asyncio.get_running_loop().time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
