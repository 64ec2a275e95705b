"""At the end: what stands around the object in Kubernetes, and whether its definition goes with it. For `reconcile`."""

from __future__ import annotations

from dataclasses import replace

from hooks.aruba.engine import family
from hooks.aruba.engine.findings import Kin
from hooks.aruba.engine.notes import PROTECTION
from hooks.aruba.engine.policies import of_namespace, policies, stays
from hooks.aruba.engine.ports import KubePort
from hooks.aruba.engine.story import Known, Observed
from hooks.aruba.engine.subtree import blockers
from hooks.aruba.engine.values import Cloud, Memory, Wish
from hooks.contract.requests import SyncCall
from hooks.meta.deadline import Deadline
from hooks.meta.outcomes import Trouble

PROTECTED = f"It is protected: remove {PROTECTION} from it, its Namespace or the settings"


async def relatives(
    known: Known, observed: Observed, call: SyncCall, kube: KubePort, deadline: Deadline
) -> tuple[Known, Kin]:
    """The family matters at the end only, until our DELETE is under way. What goes with its definition is let go of:
    a kind that is uninstalled must not take what is in the cloud with it (design §5.6).
    """
    if known.barred and known.wish is Wish.DELETE and observed.cloud is not Cloud.ABSENT:
        return known, Kin(blocked=tuple(violation.text for violation in known.barred))
    ending = known.wish in (Wish.DELETE, Wish.ORPHAN)
    if not ending or known.memory is Memory.GONE or known.past.asked_to_delete:
        return known, Kin()
    if known.policies.deletion_here != "delete":
        leaving = await kube.leaving(known.kind.names.plural, deadline)
        if leaving is True:
            return replace(known, wish=Wish.RELEASE), Kin()
        if isinstance(leaving, Trouble) and known.policies.deletion_here != "orphan":
            return known, Kin(trouble=leaving)
    if known.policies.deletion_here == "orphan":  # the way out: it rests on as little as it can
        kin = await _family(known, call, kube, deadline)
        return known, Kin(children=kin.children, trouble=kin.trouble)
    return await _ending(known, call, kube, deadline)


async def _ending(known: Known, call: SyncCall, kube: KubePort, deadline: Deadline) -> tuple[Known, Kin]:
    """The words are read again: what a cache shows of a Namespace may be from before somebody protected it."""
    meta = known.parent.metadata
    space = await kube.space(meta.namespace or "", deadline)
    if space is None or isinstance(space, Trouble):
        return known, Kin(trouble=space or Trouble(f"the Namespace {meta.namespace} is not found"))
    words = policies(meta, of_namespace(space), known.policy.defaults)
    keeps = known.wish is Wish.ORPHAN or stays(words, known.origin)
    known = replace(known, policies=words, wish=Wish.ORPHAN if keeps else Wish.DELETE)
    if words.deletion == "orphan":
        kin = await _family(known, call, kube, deadline)
        return known, Kin(children=kin.children, trouble=kin.trouble)
    return known, await _deletion(known, call, kube, deadline)


async def _deletion(known: Known, call: SyncCall, kube: KubePort, deadline: Deadline) -> Kin:
    """The whole subtree is read before its first member is touched; once that is under way each looks after itself.
    Below what stays itself, what is to stay is in nobody's way.
    """
    goes = known.wish is Wish.DELETE
    kin = await _family(known, call, kube, deadline)
    if kin.trouble is None and known.policies.protected and (goes or (kin.children and not _begun(known))):
        return Kin(blocked=(PROTECTED,))
    if kin.trouble is not None or _begun(known) or not kin.children:
        return kin
    found = await blockers(known.catalog, kin.children, known.policy.defaults, goes, kube, deadline)
    return kin._replace(trouble=found) if isinstance(found, Trouble) else kin._replace(blocked=found)


def _begun(known: Known) -> bool:
    """Children have been asked to go."""
    return bool(known.past.condition("Ready").get("reason") == "ChildrenExist")


async def _family(known: Known, call: SyncCall, kube: KubePort, deadline: Deadline) -> Kin:
    """Live lists, until what was shown is on its way: a cache may not know yet who is protected, nor who is gone."""
    shown = family.shown(known.kind, known.catalog, call.parent, call.related)
    going = shown.children and all(child.deleting for child in shown.children)
    if _begun(known) and going and not known.overdue:
        return shown
    return await family.listed(known.kind, known.catalog, call.parent, kube, deadline)
