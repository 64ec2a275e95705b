"""At the end: what stands around the object in Kubernetes, and whether its definition goes with it. For `reconcile`."""

from __future__ import annotations

from dataclasses import replace

from hooks.aruba.engine import family
from hooks.aruba.engine.findings import Kin
from hooks.aruba.engine.notes import PROTECTION
from hooks.aruba.engine.ports import KubePort
from hooks.aruba.engine.story import Known
from hooks.aruba.engine.subtree import blockers
from hooks.aruba.engine.values import Memory, Wish
from hooks.contract.requests import SyncCall
from hooks.meta.deadline import Deadline
from hooks.meta.outcomes import Trouble

PROTECTED = f"It is protected: remove {PROTECTION} from it, its Namespace or the settings"


async def relatives(known: Known, call: SyncCall, kube: KubePort, deadline: Deadline) -> tuple[Known, Kin]:
    """The family matters at the end only, until our DELETE is under way. What goes with its definition is let go of:
    a kind that is uninstalled must not take what is in the cloud with it (design §5.6).
    """
    ending = known.wish in (Wish.DELETE, Wish.ORPHAN)
    if not ending or known.memory is Memory.GONE or known.past.asked_to_delete:
        return known, Kin()
    if known.wish is Wish.ORPHAN:
        kin = await _family(known, call, kube, deadline)
        return known, Kin(children=kin.children, trouble=kin.trouble)
    if known.policies.deletion_here != "delete":
        leaving = await kube.leaving(known.kind.names.plural, deadline)
        if isinstance(leaving, Trouble) and not leaving.lasting:
            return known, Kin(trouble=leaving)
        if leaving is True:
            return replace(known, wish=Wish.RELEASE), Kin()
    return known, await _deletion(known, call, kube, deadline)


async def _deletion(known: Known, call: SyncCall, kube: KubePort, deadline: Deadline) -> Kin:
    """The whole subtree is read before its first member is touched; once that is under way each looks after itself."""
    if known.policies.protected:
        return Kin(blocked=(PROTECTED,))
    kin = await _family(known, call, kube, deadline)
    begun = known.past.condition("Ready").get("reason") == "ChildrenExist"
    if kin.trouble is not None or begun or not kin.children:
        return kin
    found = await blockers(known.catalog, kin.children, known.policy.defaults, kube, deadline)
    return kin._replace(trouble=found) if isinstance(found, Trouble) else kin._replace(blocked=found)


async def _family(known: Known, call: SyncCall, kube: KubePort, deadline: Deadline) -> Kin:
    """What was shown spares the live lists."""
    shown = family.shown(known.kind, known.catalog, call.parent, call.related)
    if shown.children or shown.users:
        return shown
    return await family.listed(known.kind, known.catalog, call.parent, kube, deadline)
