from __future__ import annotations

from pathlib import Path

import pytest

from hooks.aruba.kinds import discover
from hooks.aruba.model.catalog import Catalog


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return discover()


ALWAYS = ("token", "on", "approle", "upstream single")
"""Ways to install it that are rendered at every change; the others are swept."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        mode = getattr(item, "callspec", None) and item.callspec.params.get("mode")
        if Path(__file__).parent in item.path.parents and isinstance(mode, str) and mode not in ALWAYS:
            item.add_marker(pytest.mark.sweep)
