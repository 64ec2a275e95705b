"""Hook calls made by a test itself: with a parent as stale as it likes, to the replica that it likes.

Everything up to the subject is done by the whole house; then Metacontroller is cut off and the test takes its place.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

from hooks.http import AsyncClient
from tests.cases import nine
from tests.cases.world import living
from tests.world.house import API, HOOKS, PLURALS, House

Object = dict[str, Any]
HAND = "hand.test"


class Answer(NamedTuple):
    """A hook's answer; `body` is the reply of a 200 and the error of anything else."""

    code: int
    body: Object

    @property
    def status(self) -> Object:
        return dict(self.body["status"])


class Hand:
    """Plays Metacontroller for one object."""

    def __init__(self, house: House, kind: str, name: str) -> None:
        self.house = house
        self.kind = kind
        self._url = f"{API}/namespaces/default/{PLURALS[kind]}/{name}"
        self._hooks = AsyncClient(transport=house.net, timeout=None)

    async def parent(self) -> Object:
        """The object as the API server has it now."""
        return dict((await self.house.kube.get(self._url)).json())

    async def call(self, hook: str, parent: Object, host: str = HAND) -> Answer:
        url = f"http://{host}/v2/{PLURALS[self.kind]}/{hook}"
        body = {"controller": {}, "parent": parent, "children": {}, "related": await self._related()}
        answer = await self._hooks.post(url, json={**body, "finalizing": hook == "finalize"})
        return Answer(answer.status_code, answer.json())

    async def sync(self, host: str = HAND) -> Answer:
        return await self.call("sync", await self.parent(), host)

    async def keep(self, status: Object) -> None:
        """Write a status as Metacontroller would."""
        live = await self.parent()
        answer = await self.house.kube.put(f"{self._url}/status", json={**live, "status": status})
        assert answer.status_code == 200, answer.text

    async def until_mark(self, text: str) -> None:
        """Passes, each with its status stored, until the create-pending annotation begins with `text`."""
        for _ in range(10):
            if str(self.mark(await self.parent())).startswith(text):
                return
            answer = await self.sync()
            if answer.code == 200:
                await self.keep(answer.status)
        raise AssertionError(json.dumps(await self.parent()))

    @staticmethod
    def mark(parent: Object) -> str:
        return str(parent["metadata"].get("annotations", {}).get("arubacloud.com/create-pending", ""))

    async def _related(self) -> dict[str, dict[str, Object]]:
        """All there is: hooks pick what they refer to."""
        group: dict[str, dict[str, Object]] = {}
        for item in await self.house.objects():
            meta = item["metadata"]
            group.setdefault(f"{item['kind']}.arubacloud.com/v1alpha1", {})[f"{meta['namespace']}/{meta['name']}"] = (
                item
            )
        return group


@asynccontextmanager
async def by_hand(kind: str, settled: bool = False, **options: Any) -> AsyncIterator[Hand]:
    """The subject's world with Metacontroller cut off; `settled`: the subject is Active, else only just applied."""
    async with living(**options) as house:
        if settled:
            await nine.active(house, kind)
        else:
            await nine.prepared(house, kind)
        house.net.cut(HOOKS)
        house.start_hooks(HAND)
        if not settled:
            await house.apply(nine.subject(kind))
        yield Hand(house, kind, nine.name(kind))


def kill(house: House) -> None:
    """The only replica is gone, with all that it had in hand; what it sent goes on at the other side."""
    house.net.cut(HOOKS)
    house.operator.gate.cut_off()


def restart(house: House) -> None:
    """A new replica that knows nothing."""
    house.operator = house.start_hooks()
