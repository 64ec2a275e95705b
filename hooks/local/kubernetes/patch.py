"""The patches of RFC 7386 (merge) and RFC 6902 (JSON), as pure functions of the present object.

`writes` picks one by the request's content type; server-side apply lives in `apply`.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from hooks.local.kubernetes.errors import ApiError, bad_request
from hooks.local.kubernetes.objects import Object


def merge(target: Any, change: Any) -> Any:
    """`change` laid over `target`: null takes a field away, a list replaces a list."""
    if not isinstance(change, dict):
        return change
    merged = dict(target) if isinstance(target, dict) else {}
    for name, value in change.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = merge(merged.get(name), value)
    return merged


def json_patch(target: Object, operations: Any) -> Object:
    """The operations in order, all or none. Raises ApiError 400 or 422 when one cannot be done."""
    if not isinstance(operations, list):
        raise bad_request("error decoding patch: a JSON patch is a list of operations")
    document: Any = deepcopy(target)
    for operation in operations:
        try:
            document = _operate(document, operation)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            path = operation.get("path") if isinstance(operation, dict) else operation
            raise ApiError(
                422,
                "Invalid",
                f"the server rejected our request due to an error in our request: "
                f"JSON patch operation at {path!r} cannot be done ({error})",
            ) from error
    result: Object = document
    return result


def _operate(document: Any, operation: Object) -> Any:
    path = _steps(operation["path"])
    match operation["op"]:
        case "add":
            return _add(document, path, operation["value"])
        case "replace":
            _read(document, path)
            return _add(_remove(document, path), path, operation["value"]) if path else operation["value"]
        case "remove":
            return _remove(document, path)
        case "test":
            if _read(document, path) != operation.get("value"):
                raise ValueError("test failed")
            return document
        case "copy":
            return _add(document, path, deepcopy(_read(document, _steps(operation["from"]))))
        case "move":
            value = _read(document, _steps(operation["from"]))
            return _add(_remove(document, _steps(operation["from"])), path, value)
    raise ValueError(f"unknown operation {operation['op']!r}")


def _steps(pointer: str) -> list[str]:
    if pointer and not pointer.startswith("/"):
        raise ValueError("a path starts with /")
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def _read(document: Any, path: list[str]) -> Any:
    for step in path:
        document = document[int(step)] if isinstance(document, list) else document[step]
    return document


def _add(document: Any, path: list[str], value: Any) -> Any:
    if not path:
        return value
    parent, last = _read(document, path[:-1]), path[-1]
    if isinstance(parent, list):
        parent.insert(len(parent) if last == "-" else _index(parent, last), value)
    else:
        parent[last] = value
    return document


def _index(parent: list[Any], step: str) -> int:
    index = int(step)
    if not 0 <= index <= len(parent):
        raise IndexError("index out of range")
    return index


def _remove(document: Any, path: list[str]) -> Any:
    parent, last = _read(document, path[:-1]), path[-1]
    if isinstance(parent, list):
        del parent[int(last)]
    else:
        del parent[last]
    return document
