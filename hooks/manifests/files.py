"""Every generated file and its text, by path below the checkout. Called by `hooks.cli.generate`."""

from __future__ import annotations

from typing import Any

from hooks.aruba.model.catalog import Catalog
from hooks.manifests.chart import FOLDER, chart
from hooks.manifests.controllers import composite_controllers
from hooks.manifests.crd import crd
from hooks.manifests.pages import index_page, kind_page
from hooks.manifests.rbac import AGGREGATE_LABEL, METACONTROLLER_ROLE, NAMESPACE, hooks_rbac, metacontroller_rbac
from hooks.manifests.samples import samples
from hooks.manifests.text import manifest

CRDS, METACONTROLLER = "crds", "metacontroller"
PAGES, SAMPLES = "docs/reference/kinds", "docs/reference/samples"
FOLDERS = (CRDS, METACONTROLLER, PAGES, SAMPLES, FOLDER)
"""Folders that hold generated files only."""
OVERLAYS = f"{METACONTROLLER}/overlays"
"""Not ours although it lies in one of them: it is written from the chart (tests/helm/overlays.py)."""


def generated(catalog: Catalog) -> dict[str, str]:
    """Path to text, for all kinds."""
    return {**_crds(catalog), **_metacontroller(catalog), **_pages(catalog), **_samples(catalog), **chart(catalog)}


def _crds(catalog: Catalog) -> dict[str, str]:
    files = {f"{kind.names.plural}.yaml": manifest([crd(kind)]) for kind in catalog}
    files["kustomization.yaml"] = manifest([_kustomization(sorted(files))])
    return _below(CRDS, files)


def _metacontroller(catalog: Catalog) -> dict[str, str]:
    parts = dict([_controllers(catalog), _rbac_metacontroller(catalog), _rbac_hooks(catalog)])
    parts["kustomization.yaml"] = manifest([_kustomization([f"../{CRDS}", *sorted(parts)])])
    return _below(METACONTROLLER, parts)


def _controllers(catalog: Catalog) -> tuple[str, str]:
    note = "Metacontroller must be installed first. The names never change: finalizers carry them."
    return "compositecontrollers.yaml", manifest(composite_controllers(catalog), note)


def _rbac_metacontroller(catalog: Catalog) -> tuple[str, str]:
    notes = (
        "All that Metacontroller needs for these kinds. Its own installation grants everything; to grant no more than",
        f"this, bind ClusterRole {METACONTROLLER_ROLE} to its service account, or aggregate it by",
        f"the label {AGGREGATE_LABEL}. With leader election it needs leases in its own",
        "namespace besides.",
    )
    return "rbac-metacontroller.yaml", manifest(metacontroller_rbac(catalog), *notes)


def _rbac_hooks(catalog: Catalog) -> tuple[str, str]:
    return "rbac-hooks.yaml", manifest(hooks_rbac(catalog), f"The namespace {NAMESPACE} must exist.")


def _pages(catalog: Catalog) -> dict[str, str]:
    pages = {f"{kind.names.singular}.md": kind_page(catalog, kind) for kind in catalog}
    return _below(PAGES, {**pages, "README.md": index_page(catalog)})


def _samples(catalog: Catalog) -> dict[str, str]:
    named = ((kind.names.plural, size, sample) for kind in catalog for size, sample in samples(kind).items())
    return _below(SAMPLES, {f"{plural}-{size}.yaml": manifest([sample]) for plural, size, sample in named})


def _kustomization(resources: list[str]) -> dict[str, Any]:
    return {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization", "resources": resources}


def _below(folder: str, files: dict[str, str]) -> dict[str, str]:
    return {f"{folder}/{name}": text for name, text in files.items()}
