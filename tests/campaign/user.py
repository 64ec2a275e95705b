"""The user of a trial: applies, deletes and replaces in an order of chance, and tries again when the API is away."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from hooks.clock import Random
from hooks.http import HTTPError
from tests.world.house import House
from tests.world.judge import settled
from tests.world.manifests import name_of

Object = dict[str, Any]


class User:
    """`wanted` is the set that should be there in the end; `leaves` are the kinds that may go for a while."""

    def __init__(
        self, house: House, wanted: list[Object], leaves: frozenset[str], chance: Random, note: Callable[[str], None]
    ) -> None:
        self.wanted = wanted
        self._house = house
        self._leaves = leaves
        self._chance = chance
        self._note = note

    async def apply_all(self, longest_pause: float) -> None:
        order = [*self.wanted]
        self._chance.shuffle(order)
        for item in order:
            await self._create(item)
            await asyncio.sleep(self._chance.uniform(0.0, longest_pause))

    async def meddle(self, seconds: float, count: int) -> None:
        """Replace, or delete for good or for a while, now and then."""
        for _ in range(count):
            await asyncio.sleep(self._chance.uniform(0.0, 2 * seconds / count))
            item = self._chance.choice(self.wanted)
            if item["kind"] in self._leaves and self._chance.random() < 0.5:
                await self._delete(item)
            else:
                await self._replace(item)

    async def complete(self) -> bool:
        """Whether everything wanted is there and well; what is missing is applied again."""
        whole = True
        for item in self.wanted:
            live = await self._house.get(item["kind"], name_of(item))
            if live is None:
                await self._create(item)
            whole = whole and live is not None and settled(live) and "deletionTimestamp" not in live["metadata"]
        return whole

    async def delete_all(self, longest_pause: float) -> None:
        """One by one in an order of chance, or the project alone, which takes the rest along."""
        order = [*self.wanted]
        self._chance.shuffle(order)
        if self._chance.random() < 0.3:
            order = [item for item in order if item["kind"] == "Project"]
        for item in order:
            await self._delete(item)
            await asyncio.sleep(self._chance.uniform(0.0, longest_pause))

    async def _create(self, item: Object) -> None:
        self._note(f"apply {item['kind']} {name_of(item)}")
        status = await self._patiently(lambda: self._house.kube.post(self._house.path(item), json=item))
        assert status in (201, 409), status

    async def _delete(self, item: Object) -> None:
        """Not before the finalizer that a replace took away is back: until then nobody could be told of the end."""
        await self._house.until(self._guarded, every=0.5)
        self._note(f"delete {item['kind']} {name_of(item)}")
        url = f"{self._house.path(item)}/{name_of(item)}"
        status = await self._patiently(lambda: self._house.kube.delete(url))
        assert status in (200, 202, 404), status

    async def _guarded(self) -> bool:
        return all(item["metadata"].get("finalizers") for item in await self._house.objects())

    async def _replace(self, item: Object) -> None:
        """Not while it is being deleted: that would take the finalizer away for good."""
        try:
            live = await self._house.get(item["kind"], name_of(item))
            if live is not None and "deletionTimestamp" not in live["metadata"]:
                self._note(f"replace {item['kind']} {name_of(item)}")
                await self._house.replace(item)
        except HTTPError as away:
            self._note(f"not replaced: {away}")

    async def _patiently(self, ask: Callable[[], Any]) -> int:
        while True:
            try:
                return (await ask()).status_code
            except HTTPError:
                await asyncio.sleep(1.0)
