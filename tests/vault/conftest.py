"""One real server for all tests of a worker, and for each test that asks a place of its own in it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from tests.vault import bao as server
from tests.vault.bao import Bao
from tests.vault.front import Front, front
from tests.vault.place import Place


@pytest.fixture(scope="session")
def bao(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bao]:
    """Shared, so it is never sealed or stopped."""
    server.needed()
    with server.dev(tmp_path_factory.mktemp("bao")) as made:
        yield made


@pytest.fixture(scope="session")
def numbers() -> Iterator[int]:
    return itertools.count(1)


@pytest.fixture
def place(bao: Bao, numbers: Iterator[int]) -> Place:
    """Furnished, with a pair for each of two tenants."""
    number = next(numbers)
    made = Place(bao, f"kv{number}", f"approle{number}").furnish()
    made.put("t-100", "id-100", "secret-100")
    made.put("t-200", "id-200", "secret-200")
    return made


@pytest.fixture
def before(place: Place) -> Iterator[Front]:
    """The proxy in front of the server."""
    with front(place.bao.url) as made:
        yield made


@pytest.fixture
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bao]:
    """A server for this test alone, which may be sealed and stopped."""
    server.needed()
    with server.dev(tmp_path_factory.mktemp("bao")) as made:
        yield made
