"""The samples: taken by the schemas, and showing what they promise to show."""

from __future__ import annotations

import pytest

from hooks.aruba.kinds import discover
from hooks.manifests import samples
from hooks.manifests.schema import node_at
from tests.manifests.objects import faults, part

CATALOG = discover()
SIZES = [(str(kind), size) for kind in CATALOG for size in ("minimal", "full")]


@pytest.mark.parametrize(("kind", "size"), SIZES)
def test_a_sample_is_taken_whole(crd_of, kind, size):
    sample = samples(CATALOG[kind])[size]
    assert faults(crd_of[kind], sample) == []
    assert sample["metadata"] == {"name": f"{kind.lower()}-sample", "namespace": "default"}


@pytest.mark.parametrize(("kind", "size"), SIZES)
def test_a_sample_is_read_by_the_model_and_breaks_no_check(kind, size):
    spec = CATALOG[kind].spec.model_validate(samples(CATALOG[kind])[size]["spec"])
    assert [said for check in CATALOG[kind].checks if (said := check.test(spec))] == []


@pytest.mark.parametrize("kind", [str(kind) for kind in CATALOG])
def test_the_full_sample_shows_every_field(crd_of, kind):
    spec = part(crd_of[kind], "spec")
    shown = samples(CATALOG[kind])["full"]["spec"]
    assert set(shown) == set(spec["properties"])
    assert all(node_at(spec, field.name) for field in CATALOG[kind].fields)
