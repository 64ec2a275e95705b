"""A tenth kind is one new file in kinds/ plus `make generate`: nothing else is touched."""

from __future__ import annotations

import yaml

from hooks.cli import generate
from tests.manifests.commands import checkout, lend, run

TOY = '''
"""Toy: a kind that a test adds."""
from typing import Annotated, Literal

from pydantic import Field

from hooks.aruba.model.kind import Collection, Kind, Names, Put
from hooks.aruba.model.marks import At, Column, Grows, To
from hooks.aruba.model.schema import CommonStatus, Ref, RegionalSpec, Schema


class Wheels(Schema):
    """What it rolls on."""

    count: Annotated[int, At("wheels.count"), Field(ge=0), Grows(), Column("Wheels", type="integer")]
    """How many."""


class ToySpec(RegionalSpec):
    """A toy in a VPC."""

    colour: Annotated[Literal["Red", "Blue"], At("colour")] = "Red"
    """What it looks like."""
    wheels: Wheels | None = None
    """What it rolls on, if it rolls."""
    vpcReference: Annotated[Ref, To("VPC")]
    """Where it lives."""


class ToyStatus(CommonStatus):
    """What is known of a toy."""


TOY = Kind(
    names=Names("Toy", "toys", "ty", "aruty"),
    spec=ToySpec,
    status=ToyStatus,
    collection=Collection("/projects/{project}/providers/Aruba.Toys/vpcs/{vpc}/toys"),
    changes=(Put(("tags",)),),
    sample={
        "vpcReference": {"name": "shop-net", "namespace": "default"},
        "projectReference": {"name": "shop-prod", "namespace": "default"},
    },
)
'''


def test_one_file_makes_a_tenth_kind(tmp_path, monkeypatch):
    root = checkout(tmp_path / "top")
    folder = tmp_path / "more"
    folder.mkdir()
    (folder / "toy.py").write_text(TOY)
    lend(monkeypatch, folder, "toy")
    assert run(generate, "--root", str(root)) == 0

    crd = yaml.safe_load((root / "crds" / "toys.yaml").read_text())
    assert crd["spec"]["names"]["shortNames"] == ["ty", "aruty"]
    version = crd["spec"]["versions"][0]
    assert {"name": "Wheels", "type": "integer", "jsonPath": ".spec.wheels.count"} in version[
        "additionalPrinterColumns"
    ]
    schema = version["schema"]["openAPIV3Schema"]
    assert [rule["fieldPath"] for rule in schema["x-kubernetes-validations"]] == [
        ".spec.region",
        ".spec.projectReference",
        ".spec.colour",
        ".spec.wheels.count",
        ".spec.vpcReference",
    ]
    assert schema["properties"]["status"]["properties"]["vpcID"]["type"] == "string"

    controllers = list(yaml.safe_load_all((root / "metacontroller" / "compositecontrollers.yaml").read_text()))
    assert "toys.arubacloud.com" in [controller["metadata"]["name"] for controller in controllers]
    for name in ("rbac-hooks.yaml", "rbac-metacontroller.yaml"):
        role = next(
            d for d in yaml.safe_load_all((root / "metacontroller" / name).read_text()) if d["kind"] == "ClusterRole"
        )
        assert "toys" in role["rules"][0]["resources"]
    assert "toys.yaml" in yaml.safe_load((root / "crds" / "kustomization.yaml").read_text())["resources"]

    assert "reference to [VPC](vpc.md)" in (root / "docs" / "reference" / "kinds" / "toy.md").read_text()
    assert "[Toy](toy.md)" in (root / "docs" / "reference" / "kinds" / "README.md").read_text()
    assert "[Toy](toy.md)" in (root / "docs" / "reference" / "kinds" / "vpc.md").read_text()
    assert (root / "docs" / "reference" / "samples" / "toys-minimal.yaml").exists()


def test_it_is_gone_with_its_file(tmp_path, catalog):
    assert [str(kind) for kind in catalog if kind.names.plural == "toys"] == []
    assert len(list(catalog)) == 9
