"""The recorded worlds that many promise tests read: one whole life, and one in which things get stuck and recover.

conftest.py records each at most once a session; a film is plain data, so sharing it is safe.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import looptime

from hooks.simulator import REALISTIC
from tests.world.film import Film, filming
from tests.world.house import House, living
from tests.world.manifests import fixture_set, make, project, ref, vpc

REST = 700.0
"""Seconds for which the life stands still while everything is Active: two rounds of looking at what is at rest."""
MINUTE = 60.0


def record(film: Callable[[], Awaitable[Film]]) -> Film:
    with asyncio.Runner(loop_factory=looptime.new_event_loop) as runner:
        return runner.run(_finish(film))


async def _finish(film: Callable[[], Awaitable[Film]]) -> Film:
    return await film()


async def whole_life() -> Film:
    """All nine kinds at the platform's own pace: applied last things first, left at rest, deleted by their Project."""
    async with living(timings=REALISTIC) as house, filming(house) as film:
        await house.apply(*reversed(fixture_set("Test10")))
        await house.until(house.all_active, every=1)
        film.marks["active"] = house.clock.now()
        await asyncio.sleep(REST)
        film.marks["delete"] = house.clock.now()
        await house.delete("Project", "shop")
        await house.until(house.all_gone, every=1)
    return film


async def stuck_and_recovered() -> Film:
    """Twelve minutes in which nothing can get on, then everything is well again.

    VPC net-a never leaves Creating; net-b makes one step of progress after eight minutes; the cloud answers 500 to
    every POST of an elastic IP and to every DELETE of a key pair.
    """
    async with living() as house, filming(house) as film:
        await house.quirks(neverSettle="VPC")
        await house.faults(broken("POST", "elasticIps$"), broken("DELETE", "keyPairs/"))
        await house.apply(project(), vpc(), vpc("net-b"), address(), key())
        await house.until(lambda: has_phase(house, "KeyPair", "key-a", "Active"))
        await house.delete("KeyPair", "key-a")
        await asyncio.sleep(8 * MINUTE)
        film.marks["progress"] = house.clock.now()
        await set_state(house, "VPC", "net-b", "Provisioning")
        await asyncio.sleep(4 * MINUTE)
        film.marks["healed"] = house.clock.now()
        await house.admin("DELETE", "faults")
        for name in ("net-a", "net-b"):
            await set_state(house, "VPC", name, "Active")
        await house.until(house.all_active, within=300, every=1)
    return film


def broken(method: str, path: str) -> dict[str, object]:
    """A fault: the cloud fails at every such call, and says so."""
    body = {"title": "Internal Server Error", "status": 500, "detail": "the storage of this service is down"}
    return {"match": {"method": method, "path": path}, "times": None, "then": {"status": 500, "body": body}}


def address(name: str = "ip-a") -> dict[str, object]:
    return make("ElasticIP", name, {"tenant": "t-100", "projectReference": ref("prj-a")})


def key(name: str = "key-a") -> dict[str, object]:
    spec = {"tenant": "t-100", "value": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJqk", "projectReference": ref("prj-a")}
    return make("KeyPair", name, spec)


async def has_phase(house: House, kind: str, name: str, phase: str, namespace: str = "default") -> bool:
    return (await house.status(kind, name, namespace)).get("phase") == phase


async def set_state(house: House, kind: str, name: str, state: str, **change: object) -> None:
    """The platform changes a resource's state; found by its name."""
    row = next(row for row in await house.resources(kind) if row["name"] == name)
    await house.admin("POST", f"resources/{row['id']}", {"state": state, **change})
