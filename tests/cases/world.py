"""The simulated world of the field cases: `living`, with an end to passes that follow each other without a rest.

In virtual time a loop of status writes takes no time at all, so it would hang the test that it should fail.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from hooks.http import ConnectError, Request, Response
from tests.world import house as whole
from tests.world.house import HOOKS, House

MOST = 150
"""Hook calls at one moment; a whole set of ten objects takes less than half of it."""


class _Restless:
    """Stands before the network and refuses hook calls once too many came at one moment."""

    def __init__(self, house: House) -> None:
        self.struck = ""
        self._house, self._pass_on = house, house.net.handle_async_request
        self._moment, self._count = -1.0, 0

    async def __call__(self, request: Request) -> Response:
        if request.url.host == HOOKS:
            self._count = self._count + 1 if self._moment == self._house.clock.monotonic() else 1
            self._moment = self._house.clock.monotonic()
            if self._count > MOST or self.struck:
                self.struck = self.struck or f"{request.url} at {self._house.clock.now()}"
                raise ConnectError("too many hook calls at one moment", request=request)
        return await self._pass_on(request)


@asynccontextmanager
async def living(**options: Any) -> AsyncIterator[House]:
    """A house as everywhere; the test fails when its hooks are called without a rest."""
    async with whole.living(**options) as house:
        guard = _Restless(house)
        house.net.handle_async_request = guard  # type: ignore[method-assign]
        try:
            yield house
        finally:
            assert not guard.struck, f"a loop of passes without a rest: {guard.struck}\n{await house.told()}"
