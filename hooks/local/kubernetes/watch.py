"""Watches: what was, what changes, and where the reader stands, one JSON event a line.

`app` turns the events into a streaming answer. Each watcher has its own feed from the store, so that a slow reader
delays nobody.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator, Mapping
from dataclasses import dataclass

from hooks.clock import Random
from hooks.local.kubernetes.collection import number, version_of, wanted
from hooks.local.kubernetes.errors import expired
from hooks.local.kubernetes.objects import Object, key_of, with_metadata
from hooks.local.kubernetes.resources import Resource
from hooks.local.kubernetes.selectors import Selector
from hooks.local.kubernetes.store import Change, Feed, Store

TOO_SHORT = 1e-6
"""Seconds that may be left by the rounding of times, and pass in no time where time is a test's."""
BOOKMARK_EVERY = 60.0
"""Seconds between bookmarks, about as the real server sends them."""
LONGEST = 1800
"""Seconds after which a watch without `timeoutSeconds` ends, at the earliest; at the latest, twice that."""
INITIAL_END = "k8s.io/initial-events-end"

Event = tuple[str, Object]


@dataclass(frozen=True, slots=True)
class Request:
    """One watch, read from its query."""

    resource: Resource
    namespace: str
    matches: Selector
    version: int
    initial: bool
    """Whether what exists already is told as ADDED first."""
    mark_initial: bool
    bookmarks: bool
    seconds: float


def request_of(resource: Resource, namespace: str, name: str, query: Mapping[str, str], dice: Random) -> Request:
    listing = query.get("sendInitialEvents") in ("true", "1")
    version = version_of(query)
    seconds = number(query, "timeoutSeconds") or LONGEST * (1 + dice.random())
    return Request(
        resource=resource,
        namespace=namespace,
        matches=wanted(resource, query, name),
        version=version,
        initial=listing or (version == 0 and query.get("sendInitialEvents") not in ("false", "0")),
        mark_initial=listing,
        bookmarks=query.get("allowWatchBookmarks") in ("true", "1"),
        seconds=seconds,
    )


class Watch:
    """Subscribes when made, so that nothing is missed before it is read."""

    def __init__(self, store: Store, request: Request) -> None:
        self._store = store
        self._request = request
        start = store.version if request.initial or not request.version else request.version
        self._seen = start
        self._first = sorted(self._existing(), key=key_of) if request.initial else []
        self._feed = store.subscribe(request.resource.table, start)

    def _existing(self) -> Iterator[Object]:
        for obj in self._store.objects(self._request.resource.table, self._request.namespace):
            shown = self._request.resource.shown(obj)
            if self._request.matches(shown):
                yield shown

    async def events(self) -> AsyncGenerator[Event, None]:
        """Until the time is up, or the store closes. Too old a version is told as an event, as the real server does."""
        if self._feed is None:
            too_old = f"too old resource version: {self._seen} ({self._store.version})"
            yield "ERROR", expired(too_old).status()
            return
        try:
            for obj in self._first:
                yield "ADDED", obj
            if self._request.mark_initial and self._request.bookmarks:
                yield self._bookmark({INITIAL_END: "true"})
            async for event in self._changes(self._feed):
                yield event
        finally:
            self.close()

    def close(self) -> None:
        """Take no more changes. Also for a watch whose reader left before the first of its events was read."""
        if self._feed is not None:
            self._store.unsubscribe(self._request.resource.table, self._feed)

    async def _changes(self, feed: Feed) -> AsyncGenerator[Event, None]:
        loop = asyncio.get_running_loop()
        end = loop.time() + self._request.seconds
        while (left := end - loop.time()) > TOO_SHORT:
            try:
                async with asyncio.timeout(min(left, BOOKMARK_EVERY)):
                    change = await feed.get()
            except TimeoutError:
                if self._request.bookmarks:
                    yield self._bookmark()
                continue
            if change is None:
                return
            self._seen = change.version
            event = self._event(change)
            if event is not None:
                yield event

    def _event(self, change: Change) -> Event | None:
        """The change as this watcher's selector sees it: leaving the selection is a deletion."""
        if self._request.namespace and key_of(change.new)[0] != self._request.namespace:
            return None
        new = self._request.resource.shown(change.new)
        old = self._request.resource.shown(change.old) if change.old else None
        was = old is not None and self._request.matches(old)
        if change.verb == "DELETED":
            return ("DELETED", new) if was else None
        if self._request.matches(new):
            return ("MODIFIED" if was else "ADDED"), new
        if old is None or not was:
            return None
        return "DELETED", with_metadata(old, resourceVersion=str(change.version))

    def _bookmark(self, annotations: Object | None = None) -> Event:
        """How far the reader is. Up to the store's version, since nothing of this table is left to tell."""
        told = self._feed is None or self._feed.empty()
        version = self._store.version if told else self._seen
        bare = {"kind": self._request.resource.kind, "apiVersion": self._request.resource.api_version}
        return "BOOKMARK", with_metadata(bare, resourceVersion=str(version), annotations=annotations)
