"""Listings that all passes of one credential share (design §8): ten thousand objects must not cost as many GETs.

How fresh a listing must be comes from the asker, never from here. `items` and the client ask.
"""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from datetime import timedelta
from typing import NamedTuple

from cachetools import TTLCache

from hooks.aruba.cloud.paging import Pager, Read
from hooks.aruba.cloud.stamps import stamp
from hooks.aruba.cloud.work import Work, patiently
from hooks.aruba.model.failure import Cause, Failure
from hooks.clock import Clock
from hooks.meta.deadline import Deadline

KEPT_ROWS = 50_000
"""Rows of all listings of one credential together."""
KEPT_FOR = 900.0
READ_TIME = 60.0
"""Seconds that reading a collection may take; whoever asks waits only as long as its own pass lasts."""


class _Flight(NamedTuple):
    """A reading under way."""

    task: asyncio.Task[Read | Failure]
    started: timedelta
    proof: bool


class Known(NamedTuple):
    """The last reading of a collection, and the IDs asked for one by one since then."""

    read: Read
    asked: set[str]


class Listings:
    """The collections of one credential, each read once for all who ask for it at about the same time."""

    def __init__(self, pager: Pager, work: Work, clock: Clock) -> None:
        self._pager = pager
        self._work = work
        self._clock = clock
        self._known: MutableMapping[str, Known] = TTLCache(KEPT_ROWS, KEPT_FOR, clock.monotonic, _weight)
        self._flights: dict[str, _Flight] = {}

    def known(self, path: str) -> Known | None:
        """The last reading, however old."""
        return self._known.get(path)

    def fresh(self, path: str, floor: timedelta, *, proof: bool = False) -> Read | None:
        """The last reading, if it was started at or after `floor` and, where proof is wanted, is one."""
        known = self.known(path)
        if known is None or known.read.started < floor or (proof and not known.read.conclusive):
            return None
        return known.read

    def coming(self, path: str, floor: timedelta, *, proof: bool = False) -> bool:
        """Whether a reading is under way that would do."""
        flight = self._flights.get(path)
        return flight is not None and flight.started >= floor and (flight.proof or not proof)

    async def get(self, path: str, floor: timedelta, deadline: Deadline, *, proof: bool) -> Read | Failure:
        """A reading started at or after `floor`: from memory, from one under way, or from a new one."""
        found = self.fresh(path, floor, proof=proof)
        if found is not None:
            return found
        if not self.coming(path, floor, proof=proof):
            self._start(path, proof)
        read = await patiently(self._flights[path].task, deadline.remaining(self._clock.monotonic()))
        return read or Failure(Cause.TECHNICAL, f"the cloud did not list {path} in the time of this pass", sent=False)

    def _start(self, path: str, proof: bool) -> None:
        flight = _Flight(self._work.start(self._read(path, proof)), stamp(self._clock), proof)
        self._flights[path] = flight
        flight.task.add_done_callback(lambda _: self._landed(path, flight))

    async def _read(self, path: str, proof: bool) -> Read | Failure:
        deadline = Deadline(self._clock.monotonic() + READ_TIME)
        read = await self._pager.read(path, deadline, proof=proof)
        if isinstance(read, Read):
            self._keep(path, read)
        return read

    def _keep(self, path: str, read: Read) -> None:
        """Newer readings replace older ones; one that is larger than the bound serves its askers only."""
        known = self.known(path)
        if _weight(Known(read, set())) <= KEPT_ROWS and (known is None or known.read.started <= read.started):
            self._known[path] = Known(read, set())

    def _landed(self, path: str, flight: _Flight) -> None:
        if self._flights.get(path) is flight:
            del self._flights[path]


def _weight(known: Known) -> int:
    return len(known.read.by_id) + 1
