"""Label selectors as objects carry them: in a controller's parentResource and in customize's rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hooks.local.metacontroller.errors import HookError
from hooks.local.metacontroller.strict import Types, fields, strings

__all__ = ["Selector"]

SELECTOR: Types = {"matchLabels": dict, "matchExpressions": list}
EXPRESSION: Types = {"key": str, "operator": str, "values": list}
OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")


@dataclass(frozen=True)
class _Requirement:
    key: str
    operator: str
    values: frozenset[str]

    def met(self, labels: dict[str, str]) -> bool:
        if self.operator == "Exists":
            return self.key in labels
        if self.operator == "DoesNotExist":
            return self.key not in labels
        return (labels.get(self.key) in self.values) == (self.operator == "In")


@dataclass(frozen=True)
class Selector:
    """Every requirement must hold; with none it selects everything."""

    requirements: tuple[_Requirement, ...]

    @classmethod
    def read(cls, raw: Any, where: str) -> Selector:
        found = fields(raw, SELECTOR, where)
        wanted = found.get("matchLabels", {})
        strings(list(wanted.values()), f"{where}.matchLabels")
        equal = [_Requirement(key, "In", frozenset({value or ""})) for key, value in wanted.items()]
        more = [
            _expression(item, f"{where}.matchExpressions[{n}]")
            for n, item in enumerate(found.get("matchExpressions", []))
        ]
        return cls((*equal, *more))

    def matches(self, labels: dict[str, str]) -> bool:
        return all(requirement.met(labels) for requirement in self.requirements)


def _expression(raw: Any, where: str) -> _Requirement:
    found = fields(raw, EXPRESSION, where)
    operator = found.get("operator", "")
    values = strings(found.get("values", []), f"{where}.values")
    if operator not in OPERATORS:
        raise HookError(f"{where}.operator: {operator!r} is not a valid label selector operator")
    if bool(values) != (operator in ("In", "NotIn")):
        raise HookError(f"{where}.values: In and NotIn need values, Exists and DoesNotExist take none")
    return _Requirement(found.get("key", ""), operator, frozenset(values))
