"""One seed of the campaign: a set of objects brought to life and to its end through two storms, then judged.

`python -m tests.campaign` runs many, `tests/properties/test_chaos.py` a few.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hooks.clock import Random, seeded
from hooks.simulator import FAST
from tests.campaign.nature import Lagging, Nature
from tests.campaign.replicas import Replicas
from tests.campaign.user import User
from tests.world.house import House, living
from tests.world.judge import owner_tags, twins
from tests.world.manifests import fixture_set

Object = dict[str, Any]
SETS = ("Test2", "Test12_00", "Test4", "Test5", "Test8", "Test9", "Test10")
ENVIRON = {"ARUBA_LISTING_AGE": "30s"}
"""What was removed in the console is noticed soon."""
PATIENCE = 900.0
"""Seconds of calm in which everything must have come right: a phase's time-out and some more."""
REPLIES = {200, 429, 503}
"""What Metacontroller may be told; 503 only by a replica that is being stopped."""


@dataclass
class Result:
    """What a trial came to; `problems` is empty when all went well."""

    seed: int
    name: str = ""
    problems: list[str] = field(default_factory=list)
    story: list[str] = field(default_factory=list)
    seconds: float = 0.0
    cloud_calls: int = 0
    hook_calls: int = 0

    def __str__(self) -> str:
        outcome = "ok" if not self.problems else "FAILED " + " | ".join(text.splitlines()[0] for text in self.problems)
        counted = f"{self.seconds:.0f} s, {self.cloud_calls} cloud calls, {self.hook_calls} hook calls"
        return f"seed {self.seed} {self.name}: {outcome} ({counted})"


async def trial(seed: int, sets: tuple[str, ...] = SETS) -> Result:
    """Everything follows from the seed."""
    chance, result = seeded(seed), Result(seed)
    result.name = chance.choice(sets)
    delivery = Lagging(seeded(seed + 1))
    async with living(timings=FAST, seed=seed, environ=ENVIRON, delivery=delivery) as house:

        def note(text: str) -> None:
            result.story.append(f"{house.clock.monotonic():8.2f} {text}")

        replicas = Replicas(house, seeded(seed + 2))
        try:
            await _live(house, replicas, delivery, chance, result, note)
        finally:
            replicas.end()
        result.seconds = house.clock.monotonic()
        result.cloud_calls = len(await house.calls())
        result.hook_calls = sum(house.metacontroller.calls.values())
    return result


async def _live(
    house: House, replicas: Replicas, delivery: Lagging, chance: Random, result: Result, note: Callable[[str], None]
) -> None:
    wanted = [_renewable(item) for item in fixture_set(result.name)]
    leaves = _leaves(wanted)
    nature = Nature(house, replicas, delivery, chance, leaves, note)
    user = User(house, wanted, leaves, chance, note)
    length = chance.choice((8.0, 20.0, 45.0, 90.0))
    await _together(nature.storm(length, chance.randint(2, 14)), _busy(user, length, chance))
    await nature.calm()
    await _within(house, lambda: _whole(house, user), result, "not all Active")
    _judge(result, await house.resources(everything=True))
    length = chance.choice((6.0, 15.0, 40.0))
    await _together(nature.storm(length, chance.randint(0, 8)), user.delete_all(chance.uniform(0.0, 3.0)))
    await nature.calm()
    await _within(house, house.all_gone, result, "not all gone")
    _judge(result, await house.resources(everything=True))
    result.problems += [f"left over {row['kind']} {row['id']}" for row in await house.resources()]
    _hooks_were_well(house, replicas, result)


def _renewable(item: Object) -> Object:
    """What is removed in the console comes back, whatever the kind's own default."""
    item["metadata"]["annotations"] = {"arubacloud.com/on-external-delete": "recreate"}
    return item


def _leaves(wanted: list[Object]) -> frozenset[str]:
    """Kinds that no other object of the set refers to."""
    kinds = {item["kind"] for item in wanted}
    if "CloudServer" in kinds:
        return frozenset({"CloudServer", "SecurityRule"})
    inner = {"Project", "VPC"} | ({"SecurityGroup"} if "SecurityRule" in kinds else set())
    return frozenset(kinds - inner)


async def _busy(user: User, seconds: float, chance: Random) -> None:
    await user.apply_all(chance.choice((0.0, 1.0, 4.0)))
    await user.meddle(seconds / 2, chance.randint(1, 6))


async def _together(*work: Any) -> None:
    async with asyncio.TaskGroup() as group:
        for one in work:
            group.create_task(one)


async def _within(house: House, condition: Callable[[], Any], result: Result, otherwise: str) -> None:
    try:
        await house.until(condition, within=PATIENCE, every=1.0)
    except AssertionError as late:
        result.problems.append(f"{otherwise}\n{late}")


async def _whole(house: House, user: User) -> bool:
    """Every object is well and has its one resource: what was removed in the console is missed at the next look."""
    return await user.complete() and len(await house.resources()) == len(user.wanted)


def _judge(result: Result, rows: list[Object]) -> None:
    """By the cloud's own book-keeping."""
    result.problems += [f"twins {a['kind']} {a['id']} {b['id']}" for a, b in twins(rows)]
    result.problems += [f"untagged {row['kind']} {row['id']}" for row in rows if not owner_tags(row)]


def _hooks_were_well(house: House, replicas: Replicas, result: Result) -> None:
    odd = {status: count for status, count in replicas.answers.items() if status not in REPLIES}
    if odd:
        result.problems.append(f"hooks answered {odd}")
    if replicas.hot:
        result.problems.append(f"hook calls without end in {replicas.hot} seconds")
    errors = [line for line in house.log.getvalue().splitlines() if json.loads(line)["level"] == "ERROR"]
    result.problems += [f"hooks logged {line[:2000]}" for line in errors[:3]]
