"""The whole subtree that an object owns, read before its first child is touched (design §6, Cascade).

What is protected in it, or is to stay while its parent goes, holds the deletion; `family` asks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hooks.aruba.engine.findings import NAMED, Member
from hooks.aruba.engine.notes import DELETE_POLICY, OWNER, PROTECTION, pending
from hooks.aruba.engine.policies import of_namespace, policies, stays
from hooks.aruba.engine.ports import KubePort
from hooks.aruba.engine.recall import origin, recall
from hooks.aruba.model.catalog import Catalog
from hooks.aruba.model.phases import API_VERSION
from hooks.contract.requests import Parent
from hooks.meta.deadline import Deadline
from hooks.meta.outcomes import Trouble

AT_ONCE = 40
"""Owners in one selector: it travels in a URL."""


async def blockers(
    catalog: Catalog,
    children: Iterable[Member],
    defaults: Mapping[str, str],
    goes: bool,
    kube: KubePort,
    deadline: Deadline,
) -> tuple[str, ...] | Trouble:
    """A sentence for each object that stands against the deletion, the first few of them; empty when none does. What
    is to stay does so only where the parent `goes` in the cloud too.
    """
    found: list[Member] = []
    level = list(children)
    while level:
        found += level
        below = await _below(catalog, level, kube, deadline)
        if isinstance(below, Trouble):
            return below
        level = below
    spaces = await _spaces(found, kube, deadline)
    if isinstance(spaces, Trouble):
        return spaces
    told = [text for member in found if (text := _against(member, spaces, defaults, goes))]
    return tuple(told[:NAMED])


async def _below(catalog: Catalog, level: list[Member], kube: KubePort, deadline: Deadline) -> list[Member] | Trouble:
    """The children of these, by label and by spec."""
    below: list[Member] = []
    for kind in {member.kind.names.kind: member.kind for member in level}.values():
        owners = [member for member in level if member.kind is kind]
        for child in catalog.children(kind):
            for at in range(0, len(owners), AT_ONCE):
                some = owners[at : at + AT_ONCE]
                uids = ",".join(str(owner.raw["metadata"]["uid"]) for owner in some)
                label = f"{OWNER}{kind.names.singular}"
                shown = await kube.labelled(child.names.plural, f"{label} in ({uids})", deadline)
                if isinstance(shown, Trouble):
                    return shown
                found = [Member(child, raw) for raw in shown]
                below += [m for m in found if any(m.belongs_to(owner.raw["metadata"]) for owner in some)]
    return below


async def _spaces(found: list[Member], kube: KubePort, deadline: Deadline) -> dict[str, Mapping[str, str]] | Trouble:
    """The annotations of all Namespaces in which something of the subtree is."""
    spaces: dict[str, Mapping[str, str]] = {}
    for name in sorted({str(member.raw["metadata"].get("namespace") or "") for member in found} - {""}):
        raw = await kube.space(name, deadline)
        if isinstance(raw, Trouble):
            return raw
        spaces[name] = of_namespace(raw)
    return spaces


def _against(member: Member, spaces: Mapping[str, Mapping[str, str]], defaults: Mapping[str, str], goes: bool) -> str:
    """Why this one stands against it; one that is on its way already, or has nothing in the cloud, does not."""
    named = {"apiVersion": API_VERSION, "kind": member.kind.names.kind}  # items of a list may lack both
    parent = Parent.model_validate(member.raw | named)
    space = spaces.get(parent.metadata.namespace or "", {})
    words = policies(parent.metadata, space, defaults)
    past, attempt = recall(parent), pending(parent.metadata)
    if words.protected:
        return f"{member.path} is protected: remove {PROTECTION} from it, its Namespace or the settings"
    if not goes or member.deleting or not (past.resource_id or attempt.at):
        return ""
    came = origin(past, parent.metadata, attempt, member.kind.names.singular)
    if not stays(words, came):
        return ""
    why = "is to stay" if words.deletion == "orphan" else "was adopted, so it is to stay"
    return f"{member.path} {why}: set {DELETE_POLICY}: delete on it to have it deleted too"
