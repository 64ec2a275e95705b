"""One running CompositeController: its queue, its workers, its timers, and what puts parents into the queue (mc §3.1).

`run.py` makes one per declaration.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from functools import partial

from hooks.clock import Clock
from hooks.http import AsyncClient
from hooks.local.metacontroller.api import Api, Object, key_of
from hooks.local.metacontroller.cache import Informer, Informers
from hooks.local.metacontroller.declaration import Composite
from hooks.local.metacontroller.errors import ApiError, Busy, EngineError, NotSynced, UnmodelledError
from hooks.local.metacontroller.events import Recorder
from hooks.local.metacontroller.pass_ import Pass
from hooks.local.metacontroller.queue import WorkQueue
from hooks.local.metacontroller.related import Related
from hooks.local.metacontroller.wire import Hook

__all__ = ["Controller"]

log = logging.getLogger(__name__)

LOOK_AGAIN = 1.0


class Controller:
    """`ready` is set once the parents are listed and the workers run."""

    def __init__(
        self,
        composite: Composite,
        *,
        api: Api,
        informers: Informers,
        events: Recorder,
        hooks: AsyncClient,
        clock: Clock,
        calls: Counter[tuple[str, str]],
    ) -> None:
        self.ready = asyncio.Event()
        self._composite = composite
        self._api = api
        self._informers = informers
        self._events = events
        self._clock = clock
        self._queue = WorkQueue(clock)
        self._hooks = {
            name: Hook(webhook, hooks, clock, partial(calls.update, [(composite.plural, name)]))
            for name, webhook in composite.webhooks.items()
        }

    async def run(self, workers: int, flush: float) -> None:
        """Runs until cancelled. `flush` is the period, in seconds, at which every cache is gone through again."""
        parents = await self._follow_parents()
        related = Related(
            self._composite, self._hooks.get("customize"), self._informers, parents, self._enqueue, self._clock
        )
        work = Pass(self._composite, parents, related, self._hooks, self._api, self._queue, self._events)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(workers):
                    group.create_task(self._work(work))
                for period in self._periods(flush):
                    group.create_task(self._resync(parents, period))
                self.ready.set()
        finally:
            await self._queue.close()

    async def _follow_parents(self) -> Informer:
        """The synced cache of our parents, all of them enqueued. Waits for their CRD, as Metacontroller does."""
        while (parents := await self._find_parents()) is None:
            await self._clock.sleep(LOOK_AGAIN)
        parents.subscribe(self._parent_changed)
        await parents.synced.wait()
        self._enqueue_all(parents)
        return parents

    async def _find_parents(self) -> Informer | None:
        try:
            await self._check_definition()
            return await self._informers.get(self._composite.api_version, self._composite.plural)
        except ApiError as failure:
            log.warning("%s waits for its parents' definition: %s", self._composite.name, failure)
            return None

    async def _check_definition(self) -> None:
        """Parents must be custom resources with a status subresource (mc §1.1)."""
        definition = await self._api.definition(self._composite.definition)
        _, _, version = self._composite.api_version.partition("/")
        for served in definition["spec"]["versions"]:
            if served["name"] == version and "status" in (served.get("subresources") or {}):
                return
        raise UnmodelledError(f"{self._composite.definition} has no status subresource in version {version}")

    async def _work(self, work: Pass) -> None:
        while True:
            key = await self._queue.get()
            try:
                await work.run(key)
            except Busy as busy:
                self._queue.add_after(key, busy.after)
            except (NotSynced, EngineError) as failure:
                log.info("%s %s: %s", self._composite.plural, key, failure)
                self._queue.retry(key)
            else:
                self._queue.forget(key)
            finally:
                self._queue.done(key)

    async def _parent_changed(self, old: Object | None, new: Object | None) -> None:
        """Any change counts, our own status write too: a hook sees by it that its status is stored (mc §3.1)."""
        changed = new or old
        if changed is not None:
            self._enqueue(changed)

    def _enqueue(self, parent: Object) -> None:
        if self._composite.concerns(parent):
            self._queue.add(key_of(parent))

    def _enqueue_all(self, parents: Informer) -> None:
        for parent in parents.objects():
            self._enqueue(parent)

    def _periods(self, flush: float) -> list[float]:
        """A resync slower than the flush has no timer of its own (mc §1.1)."""
        own = self._composite.resync
        return [flush] if own is None or own >= flush else [own, flush]

    async def _resync(self, parents: Informer, period: float) -> None:
        """All parents at once, without jitter (mc §3.1)."""
        while True:
            await self._clock.sleep(period)
            self._enqueue_all(parents)
