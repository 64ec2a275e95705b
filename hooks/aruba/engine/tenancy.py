"""Whose an object is, and whether it may be: its tenant, what its Namespace may name, and whom it may refer to.

Judged before anything is asked of Vault or of the cloud (cases 3, 81, 84). A reference that is not granted is treated
as if its object were not there, so that nothing of it can be learnt or claimed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from hooks.aruba.engine.findings import Resolved
from hooks.aruba.engine.notes import RESOURCE_TENANT
from hooks.aruba.engine.resolve import references, tenant_in
from hooks.aruba.engine.spaces import GRANTED, SAME_TENANT, Space
from hooks.aruba.engine.story import Policy
from hooks.aruba.engine.values import Raw, Target, Violation
from hooks.aruba.model.catalog import Catalog
from hooks.aruba.model.kind import Kind
from hooks.aruba.model.phases import GROUP, VERSION
from hooks.aruba.model.tenant import fits
from hooks.contract.requests import Parent, Related
from hooks.meta.objects import ObjectMeta

NOT_ALLOWED = "TenantNotAllowed"
NOT_PERMITTED = "ReferenceNotPermitted"


class Standing(NamedTuple):
    """What an object may do: `barred` stands against every call, `refused` against going on with what is wanted."""

    barred: tuple[Violation, ...] = ()
    refused: tuple[Violation, ...] = ()


def named(kind: Kind, catalog: Catalog, parent: Parent, resolved: Resolved) -> str:
    """The tenant that an object names, or else its Project does; empty when neither says one."""
    own = tenant_in(resolved.spec, parent.spec)
    root = _root(catalog, resolved)
    return own or (str(root.spec.get("tenant") or "") if root is not None else "")


def granted(kind: Kind, parent: Parent, shown: Related, spaces: Mapping[str, Space]) -> Related:
    """What was shown, less the objects that this one may not refer to."""
    hidden = {(f"{kinds}.{GROUP}/{VERSION}", f"{space}/{name}") for kinds, space, name in _denied(kind, parent, spaces)}
    if not hidden:
        return shown
    return {group: {k: v for k, v in items.items() if (group, k) not in hidden} for group, items in shown.items()}


def standing(
    kind: Kind,
    catalog: Catalog,
    parent: Parent,
    resolved: Resolved,
    called: str,
    policy: Policy,
    spaces: Mapping[str, Space],
) -> Standing:
    """Judge an object by its own words and those of its Namespaces; `called` is the tenant that calls are made as."""
    name, meta = named(kind, catalog, parent, resolved), parent.metadata
    home = spaces.get(meta.namespace or "") if policy.allowing else None
    root = _root(catalog, resolved)
    unknown = not name and root is not None and root.raw is None
    own = () if name == called or unknown else _judged(name, meta, home)
    refused = [*own, *_required(kind, name, policy), *_not_granted(kind, parent, spaces)]
    if policy.references == SAME_TENANT:
        refused += _other_tenants(catalog, parent, resolved, name)
    barred = () if unknown and not called else _judged(called, meta, home)
    return Standing(barred, tuple(refused))


def _judged(tenant: str, meta: ObjectMeta, home: Space | None) -> tuple[Violation, ...]:
    """What stands against calls as this tenant; `home` is the object's Namespace, where that decides."""
    if not fits(tenant):
        return (_unfit(tenant),)
    if home is not None and tenant not in home.tenants:
        return (_not_allowed(tenant, meta, home),)
    return ()


def _root(catalog: Catalog, resolved: Resolved) -> Target | None:
    """The reference to what everything lies in: a Project."""
    return next((t for t in resolved.targets if t.kind and catalog[t.kind].owner is None), None)


def _unfit(tenant: str) -> Violation:
    text = (
        f"tenant {tenant[:80]!r} is no name of a tenant: it may have up to 127 letters, digits, '_', '-' and single '.'"
    )
    return Violation("TenantMustBeAName", text)


def _required(kind: Kind, name: str, policy: Policy) -> Iterator[Violation]:
    if policy.vault and kind.owner is None and not name:
        yield Violation("TenantRequired", "tenant is required: with Vault each tenant has credentials of its own")


def _not_allowed(tenant: str, meta: ObjectMeta, home: Space) -> Violation:
    what = f"tenant {tenant!r} is" if tenant else "to name no tenant is"
    told = f": {home.fault}" if home.fault else ""
    text = (
        f"{what} not allowed in Namespace {meta.namespace}{told}. Whoever administers the cluster lists the tenants "
        f"of a Namespace in its annotation arubacloud.com/tenants"
    )
    return Violation("TenantMustBeAllowed", text, NOT_ALLOWED)


def _denied(kind: Kind, parent: Parent, spaces: Mapping[str, Space]) -> Iterator[tuple[str, str, str]]:
    """Kind, namespace and name of each reference into a Namespace that does not grant it."""
    own = parent.metadata.namespace or ""
    for field, ref in references(kind, parent.spec):
        space = spaces.get(ref.namespace)
        if field.to is not None and ref.namespace != own and space is not None and own not in space.grants:
            yield field.to.kind, ref.namespace, ref.name


def _not_granted(kind: Kind, parent: Parent, spaces: Mapping[str, Space]) -> list[Violation]:
    """The same text whether there is such an object or not."""
    own = parent.metadata.namespace
    return [
        Violation(
            "ReferenceMustBeGranted",
            f"the reference to {what} {space}/{name} is not permitted: Namespace {space} must list {own} in its "
            f"annotation {GRANTED}",
            NOT_PERMITTED,
        )
        for what, space, name in dict.fromkeys(_denied(kind, parent, spaces))
    ]


def _other_tenants(catalog: Catalog, parent: Parent, resolved: Resolved, name: str) -> list[Violation]:
    found = []
    for target in resolved.targets:
        other = _tenant_of(catalog, target, parent, name)
        if target.raw is not None and other != name:
            text = f"the reference to {target.kind} {target.path} is not permitted: it is of tenant {other!r}"
            found.append(Violation("ReferenceMustStayInTenant", f"{text}, this one of {name!r}", NOT_PERMITTED))
    return found


def _tenant_of(catalog: Catalog, target: Target, parent: Parent, name: str) -> str:
    """What it names, or what it was made under; a neighbour in the same Project is of the same tenant."""
    meta: Raw = (target.raw or {}).get("metadata") or {}
    said = str(target.spec.get("tenant") or "")
    if said or not target.kind or catalog[target.kind].owner is None:
        return said
    noted = str((meta.get("annotations") or {}).get(RESOURCE_TENANT, ""))
    made_under, found, uid = noted.rpartition(" ")
    if found and uid == target.uid:
        return made_under
    return name if target.spec.get("projectReference") == parent.spec.get("projectReference") else ""
