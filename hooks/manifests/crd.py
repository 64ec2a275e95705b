"""The CustomResourceDefinition of a kind. Called by `files`, and by local mode, which applies what this returns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hooks.aruba.model.fields import FieldSpec
from hooks.aruba.model.kind import Kind
from hooks.aruba.model.phases import GROUP, VERSION
from hooks.manifests.columns import columns
from hooks.manifests.rules import own_rules, transition_rules
from hooks.manifests.schema import Schema, structural

CATEGORY = "aruba"
_RULES = "x-kubernetes-validations"


def crds(kinds: Iterable[Kind]) -> list[dict[str, Any]]:
    """One CustomResourceDefinition for each kind."""
    return [crd(kind) for kind in kinds]


def crd(kind: Kind) -> dict[str, Any]:
    """The CustomResourceDefinition of one kind."""
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{kind.names.plural}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": _names(kind),
            "versions": [_version(kind)],
        },
    }


def spec_schema(kind: Kind) -> Schema:
    """The schema of `spec`, with the kind's own rules."""
    rules = own_rules(kind)
    schema = structural(kind.spec)
    return {**schema, _RULES: rules} if rules else schema


def status_schema(kind: Kind) -> Schema:
    """The schema of `status`: the kind's model, and the IDs of what it refers to.

    A new object is born with a generation that nobody has observed, so that tools which judge by it do not take an
    object without any status for one that is ready (cases 96).
    """
    schema = structural(kind.status)
    found = schema["properties"]
    conditions = {**found.pop("conditions"), "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"]}
    ids = {field.id_field: _id_schema(field) for field in kind.references}
    return {**schema, "default": {"observedGeneration": -1}, "properties": {**found, **ids, "conditions": conditions}}


def _names(kind: Kind) -> dict[str, Any]:
    names = kind.names
    return {
        "kind": names.kind,
        "listKind": f"{names.kind}List",
        "plural": names.plural,
        "singular": names.singular,
        "shortNames": [names.short, names.long_short],
        "categories": [CATEGORY],
    }


def _version(kind: Kind) -> dict[str, Any]:
    return {
        "name": VERSION,
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        "additionalPrinterColumns": columns(kind),
        "schema": {"openAPIV3Schema": _root(kind)},
    }


def _root(kind: Kind) -> Schema:
    """The whole object. `spec` is not required: upstream's schemas do not require it either (design §4)."""
    spec = spec_schema(kind)
    rules = transition_rules(kind)
    root: Schema = {
        "description": spec["description"],
        "type": "object",
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"type": "object"},
            "spec": {**spec, "description": "The resource as it is wanted."},
            "status": status_schema(kind),
        },
    }
    return {**root, _RULES: rules} if rules else root


def _id_schema(field: FieldSpec) -> Schema:
    to = field.to.kind if field.to is not None else ""
    if field.many:
        text = f"IDs of the cloud resources behind spec.{field.name} ({to})."
        return {"description": text, "type": "array", "items": {"type": "string"}}
    return {"description": f"ID of the cloud resource behind spec.{field.name} ({to}).", "type": "string"}
