"""The work queue of one controller, with client-go's rules (mc §3.2, §3.6, §2.6). `run.py` makes one per controller.

A key is never handed to two workers at once, adds before processing collapse into one, and an add during processing
makes the key come back as soon as it is done.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import NamedTuple

from hooks.clock import Clock
from hooks.local.metacontroller.rate import TokenBucket

__all__ = ["WorkQueue"]

FIRST_RETRY = 0.005
LONGEST_RETRY = 1000.0
RETRY_INTERVAL = 0.1
RETRY_BURST = 100


class _Timer(NamedTuple):
    due: float
    task: asyncio.Task[None]


class WorkQueue:
    """Keys ready to be processed, keys waiting for their time, and how often each has failed in a row."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._ready: asyncio.Queue[str] = asyncio.Queue()
        self._dirty: set[str] = set()
        self._processing: set[str] = set()
        self._timers: dict[str, _Timer] = {}
        self._failures: Counter[str] = Counter()
        self._retries = TokenBucket(RETRY_INTERVAL, RETRY_BURST)

    def add(self, key: str) -> None:
        if key in self._dirty:
            return
        self._dirty.add(key)
        if key not in self._processing:
            self._ready.put_nowait(key)

    async def get(self) -> str:
        """The next key; the caller owes a `done` for it."""
        key = await self._ready.get()
        self._dirty.discard(key)
        self._processing.add(key)
        return key

    def done(self, key: str) -> None:
        self._processing.discard(key)
        if key in self._dirty:
            self._ready.put_nowait(key)

    def add_after(self, key: str, seconds: float) -> None:
        """Add `key` in so many seconds. The earliest wish wins: a pending one only ever moves forward (mc §3.6)."""
        if seconds <= 0:
            self.add(key)
            return
        due = self._clock.monotonic() + seconds
        pending = self._timers.get(key)
        if pending is not None:
            if pending.due <= due:
                return
            pending.task.cancel()
        self._timers[key] = _Timer(due, asyncio.create_task(self._add_later(key, seconds)))

    async def _add_later(self, key: str, seconds: float) -> None:
        await self._clock.sleep(seconds)
        del self._timers[key]
        self.add(key)

    def retry(self, key: str) -> None:
        """Add `key` after its back-off: 5 ms, doubled by each failure in a row, and the controller's shared bucket."""
        own = min(FIRST_RETRY * 2.0 ** min(self._failures[key], 64), LONGEST_RETRY)
        self._failures[key] += 1
        self.add_after(key, max(own, self._retries.reserve(self._clock.monotonic())))

    def forget(self, key: str) -> None:
        """A success: the next failure starts at 5 ms again."""
        self._failures.pop(key, None)

    async def close(self) -> None:
        """Drop every timer, so that no task outlives the controller."""
        tasks = [timer.task for timer in self._timers.values()]
        self._timers.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
