"""Blocking calls beside the loop: in worker threads, under a limit of their own (cases 93). `tenants` is handed one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import anyio

from hooks.aruba.credentials.vaulted import Found, Look

THREADS = 16
LOOK_TIME = 30.0
"""Seconds after which a look-up is given up, whatever its thread still waits for."""

Aside = Callable[[Callable[[str], Look], str], Awaitable[Look]]
"""Makes one look-up of a tenant where it holds nobody up."""


class Threads:
    """Worker threads for look-ups alone: neither health nor any other call ever waits for one of them."""

    def __init__(self) -> None:
        self._limit: anyio.CapacityLimiter | None = None

    async def __call__(self, look: Callable[[str], Look], tenant: str) -> Look:
        if self._limit is None:  # it belongs to the loop that runs
            self._limit = anyio.CapacityLimiter(THREADS)
        with anyio.move_on_after(LOOK_TIME):
            return await anyio.to_thread.run_sync(look, tenant, limiter=self._limit, abandon_on_cancel=True)
        return Look(Found.DOWN, None, f"Vault did not answer within {LOOK_TIME:g} s")
