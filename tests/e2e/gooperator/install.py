"""Puts the stand-ins of the Go operator's chart and kustomization into a folder, each with its kinds."""

from __future__ import annotations

import shutil
from copy import deepcopy
from pathlib import Path
from typing import Any

import yaml

from hooks.aruba.kinds import discover
from hooks.manifests import crds
from tests.e2e.looser import loosen

Object = dict[str, Any]
HERE = Path(__file__).parent
CHART = "arubacloud/arubacloud-resource-operator"
"""As its users call it; a folder of that name, which Helm takes before it asks a repository."""
KINDS = "arubacloud-resource-operator-crd"
ITS_STATUS = {"phase", "message", "resourceID", "observedGeneration", "phaseStartTime", "conditions"}


def chart(folder: Path) -> None:
    """Its chart, whose kinds are another chart's templates, kept by nothing."""
    shutil.copytree(HERE / "chart", folder / CHART)
    inner = folder / CHART / "charts" / KINDS
    _kinds_chart(inner)
    shutil.copytree(inner, folder / "arubacloud" / KINDS)


def kustomization(folder: Path) -> None:
    """Folder `gooperator`, to apply as a whole. `config.env` and `secrets.env` in it are the caller's."""
    shutil.copytree(HERE / "kustomize", folder / "gooperator")
    (folder / "gooperator" / "crds.yaml").write_text(yaml.safe_dump_all(kinds()))


def _kinds_chart(folder: Path) -> None:
    (folder / "templates").mkdir(parents=True)
    (folder / "Chart.yaml").write_text(yaml.safe_dump({"apiVersion": "v2", "name": KINDS, "version": "1.1.2"}))
    for crd in kinds():
        crd["metadata"]["labels"] = {"helm.sh/chart": f"{KINDS}-1.1.2", "app.kubernetes.io/managed-by": "Helm"}
        (folder / "templates" / f"{crd['spec']['names']['singular']}-crd.yaml").write_text(yaml.safe_dump(crd))


def kinds() -> list[Object]:
    """Ours, as loose as its own: no rules, none of the fields and columns that only we have, no category."""
    return [_loosened(deepcopy(crd)) for crd in crds(discover())]


def _loosened(crd: Object) -> Object:
    crd["spec"]["names"].pop("categories")
    crd["metadata"]["annotations"] = {"controller-gen.kubebuilder.io/version": "v0.18.0"}
    (version,) = crd["spec"]["versions"]
    columns = {"Phase", "Resource ID", "Message", "Age"}
    version["additionalPrinterColumns"] = [c for c in version["additionalPrinterColumns"] if c["name"] in columns]
    schema = version["schema"]["openAPIV3Schema"]
    loosen(schema)
    for name in ("apiVersion", "kind", "spec", "status"):
        schema["properties"][name]["description"] = f"{name} in its own words."
    status = schema["properties"]["status"]["properties"]
    for name in set(status) - ITS_STATUS:
        if not name.endswith(("ID", "IDs")):
            del status[name]
    return crd
