"""The scenario bodies of every backend, in the simulated world."""

from __future__ import annotations

import pytest

from tests.scenarios.lives import LIVES
from tests.world.house import living

ELSEWHERE = {"set Test10", "three namespaces", "project alone"}
"""Played by test_sets already."""


@pytest.mark.parametrize("name", [name for name in LIVES if name not in ELSEWHERE])
async def test_life(name: str) -> None:
    async with living() as house:
        await LIVES[name](house)
