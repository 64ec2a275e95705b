"""A whole life in one call: everything to Active, and everything gone again, in an order of chance.

The scenario files and the bench use it.
"""

from __future__ import annotations

from typing import Any

from hooks.clock import Random, seeded
from tests.world.house import House
from tests.world.judge import no_duplicates, no_leftovers, settled
from tests.world.manifests import name_of

Object = dict[str, Any]


def order(seed: int) -> Random:
    """The source of an order; a failing test shows the seed."""
    print(f"order seed {seed}")  # noqa: T201 - pytest shows it with the failure
    return seeded(seed)


async def apply_all(house: House, items: list[Object], chance: Random, within: float = 180.0) -> float:
    """Seconds until everything is Active and Ready."""
    shuffled = [*items]
    chance.shuffle(shuffled)
    await house.apply(*shuffled)
    return await house.until(lambda: all_settled(house), within)


async def all_settled(house: House) -> bool:
    return all(settled(item) for item in await house.objects())


async def delete_all(house: House, chance: Random, within: float = 180.0) -> float:
    """Seconds until everything is gone; then nothing is left in the cloud, and nothing was ever there twice."""
    items = await house.objects()
    chance.shuffle(items)
    for item in items:
        await house.delete(item["kind"], name_of(item), item["metadata"]["namespace"])
    return await ended(house, within)


async def ended(house: House, within: float = 180.0) -> float:
    took = await house.until(house.all_gone, within)
    await no_leftovers(house)
    await no_duplicates(house)
    return took
