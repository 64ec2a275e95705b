"""The chart's generated files, by path below the checkout. Called by `hooks.manifests.files`."""

from __future__ import annotations

from typing import Any

from hooks.aruba.model.catalog import Catalog
from hooks.aruba.model.phases import GROUP, VERSION, Phase
from hooks.manifests.chart.pages import readme, schema, values
from hooks.manifests.chart.values import VALUES
from hooks.manifests.controllers import composite_controllers
from hooks.manifests.crd import crd
from hooks.manifests.rbac import AGGREGATE_LABEL, hooks_rbac, metacontroller_rbac, metacontroller_secrets
from hooks.manifests.text import manifest

CHART = "helm/aruba-cloud-operator"
FOLDER = f"{CHART}/generated"
"""Holds generated files only: data that the templates read."""
KEEP = {"helm.sh/resource-policy": "keep"}
"""Without it `helm uninstall` would take the kinds away, and with them all objects and what they stand for."""

Object = dict[str, Any]


def chart(catalog: Catalog) -> dict[str, str]:
    """Path to text."""
    return {
        **{f"{FOLDER}/crds/{kind.names.plural}.yaml": manifest([_kept(crd(kind))]) for kind in catalog},
        f"{FOLDER}/compositecontrollers.yaml": manifest(
            [{"items": composite_controllers(catalog, base_url="")}],
            "The template puts host, credentials and the resync period of the installation in.",
        ),
        f"{FOLDER}/rbac.yaml": manifest([_rules(catalog)]),
        f"{FOLDER}/kinds.yaml": manifest([_names(catalog)]),
        f"{FOLDER}/kube-state-metrics.yaml": manifest([kube_state_metrics(catalog)]),
        f"{CHART}/values.yaml": values(VALUES),
        f"{CHART}/values.schema.json": schema(VALUES),
        f"{CHART}/README.md": readme(VALUES),
    }


def _kept(definition: Object) -> Object:
    return {**definition, "metadata": {**definition["metadata"], "annotations": KEEP}}


def _rules(catalog: Catalog) -> Object:
    _, hooks, _ = hooks_rbac(catalog)
    (metacontroller,) = metacontroller_rbac(catalog)
    return {
        "aggregateLabel": AGGREGATE_LABEL,
        "hooks": hooks["rules"],
        "metacontroller": metacontroller["rules"],
        "metacontrollerSecrets": metacontroller_secrets()["rules"],
        **_people(catalog),
    }


def _people(catalog: Catalog) -> Object:
    """What those may do with the kinds who may view or edit a Namespace; status is the operator's to write."""
    plurals = [kind.names.plural for kind in catalog]
    seen = {"apiGroups": [GROUP], "resources": [*plurals, *(f"{plural}/status" for plural in plurals)]}
    write = ["create", "update", "patch", "delete", "deletecollection"]
    made = {"apiGroups": [GROUP], "resources": plurals, "verbs": write}
    view = [{**seen, "verbs": ["get", "list", "watch"]}]
    return {"view": view, "edit": [*view, made]}


def _names(catalog: Catalog) -> Object:
    return {"group": GROUP, "plurals": [kind.names.plural for kind in catalog]}


def kube_state_metrics(catalog: Catalog) -> Object:
    """`aruba_object_phase{phase="Active"}` is 1 for the phase that an object is in: objects by phase are its sum."""
    return {
        "kind": "CustomResourceStateMetrics",
        "spec": {"resources": [_resource(kind.names.kind, kind.names.plural) for kind in catalog]},
    }


def _resource(kind: str, plural: str) -> Object:
    phases = {"labelName": "phase", "path": ["status", "phase"], "list": [phase.value for phase in Phase]}
    return {
        "groupVersionKind": {"group": GROUP, "version": VERSION, "kind": kind},
        "resourcePlural": plural,
        "metricNamePrefix": "aruba",
        "labelsFromPath": {"namespace": ["metadata", "namespace"], "name": ["metadata", "name"]},
        "metrics": [
            {
                "name": "object_phase",
                "help": "The phase that an object is in",
                "each": {"type": "StateSet", "stateSet": phases},
            }
        ],
    }
