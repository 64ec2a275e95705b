"""The real cloud client for a command that has time: it reads, waits and asks again, and never writes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from copy import copy
from types import TracebackType
from typing import Self, TypeVar

from hooks.aruba.cloud.client import Cloud, Limits
from hooks.aruba.model.failure import Cause, Failure
from hooks.aruba.model.wire import Listing, Reading
from hooks.clock import Clock, unpredictable
from hooks.http import AsyncClient
from hooks.meta.deadline import Deadline
from hooks.settings import Settings
from hooks.stack import origin, sources

READ_WITHIN = 60.0
"""Seconds that one collection may take."""
ATTEMPTS = 4
LONGEST_PAUSE = 60.0
"""Seconds; who is asked to wait longer is told so instead."""
PASSING = frozenset({Cause.THROTTLED, Cause.TRANSIENT, Cause.TECHNICAL, Cause.BUSY})
"""What may be over in a moment."""

T = TypeVar("T")


class Patient:
    """The cloud as `serve` would reach it by the same settings; what passes is waited for, `tell` is told of it."""

    def __init__(
        self, settings: Settings, http: AsyncClient, clock: Clock, tenant: str, tell: Callable[[str], None]
    ) -> None:
        limits = Limits(rate=settings.rate_limit / settings.replicas)
        credentials = sources(lambda: settings, clock)
        self._cloud = Cloud(lambda: origin(settings), credentials, http, clock, unpredictable(), limits)
        self._clock = clock
        self._tenant = tenant
        self._tell = tell

    def of(self, tenant: str) -> Self:
        """The same cloud, as another tenant sees it."""
        other = copy(self)
        other._tenant = tenant  # noqa: SLF001 - one of its own class
        return other

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._cloud.drain(1.0)

    async def listing(self, path: str) -> Listing | Failure:
        """A collection, read until it is sure to be complete, as far as the cloud lets it."""
        return await self._persistent(
            lambda: self._cloud.listing(self._tenant, path, self._clock.now(), self._deadline(), proof=True)
        )

    async def item(self, path: str, resource_id: str) -> Reading | Failure:
        """One resource by its own URL."""
        return await self._persistent(
            lambda: self._cloud.item(self._tenant, path, resource_id, self._clock.now(), self._deadline(), proof=True)
        )

    def _deadline(self) -> Deadline:
        return Deadline(self._clock.monotonic() + READ_WITHIN)

    async def _persistent(self, ask: Callable[[], Awaitable[T | Failure]]) -> T | Failure:
        answer = await ask()
        for attempt in range(1, ATTEMPTS):
            if not isinstance(answer, Failure) or answer.cause not in PASSING:
                break
            pause = float(attempt) if answer.retry_after is None else answer.retry_after
            if pause > LONGEST_PAUSE:
                break
            self._tell(f"{answer.text}; asking again in {pause:.0f} s")
            await self._clock.sleep(pause)
            answer = await ask()
        return answer
