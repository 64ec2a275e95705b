"""Everything one schema can say about an object: prune, fill in defaults, validate.

`lifecycle` asks it on every write of every kind. An update does not fail for what was wrong before and was not
touched (validation ratcheting), so that objects stored under looser rules stay editable and deletable.
"""

from __future__ import annotations

from typing import Any

from hooks.local.kubernetes import cel
from hooks.local.kubernetes.errors import Fault, invalid_value
from hooks.local.kubernetes.lists import duplicates
from hooks.local.kubernetes.objects import Object
from hooks.local.kubernetes.structural import fill, prune
from hooks.local.kubernetes.validation import Path, findings, validator

_UNCHECKED = (
    "some validation rules were not checked because the object was invalid; correct the existing errors to complete"
    " validation"
)
_MISSING = object()


class Schema:
    """A structural schema, made ready. Raises ValueError when a CEL rule in it cannot be used."""

    def __init__(self, source: Object) -> None:
        self.source = source
        fields = {name: inner for name, inner in (source.get("properties") or {}).items() if name not in _ENVELOPE}
        self._body: Object = {**source, "properties": fields}
        self._checker = validator(source)
        self._rules = cel.compile_rules(source)

    def prune(self, obj: Object) -> tuple[Object, list[str]]:
        """The object without unknown fields, and their paths. Metadata is not this schema's business."""
        unknown: list[str] = []
        body = {name: value for name, value in obj.items() if name not in _ENVELOPE}
        kept = prune(body, self._body, "", unknown)
        return {**{name: obj[name] for name in _ENVELOPE if name in obj}, **kept}, unknown

    def fill(self, obj: Object) -> Object:
        filled: Object = fill(obj, self._body)
        return filled

    def validate(self, new: Object, old: Object | None) -> list[Fault]:
        """What is wrong with `new`, less what is as it was in `old`."""
        found = [*findings(self._checker, new), *duplicates(self.source, new)]
        faults = [fault for path, fault in found if not _unchanged(path, new, old)]
        if found:
            return [*faults, invalid_value("", None, _UNCHECKED)] if faults and self._rules else faults
        verdicts = cel.check(self._rules, new, old)
        return [fault for path, moves, fault in verdicts if moves or not _unchanged(path, new, old)]


_ENVELOPE = ("apiVersion", "kind", "metadata")


def _unchanged(path: Path, new: Any, old: Any) -> bool:
    """Whether the value at `path` is the same in both. An item of a list counts only with its whole list."""
    if old is None:
        return False
    for step in path:
        if isinstance(step, int):
            break
        new, old = _at(new, step), _at(old, step)
    return bool(new == old and new is not _MISSING)


def _at(value: Any, step: str) -> Any:
    return value.get(step, _MISSING) if isinstance(value, dict) else _MISSING
