"""How many passes run, which objects they are about, and whether new ones may begin.

The app asks it before each pass; the server closes it when the process is told to stop. A pass runs in a task of its
own, so that neither a caller that hangs up nor the end of its connection cuts it off between two calls (cases 88).
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

Answer = TypeVar("Answer")
CUT_OFF = 0.5
"""Seconds for passes that were cut off to end; the whole process has five."""


@dataclass(frozen=True)
class Limits:
    """What one process takes on. `budget` is the time of one pass in seconds, to be kept under the hook's time-out."""

    body: int = 64 * 2**20
    budget: float = 20.0
    in_flight: int = 200

    @property
    def patience(self) -> float:
        """Seconds after which a pass that ignores its deadline is cut off: its place and its object are needed."""
        return 3 * self.budget


class Gate:
    """Holds every running pass until it is over, which may be after its caller has gone."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.leaving = False
        """The process was told to stop: not ready, and callers are sent to another connection with each answer."""
        self.draining = False
        """No new pass begins."""
        self._objects: set[str] = set()
        self._passes: set[asyncio.Task[Any]] = set()

    @property
    def full(self) -> bool:
        """As many passes run as may; one whose caller has gone still counts."""
        return len(self._passes) >= self.limits.in_flight

    @contextmanager
    def alone(self, uid: str) -> Iterator[bool]:
        """False when a pass about this object still runs here, as after a time-out of its caller (cases 53)."""
        if uid in self._objects:
            yield False
            return
        self._objects.add(uid)
        try:
            yield True
        finally:
            self._objects.discard(uid)

    async def run(self, work: Coroutine[Any, Any, Answer]) -> Answer | None:
        """Await the work in its own task: being cancelled here does not cancel it. None when it was cut off."""
        task = asyncio.get_running_loop().create_task(work)
        self._passes.add(task)
        task.add_done_callback(self._passes.discard)
        await asyncio.wait({task})
        return None if task.cancelled() else task.result()

    async def drain(self, seconds: float) -> None:
        """Let nothing new begin and wait for what runs; what is not over in time is cut off."""
        self.leaving = self.draining = True
        if self._passes:
            await asyncio.wait(self._passes, timeout=seconds)
        rest = list(self._passes)
        self.cut_off()
        if rest:
            await asyncio.wait(rest, timeout=CUT_OFF)

    def cut_off(self) -> None:
        """Cancel every running pass: the process ends, or a test pulls the plug."""
        for task in list(self._passes):
            task.cancel()
