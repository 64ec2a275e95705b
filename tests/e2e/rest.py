"""Whether a cluster is at rest: nothing is written, and hooks are called no oftener than their own pace asks."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.e2e.house import RealHouse
from tests.world.manifests import name_of

Object = dict[str, Any]
QUIET = 10.0


def key(item: Object) -> str:
    return f"{item['kind']} {name_of(item)}"


async def versions(house: RealHouse) -> dict[str, tuple[str, int]]:
    """resourceVersion and generation of every object of ours."""
    metas = {key(item): item["metadata"] for item in await house.objects()}
    return {name: (meta["resourceVersion"], meta["generation"]) for name, meta in metas.items()}


async def calm(house: RealHouse) -> dict[str, tuple[str, int]]:
    """Wait until no object is written for four seconds; how they stand then."""
    found = [await versions(house)]

    async def unchanged() -> bool:
        found.append(await versions(house))
        return found[-1] == found[-2]

    await asyncio.sleep(1)
    await house.until(unchanged, within=20, every=4)
    return found[-1]


async def at_rest(house: RealHouse) -> None:
    """Once things have calmed down they stay so."""
    before = await calm(house)
    called = _hook_calls(house)
    await asyncio.sleep(QUIET)
    after = await versions(house)
    assert after == before, {name for name in before if before[name] != after.get(name)}
    calls = _hook_calls(house) - called
    assert calls <= len(before), f"{calls} hook calls in {QUIET} s for {len(before)} objects at rest"


def _hook_calls(house: RealHouse) -> float:
    families = house.operator.telemetry.metrics.registry.collect()
    return sum(
        one.value for family in families for one in family.samples if one.name == "aruba_hook_duration_seconds_count"
    )
