"""The access token of one credential: asked for once for all who wait, renewed early, given up when refused (api §2.2).

A session owns one `TokenSource`.
"""

from __future__ import annotations

import asyncio

from hooks.aruba.cloud.endpoint import Token, TokenEndpoint
from hooks.aruba.cloud.work import Work, patiently
from hooks.aruba.model.failure import Cause, Failure
from hooks.clock import Clock
from hooks.meta.deadline import Deadline

REFUSED_FOR = 10.0
"""Seconds for which a refusal of the credential is not asked again."""
SILENT_FOR = 2.0
"""The same for an endpoint that does not answer properly."""
STUBBORN_FOR = 30.0
"""Seconds for which a new token that was refused too is not replaced once more (cases 77)."""


class TokenSource:
    """Keeps the token, and the last failure for a few seconds, so that a storm of passes meets neither API."""

    def __init__(self, endpoint: TokenEndpoint, work: Work, clock: Clock) -> None:
        self._endpoint = endpoint
        self._work = work
        self._clock = clock
        self._token: Token | None = None
        self._fetching: asyncio.Task[Token | Failure] | None = None
        self._failure: Failure | None = None
        self._silent_until = clock.monotonic()
        self._stubborn_until = self._silent_until

    @property
    def current(self) -> Token | None:
        """The token at hand, if it has not ended."""
        token = self._token
        return token if token is not None and token.end > self._clock.monotonic() else None

    async def get(self, deadline: Deadline) -> str | Failure:
        """A token to use now. Waits only when none is at hand."""
        token = self.current
        if token is None:
            return await self._fetched(deadline)
        if token.renew <= self._clock.monotonic() and not self._remembered():
            self._fetch()
        return token.value

    async def replace(self, refused: str, deadline: Deadline) -> str | Failure | None:
        """Another token for one that the API refused, None when there is no point in one.

        However many calls the same token was refused to, it is replaced once.
        """
        token = self._token
        if token is not None and token.value == refused:
            if self._clock.monotonic() < self._stubborn_until:
                return None
            self._token = None
        return await self.get(deadline)

    def refused_again(self) -> None:
        """A token that came in place of a refused one is refused too: the reason is not its age."""
        self._stubborn_until = self._clock.monotonic() + STUBBORN_FOR

    async def _fetched(self, deadline: Deadline) -> str | Failure:
        failure = self._remembered()
        if failure is not None:
            return failure
        token = await patiently(self._fetch(), deadline.remaining(self._clock.monotonic()))
        if token is None:
            return self._endpoint.silent("did not answer in the time of this pass")
        return token if isinstance(token, Failure) else token.value

    def _remembered(self) -> Failure | None:
        return self._failure if self._clock.monotonic() < self._silent_until else None

    def _fetch(self) -> asyncio.Task[Token | Failure]:
        if self._fetching is None or self._fetching.done():
            self._fetching = self._work.start(self._ask())
        return self._fetching

    async def _ask(self) -> Token | Failure:
        found = await self._endpoint.ask()
        if isinstance(found, Failure):
            pause = REFUSED_FOR if found.cause is Cause.CREDENTIALS else max(SILENT_FOR, found.retry_after or 0.0)
            self._failure, self._silent_until = found, self._clock.monotonic() + pause
        else:
            self._failure, self._token = None, found
        return found
