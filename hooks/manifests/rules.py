"""CEL transition rules: what a spec may no longer change once the cloud has the resource. Called by `crd` and `pages`.

They stand at the root of the schema because only there `oldSelf.status` can be seen, and they bind only once
`status.resourceID` is set, so that a value which the cloud refused can be corrected (design §4). Every step is asked
for with `has`: an error in a rule would hold back metadata writes too, finalizers among them. Only the common core of
CEL is used, and no list is walked, since upstream's lists have no bound and the cost is estimated from bounds.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from hooks.aruba.model.fields import FieldSpec
from hooks.aruba.model.kind import Kind

Rule = dict[str, Any]

UNBORN = "!has(oldSelf.status) || !has(oldSelf.status.resourceID) || oldSelf.status.resourceID == ''"
"""There is no resource yet, as far as the object knew before this write."""
_RESERVED = frozenset(
    "true false null in as break const continue else for function if import let loop package namespace return var void"
    " while".split()
)


class Freedom(StrEnum):
    """How far a field of a spec may be changed."""

    FREE = "yes"
    GROWS = "only upwards once the resource exists"
    BOUND = "until the resource exists"
    NEVER = "no"


def freedom(kind: Kind, field: FieldSpec) -> Freedom:
    """How far a field may be changed; tenants are judged by the engine, except where a kind's own rule fixes one."""
    if any(path == f".{field.name}" for _, _, path in kind.cel):
        return Freedom.NEVER
    if field.grows:
        return Freedom.GROWS
    if field.name in kind.mutable or field.late or not (field.compared or field.to is not None):
        return Freedom.FREE
    return Freedom.BOUND


def transition_rules(kind: Kind) -> list[Rule]:
    """One rule for each field that is bound, for the root of the schema."""
    return [rule for field in kind.fields if (rule := _rule(kind, freedom(kind, field), field.name)) is not None]


def own_rules(kind: Kind) -> list[Rule]:
    """The kind's own rules, for `spec`."""
    return [_worded(rule, message, path) for rule, message, path in kind.cel]


def _rule(kind: Kind, freedom: Freedom, name: str) -> Rule | None:
    if freedom is Freedom.BOUND:
        return _worded(
            _any(UNBORN, *_same(name)), f"{name} cannot be changed once the resource exists", f".spec.{name}"
        )
    if freedom is Freedom.GROWS:
        return _worded(
            _any(UNBORN, *_grown(name), *_refused(kind, name)),
            f"{name} can only grow once the resource exists",
            f".spec.{name}",
        )
    return None


def _worded(rule: str, message: str, path: str) -> Rule:
    return {"rule": rule, "message": message, "reason": "FieldValueForbidden", "fieldPath": path}


def _any(*alternatives: str) -> str:
    """One alternative a line; CEL takes a line break for a space."""
    return "\n|| ".join(alternatives)


def _same(name: str) -> tuple[str, str]:
    """Present in both and equal, or present in neither."""
    now, before = _present("self", name), _present("oldSelf", name)
    return f"({now} && {before} && {_value('self', name)} == {_value('oldSelf', name)})", f"(!({now}) && !({before}))"


def _grown(name: str) -> tuple[str, str]:
    """Not there before, or there now and not less."""
    now, before = _present("self", name), _present("oldSelf", name)
    return f"!({before})", f"({now} && {_value('self', name)} >= {_value('oldSelf', name)})"


def _refused(kind: Kind, name: str) -> list[str]:
    """Not less than the cloud has, where the status says what that is: a growth that it refused may be taken back."""
    if name not in kind.status.model_fields:
        return []
    step = _escaped(name)
    return [
        f"({_present('self', name)} && has(oldSelf.status.{step}) && {_value('self', name)} >= oldSelf.status.{step})"
    ]


def _value(who: str, name: str) -> str:
    return ".".join([who, "spec", *(_escaped(step) for step in name.split("."))])


def _present(who: str, name: str) -> str:
    """`has` for the spec and for every step below it."""
    steps = _value(who, name).split(".")
    return " && ".join(f"has({'.'.join(steps[: length + 1])})" for length in range(1, len(steps)))


def _escaped(step: str) -> str:
    """Kubernetes' spelling of a property that is a reserved word of CEL."""
    return f"__{step}__" if step in _RESERVED else step
