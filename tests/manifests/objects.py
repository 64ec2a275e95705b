"""An API server's view of an object, in little: defaults, schema faults, unknown fields, CEL refusals."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any

import cel
import jsonschema_rs

RULES = "x-kubernetes-validations"


compiled = cache(cel.compile)


def schema_of(crd: dict[str, Any]) -> dict[str, Any]:
    return crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]


def part(crd: dict[str, Any], name: str) -> dict[str, Any]:
    return schema_of(crd)["properties"][name]


def defaulted(schema: dict[str, Any], value: Any) -> Any:
    """The value with every missing member that has a default."""
    if isinstance(value, dict):
        value = dict(value)
        for name, inner in schema.get("properties", {}).items():
            if name not in value and "default" in inner:
                value[name] = copy.deepcopy(inner["default"])
            if name in value:
                value[name] = defaulted(inner, value[name])
    elif isinstance(value, list):
        value = [defaulted(schema.get("items", {}), item) for item in value]
    return value


def faults(crd: dict[str, Any], thing: dict[str, Any]) -> list[str]:
    """What an API server with strict field validation says against an object; empty when it takes it."""
    schema = schema_of(crd)
    thing = defaulted(schema, thing)
    found = jsonschema_rs.Draft4Validator(schema, validate_formats=True).iter_errors(thing)
    body = {name: value for name, value in thing.items() if name != "metadata"}
    return [f"{'.'.join(map(str, e.instance_path))}: {e.message}" for e in found] + list(unknown(schema, body))


def unknown(schema: dict[str, Any], value: Any, path: str = "") -> list[str]:
    """Members that the schema does not know, which an API server drops."""
    if isinstance(value, list):
        return [text for item in value for text in unknown(schema.get("items", {}), item, f"{path}[]")]
    if not isinstance(value, dict):
        return []
    known = schema.get("properties", {})
    strangers = [f"{path}.{name}: unknown" for name in value if name not in known]
    inner = (unknown(known[name], item, f"{path}.{name}") for name, item in value.items() if name in known)
    return strangers + [text for texts in inner for text in texts]


def refusals(crd: dict[str, Any], old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """Field paths of the rules that refuse an update from old to new, defaults applied to both as on a server."""
    schema = schema_of(crd)
    old, new = defaulted(schema, old), defaulted(schema, new)
    refused = _broken(schema, old, new)
    if "spec" in old and "spec" in new:
        refused += [f".spec{path}" for path in _broken(schema["properties"]["spec"], old["spec"], new["spec"])]
    return refused


def _broken(schema: dict[str, Any], old: Any, new: Any) -> list[str]:
    names = {"self": new, "oldSelf": old}
    context = cel.Context(variables=names)
    return [r["fieldPath"] for r in schema.get(RULES, ()) if compiled(r["rule"]).execute(context) is not True]
