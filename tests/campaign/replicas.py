"""The webhooks as a Service with replicas that come and go; every answer is looked at on its way out.

`nature` kills and adds them, `trial` judges the answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from hooks.clock import Random
from hooks.stack import Operator
from tests.world.house import HOOKS, House

Message = MutableMapping[str, Any]


class Replicas:
    """Each call goes to a replica of chance; `answers` counts what Metacontroller was told, by status."""

    def __init__(self, house: House, chance: Random) -> None:
        self.answers: Counter[int] = Counter()
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

        await self._chance.choice(self._running).app(scope, receive, seen)

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
