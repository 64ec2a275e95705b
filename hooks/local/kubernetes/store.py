"""The objects, one number for all their versions, and a bounded history to watch from (etcd's part).

`lifecycle` is the only writer; `collection` and `watch` read. Stored objects are never changed in place, so a reader
may keep one without copying it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from hooks.local.kubernetes.objects import Key, Object, key_of, with_metadata

HISTORY = 4096
"""Changes kept for each table; a watch from before the oldest is answered 410."""

Verb = Literal["ADDED", "MODIFIED", "DELETED"]


class Change(NamedTuple):
    """One write. `new` is the last state when the object was deleted."""

    verb: Verb
    version: int
    new: Object
    old: Object | None


Feed = asyncio.Queue[Change | None]
Observer = Callable[[str, Change], None]


class Table:
    """The objects of one resource, in the order of their keys only when listed."""

    def __init__(self, history: int) -> None:
        self.objects: dict[Key, Object] = {}
        self.history: deque[Change] = deque(maxlen=history)
        self.forgotten = 0
        self.feeds: set[Feed] = set()

    def record(self, change: Change) -> None:
        if len(self.history) == self.history.maxlen:
            self.forgotten = self.history[0].version
        self.history.append(change)
        for feed in self.feeds:
            feed.put_nowait(change)


class Store:
    """`observers` are told of each write before its caller is answered."""

    def __init__(self, history: int = HISTORY) -> None:
        self.version = 1
        self.observers: list[Observer] = []
        self._history = history
        self._tables: dict[str, Table] = {}
        self._closed = False

    def _table(self, name: str) -> Table:
        return self._tables.setdefault(name, Table(self._history))

    def get(self, table: str, key: Key) -> Object | None:
        return self._table(table).objects.get(key)

    def objects(self, table: str, namespace: str = "") -> Iterator[Object]:
        """Those of a table, in any order; of one namespace when one is named."""
        for (where, _), obj in list(self._table(table).objects.items()):
            if not namespace or where == namespace:
                yield obj

    def put(self, table: str, obj: Object) -> Object:
        """Store under a new resource version; returns what is stored."""
        rows = self._table(table)
        old = rows.objects.get(key_of(obj))
        stored = self._stamped(obj)
        rows.objects[key_of(obj)] = stored
        self._tell(table, Change("MODIFIED" if old else "ADDED", self.version, stored, old))
        return stored

    def remove(self, table: str, obj: Object) -> Object:
        """Take away; returns the last state, under the version of its removal."""
        old = self._table(table).objects.pop(key_of(obj))
        last = self._stamped(obj)
        self._tell(table, Change("DELETED", self.version, last, old))
        return last

    def _stamped(self, obj: Object) -> Object:
        self.version += 1
        return with_metadata(obj, resourceVersion=str(self.version))

    def _tell(self, table: str, change: Change) -> None:
        self._table(table).record(change)
        for observer in self.observers:
            observer(table, change)

    def subscribe(self, table: str, after: int) -> Feed | None:
        """A feed of the changes later than `after`; None when some of them are forgotten."""
        rows = self._table(table)
        if after < rows.forgotten:
            return None
        feed: Feed = asyncio.Queue()
        for change in rows.history:
            if change.version > after:
                feed.put_nowait(change)
        if self._closed:
            feed.put_nowait(None)
        rows.feeds.add(feed)
        return feed

    def unsubscribe(self, table: str, feed: Feed) -> None:
        self._table(table).feeds.discard(feed)

    def feeds(self, table: str) -> int:
        """How many watch a table now."""
        return len(self._table(table).feeds)

    def close(self) -> None:
        """End every feed, and every later one."""
        self._closed = True
        for rows in self._tables.values():
            for feed in rows.feeds:
                feed.put_nowait(None)
