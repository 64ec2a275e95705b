"""Warning Events on parents, as client-go's recorder writes them (mc §5): in the background, counted, never too many.

The one Event an engine gives about a parent is `SyncError`; `run.py` keeps the recorder's task alive.
"""

from __future__ import annotations

import asyncio
import logging
from typing import NamedTuple

from cachetools import LRUCache

from hooks.clock import Clock
from hooks.local.metacontroller.api import Api, Object
from hooks.local.metacontroller.errors import ApiError
from hooks.local.metacontroller.rate import TokenBucket
from hooks.meta.times import format_time

__all__ = ["Recorder"]

log = logging.getLogger(__name__)

BURST = 25
INTERVAL = 300.0
REMEMBERED = 4096
LONGEST_MESSAGE = 1024


class _Written(NamedTuple):
    path: str
    times: int


class Recorder:
    def __init__(self, api: Api, clock: Clock) -> None:
        self._api = api
        self._clock = clock
        self._serial = 0
        self._waiting: asyncio.Queue[tuple[Object, str, str]] = asyncio.Queue()
        self._buckets: LRUCache[str, TokenBucket] = LRUCache(REMEMBERED)
        self._written: LRUCache[tuple[str, str, str], _Written] = LRUCache(REMEMBERED)

    def warn(self, about: Object, reason: str, message: str) -> None:
        """Note a warning about an object; dropped without a word when there were too many about it."""
        bucket = self._buckets.setdefault(about["metadata"]["uid"], TokenBucket(INTERVAL, BURST))
        if bucket.allow(self._clock.monotonic()):
            self._waiting.put_nowait((about, reason, message[:LONGEST_MESSAGE]))

    async def run(self) -> None:
        while True:
            about, reason, message = await self._waiting.get()
            try:
                await self._write(about, reason, message)
            except ApiError as failure:
                log.warning("event lost: %s (%s)", message, failure)

    async def _write(self, about: Object, reason: str, message: str) -> None:
        key = (about["metadata"]["uid"], reason, message)
        seen = self._written.get(key)
        now = format_time(self._clock.now())
        if seen is None:
            self._written[key] = await self._create(about, reason, message, now)
            return
        self._written[key] = seen._replace(times=seen.times + 1)
        await self._api.merge(seen.path, {"count": seen.times + 1, "lastTimestamp": now})

    async def _create(self, about: Object, reason: str, message: str, now: str) -> _Written:
        meta = about["metadata"]
        namespace = meta.get("namespace") or "default"
        self._serial += 1
        name = f"{meta['name']}.{int(self._clock.now().timestamp() * 1e9) + self._serial:x}"
        subject = {"apiVersion": about["apiVersion"], "kind": about["kind"]} | {
            field: meta[field] for field in ("namespace", "name", "uid", "resourceVersion") if field in meta
        }
        path = f"/api/v1/namespaces/{namespace}/events"
        await self._api.create(
            path,
            {
                "apiVersion": "v1",
                "kind": "Event",
                "metadata": {"name": name, "namespace": namespace},
                "involvedObject": subject,
                "type": "Warning",
                "reason": reason,
                "message": message,
                "count": 1,
                "firstTimestamp": now,
                "lastTimestamp": now,
                "source": {"component": "metacontroller"},
                "reportingComponent": "metacontroller",
            },
        )
        return _Written(f"{path}/{name}", 1)
