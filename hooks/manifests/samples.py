"""Sample objects of a kind, from its declaration. Called by `files` and `pages`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hooks.aruba.model.kind import Kind
from hooks.aruba.model.phases import API_VERSION


def samples(kind: Kind) -> dict[str, dict[str, Any]]:
    """`minimal`: only what must be said. `full`: every field; a kind without one shows its minimal sample."""
    return {"minimal": _object(kind, kind.sample), "full": _object(kind, kind.full_sample or kind.sample)}


def _object(kind: Kind, spec: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": API_VERSION,
        "kind": kind.names.kind,
        "metadata": {"name": f"{kind.names.singular}-sample", "namespace": "default"},
        "spec": dict(spec),
    }
