"""The kinds, one file each, discovered: a further kind is one new file here and `make generate`."""

from __future__ import annotations

import importlib
import pkgutil

from hooks.aruba.model.catalog import Catalog
from hooks.aruba.model.kind import Kind


def discover() -> Catalog:
    """Every `Kind` that a module of this package declares, in the order of their plurals."""
    found: dict[str, Kind] = {}
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, Kind):
                found[value.names.kind] = value
    return Catalog(sorted(found.values(), key=lambda kind: kind.names.plural))
