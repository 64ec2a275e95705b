"""What goes wrong: a seeded schedule of disturbances over a house, and the calm afterwards.

`trial` starts it beside the user and ends it before anything is judged. Every disturbance stays within what the
operator may count on: a POST and a listing together lag for less than the propagation window.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from hooks.clock import Random
from hooks.local.metacontroller.api import Resource
from hooks.simulator import token_path
from tests.campaign.replicas import Replicas
from tests.world.house import CLOUD, KUBE, House

Object = dict[str, Any]
LONGEST_POST = 28.0
LONGEST_LAG = 20.0
HTML = "<html><body><h1>502 Bad Gateway</h1></body></html>"
THIN = (None, "noUri", "noStatus", "noBody", "204")
BUSY_PLACES = ("", "projects", "vpcs", "subnets", "securityGroups", "blockStorages", "cloudServers", "keyPairs")


class Lagging:
    """A `Delivery` that holds watch events back by chance, while it is told to."""

    def __init__(self, chance: Random) -> None:
        self.longest = 0.0
        self._chance = chance

    async def deliver(self, resource: Resource, event: Object) -> None:
        if self.longest and self._chance.random() < 0.3:
            await asyncio.sleep(self._chance.uniform(0.0, self.longest))


class Nature:
    """`note` is told of every disturbance, so that a failing seed can be read as a story."""

    def __init__(
        self,
        house: House,
        replicas: Replicas,
        delivery: Lagging,
        chance: Random,
        prey: frozenset[str],
        note: Callable[[str], None],
    ) -> None:
        self._house = house
        self._replicas = replicas
        self._delivery = delivery
        self._chance = chance
        self._prey = prey
        self._note = note
        self._kinds: list[tuple[int, Callable[[], Awaitable[None]]]] = [
            (4, self._slow_post),
            (4, self._lost_call),
            (4, self._bad_answer),
            (2, self._done_but_refused),
            (2, self._throttled),
            (2, self._revoked),
            (1, self._token_endpoint_down),
            (3, self._restart),
            (2, self._second_replica),
            (1, self._cloud_outage),
            (1, self._kube_outage),
            (2, self._removed_in_console),
        ]

    async def storm(self, seconds: float, count: int) -> None:
        """So many disturbances, spread by chance over so many seconds."""
        await self._set_quirks()
        self._delivery.longest = self._chance.choice((0.0, 0.5, 3.0))
        weights, kinds = zip(*self._kinds, strict=True)
        pauses = sorted(self._chance.uniform(0.0, seconds) for _ in range(count))
        for before, at in zip([0.0, *pauses], pauses, strict=False):
            await asyncio.sleep(at - before)
            await self._chance.choices(kinds, weights)[0]()
        await asyncio.sleep(seconds - (pauses[-1] if pauses else 0.0))

    async def calm(self) -> None:
        """Nothing is in the way any more; what already happened stays."""
        self._note("calm")
        self._delivery.longest = 0.0
        await self._house.admin("DELETE", "faults")
        await self._house.quirks(listLag=0.0, readLag=0.0, thinCreate=None, errorShape=None, secondDelete=None)
        self._house.net.hosts[CLOUD] = self._house.simulator.app
        self._house.net.hosts[KUBE] = self._house.kubernetes.app
        self._replicas.ensure()

    async def _set_quirks(self) -> None:
        quirks: Object = {
            "listLag": self._chance.choice((0.0, 0.0, self._chance.uniform(0.0, LONGEST_LAG))),
            "readLag": self._chance.choice((0.0, 0.0, 3.0)),
            "thinCreate": self._chance.choice(THIN),
            "errorShape": self._chance.choice((None, 1, 2, 3, 4)),
            "uriCasing": self._chance.random() < 0.3,
            "networkFilter": self._chance.random() < 0.5,
            "secondDelete": self._chance.choice((None, 202, 400, 404)),
        }
        self._note(f"quirks {quirks}")
        await self._house.quirks(**quirks)

    async def _fault(self, then: Object, times: int = 1, method: str | None = None, path: str = "") -> None:
        match: Object = {"path": path} | ({"method": method} if method else {})
        fault = {"match": match, "times": times, "then": then}
        self._note(f"fault {fault}")
        await self._house.faults(fault)

    def _place(self) -> str:
        return self._chance.choice(BUSY_PLACES)

    def _method(self) -> str | None:
        return self._chance.choice(("POST", "GET", "DELETE", None))

    async def _slow_post(self) -> None:
        await self._fault({"delay": round(self._chance.uniform(2.0, LONGEST_POST), 2)}, 1, "POST", f"{self._place()}$")

    async def _lost_call(self) -> None:
        drop = self._chance.choice(("before", "after"))
        await self._fault({"drop": drop}, self._chance.randint(1, 3), self._method(), self._place())

    async def _bad_answer(self) -> None:
        status = self._chance.choice((500, 502, 503, 504, 408, 409))
        text: Object = {"text": HTML} if self._chance.random() < 0.5 else {}
        await self._fault({"status": status} | text, self._chance.randint(1, 4), self._method(), self._place())

    async def _done_but_refused(self) -> None:
        await self._fault({"status": self._chance.choice((500, 502, 504)), "work": True}, 1, "POST", self._place())

    async def _throttled(self) -> None:
        headers = {"Retry-After": str(self._chance.randint(1, 6))}
        await self._fault({"status": 429, "headers": headers}, self._chance.randint(1, 5), self._method())

    async def _revoked(self) -> None:
        self._note("tokens revoked")
        await self._house.admin("POST", "tokens", {"revoke": "all"})

    async def _token_endpoint_down(self) -> None:
        await self._fault({"status": 503}, self._chance.randint(1, 3), path=token_path())
        await self._revoked()

    async def _restart(self) -> None:
        gone = self._chance.uniform(0.0, 6.0)
        at_once = self._chance.random() < 0.5
        self._note(f"hooks {'killed' if at_once else 'cut off'} for {gone:.1f} s")
        self._replicas.kill(at_once)
        await asyncio.sleep(gone)
        self._replicas.ensure()

    async def _second_replica(self) -> None:
        self._note("one replica more")
        self._replicas.add()

    async def _cloud_outage(self) -> None:
        await self._outage(CLOUD, self._house.simulator.app, 12.0)

    async def _kube_outage(self) -> None:
        await self._outage(KUBE, self._house.kubernetes.app, 4.0)

    async def _outage(self, host: str, app: Any, longest: float) -> None:
        seconds = self._chance.uniform(0.5, longest)
        self._note(f"{host} away for {seconds:.1f} s")
        self._house.net.cut(host)
        await asyncio.sleep(seconds)
        self._house.net.hosts[host] = app

    async def _removed_in_console(self) -> None:
        """Only what nothing else hangs on: the rest would take parts of other objects with it."""
        rows = [row for row in await self._house.resources() if row["kind"] in self._prey]
        if rows:
            row = self._chance.choice(rows)
            self._note(f"{row['kind']} {row['id']} removed in the console")
            await self._house.admin("DELETE", f"resources/{row['id']}")
