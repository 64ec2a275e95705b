"""While an object is being deleted: its owned children, and the objects that still use it (design §6, Cascade)."""

from __future__ import annotations

from hooks.aruba.engine.findings import Kin, Member
from hooks.aruba.engine.notes import CREATE_PENDING, OWNER, uses
from hooks.aruba.engine.ports import KubePort
from hooks.aruba.engine.values import Raw
from hooks.aruba.model.catalog import Catalog
from hooks.aruba.model.kind import Kind
from hooks.aruba.model.phases import GROUP, TIMED, VERSION, Phase
from hooks.contract.requests import Parent, Related
from hooks.meta.deadline import Deadline
from hooks.meta.outcomes import Trouble


def shown(kind: Kind, catalog: Catalog, parent: Parent, related: Related) -> Kin:
    """The family among the objects that the hook was shown; those may be a moment old."""
    children = [m for child in catalog.children(kind) for m in _members(child, related)]
    users = [m for user in catalog.users(kind) for m in _members(user, related)]
    return _sorted(kind, catalog, parent, children, users)


async def listed(kind: Kind, catalog: Catalog, parent: Parent, kube: KubePort, deadline: Deadline) -> Kin:
    """The family from live lists: what the parent's own DELETE must rest on."""
    children: list[Member] = []
    users: list[Member] = []
    uid = parent.metadata.uid
    wanted = [(child, f"{OWNER}{kind.names.singular}={uid}", children) for child in catalog.children(kind)]
    wanted += [(user, f"{uses(uid)}=true", users) for user in catalog.users(kind)]
    for other, selector, into in wanted:
        found = await kube.labelled(other.names.plural, selector, deadline)
        if isinstance(found, Trouble):
            return Kin(trouble=found)
        into += [Member(other, raw) for raw in found]
    return _sorted(kind, catalog, parent, children, users)


def _members(kind: Kind, related: Related) -> list[Member]:
    return [Member(kind, raw) for raw in related.get(f"{kind.names.kind}.{GROUP}/{VERSION}", {}).values()]


def _sorted(kind: Kind, catalog: Catalog, parent: Parent, children: list[Member], users: list[Member]) -> Kin:
    """A labelled object is a child, or a user, only if its spec names this parent, and a user only while it may hold
    something in the cloud. A user outside of what goes with this object blocks it before anything is touched.
    """
    own: Raw = {"namespace": parent.metadata.namespace, "name": parent.metadata.name}
    owned = [m for m in children if m.belongs_to(own)]
    using = [m for m in users if _uses(kind, m, own) and _holds(m)]
    using.sort(key=_path)
    inside = {one.names.kind for one in catalog.below(kind)}
    outside = tuple(m for m in using if m.kind.names.kind not in inside)
    return Kin(tuple(sorted(owned, key=_path)), tuple(using), outside)


def _path(member: Member) -> str:
    return member.path


def _uses(kind: Kind, member: Member, parent: Raw) -> bool:
    fields = [f for f in member.kind.references if f.to is not None and f.to.kind == kind.names.kind]
    return any(member.names(field.name, parent) for field in fields)


def _holds(member: Member) -> bool:
    """It has, or may have, a resource: a user that never got as far as a creation holds nothing."""
    if member.phase == Phase.DELETED:
        return False
    status = member.raw.get("status") or {}
    mark = (member.raw["metadata"].get("annotations") or {}).get(CREATE_PENDING, "none")
    return bool(status.get("resourceID")) or member.phase in TIMED or not mark.startswith("none")
