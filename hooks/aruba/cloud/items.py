"""One resource by its ID: from a listing where that is cheaper, by its own URL where absence must be proven.

The client asks (design §5.5, §8). What one asks for costs one GET, a collection that many ask for costs one listing.
"""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from datetime import timedelta
from typing import NamedTuple

from cachetools import LRUCache

from hooks.aruba.cloud import paths
from hooks.aruba.cloud.listings import Listings
from hooks.aruba.cloud.problem import read_json
from hooks.aruba.cloud.session import Session
from hooks.aruba.cloud.stamps import stamp
from hooks.aruba.cloud.work import Work, patiently
from hooks.aruba.model.failure import Cause, Failure
from hooks.aruba.model.live import Live, last_segment
from hooks.clock import Clock
from hooks.meta.deadline import Deadline

KEPT = 2_000
READ_TIME = 20.0
"""Seconds that a GET shared by several askers may take."""


class Sight(NamedTuple):
    """One resource as a read showed it, None when that did not; `started` is a stamp."""

    live: Live | None
    started: timedelta
    namesakes: tuple[Live, ...] | None = None
    """Others of its name in the same collection, where a listing showed it."""


class _Look(NamedTuple):
    """A GET under way, or one that gave a reading."""

    task: asyncio.Task[Sight | Failure]
    started: timedelta


class Items:
    """The single resources of one credential."""

    def __init__(self, session: Session, listings: Listings, work: Work, clock: Clock) -> None:
        self._session = session
        self._listings = listings
        self._work = work
        self._clock = clock
        self._looks: MutableMapping[str, _Look] = LRUCache(KEPT)

    async def seen(self, path: str, resource_id: str, floor: timedelta, deadline: Deadline) -> Sight | Failure:
        """Presence, from any reading at or after `floor`; None says only that none showed it."""
        url = paths.item(path, resource_id)
        look, listed = self._at_hand(url, floor), self._listings.fresh(path, floor)
        if look is not None and (listed is None or listed.started <= look.started):
            return look  # the newer of two readings at hand: the older one may be from before a change of ours
        if not self._listing_pays(path, resource_id, floor):
            return await self.look(path, resource_id, floor, deadline)
        read = await self._listings.get(path, floor, deadline, proof=False)
        if isinstance(read, Failure):
            return read
        live = _present(read.find(resource_id))
        if live is None:
            return Sight(None, read.started)
        return Sight(live, read.started, tuple(r for r in read.by_name[live.name] if r.id != live.id))

    def _at_hand(self, url: str, floor: timedelta) -> Sight | None:
        look = self._looks.get(url)
        found = look.task.result() if look is not None and look.started >= floor and look.task.done() else None
        return found if isinstance(found, Sight) else None

    def _listing_pays(self, path: str, resource_id: str, floor: timedelta) -> bool:
        """A listing serves everybody: it is read once as many IDs were asked for as it has pages."""
        if self._listings.fresh(path, floor) or self._listings.coming(path, floor):
            return True
        known = self._listings.known(path)
        if known is None:
            return True
        known.asked.add(resource_id.lower())
        return known.read.pages <= len(known.asked)

    async def look(self, path: str, resource_id: str, floor: timedelta, deadline: Deadline) -> Sight | Failure:
        """GET, shared by all who ask while it is under way or need nothing newer; what it does not find may exist."""
        url = paths.item(path, resource_id)
        look = self._looks.get(url)
        if look is None or look.started < floor:
            look = self._start(url)
        reading = await patiently(look.task, deadline.remaining(self._clock.monotonic()))
        text = f"the cloud did not answer GET {url} in the time of this pass"
        return reading or Failure(Cause.TECHNICAL, text, sent=False)

    def _start(self, url: str) -> _Look:
        look = self._looks[url] = _Look(self._work.start(self._get(url)), stamp(self._clock))
        look.task.add_done_callback(lambda _: self._landed(url, look))
        return look

    def _landed(self, url: str, look: _Look) -> None:
        """Failures are not kept."""
        failed = look.task.cancelled() or look.task.exception() or isinstance(look.task.result(), Failure)
        if failed and self._looks.get(url) is look:
            del self._looks[url]

    async def _get(self, url: str) -> Sight | Failure:
        started = stamp(self._clock)
        answer = await self._session.read(url, Deadline(self._clock.monotonic() + READ_TIME))
        if isinstance(answer, Failure):
            return Sight(None, started) if answer.cause is Cause.GONE else answer
        body = read_json(answer.body)
        live = Live(body) if isinstance(body, dict) else None
        if live is None or last_segment(url) not in (live.id.lower(), live.name.lower()):
            return Failure(Cause.TECHNICAL, f"the answer to GET {url} (HTTP {answer.status}) is not that resource")
        self._session.saw(url)
        return Sight(_present(live), started)


def _present(live: Live | None) -> Live | None:
    """State `Deleted` is one more spelling of gone (F3)."""
    return None if live is None or live.state.lower() == "deleted" else live
