"""What happens to objects, by watches of the Kubernetes API: the same on every backend.

The simulated world has a film besides (tests/world/film.py); this needs nothing but the API's address.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

from tests.world.house import API, PLURALS, House

Object = dict[str, Any]


class Event(NamedTuple):
    """ADDED, MODIFIED or DELETED, and the object as it was then."""

    verb: str
    item: Object

    @property
    def key(self) -> str:
        meta = self.item["metadata"]
        return f"{self.item['kind']} {meta['namespace']}/{meta['name']}"

    @property
    def phase(self) -> str:
        return str((self.item.get("status") or {}).get("phase") or "")


@asynccontextmanager
async def watching(house: House) -> AsyncIterator[list[Event]]:
    """Every change of every object of ours from here on; when the block ends all that is over has been seen to end."""
    seen: list[Event] = []
    starts = {plural: await _version(house, plural) for plural in PLURALS.values()}
    tasks = [asyncio.ensure_future(_follow(house, plural, start, seen)) for plural, start in starts.items()]

    async def caught_up() -> bool:
        """Raises what ended a watch, rather than waiting for what it would have told."""
        for task in tasks:
            if task.done():
                task.result()
        there = {f"{i['kind']} {i['metadata']['namespace']}/{i['metadata']['name']}" for i in await house.objects()}
        return {event.key for event in seen} - {e.key for e in seen if e.verb == "DELETED"} <= there

    try:
        yield seen
        await house.until(caught_up, within=20)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _version(house: House, plural: str) -> str:
    return str((await house.kube.get(f"{API}/{plural}")).json()["metadata"]["resourceVersion"])


async def _follow(house: House, plural: str, start: str, seen: list[Event]) -> None:
    query = {"watch": "1", "resourceVersion": start}
    async with house.kube.stream("GET", f"{API}/{plural}", params=query, timeout=None) as answer:
        async for line in answer.aiter_lines():
            event = json.loads(line)
            assert event["type"] in ("ADDED", "MODIFIED", "DELETED"), event
            seen.append(Event(event["type"], event["object"]))
    raise AssertionError(f"the watch of {plural} was ended")
