"""Time and calls of set Test10 at realistic timings: close to what the cloud itself needs, and few calls for it.

The bounds are those of the issue: 1.2 times the critical path each way, 80 cloud calls with the token's, 23 writes.
"""

from __future__ import annotations

from collections import Counter

import pytest

from hooks.simulator import REALISTIC
from tests.world import critical
from tests.world.house import living
from tests.world.judge import no_refusals
from tests.world.life import apply_all, delete_all, order
from tests.world.manifests import fixture_set

WRITES = {"POST": 12, "DELETE": 11}
"""11 creates and the attach; 11 deletes."""


def test_critical_path_of_the_set() -> None:
    """Boot volume 15 s, server 30 s, attach 4 s; server 20 s, subnet or group 5 s, VPC 5 s."""
    assert critical.to_active(fixture_set("Test10"), REALISTIC) == 15 + 30 + 4
    assert critical.to_gone(fixture_set("Test10"), REALISTIC) == 20 + 5 + 5


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.sweep) for seed in (2, 3, 4))])
async def test_a_whole_life_within_its_budget(seed: int) -> None:
    chance, items = order(seed), fixture_set("Test10")
    async with living(timings=REALISTIC, seed=seed) as house:
        created = await apply_all(house, items, chance)
        gone = await delete_all(house, chance)
        assert created <= 1.2 * critical.to_active(items, REALISTIC)
        assert gone <= 1.2 * critical.to_gone(items, REALISTIC)
        everything = await house.admin("GET", "calls")
        assert len(everything) <= 80, Counter((c["method"], c["path"].rpartition("/")[2]) for c in everything)
        assert Counter(c["method"] for c in await house.writes()) == WRITES
        await no_refusals(house)
