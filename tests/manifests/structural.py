"""The rules of structural schemas, written from the Kubernetes documentation of CustomResourceDefinitions.

kubernetes-validate knows the shape of a CRD, but not these: an API server refuses or silently weakens what breaks them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import cel
import jsonschema_rs

Node = dict[str, Any]

RULES = "x-kubernetes-validations"
WORDS = {
    "string": {"minLength", "maxLength", "pattern", "enum", "format"},
    "integer": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "enum", "format"},
    "number": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "enum", "format"},
    "boolean": {"enum"},
    "array": {"items", "minItems", "maxItems", "x-kubernetes-list-type", "x-kubernetes-list-map-keys"},
    "object": {"properties", "additionalProperties", "required", "minProperties", "maxProperties"},
}
ANYWHERE = {"type", "description", "default", RULES}
REASONS = {"FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate"}
CORE = {"has", "size"}
PYTHON = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list, "object": dict}


def complaints(root: Node) -> list[str]:
    """Everything that is wrong with a root schema, one line each."""
    found = list(_node(root, ""))
    if root["properties"].get("metadata") != {"type": "object"}:
        found.append(".metadata: only its type may be said")
    return found


def _node(node: Node, path: str) -> Iterator[str]:
    kind = node.get("type", "")
    if kind not in WORDS:
        yield f"{path}: no type"
        return
    for word in set(node) - ANYWHERE - WORDS[kind]:
        yield f"{path}: {word} is not for {kind}"
    yield from _values(node, path)
    yield from _lists(node, path)
    yield from _rules(node, path)
    if "properties" in node and "additionalProperties" in node:
        yield f"{path}: properties and additionalProperties exclude each other"
    yield from (f"{path}.{name}: required but not declared" for name in _undeclared(node))
    for name, inner in node.get("properties", {}).items():
        yield from _node(inner, f"{path}.{name}")
    for word in ("items", "additionalProperties"):
        if word in node:
            yield from _node(node[word], f"{path}.{word}") if isinstance(node[word], dict) else [f"{path}: bare {word}"]


def _undeclared(node: Node) -> set[str]:
    return set(node.get("required", ())) - set(node.get("properties", {}))


def _values(node: Node, path: str) -> Iterator[str]:
    shape = {word: value for word, value in node.items() if word not in (RULES, "default")}
    if "default" in node and not jsonschema_rs.Draft4Validator(shape).is_valid(node["default"]):
        yield f"{path}: the default does not fit"
    if not all(isinstance(value, PYTHON[node["type"]]) for value in node.get("enum", ())) or node.get("enum") == []:
        yield f"{path}: the enum does not fit"
    if re.search(r"\(\?[=!<]|\\[1-9]", node.get("pattern", "")):
        yield f"{path}: the pattern is not RE2"


def _lists(node: Node, path: str) -> Iterator[str]:
    if node["type"] == "array" and "items" not in node:
        yield f"{path}: no items"
    keys = node.get("x-kubernetes-list-map-keys", [])
    if (node.get("x-kubernetes-list-type") == "map") != bool(keys):
        yield f"{path}: a list map needs keys, and only a list map has them"
    for key in keys:
        inner = node["items"].get("properties", {}).get(key, {})
        if key not in node["items"].get("required", ()) and "default" not in inner:
            yield f"{path}: the key {key} is neither required nor defaulted"
        if inner.get("type") in (None, "array", "object"):
            yield f"{path}: the key {key} is not a scalar"


def _rules(node: Node, path: str) -> Iterator[str]:
    for rule in node.get(RULES, ()):
        where = f"{path}: rule {rule.get('rule', '')[:30]!r}"
        program = cel.compile(rule["rule"])
        if named := {word for word in program.functions() if word.isidentifier() and word[0] != "_"} - CORE:
            yield f"{where}: outside the common core: {named}"
        if rule.get("reason", "FieldValueInvalid") not in REASONS:
            yield f"{where}: reason {rule['reason']}"
        if not rule.get("message", "").strip() or "\n" in rule["message"]:
            yield f"{where}: the message is one line"
        if not _is_path(node, rule.get("fieldPath", "")):
            yield f"{where}: fieldPath {rule['fieldPath']} leads nowhere"


def _is_path(node: Node, path: str) -> bool:
    for step in path.split(".")[1:]:
        if step not in node.get("properties", {}):
            return False
        node = node["properties"][step]
    return not path or path.startswith(".")
