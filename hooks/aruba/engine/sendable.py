"""Rules about the values that are about to be sent, so that nothing leaves which the cloud would refuse anyway.

They bind at a creation, and later only for the fields that a change would send: a resource that is there already is
never failed by them, whatever was allowed when it was made. `know` and `reconcile` ask.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from hooks.aruba.engine.findings import Resolved
from hooks.aruba.engine.notes import RESOURCE_NAME, cloud_name
from hooks.aruba.engine.values import Violation
from hooks.aruba.model.fields import value_at
from hooks.aruba.model.kind import Kind, rule
from hooks.contract.requests import Parent

NAME = re.compile(r"(?!-)[A-Za-z0-9-]{4,50}(?<!-)")
"""F17: 4 to 50 letters, digits and hyphens, none of these at an end."""
TAG = re.compile(r"[A-Za-z0-9-]{4,30}")
"""F17: the provider's pages say 20 or 30; what lies between is left to the cloud."""


def unfit(kind: Kind, parent: Parent, resolved: Resolved) -> tuple[Violation, ...]:
    """Every rule that a creation would break, in a fixed order."""
    if resolved.spec is None:
        return ()
    return (*_name(parent), *unfit_fields(kind, resolved, [field.name for field in kind.fields]))


def unfit_fields(kind: Kind, resolved: Resolved, fields: Collection[str]) -> tuple[Violation, ...]:
    """Every rule that these fields break."""
    if resolved.spec is None:
        return ()
    found = [*_tags(resolved.spec.tags or ()), *_twice(kind, resolved)]
    told = [(name, violation) for name, violation in found if name in fields]
    checks = [check for check in kind.checks if set(check.fields) & set(fields)]
    return (
        *(violation for _, violation in told),
        *(Violation(rule(check.test), text) for check in checks if (text := check.test(resolved.spec))),
        *_demands(kind, resolved, fields),
    )


def _name(parent: Parent) -> Iterator[Violation]:
    name = cloud_name(parent.metadata)
    if not NAME.fullmatch(name):
        text = (
            f"the cloud takes names of 4 to 50 letters, digits and hyphens, with no hyphen first or last; {name!r} is "
            f"none: set the annotation {RESOURCE_NAME} to one that is"
        )
        yield Violation("NameFits", text)


def _tags(tags: Collection[str]) -> Iterator[tuple[str, Violation]]:
    wrong = [repr(tag) for tag in dict.fromkeys(tags) if not TAG.fullmatch(tag)]
    if wrong:
        text = f"the cloud takes tags of 4 to 30 letters, digits and hyphens; spec.tags has {', '.join(wrong[:5])}"
        yield "tags", Violation("TagsFit", text)


def _twice(kind: Kind, resolved: Resolved) -> Iterator[tuple[str, Violation]]:
    """One object twice in a list is a slip of the pen (cases 68)."""
    for field in kind.references:
        named = value_at(resolved.spec, field.name) if resolved.spec is not None and field.many else ()
        again = [str(ref) for at, ref in enumerate(named or ()) if ref in named[:at]]
        if again:
            yield field.name, Violation("NoDuplicates", f"spec.{field.name} names {again[0]} more than once")


def _demands(kind: Kind, resolved: Resolved, fields: Collection[str]) -> Iterator[Violation]:
    """What a referenced object must be; one that was not shown is waited for first."""
    for demand in kind.demands:
        for target in resolved.of(demand.reference) if demand.reference in fields else ():
            text = demand.test(target.spec) if target.raw is not None else None
            if text:
                yield Violation(rule(demand.test), f"{target.kind} {target.path} {text}")
