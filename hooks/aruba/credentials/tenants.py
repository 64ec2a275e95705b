"""Vault mode: each tenant's pair is its own look-up, kept for a bounded time and read again when it is refused.

`look` blocks, so it is made aside: a Vault that takes its time never holds up the loop (cases 93), and one tenant's
trouble never touches another's (cases 75).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass
from typing import NamedTuple

from cachetools import LRUCache

from hooks.aruba.credentials.aside import Aside
from hooks.aruba.credentials.credential import Credential, unavailable
from hooks.aruba.credentials.vaulted import Found, Look
from hooks.aruba.model.failure import Failure
from hooks.aruba.model.tenant import fits
from hooks.clock import Clock

TENANTS = 4096
FRUITLESS = (5.0, 60.0)
"""Seconds between two look-ups of a tenant without a pair, growing: its objects wait for nothing else."""
DOUBTED = 10.0
"""Seconds between two look-ups because the pair is refused."""


class Ages(NamedTuple):
    """`fresh`: seconds after which a pair is read again; `kept`: seconds for which it serves while that is in vain."""

    fresh: float = 300.0
    kept: float = 3600.0


@dataclass
class _Entry:
    """What is known of one tenant; times are in seconds of `Clock.monotonic`."""

    pair: Credential | None = None
    read: float = 0.0
    again: float = 0.0
    """Not before this will it be looked up again."""
    pause: float = FRUITLESS[0]
    text: str = ""
    doubted: bool = False
    asking: asyncio.Task[None] | None = None


def untold(outcome: str, text: str) -> None:
    """Takes the end of each look-up, where nobody counts."""


class Tenants:
    """`look` reads one tenant's secret, `aside` makes the call; `ages` are as the settings stand now; `told` learns how
    each look-up ended.
    """

    def __init__(
        self,
        look: Callable[[str], Look],
        ages: Callable[[], Ages],
        clock: Clock,
        aside: Aside,
        told: Callable[[str, str], None] = untold,
    ) -> None:
        self._look = look
        self._aside = aside
        self._ages = ages
        self._clock = clock
        self._told = told
        self._entries: MutableMapping[str, _Entry] = LRUCache(TENANTS)

    async def credential(self, tenant: str) -> Credential | Failure:
        if not tenant or not fits(tenant):
            why = "is no name of a tenant" if tenant else "means no tenant: set spec.tenant, or that of the Project"
            return unavailable(f"tenant {tenant[:127]!r} {why}")
        entry = self._entries.get(tenant)
        if entry is None:
            entry = self._entries[tenant] = _Entry()
        if self._due(entry):
            self._ask(tenant, entry)
        if entry.asking is not None and (entry.doubted or not self._serves(entry)):
            await asyncio.wait({entry.asking})
        if entry.pair is not None and self._serves(entry):
            return entry.pair
        return unavailable(f"tenant {tenant}: {entry.text or 'its secret could not be read'}")

    def refused(self, tenant: str, credential: Credential) -> None:
        """Read Vault once more before the next answer, unless that was done a moment ago (cases 77, 79)."""
        entry = self._entries.get(tenant)
        now = self._clock.monotonic()
        if entry is not None and entry.pair == credential and now >= max(entry.read + DOUBTED, entry.again):
            entry.doubted = True

    def _serves(self, entry: _Entry) -> bool:
        return entry.pair is not None and self._clock.monotonic() - entry.read < self._ages().kept

    def _due(self, entry: _Entry) -> bool:
        now = self._clock.monotonic()
        if entry.asking is not None:
            return False
        if entry.doubted:
            return True
        stale = entry.pair is None or now - entry.read >= self._ages().fresh
        return stale and now >= entry.again

    def _ask(self, tenant: str, entry: _Entry) -> None:
        """One look-up at a time for a tenant, shared by all who need it, and not ended with any of them."""
        entry.asking = asyncio.get_running_loop().create_task(self._asked(tenant, entry))

    async def _asked(self, tenant: str, entry: _Entry) -> None:
        try:
            look = await self._aside(self._look, tenant)
        finally:
            entry.asking, entry.doubted = None, False
        self._told(look.found, look.text)
        now = self._clock.monotonic()
        if look.credential is not None:
            entry.pair, entry.read, entry.text = look.credential, now, ""
            entry.again, entry.pause = now, FRUITLESS[0]
            return
        if look.found in (Found.MISSING, Found.DENIED):
            entry.pair = None  # Vault itself says so: what was taken away must not go on
        entry.text = look.text
        entry.again, entry.pause = now + entry.pause, min(2 * entry.pause, FRUITLESS[1])
