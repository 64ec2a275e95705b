"""The scenario bodies of every backend, against a real API server with RBAC on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.controlplane.cluster import Cluster
from tests.e2e.house import real_house
from tests.scenarios.lives import LIVES
from tests.scenarios.results import lived

pytestmark = pytest.mark.real_time


@pytest.mark.parametrize("name", LIVES)
async def test_life(name: str, cluster: Cluster, tmp_path: Path) -> None:
    async with real_house(cluster, tmp_path) as house:
        await lived(house, name)
        assert "refused a call" not in house.log.getvalue()
