"""The webhooks as a Service with replicas that come and go; every answer is looked at on its way out.

`nature` kills and adds them, `trial` judges the answers.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from hooks.clock import Random
from hooks.stack import Operator
from tests.world.house import HOOKS, House

Message = MutableMapping[str, Any]
HOT = 600
"""Calls within one second of virtual time that no set of a dozen objects gives reason for."""


class Replicas:
    """Each call goes to a replica of chance; `answers` counts what Metacontroller was told, by status.

    `hot` counts the seconds in which calls chased each other without end; they are held back, so that time goes on.
    """

    def __init__(self, house: House, chance: Random) -> None:
        self.answers: Counter[int] = Counter()
        self.hot = 0
        self._second = (0, 0)
        self._house = house
        self._chance = chance
        self._ended: list[Operator] = []
        self._running = [house.operator]
        house.net.hosts[HOOKS] = self._serve

    async def _serve(
        self, scope: MutableMapping[str, Any], receive: Callable[[], Awaitable[Message]], send: Callable[..., Any]
    ) -> None:
        async def seen(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.answers[message["status"]] += 1
            await send(message)

        await self._hold_back()
        await self._chance.choice(self._running).app(scope, receive, seen)

    async def _hold_back(self) -> None:
        now, (second, calls) = int(self._house.clock.monotonic()), self._second
        self._second = (now, calls + 1 if now == second else 1)
        if self._second[1] == HOT:
            self.hot += 1
        if self._second[1] >= HOT:
            await asyncio.sleep(1.0)

    def add(self) -> None:
        self._running.append(self._house.start_hooks("spare.hooks.test"))

    def kill(self, at_once: bool) -> None:
        """All replicas at a stroke: their callers lose them. Not `at_once`: their passes go on, unheard."""
        self._house.net.cut(HOOKS)
        for operator in self._running:
            if at_once:
                operator.gate.cut_off()
        self._ended += self._running
        self._running = []

    def ensure(self) -> None:
        """At least one replica, and the Service leads to it."""
        if not self._running:
            self.add()
        self._house.net.hosts[HOOKS] = self._serve

    def end(self) -> None:
        for operator in [*self._ended, *self._running]:
            operator.gate.cut_off()
