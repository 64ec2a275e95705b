"""The scenario bodies of every backend, against `hooks local`: a process of its own, over its real sockets."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.local.command import Local
from tests.local.house import local_house
from tests.scenarios.lives import LIVES
from tests.scenarios.results import lived

pytestmark = pytest.mark.real_time

ALWAYS = {"08-ComputeWithDataVolumes", "namespace alone", "changes"}


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Local]:
    running = Local(tmp_path_factory.mktemp("local"), "--timings", "fast")
    yield running
    assert running.stop() == 0


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in ALWAYS else pytest.mark.sweep) for name in LIVES]
)
async def test_life(name: str, local: Local) -> None:
    """One process lives them all: each must leave it as empty as it found it."""
    async with local_house(local) as house:
        await lived(house, name)
        assert (await house.objects(), await house.resources()) == ([], [])
