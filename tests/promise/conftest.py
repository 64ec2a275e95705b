"""The two films as fixtures: recorded once a session, read by many tests."""

from __future__ import annotations

import pytest

from tests.promise.films import record, stuck_and_recovered, whole_life
from tests.world.film import Film


@pytest.fixture(scope="session")
def life() -> Film:
    return record(whole_life)


@pytest.fixture(scope="session")
def stuck() -> Film:
    return record(stuck_and_recovered)
