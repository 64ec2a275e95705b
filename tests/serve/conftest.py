"""Processes that end with the test that started them, each in order."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.serve.process import Serve


@pytest.fixture
def started() -> Iterator[list[Serve]]:
    running: list[Serve] = []
    yield running
    for one in running:
        assert one.stop() == 0, one.lines
