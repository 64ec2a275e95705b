"""References: which objects a hook wants to be told of, and what those it was shown mean for this object."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from types import MappingProxyType

from pydantic import ValidationError

from hooks.aruba.engine.findings import Resolved
from hooks.aruba.engine.notes import OWNER, uses
from hooks.aruba.engine.values import Raw, Target
from hooks.aruba.model.catalog import Catalog
from hooks.aruba.model.fields import FieldSpec, value_at
from hooks.aruba.model.kind import Kind
from hooks.aruba.model.phases import API_VERSION, GROUP, VERSION, Phase
from hooks.aruba.model.schema import CommonSpec, Ref
from hooks.contract.replies import RelatedRule
from hooks.contract.requests import Parent, Related
from hooks.meta.times import parse_time

PLAIN = MappingProxyType(
    {
        "missing": "is required",
        "tuple_type": "must be a list",
        "model_type": "must be a mapping, with fields below it, not a single value",
        "string_type": "must be a text",
        "int_type": "must be a whole number",
        "int_parsing": "must be a whole number",
        "bool_type": "must be true or false",
        "bool_parsing": "must be true or false",
        "too_short": "must have at least one entry",
    }
)
"""What is wrong with a value that was stored before the kind could refuse it, in the words of YAML."""
LEAVE_TAKING = timedelta(seconds=10)
"""How long a volume or address must have been on its way out before its server lets go of it: when everything is
deleted at once, the server's own deletion is seen within that time and nothing is detached before it."""


def related(kind: Kind, catalog: Catalog, parent: Parent, granting: bool = False) -> list[RelatedRule]:
    """The objects to be told of, from spec and deletionTimestamp only: rules are cached by generation (mc §4.1).

    With `granting` the Namespaces that are referred into too, so that a grant wakes those who wait for it.
    """
    own = parent.metadata.namespace or ""
    spaces = [own, *(foreign(kind, parent) if granting and not parent.metadata.deleting else [])]
    rules = [RelatedRule(apiVersion="v1", resource="namespaces", names=spaces)] if own else []
    if parent.metadata.deleting:
        return rules + list(_family_rules(kind, catalog, parent.metadata.uid))
    wanted: dict[tuple[str, str], list[str]] = {}
    for field, ref in references(kind, parent.spec):
        if field.to is not None:
            names = wanted.setdefault((catalog[field.to.kind].names.plural, ref.namespace), [])
            if ref.name not in names:
                names.append(ref.name)
    return rules + [
        RelatedRule(apiVersion=API_VERSION, resource=plural, namespace=namespace, names=sorted(names))
        for (plural, namespace), names in sorted(wanted.items())
    ]


def _family_rules(kind: Kind, catalog: Catalog, uid: str) -> Iterator[RelatedRule]:
    for child in catalog.children(kind):
        yield _labelled(child, {f"{OWNER}{kind.names.singular}": uid})
    for user in catalog.users(kind):
        yield _labelled(user, {uses(uid): "true"})


def _labelled(kind: Kind, labels: dict[str, str]) -> RelatedRule:
    return RelatedRule(apiVersion=API_VERSION, resource=kind.names.plural, labelSelector={"matchLabels": labels})


def references(kind: Kind, spec: Mapping[str, object]) -> Iterator[tuple[FieldSpec, Ref]]:
    """Every complete reference of a raw spec; half-written ones are passed over."""
    for field in kind.references:
        value = spec.get(field.name)
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, dict) and item.get("name") and item.get("namespace"):
                yield field, Ref(name=str(item["name"]), namespace=str(item["namespace"]))


def foreign(kind: Kind, parent: Parent) -> list[str]:
    """The other Namespaces that an object refers into."""
    own = parent.metadata.namespace
    return sorted({ref.namespace for field, ref in references(kind, parent.spec) if ref.namespace != own and field.to})


def resolve(kind: Kind, parent: Parent, shown: Related, now: datetime) -> Resolved:
    """Read the spec and find what it refers to among the objects shown."""
    spec, fault = _read(kind, parent.spec)
    found = [_target(field, ref, shown) for field, ref in references(kind, parent.spec)]
    parted = tuple(target for target in found if _taking_leave(kind, target, now))
    targets = tuple(target for target in found if target not in parted)
    waits: list[str] = []
    late: list[str] = []
    lacking: list[str] = []
    for target in targets:
        text = target.missing
        if text and not target.id and target.field in kind.mutable:
            lacking.append(text)
        if text:
            (late if kind.by_name[target.field].late else waits).append(text)
    failed = any(target.status.get("phase") == Phase.FAILED for target in targets)
    parting = any(target.deleting and _detachable(kind, target) for target in targets)
    return Resolved(spec, fault, targets, _once(waits), _once(late), _once(lacking), failed, parting, parted)


def _once(texts: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))


def _read(kind: Kind, raw: Raw) -> tuple[CommonSpec | None, str]:
    try:
        return kind.spec.model_validate(raw), ""
    except ValidationError as error:
        told = [
            f"spec.{'.'.join(map(str, e['loc']))}: {PLAIN.get(e['type'], e['msg'])}"
            for e in error.errors(include_url=False)
        ]
        return None, "; ".join(told)


def _target(field: FieldSpec, ref: Ref, shown: Related) -> Target:
    kind = field.to.kind if field.to is not None else ""
    group = shown.get(f"{kind}.{GROUP}/{VERSION}", {})
    return Target(field.name, kind, ref.namespace, ref.name, group.get(f"{ref.namespace}/{ref.name}"))


def _taking_leave(kind: Kind, target: Target, now: datetime) -> bool:
    """A detachable thing that is being deleted leaves the wanted set, and its server detaches it (design §6)."""
    if not (target.deleting and target.raw and _detachable(kind, target)):
        return False
    since = parse_time(target.raw["metadata"].get("deletionTimestamp"))
    return since is None or now - since >= LEAVE_TAKING


def _detachable(kind: Kind, target: Target) -> bool:
    """A data volume, or an address: what the resource can do without, and a change can take away."""
    field = kind.by_name[target.field]
    return field.late or (field.optional and field.name in kind.mutable)


def tenant_in(spec: CommonSpec | None, raw: Raw) -> str:
    """The tenant that a spec names, empty when it names none."""
    value = value_at(spec, "tenant") if spec is not None else raw.get("tenant")
    return value if isinstance(value, str) else ""
