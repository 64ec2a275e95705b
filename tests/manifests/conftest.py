from __future__ import annotations

import pytest

from hooks.aruba.kinds import discover
from hooks.aruba.model.catalog import Catalog
from hooks.manifests import crds


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return discover()


@pytest.fixture(scope="session")
def crd_of(catalog: Catalog) -> dict[str, dict]:
    """Kind to CustomResourceDefinition."""
    return {crd["spec"]["names"]["kind"]: crd for crd in crds(catalog)}
