"""The scenario bodies of every backend, in the simulated world; what each comes to is in results.json."""

from __future__ import annotations

import pytest

from tests.scenarios.lives import LIVES
from tests.scenarios.results import expected, lived
from tests.world.house import living

ALWAYS = {"08-ComputeWithDataVolumes", "namespace alone", "changes"}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in ALWAYS else pytest.mark.sweep) for name in LIVES]
)
async def test_life(name: str) -> None:
    async with living() as house:
        await lived(house, name)


def test_every_life_has_a_result_and_none_leaves_anything() -> None:
    assert [*expected()] == [*LIVES]
    assert {(found["refused"], *found["left"]) for found in expected().values()} == {(0,)}
