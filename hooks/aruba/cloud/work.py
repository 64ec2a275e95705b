"""Work that outlives whoever asked for it: a cancelled pass must neither cut a request short nor poison the pool.

Requests, token calls and shared readings run as tasks of their own (cases 88); askers only wait for them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Work:
    """The tasks under way; asyncio itself would let go of them."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def drain(self, seconds: float) -> None:
        """Let what runs finish, for at most so long; then end it."""
        running = set(self._tasks)
        if not running:
            return
        _, late = await asyncio.wait(running, timeout=seconds)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)


async def patiently(task: asyncio.Task[T], seconds: float) -> T | None:
    """The task's result, or None if it takes longer; the task goes on, also when the caller is cancelled."""
    done, _ = await asyncio.wait({task}, timeout=seconds)
    return task.result() if done else None
