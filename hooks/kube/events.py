"""Events about objects, sent in the background: telling a story must neither delay nor fail a pass. Used by `client`.

An Event's name follows from what it says, so that the same words of two replicas, or of one an hour later, meet in one
Event whose count goes up.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import deque
from typing import Any, NamedTuple

from cachetools import TTLCache

from hooks.http import Response
from hooks.kube.answers import Raw, body, one_line
from hooks.kube.wire import MERGE_PATCH, Wire, path_of
from hooks.meta.deadline import Deadline
from hooks.meta.times import format_time

CORE = "/api/v1"
WAITING = 1000
"""Events that may wait; beyond it the oldest is dropped."""
QUIET = 600.0
"""Seconds in which the same words about the same object are not sent again."""
PATIENCE = 5.0
"""Seconds for one request."""

_Key = tuple[str, str, str, str]


class _Told(NamedTuple):
    key: _Key
    namespace: str
    name: str
    event: Raw


class Events:
    """A bounded queue and the one task that empties it."""

    def __init__(self, wire: Wire, component: str) -> None:
        self._wire = wire
        self._component = component
        self._queue: deque[_Told] = deque(maxlen=WAITING)
        self._recent: TTLCache[_Key, None] = TTLCache(4 * WAITING, QUIET, wire.time.monotonic)
        self._worker: asyncio.Task[None] | None = None

    def tell(self, raw: Raw, kind: str, warning: bool, reason: str, message: str) -> None:
        """Queue one Event about the object `raw`; the same words within ten minutes are not repeated."""
        told = self._compose(raw, kind, "Warning" if warning else "Normal", reason, one_line(message))
        if told.key in self._recent:
            return
        self._recent[told.key] = None
        self._queue.append(told)
        if self._worker is None or self._worker.done():
            self._worker = asyncio.get_running_loop().create_task(self._work())

    async def drain(self, deadline: Deadline) -> None:
        """Wait until all is sent, at most until the deadline."""
        if self._worker is None:
            return
        await asyncio.wait({self._worker}, timeout=deadline.remaining(self._wire.time.monotonic()))
        self._queue.clear()
        self._worker.cancel()
        await asyncio.wait({self._worker})

    async def _work(self) -> None:
        while self._queue:
            told = self._queue.popleft()
            if not await self._send(told):
                self._recent.pop(told.key, None)  # said again, it gets another chance

    async def _send(self, told: _Told) -> bool:
        answer = await self._ask("POST", told, None, content=told.event)
        if isinstance(answer, Response) and answer.status_code == 409:
            return await self._count_up(told)
        return _went(answer)

    async def _count_up(self, told: _Told) -> bool:
        """The same words were said before, by us or by another replica."""
        before = await self._ask("GET", told, told.name)
        if not isinstance(before, Response) or before.status_code != 200:
            return False
        count = body(before).get("count")
        again = {
            "count": (count if isinstance(count, int) else 1) + 1,
            "lastTimestamp": told.event["lastTimestamp"],
        }
        return _went(await self._ask("PATCH", told, told.name, content=again, media=MERGE_PATCH))

    async def _ask(self, method: str, told: _Told, name: str | None, **request: Any) -> object:
        try:
            path = path_of(CORE, "events", told.namespace, name)
        except ValueError:
            return None
        deadline = Deadline(self._wire.time.monotonic() + PATIENCE)
        return await self._wire.ask(method, path, deadline, what="events", **request)

    def _compose(self, raw: Raw, kind: str, severity: str, reason: str, message: str) -> _Told:
        metadata = raw.get("metadata") or {}
        name, uid = str(metadata.get("name", "")), str(metadata.get("uid", ""))
        namespace = str(metadata.get("namespace") or "default")
        key = (uid, severity, reason, message)
        at = format_time(self._wire.time.now())
        event_name = f"{name[:230].rstrip('.-')}.{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}"
        event = {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": event_name, "namespace": namespace},
            "involvedObject": {
                "apiVersion": str(raw.get("apiVersion", "")),
                "kind": kind,
                "namespace": str(metadata.get("namespace") or ""),
                "name": name,
                "uid": uid,
                "resourceVersion": str(metadata.get("resourceVersion", "")),
            },
            "type": severity,
            "reason": reason,
            "message": message,
            "source": {"component": self._component},
            "reportingComponent": self._component,
            "reportingInstance": "",
            "firstTimestamp": at,
            "lastTimestamp": at,
            "count": 1,
        }
        return _Told(key, namespace, event_name, event)


def _went(answer: object) -> bool:
    return isinstance(answer, Response) and answer.is_success
