"""The kind CustomResourceDefinition: its schema, what else is checked, and the resources that one makes.

`builtin` serves the kind; `definitions` is its controller.
"""

from __future__ import annotations

from collections.abc import Iterable

from hooks.local.kubernetes.errors import Fault, immutable, invalid_value, plain_fault
from hooks.local.kubernetes.objects import Object, metadata
from hooks.local.kubernetes.resources import Column, Resource
from hooks.local.kubernetes.schema import Schema
from hooks.local.kubernetes.table import path_column

GROUP = "apiextensions.k8s.io"
TABLE = f"customresourcedefinitions.{GROUP}"
CLEANUP = "customresourcecleanup.apiextensions.k8s.io"
_TEXT: Object = {"type": "string"}
_TEXTS: Object = {"type": "array", "items": _TEXT}
_ANYTHING: Object = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
_FLAG: Object = {"type": "boolean"}
_NAMES: Object = {
    "type": "object",
    "required": ["plural", "kind"],
    "properties": {
        **dict.fromkeys(("plural", "singular", "kind", "listKind"), _TEXT),
        "shortNames": _TEXTS,
        "categories": _TEXTS,
    },
}
_COLUMN: Object = {
    "type": "object",
    "required": ["name", "type", "jsonPath"],
    "properties": {
        **dict.fromkeys(("name", "type", "jsonPath", "format", "description"), _TEXT),
        "priority": {"type": "integer"},
    },
}
_VERSION: Object = {
    "type": "object",
    "required": ["name", "served", "storage"],
    "properties": {
        "name": _TEXT,
        "served": _FLAG,
        "storage": _FLAG,
        "deprecated": _FLAG,
        "deprecationWarning": _TEXT,
        "schema": {"type": "object", "properties": {"openAPIV3Schema": _ANYTHING}},
        "subresources": {"type": "object", "properties": {"status": _ANYTHING, "scale": _ANYTHING}},
        "additionalPrinterColumns": {"type": "array", "items": _COLUMN},
        "selectableFields": {"type": "array", "items": {"type": "object", "properties": {"jsonPath": _TEXT}}},
    },
}
SCHEMA: Object = {
    "type": "object",
    "description": "CustomResourceDefinition represents a resource that should be exposed on the API server.",
    "required": ["spec"],
    "properties": {
        "spec": {
            "type": "object",
            "required": ["group", "names", "scope", "versions"],
            "properties": {
                "group": _TEXT,
                "names": _NAMES,
                "scope": {**_TEXT, "enum": ["Cluster", "Namespaced"]},
                "versions": {"type": "array", "items": _VERSION},
                "conversion": {**_ANYTHING, "default": {"strategy": "None"}},
                "preserveUnknownFields": _FLAG,
            },
        },
        "status": _ANYTHING,
    },
}


def check(new: Object, old: Object | None) -> Iterable[Fault]:
    """What the schema cannot say of a CRD, CEL rules and column paths included."""
    spec = new.get("spec") or {}
    names = spec.get("names") or {}
    expected = f"{names.get('plural')}.{spec.get('group')}"
    if metadata(new).get("name") != expected:
        yield invalid_value("metadata.name", metadata(new).get("name"), 'must be spec.names.plural+"."+spec.group')
    if sum(1 for version in spec.get("versions") or () if version.get("storage")) != 1:
        yield plain_fault("spec.versions", "FieldValueInvalid", "must have exactly one storage version")
    if (spec.get("conversion") or {}).get("strategy", "None") != "None":
        yield plain_fault("spec.conversion.strategy", "FieldValueForbidden", "webhook conversion is not modelled here")
    if old is not None and (old.get("spec") or {}).get("scope") != spec.get("scope"):
        yield immutable("spec.scope", spec.get("scope"))
    for index, version in enumerate(spec.get("versions") or ()):
        yield from _check_version(version, f"spec.versions[{index}]")


def _check_version(version: Object, where: str) -> Iterable[Fault]:
    source = (version.get("schema") or {}).get("openAPIV3Schema")
    if source is None:
        yield plain_fault(f"{where}.schema.openAPIV3Schema", "FieldValueRequired", "schemas are required")
        return
    if source.get("type") != "object":
        yield plain_fault(f"{where}.schema.openAPIV3Schema.type", "FieldValueInvalid", "must be object at the root")
    try:
        Schema(source)
        _columns(version)
    except ValueError as error:
        yield plain_fault(f"{where}.schema.openAPIV3Schema", "FieldValueInvalid", str(error))


def _columns(version: Object) -> tuple[Column, ...]:
    return tuple(
        path_column(
            column["name"],
            column["jsonPath"],
            column["type"],
            column.get("priority", 0),
            column.get("description", ""),
        )
        for column in version.get("additionalPrinterColumns") or ()
    )


def resources_of(definition: Object) -> list[Resource]:
    """What a CRD makes the API serve, the preferred version first."""
    spec = definition["spec"]
    served = sorted((one for one in spec["versions"] if one["served"]), key=_preference, reverse=True)
    return [_resource(spec, version) for version in served]


def _preference(version: Object) -> tuple[int, int, int]:
    """Kubernetes' order of versions: v2 before v1 before v1beta2 before v1alpha1."""
    major, _, rest = str(version["name"]).removeprefix("v").partition("alpha")
    stage = 0 if rest else 2
    if not rest:
        major, _, rest = major.partition("beta")
        stage = 1 if rest else 2
    return stage, _whole(major), _whole(rest)


def _whole(text: str) -> int:
    return int(text) if text.isdecimal() else 0


def _selectable(version: Object) -> list[str]:
    return [one["jsonPath"].removeprefix(".") for one in version.get("selectableFields") or ()]


def _resource(spec: Object, version: Object) -> Resource:
    names = spec["names"]
    return Resource(
        group=spec["group"],
        version=version["name"],
        plural=names["plural"],
        singular=names.get("singular") or names["kind"].lower(),
        kind=names["kind"],
        list_kind=names.get("listKind") or f"{names['kind']}List",
        namespaced=spec["scope"] == "Namespaced",
        schema=Schema(version["schema"]["openAPIV3Schema"]),
        short_names=tuple(names.get("shortNames") or ()),
        categories=tuple(names.get("categories") or ()),
        status=(version.get("subresources") or {}).get("status") is not None,
        columns=_columns(version),
        fields={path: path for path in _selectable(version)},
        custom=True,
    )
