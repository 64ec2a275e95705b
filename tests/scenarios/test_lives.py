"""The scenario bodies of every backend, in the simulated world."""

from __future__ import annotations

import pytest

from tests.scenarios.lives import LIVES
from tests.world.house import living

ELSEWHERE = {"set Test10", "three namespaces", "project alone"}
"""Played by test_sets already."""


ALWAYS = {"08-ComputeWithDataVolumes", "namespace alone", "changes"}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name in ALWAYS else pytest.mark.sweep) for name in LIVES if name not in ELSEWHERE],
)
async def test_life(name: str) -> None:
    async with living() as house:
        await LIVES[name](house)
