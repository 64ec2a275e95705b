"""Intention validation: what can be seen to be wrong before any call (behaviour §2.8, as mended in §5 W11, W16, W17).

The rules follow from the references: whatever a referenced object and this one both name must agree. Lenient: a side
that says nothing is no conflict.
"""

from __future__ import annotations

from collections.abc import Iterator

from hooks.aruba.engine.findings import Resolved
from hooks.aruba.engine.values import Raw, Target, Violation
from hooks.aruba.model.fields import FieldSpec
from hooks.aruba.model.kind import Kind
from hooks.contract.requests import Parent


def validate(kind: Kind, parent: Parent, resolved: Resolved) -> tuple[Violation, ...]:
    """Every rule that the spec and its references break, in a fixed order. Never sees the cloud."""
    if resolved.spec is None:
        return (Violation("SpecUnreadable", resolved.fault),)
    return (*_presence(kind, parent.spec), *_agreement(kind, parent.spec, resolved))


def _stem(field: FieldSpec) -> str:
    """`vpcReference` -> `VPC`, `bootVolumeReference` -> `BootVolume`, `subnetReferences` -> `Subnet`."""
    stem = field.name.removesuffix("References").removesuffix("Reference")
    known = {"vpc": "VPC", "elasticIP": "ElasticIP"}
    return known.get(stem, stem[:1].upper() + stem[1:])


def _words(field: FieldSpec) -> str:
    """`bootVolume` -> `boot volume`, as it stands in a sentence."""
    stem = field.name.removesuffix("References").removesuffix("Reference")
    return "".join(f" {c.lower()}" if c.isupper() and stem != "elasticIP" else c for c in stem)


def _presence(kind: Kind, spec: Raw) -> Iterator[Violation]:
    """A name may be empty and pass the schema; it is caught here."""
    for field in kind.references:
        if field.optional:
            continue
        value = spec.get(field.name)
        items = value if isinstance(value, list) else [value]
        named = [item for item in items if isinstance(item, dict) and item.get("name") and item.get("namespace")]
        if len(named) == len(items) and items:
            continue
        if field.many:
            yield Violation(f"{_stem(field)}ReferencesRequired", f"at least one {_words(field)} reference is required")
        else:
            yield Violation(f"{_stem(field)}ReferenceRequired", f"{_words(field)} reference is required")


def _agreement(kind: Kind, spec: Raw, resolved: Resolved) -> Iterator[Violation]:
    """Tenant, shared references, region and zone, along every reference whose object was shown."""
    for field in kind.references:
        shown = [target for target in resolved.of(field.name) if target.raw is not None]
        yield from _values(kind, field, shown, spec)
        yield from _shared_references(kind, field, shown, spec)


def _values(kind: Kind, field: FieldSpec, shown: list[Target], spec: Raw) -> Iterator[Violation]:
    for name in ("tenant", "region", "zone"):
        own = spec.get(name)
        pairs = [(t, str(own), str(t.spec[name])) for t in shown if own and t.spec.get(name) and t.spec[name] != own]
        if not pairs:
            continue
        rule = f"{name.capitalize()}MustMatch{'All' if field.many else ''}{_stem(field)}{'s' if field.many else ''}"
        reason = ("TenantMismatch",) if name == "tenant" else ()
        yield Violation(rule, _value_text(kind, field, name, pairs), *reason)


def _value_text(kind: Kind, field: FieldSpec, name: str, pairs: list[tuple[Target, str, str]]) -> str:
    target, own, other = pairs[0]
    if field.many:
        listed = "; ".join(f'{t.kind} "{t.name}": "{a}" != "{b}"' for t, a, b in pairs)
        return f"{name} mismatch: {listed}"
    if _in_path(kind, field):
        return f'{name} mismatch with {target.kind}: "{own}" != "{other}"'
    return f'{name} "{own}" does not match {target.kind} {name} "{other}"'


def _in_path(kind: Kind, field: FieldSpec) -> bool:
    return field.to is not None and field.to.kind.lower() in kind.collection.placeholders


def _shared_references(kind: Kind, field: FieldSpec, shown: list[Target], spec: Raw) -> Iterator[Violation]:
    """A reference that both sides have, such as projectReference, must lead to the same object (W11: namespace too)."""
    for shared in kind.references:
        if shared.many or shared.name == field.name or not isinstance(spec.get(shared.name), dict):
            continue
        pairs = [
            (t, *_two_names(spec[shared.name], t.spec[shared.name])) for t in shown if _differs(spec, t, shared.name)
        ]
        if not pairs:
            continue
        rule = f"{_stem(shared)}MustMatch{'All' if field.many else ''}{_stem(field)}{'s' if field.many else ''}"
        yield Violation(rule, _reference_text(kind, field, shared, pairs))


def _differs(spec: Raw, target: Target, name: str) -> bool:
    own, other = spec[name], target.spec.get(name)
    if not isinstance(other, dict) or not other.get("name"):
        return False
    return (own.get("namespace"), own.get("name")) != (other.get("namespace"), other.get("name"))


def _two_names(own: Raw, other: Raw) -> tuple[str, str]:
    """Names as upstream prints them; with namespaces where only those differ."""
    if own.get("name") != other.get("name"):
        return str(own.get("name")), str(other.get("name"))
    return f"{own.get('namespace')}/{own.get('name')}", f"{other.get('namespace')}/{other.get('name')}"


def _reference_text(kind: Kind, field: FieldSpec, shared: FieldSpec, pairs: list[tuple[Target, str, str]]) -> str:
    word = "VPC reference" if shared.name == "vpcReference" else f"{_words(shared)} reference"
    target, own, other = pairs[0]
    if field.many:
        listed = "; ".join(f'{t.kind} "{t.name}": "{a}" != "{b}"' for t, a, b in pairs)
        where = f" with {target.kind}s" if shared.name == "vpcReference" else ""
        return f"{word} mismatch{where}: {listed}"
    if _in_path(kind, field):
        return f'{word} mismatch with {target.kind}: "{own}" != "{other}"'
    return f'{word} "{own}" does not match {target.kind} {word} "{other}"'
