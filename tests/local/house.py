"""Houses whose parts are other processes, in real time: what they share, and the one around `hooks local`.

The scenario bodies of tests/scenarios/lives.py run in them unchanged; so does whatever else asks the cloud's own books.
"""

from __future__ import annotations

import io
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from hooks.clock import SystemClock
from hooks.http import AsyncClient
from hooks.kube import connect
from tests.local.command import Local
from tests.world.house import PLURALS, House

Object = dict[str, Any]
MERGE = {"Content-Type": "application/merge-patch+json"}


class Outside(House):
    """A house that is reached by sockets only: nothing of it is in the test's own hands."""

    def __init__(self, cloud: AsyncClient, kube: AsyncClient, log: io.StringIO) -> None:
        self.clock = SystemClock()
        self.cloud = cloud
        self.kube = kube
        self.log = log

    async def objects(self) -> list[Object]:
        """From the API itself; lists name no kind in their items."""
        return [{"kind": kind, **item} for kind in PLURALS for item in await self.list(kind)]

    async def until(self, condition: Callable[[], Any], within: float = 120.0, every: float = 0.25) -> float:
        """In real time: three times as long as the simulated world would wait, for busy machines."""
        return await super().until(condition, 3 * within, every)

    async def emptied(self) -> None:
        """Take away what a failed scenario left, so that the next one starts from nothing."""
        for item in await self.objects():
            url = f"{self.path(item)}/{item['metadata']['name']}"
            await self.kube.delete(url)
            await self.kube.patch(url, json={"metadata": {"finalizers": None}}, headers=MERGE)


class LocalHouse(Outside):
    """One scenario's world in a process that has run others before: their calls and resources are not of its books."""

    before: tuple[int, frozenset[str]] = (0, frozenset())

    async def begin(self) -> None:
        """What is in the books by now was somebody else's."""
        calls = max((row["n"] for row in await self.calls()), default=0)
        self.before = (calls, frozenset(row["id"] for row in await self.resources(everything=True)))

    async def calls(self, since: int = 0, method: str = "", path: str = "") -> list[Object]:
        return await super().calls(max(since, self.before[0]), method, path)

    async def resources(self, kind: str = "", everything: bool = False) -> list[Object]:
        rows = await super().resources(kind, everything)
        return [row for row in rows if row["id"] not in self.before[1]]

    async def emptied(self) -> None:
        await super().emptied()
        for row in await self.resources():
            await self.admin("DELETE", f"resources/{row['id']}")


class _Errors(io.StringIO):
    """What a process has written to stderr so far."""

    def __init__(self, local: Local) -> None:
        super().__init__()
        self._local = local

    def getvalue(self) -> str:
        return self._local.errors


@asynccontextmanager
async def local_house(local: Local) -> AsyncIterator[LocalHouse]:
    """A scenario's house around a running `hooks local`, which is empty before and after."""
    async with AsyncExitStack() as opened:
        cloud = await opened.enter_async_context(AsyncClient(base_url=local.endpoints["cloud"], timeout=30))
        kube = await opened.enter_async_context(connect(Path(local.endpoints["kubeconfig"])))
        house = LocalHouse(cloud, kube, _Errors(local))
        await house.begin()
        try:
            yield house
        finally:
            await house.emptied()
