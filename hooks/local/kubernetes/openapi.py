"""The schemas of what is served, as OpenAPI v3: kubectl reads them for `explain` and before it asks for validation.

`app` serves an index of group versions and one document for each.
"""

from __future__ import annotations

from hooks.local.kubernetes.naming import METADATA
from hooks.local.kubernetes.objects import Object
from hooks.local.kubernetes.resources import Resource, Served

_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
_ENVELOPE: Object = {
    "apiVersion": {"type": "string", "description": "APIVersion defines the versioned schema of this object."},
    "kind": {"type": "string", "description": "Kind is the REST resource that this object represents."},
    "metadata": {"allOf": [{"$ref": f"#/components/schemas/{_META}"}], "description": "Standard object's metadata."},
}
_METHODS = {"patch": "patch", "put": "update", "get": "get", "delete": "delete"}


def index(served: Served, version: int) -> Object:
    """Where the document of each group version is. The version in its address defeats kubectl's cache."""
    paths = {
        _root(group, name): {"serverRelativeURL": f"/openapi/v3/{_root(group, name)}?hash={version}"}
        for group, names in served.versions().items()
        for name in names
    }
    return {"paths": paths}


def _root(group: str, version: str) -> str:
    return f"apis/{group}/{version}" if group else f"api/{version}"


def document(served: Served, group: str, version: str) -> Object | None:
    found = [resource for resource in served.of_group(group) if resource.version == version]
    if not found:
        return None
    schemas = {_schema_name(resource): _schema(resource) for resource in found}
    paths = {path: item for resource in found for path, item in _paths(resource).items()}
    return {
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes", "version": "v1.36.3"},
        "paths": paths,
        "components": {"schemas": {**schemas, _META: METADATA}},
    }


def _schema_name(resource: Resource) -> str:
    group = ".".join(reversed(resource.group.split("."))) if resource.group else "io.k8s.api.core"
    return f"{group}.{resource.version}.{resource.kind}"


def _kind(resource: Resource) -> Object:
    return {"group": resource.group, "version": resource.version, "kind": resource.kind}


def _schema(resource: Resource) -> Object:
    source = resource.schema.source
    fields = {**(source.get("properties") or {}), **_ENVELOPE}
    return {**source, "properties": fields, "x-kubernetes-group-version-kind": [_kind(resource)]}


def _paths(resource: Resource) -> Object:
    place = "/namespaces/{namespace}" if resource.namespaced else ""
    base = f"/{_root(resource.group, resource.version)}{place}/{resource.plural}"
    one = {method: _operation(resource, method, action) for method, action in _METHODS.items()}
    return {base: {"post": _operation(resource, "post", "create")}, f"{base}/{{name}}": one}


def _operation(resource: Resource, method: str, action: str) -> Object:
    names = ["dryRun"] if method == "delete" else ["dryRun", "fieldManager", "fieldValidation"]
    reference = {"$ref": f"#/components/schemas/{_schema_name(resource)}"}
    return {
        "operationId": f"{action}{resource.kind}",
        "parameters": [
            {"name": name, "in": "query", "schema": {"type": "string"}} for name in names if method != "get"
        ],
        "responses": {"200": {"description": "OK", "content": {"application/json": {"schema": reference}}}},
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": _kind(resource),
    }
