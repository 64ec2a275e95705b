"""The engine as a whole: its controllers, their workers and timers. `hooks local` and the tests run it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence

from hooks.clock import Clock
from hooks.http import AsyncClient
from hooks.local.metacontroller.api import Api, Object
from hooks.local.metacontroller.cache import AtOnce, Delivery, Informers
from hooks.local.metacontroller.controller import Controller
from hooks.local.metacontroller.declaration import Composite
from hooks.local.metacontroller.events import Recorder

__all__ = ["Metacontroller"]


class Metacontroller:
    """Runs CompositeControllers without children against one Kubernetes API. One object, one run.

    `calls` counts hook calls by (plural, hook). Raises `UnmodelledError` for a controller that it could not honour.
    """

    def __init__(
        self,
        controllers: Sequence[Object],
        *,
        kube: AsyncClient,
        hooks: AsyncClient,
        clock: Clock,
        workers: int = 5,
        cache_flush_interval: float = 1800,
        delivery: Delivery | None = None,
    ) -> None:
        self.calls: Counter[tuple[str, str]] = Counter()
        self._composites = [Composite.read(raw) for raw in controllers]
        self._kube = kube
        self._hooks = hooks
        self._clock = clock
        self._workers = workers
        self._flush = cache_flush_interval
        self._delivery = delivery or AtOnce()
        self._started = asyncio.Event()

    async def started(self) -> None:
        """Returns once every controller has its parents listed and its workers running, or once the run has failed."""
        await self._started.wait()

    async def run(self) -> None:
        """Runs until cancelled, and leaves nothing running then."""
        try:
            async with asyncio.TaskGroup() as group:
                await self._start(group)
                self._started.set()
        finally:
            self._started.set()

    async def _start(self, group: asyncio.TaskGroup) -> None:
        api = Api(self._kube, self._clock)
        informers = Informers(api, self._delivery, self._clock, group)
        events = Recorder(api, self._clock)
        group.create_task(events.run())
        controllers = [
            Controller(
                composite,
                api=api,
                informers=informers,
                events=events,
                hooks=self._hooks,
                clock=self._clock,
                calls=self.calls,
            )
            for composite in self._composites
        ]
        for controller in controllers:
            group.create_task(controller.run(self._workers, self._flush))
        for controller in controllers:
            await controller.ready.wait()
