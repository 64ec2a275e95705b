"""Random lives of all nine kinds through the whole house, and what must be true whenever the world comes to rest.

A machine edits, annotates, creates, deletes and replaces objects, meddles at the console, lets calls fail and the cloud
be odd, and lets time pass. At rest (nothing in the way any more) each object is as the cloud has it or says truly why
not, nothing was made twice, is too much or is lost, and nobody is busy for nothing.

Few lives are played, the same at every run: four for each of two seeds. `SEEDS=N` in the environment (so also `make
sweep SEEDS=N`) plays N seeds; a failing test names its seed, and the steps of the life that failed.
"""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.properties.lifecycle import FIRST
from tests.properties.lifecycle_life import STEPS, Life

pytestmark = pytest.mark.every_kind

SEEDS = int(os.environ.get("SEEDS") or 2)
LIVES = 4
Object = dict[str, Any]


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, *(pytest.param(n, marks=pytest.mark.sweep) for n in range(1, SEEDS))])
def test_whatever_happens_every_message_comes_to_be_true(number: int) -> None:
    """Not made shorter when it fails: a life is short, and a turn of them should not take long."""
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    few = settings(max_examples=LIVES, stateful_step_count=STEPS, phases=[Phase.generate], suppress_health_check=checks)
    run_state_machine_as_test(seed(number)(type("Life", (Life,), {})), settings=few)


LIVED: dict[str, list[tuple[str, Object]]] = {
    "an address gone from under its server": [("remove_at_console", {"name": "eip-a"})],
    "an address taken off its server, then broken": [
        ("rewire_at_console", {"name": "eip-a"}),
        ("change_state_at_console", {"name": "eip-a", "state": "Failed"}),
    ],
    "a network gone with all that is in it": [
        ("remove_at_console", {"name": "net-a"}),
        ("wait", {"seconds": 12.0}),
        ("delete", {"name": "net-a"}),
    ],
}
"""Lives in which something was not true."""


@pytest.mark.sweep
@pytest.mark.slow
@pytest.mark.parametrize("steps", LIVED.values(), ids=list(LIVED))
def test_lives_that_went_wrong_before(steps: list[tuple[str, Object]]) -> None:
    life = Life()
    try:
        life.begin(order=list(FIRST), whole=True)
        for name, given in steps:
            getattr(life, name)(**given)
            life.never_two()
    finally:
        life.teardown()
