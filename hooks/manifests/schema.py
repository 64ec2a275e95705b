"""From a pydantic model to a structural OpenAPI v3 schema, the only form that a CRD takes. Called by `crd` and `pages`.

Optional members become members that are not required: Kubernetes has no `null` and no `$ref`, and no `title` is shown.
A keyword that has no word in a CRD raises ValueError here, rather than being dropped by an API server.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

Schema = dict[str, Any]

INT32_MAX = 2**31 - 1
_DROPPED = frozenset({"title", "$defs", "$ref", "anyOf", "const"})
_KEPT = (
    "description type format enum default pattern minLength maxLength minimum exclusiveMinimum maximum exclusiveMaximum"
    " multipleOf minItems maxItems uniqueItems items properties additionalProperties required"
).split()


def structural(model: type[BaseModel]) -> Schema:
    """The schema of a model. Raises ValueError, naming the keyword, for what a CRD cannot say."""
    source = model.model_json_schema()
    return _converted(source, source.get("$defs", {}))


def node_at(schema: Schema, path: str) -> Schema:
    """The schema of a dotted field."""
    for step in path.split("."):
        schema = schema["properties"][step]
    return schema


def required_at(schema: Schema, path: str) -> bool:
    """Whether a dotted field must be given: it and every object around it."""
    for step in path.split("."):
        if step not in schema.get("required", ()):
            return False
        schema = schema["properties"][step]
    return True


def _converted(node: Schema, defs: Schema) -> Schema:
    node = _flat(node, defs)
    unknown = set(node) - _DROPPED - set(_KEPT)
    unknown |= {word for word in ("items", "additionalProperties") if isinstance(node.get(word), bool)}
    if unknown or "type" not in node:
        raise ValueError(f"a CRD has no word for {', '.join(sorted(unknown)) or 'a value of no one type'}: {node}")
    said = {word: node[word] for word in _KEPT if word in node}
    if said.get("default", ...) is None:
        del said["default"]
    if said["type"] == "integer":
        said["format"] = "int32" if said.get("maximum", INT32_MAX + 1) <= INT32_MAX else "int64"
    return _ordered({**said, **_exclusive(said), **_inner(said, defs)})


def _flat(node: Schema, defs: Schema) -> Schema:
    """References followed and `null` alternatives taken away; what stands beside them wins."""
    if "$ref" in node:
        return _flat({**defs[node["$ref"].rsplit("/", 1)[-1]], **_without(node, "$ref")}, defs)
    choices = [choice for choice in node.get("anyOf", ()) if choice != {"type": "null"}]
    if len(choices) == 1:
        return _flat({**choices[0], **_without(node, "anyOf")}, defs)
    return {**node, "enum": [node["const"]]} if "const" in node else node


def _without(node: Schema, word: str) -> Schema:
    return {name: value for name, value in node.items() if name != word}


def _inner(node: Schema, defs: Schema) -> Schema:
    inner: Schema = {}
    if "properties" in node:
        inner["properties"] = {name: _converted(item, defs) for name, item in node["properties"].items()}
    for word in ("items", "additionalProperties"):
        if isinstance(node.get(word), dict):
            inner[word] = _converted(node[word], defs)
    if "description" in node:
        inner["description"] = " ".join(node["description"].split())
    return inner


def _exclusive(node: Schema) -> Schema:
    """`exclusiveMinimum` is a number to pydantic, and a flag beside `minimum` to Kubernetes."""
    bounds = (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum"))
    return {k: v for bound, flag in bounds if flag in node for k, v in ((bound, node[flag]), (flag, True))}


def _ordered(node: Schema) -> Schema:
    return {word: node[word] for word in _KEPT if word in node}
