"""One real control plane for the whole run; each scenario brings its own cloud, hooks and Metacontroller."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.e2e.controlplane.build import CannotBuild
from tests.e2e.controlplane.cluster import Cluster


def pytest_sessionstart() -> None:
    """A real Metacontroller comes with its own definitions, of the same release."""
    if bool(os.environ.get("METACONTROLLER")) != bool(os.environ.get("METACONTROLLER_CRDS")):
        pytest.exit("METACONTROLLER (its binary) and METACONTROLLER_CRDS (its manifest) go together", returncode=2)


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        made.start()
        yield made
    except CannotBuild as fault:
        pytest.fail(str(fault), pytrace=False)
    finally:
        made.stop()
