"""Requests that write, from their bodies and parameters to the `Lifecycle`.

`app` routes here; what kind of patch it is follows from the content type.
"""

from __future__ import annotations

import json
from typing import Any

import yaml

from hooks.local.kubernetes import errors, protobuf
from hooks.local.kubernetes.apply import Application
from hooks.local.kubernetes.decode import strictness_of
from hooks.local.kubernetes.errors import bad_request
from hooks.local.kubernetes.lifecycle import Change, Lifecycle, Options, Part
from hooks.local.kubernetes.objects import Key, Object, metadata, with_metadata
from hooks.local.kubernetes.patch import json_patch, merge
from hooks.local.kubernetes.resources import Resource
from hooks.local.kubernetes.strategic import strategic_merge

MERGE = "application/merge-patch+json"
JSON = "application/json-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"


def read_body(raw: bytes, content_type: str) -> Any:
    """The body's data. Raises ApiError 400 for what cannot be read, 415 for what is not spoken here."""
    kind = content_type.split(";", maxsplit=1)[0].strip()
    if kind in ("", "application/json", MERGE, JSON, STRATEGIC):
        return _read_json(raw)
    if kind == protobuf.MEDIA:
        return protobuf.decode(raw)
    if kind in ("application/yaml", APPLY):
        return _read_yaml(raw)
    raise errors.unsupported_media_type(kind, ("application/json", "application/yaml"))


def _read_json(raw: bytes) -> Any:
    try:
        return json.loads(raw, parse_constant=_refuse_constant) if raw else {}
    except (ValueError, RecursionError) as error:
        raise bad_request(f"couldn't get version/kind; json parse error: {error}") from error


def _refuse_constant(text: str) -> None:
    raise ValueError(f"invalid value {text}")


class _Loader(yaml.CSafeLoader):
    """YAML as Kubernetes reads it: a time is a string."""


_Loader.yaml_implicit_resolvers = {
    mark: [pair for pair in pairs if pair[0] != "tag:yaml.org,2002:timestamp"]
    for mark, pairs in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


def _read_yaml(raw: bytes) -> Any:
    try:
        return yaml.load(raw, Loader=_Loader)  # noqa: S506 - a safe loader, less the times
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise bad_request(f"error converting YAML to JSON: {error}") from error


def options_of(query: dict[str, str], agent: str, body: Object | None = None) -> Options:
    """Write options from the request; `body` is a DeleteOptions where there is one. Raises ApiError 400, 422."""
    dry = query.get("dryRun") or ",".join((body or {}).get("dryRun") or [])
    if dry not in ("", "All"):
        raise bad_request(f'invalid dryRun {dry!r}: supported values: "All"')
    manager = query.get("fieldManager") or agent.split("/", maxsplit=1)[0] or "unknown"
    return Options(bool(dry), manager[:128], strictness_of(query.get("fieldValidation")), [])


def replace(life: Lifecycle, resource: Resource, key: Key, body: Object, part: Part, options: Options) -> Object:
    """PUT. A custom resource must name the version it replaces."""
    _check_address(resource, key, body)
    if resource.custom and not metadata(body).get("resourceVersion"):
        fault = errors.Fault(
            "metadata.resourceVersion", "FieldValueInvalid", "Invalid value: 0: must be specified for an update"
        )
        life.get(resource, key)
        raise errors.invalid(resource, key[1], [fault])
    uid = metadata(body).get("uid")
    actual = metadata(life.get(resource, key))["uid"]
    if uid and uid != actual:
        raise errors.precondition_failed(resource, key[1], "UID", uid, actual)
    return life.update(resource, key, lambda old: body, options, part)


def _check_address(resource: Resource, key: Key, body: Any) -> None:
    meta = metadata(body) if isinstance(body, dict) else {}
    name, namespace = meta.get("name", ""), meta.get("namespace", key[0])
    if name != key[1]:
        raise bad_request(f"the name of the object ({name}) does not match the name on the URL ({key[1]})")
    if namespace != key[0]:
        raise bad_request("the namespace of the object does not match the namespace on the URL")


def patch(life: Lifecycle, resource: Resource, key: Key, kind: str, body: Any, part: Part, options: Options) -> Object:
    """PATCH of the three kinds that are not apply."""
    return life.update(resource, key, _change(resource, kind, body), options, part)


def _change(resource: Resource, kind: str, body: Any) -> Change:
    if kind == JSON:
        return lambda old: json_patch(old, body)
    if not isinstance(body, dict):
        raise bad_request("error decoding patch: a merge patch is an object")
    if kind == MERGE:
        return lambda old: _merged(old, body)
    if kind == STRATEGIC and not resource.custom:
        return lambda old: _without_version(old, strategic_merge(old, body, resource), body)
    supported = (JSON, MERGE, APPLY) if resource.custom else (JSON, MERGE, APPLY, STRATEGIC)
    raise errors.unsupported_media_type(kind, supported)


def _merged(old: Object, body: Object) -> Object:
    merged: Object = merge(old, body)
    return _without_version(old, merged, body)


def _without_version(old: Object, new: Object, body: Object) -> Object:
    """A patch that names no version holds for any."""
    if metadata(body).get("resourceVersion"):
        return new
    return with_metadata(new, resourceVersion=metadata(old).get("resourceVersion"))


def apply(
    life: Lifecycle, resource: Resource, key: Key, body: Any, part: Part, options: Options, force: bool
) -> tuple[Object, bool]:
    """Server-side apply; True when it made the object. Raises ApiError 409 on conflicts."""
    if not isinstance(body, dict):
        raise bad_request("error decoding patch: an apply configuration is an object")
    if metadata(body).get("managedFields"):
        raise bad_request("metadata.managedFields must be nil")
    body = with_metadata(body, name=metadata(body).get("name") or key[1], namespace=key[0] or None)
    _check_address(resource, key, body)
    work = Application(resource, body, options.manager, force, part, life.now())
    if life.store.get(resource.table, key) is None and not part:
        return life.create(resource, key[0], body, options, work.record), True
    return life.update(resource, key, work.merged, options, part, work.record), False
