from __future__ import annotations

import pytest

from hooks.aruba.kinds import discover
from hooks.aruba.model.catalog import Catalog


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return discover()
