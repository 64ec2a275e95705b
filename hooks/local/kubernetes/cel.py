"""`x-kubernetes-validations`: the CEL rules of a schema, compiled once and run on each write.

Built and run by `schema`. Rules that read `oldSelf` are transition rules: they run only where there is an old value.
What Kubernetes adds to CEL is modelled as far as `celvalues.FUNCTIONS` goes; a rule that calls anything else makes the
CRD invalid, aloud.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import cel

from hooks.local.kubernetes.celvalues import FUNCTIONS, to_cel
from hooks.local.kubernetes.errors import Fault, invalid_value, shown
from hooks.local.kubernetes.objects import Object
from hooks.local.kubernetes.validation import Path, dotted

RULES = "x-kubernetes-validations"
_CORE = set(
    "size contains startsWith endsWith matches has all exists exists_one map filter int uint double string bytes bool"
    " type dyn duration timestamp getFullYear getMonth getDate getDayOfMonth getDayOfYear getDayOfWeek getHours"
    " getMinutes getSeconds getMilliseconds hasValue value orValue max min".split()
)


@dataclass(frozen=True)
class Rule:
    """One rule of one schema node."""

    program: cel.Program
    source: Object
    kind: str

    @property
    def transition(self) -> bool:
        return "oldSelf" in self.program.variables()

    def explain(self) -> str:
        message: str = self.source.get("message", "")
        return message.strip() or f"failed rule: {self.source['rule'].strip()}"


@dataclass
class Node:
    """The part of a schema that has rules at it or below it."""

    schema: Object
    rules: list[Rule] = field(default_factory=list)
    properties: dict[str, Node] = field(default_factory=dict)
    items: Node | None = None
    values: Node | None = None

    def __bool__(self) -> bool:
        return bool(self.rules or self.properties or self.items or self.values)


def compile_rules(schema: Object, where: str = "schema") -> Node:
    """Raises ValueError, naming the place, when a rule cannot be compiled or calls what is not modelled."""
    node = Node(schema)
    for index, source in enumerate(schema.get(RULES) or []):
        node.rules.append(_compile(source, schema, f"{where}.{RULES}[{index}].rule"))
    for name, inner in (schema.get("properties") or {}).items():
        below = compile_rules(inner, f"{where}.properties[{name}]")
        if below:
            node.properties[name] = below
    node.items = _below(schema.get("items"), f"{where}.items")
    node.values = _below(schema.get("additionalProperties"), f"{where}.additionalProperties")
    return node


def _below(schema: Any, where: str) -> Node | None:
    return compile_rules(schema, where) or None if isinstance(schema, dict) else None


def _compile(source: Object, schema: Object, where: str) -> Rule:
    try:
        program = cel.compile(source["rule"])
    except ValueError as error:
        raise ValueError(f"{where}: compilation failed: {error}") from error
    named = {name for name in program.functions() if name.isidentifier() and not name.startswith("_")}
    foreign = sorted(named - _CORE - set(FUNCTIONS))
    if foreign:
        raise ValueError(f"{where}: function {', '.join(foreign)} is not modelled by this local Kubernetes API")
    return Rule(program, source, schema.get("type") or "object")


def check(node: Node, value: Any, old: Any, path: Path = ()) -> Iterator[tuple[Path, bool, Fault]]:
    """The rules that say no: where, whether it is a transition rule, and the fault."""
    if value is None:
        return
    if node.rules:
        yield from _check_here(node, value, old, path)
    if isinstance(value, dict):
        before = old if isinstance(old, dict) else {}
        for name, item in value.items():
            below = node.properties.get(name) or (None if name in _declared(node) else node.values)
            if below:
                yield from check(below, item, before.get(name), (*path, name))
    elif isinstance(value, list) and node.items:
        twins = _correlated(node.schema, value, old)
        for index, item in enumerate(value):
            yield from check(node.items, item, twins[index], (*path, index))


def _declared(node: Node) -> Object:
    return node.schema.get("properties") or {}


def _correlated(schema: Object, value: list[Any], old: Any) -> list[Any]:
    """For each item its old self; only lists of type map have one."""
    if schema.get("x-kubernetes-list-type") != "map" or not isinstance(old, list):
        return [None] * len(value)
    names = schema.get("x-kubernetes-list-map-keys") or []
    before = {tuple(item.get(name) for name in names): item for item in old}
    return [before.get(tuple(item.get(name) for name in names)) for item in value]


def _check_here(node: Node, value: Any, old: Any, path: Path) -> Iterator[tuple[Path, bool, Fault]]:
    names = {"self": to_cel(value, node.schema, root=not path)}
    if old is not None:
        names["oldSelf"] = to_cel(old, node.schema, root=not path)
    for rule in node.rules:
        fault = _run(rule, names, path)
        if fault is not None:
            yield path, rule.transition, fault


def _run(rule: Rule, names: dict[str, Any], path: Path) -> Fault | None:
    if rule.transition and rule.source.get("optionalOldSelf"):
        before = cel.OptionalValue.of(names["oldSelf"]) if "oldSelf" in names else cel.OptionalValue.none()
        names = {**names, "oldSelf": before}
    elif rule.transition and "oldSelf" not in names:
        return None
    field = dotted(path)
    try:
        if rule.program.execute(cel.Context(variables=names, functions=FUNCTIONS)):
            return None
    except (ArithmeticError, KeyError, LookupError, RuntimeError, TypeError, ValueError) as error:
        return invalid_value(field, rule.kind, f"{_told(error)} evaluating rule: {rule.explain()}")
    reason = rule.source.get("reason") or "FieldValueInvalid"
    return _refusal(f"{field}{rule.source.get('fieldPath', '')}".lstrip("."), rule, reason, names)


def _told(error: Exception) -> str:
    return f"no such key: {error.args[0]}" if isinstance(error, KeyError) and error.args else str(error)


def _refusal(field: str, rule: Rule, reason: str, names: dict[str, Any]) -> Fault:
    text = _message(rule, names)
    if reason == "FieldValueForbidden":
        return Fault(field, reason, f"Forbidden: {text}")
    if reason == "FieldValueRequired":
        return Fault(field, reason, f"Required value: {text}")
    if reason == "FieldValueDuplicate":
        return Fault(field, reason, f"Duplicate value: {shown(rule.kind)}")
    return invalid_value(field, rule.kind, text)


def _message(rule: Rule, names: dict[str, Any]) -> str:
    expression = rule.source.get("messageExpression")
    if not expression:
        return rule.explain()
    try:
        said = cel.compile(expression).execute(cel.Context(variables=names, functions=FUNCTIONS))
    except (ArithmeticError, KeyError, LookupError, RuntimeError, TypeError, ValueError):
        return rule.explain()
    return said.strip() if isinstance(said, str) and said.strip() else rule.explain()
