"""A kind that nobody here knows is imported by its declaration alone, words of its own and nested fields included."""

from __future__ import annotations

from typing import Annotated, Literal

from hooks.aruba.importing import Found, sift
from hooks.aruba.kinds import discover
from hooks.aruba.model.catalog import Catalog
from hooks.aruba.model.kind import Collection, Kind, Lay, Names
from hooks.aruba.model.live import Live
from hooks.aruba.model.marks import Absent, At, Seen, To
from hooks.aruba.model.schema import CommonStatus, Ref, RegionalSpec, Schema
from tests.unit.importing.shop import PLACE, found, reasons, shop, spec

WIRE = {"Small": "S1", "Large": "L9", "Default": "D0"}
TOYS = "/projects/p1/providers/Aruba.Toys/vpcs/v1/toys"


def keys(live):
    shown = live.get("keys")
    return None if shown is None else frozenset(shown)


class Wheels(Schema):
    """What it rolls on."""

    count: Annotated[int, At("wheels.count")]
    """How many."""


class ToySpec(RegionalSpec):
    """A toy."""

    size: Annotated[Literal["Small", "Large", "Default"], At("size")]
    """How big."""
    note: Annotated[str | None, At("note"), Absent("")] = None
    """What is written on it."""
    code: Annotated[str | None, At("code")] = None
    """What it is ordered by."""
    parts: Annotated[tuple[str, ...] | None, At("parts")] = None
    """What it is made of."""
    wheels: Wheels | None = None
    """What it rolls on."""
    vpcReference: Annotated[Ref, To("VPC")]  # noqa: N815 - field names are Kubernetes'
    """Where it lives."""
    keyReferences: Annotated[tuple[Ref, ...] | None, To("KeyPair"), At("keys"), Seen(keys)] = None  # noqa: N815 - likewise
    """Who may wind it up."""


def _write(body):
    return {**body, "size": WIRE[body["size"]]}


def _plain(values):
    code = values.get("code")
    return {**values, "size": WIRE.get(values.get("size"), values.get("size")), "code": code and f"<{code}>"}


def _read(live):
    """Of a code nothing is made that a spec could say."""
    code = live.get("code")
    return Live({**live.body, "properties": {**live.body["properties"], "code": code and f"[{code}]"}})


TOY = Kind(
    names=Names("Toy", "toys", "ty", "aruty"),
    spec=ToySpec,
    status=CommonStatus,
    collection=Collection("/projects/{project}/providers/Aruba.Toys/vpcs/{vpc}/toys"),
    lay=Lay(_write, _read, _plain),
    sample={},
)
CATALOG = Catalog([*discover(), TOY])


def toy(**properties):
    body = {"metadata": {"id": "t1", "name": "toy-one"}, "status": {"state": "Active"}, "properties": properties}
    return Found(TOY, TOYS, Live(body))


def made(**properties):
    return sift(CATALOG, [*shop().values(), toy(**properties)], PLACE)


def test_its_words_its_nested_fields_and_its_references():
    rows = [*shop().values(), found("KeyPair", "k0", {"value": "ssh-rsa A"}, name="zed")]
    result = sift(
        CATALOG, [*rows, toy(size="L9", note="", parts=["a", "b"], wheels={"count": 4}, keys=["k1", "k0"])], PLACE
    )
    assert spec(result, "t1") == {
        "region": "ITBG-Bergamo",
        "projectReference": {"name": "project-p1", "namespace": "shop"},
        "size": "Large",
        "parts": ["a", "b"],
        "wheels": {"count": 4},
        "vpcReference": {"name": "vpc-v1", "namespace": "shop"},
        "keyReferences": [{"name": "keypair-k1", "namespace": "shop"}, {"name": "zed", "namespace": "shop"}],
    }


def test_what_it_does_not_have_is_not_said():
    assert "wheels" not in spec(made(size="S1"), "t1")


def test_what_no_spec_can_say_so_that_nothing_would_be_changed():
    assert reasons(made(size="S1", code="a"))["t1"] == "spec.code would say <a>, the cloud has [a]"


def test_a_word_of_the_cloud_s_that_the_kind_has_none_for():
    assert "spec.size" in reasons(made(size="X5"))["t1"]
