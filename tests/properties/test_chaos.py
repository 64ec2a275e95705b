"""A short slice of the campaign (`make campaign`): whatever goes wrong, nothing is made twice, lost or left behind."""

from __future__ import annotations

import pytest

from tests.campaign.trial import trial

SMALL = ("Test2", "Test12_00", "Test4", "Test5")


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.sweep) for seed in (2, 3, 4))])
async def test_a_small_set_survives_two_storms(seed: int) -> None:
    result = await trial(seed, SMALL)
    assert not result.problems, "\n".join([*result.story, *result.problems])


@pytest.mark.slow
@pytest.mark.parametrize("seed", [5, pytest.param(6, marks=pytest.mark.sweep)])
async def test_a_server_with_all_it_needs_survives_two_storms(seed: int) -> None:
    result = await trial(seed, ("Test10",))
    assert not result.problems, "\n".join([*result.story, *result.problems])
