"""From a hook call to `Known`: everything that needs no look at the world. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import Any

from hooks.aruba.engine import notes, tenancy
from hooks.aruba.engine.findings import Resolved
from hooks.aruba.engine.ownership import claim
from hooks.aruba.engine.policies import Policies, of_namespace, policies, stays
from hooks.aruba.engine.recall import Past, memory, origin, parent_ids, recall
from hooks.aruba.engine.resolve import resolve
from hooks.aruba.engine.sendable import unfit
from hooks.aruba.engine.spaces import Space
from hooks.aruba.engine.story import Known, Observed, Policy
from hooks.aruba.engine.validate import validate
from hooks.aruba.engine.values import Mark, Memory, Origin, Wish
from hooks.aruba.model.catalog import Catalog
from hooks.aruba.model.kind import Kind
from hooks.aruba.model.phases import Phase, Reason
from hooks.contract.requests import Parent, SyncCall


def know(
    kind: Kind,
    catalog: Catalog,
    call: SyncCall,
    policy: Policy,
    now: datetime,
    spaces: Mapping[str, Space] = MappingProxyType({}),
) -> Known:
    """Read the object, its past and its references; `spaces` are the Namespaces that decide what it may."""
    parent = call.parent
    past, pending = recall(parent), notes.pending(parent.metadata)
    mark = _mark(past, pending, now, policy)
    anew = _asked_anew(past, parent)
    resolved = resolve(kind, parent, tenancy.granted(kind, parent, call.related, spaces), now)
    words = policies(parent.metadata, of_namespace(_namespace(call)), policy.defaults)
    came = origin(past, parent.metadata, pending, kind.names.singular)
    remembers = memory(past, parent.metadata, now, anew)
    if came is Origin.ADOPTED and past.resource_id and mark is Mark.MISSING:
        mark = Mark.OLD  # nothing of ours was ever on its way for it
    if words.observing and remembers is Memory.NEW and mark is Mark.MISSING:
        remembers, mark = Memory.ANNOUNCED, Mark.INTENT  # no intent is written, and what follows from it can be told
    tenant = _tenant(parent, past, mark, tenancy.named(kind, catalog, parent, resolved))
    barred, refused = tenancy.standing(kind, catalog, parent, resolved, tenant, policy, spaces)
    return Known(
        kind=kind,
        catalog=catalog,
        parent=parent,
        policy=policy,
        now=now,
        wish=wished(call, words, came),
        past=past,
        memory=remembers,
        pending=pending,
        mark=mark,
        resolved=resolved,
        violations=(*barred, *refused, *validate(kind, parent, resolved)),
        barred=barred,
        unfit=() if past.resource_id or notes.adoptee(parent.metadata) else unfit(kind, parent, resolved),
        claim=claim(kind, parent, resolved, past, came),
        tenant=tenant,
        path=_path(kind, parent, past, mark, resolved),
        due=anew or is_due(past, parent, now),
        policies=words,
        origin=came,
        asked_anew=anew,
        timeout=words.timeout or policy.phase_timeout,
    )


def _namespace(call: SyncCall) -> Mapping[str, Any] | None:
    """The object's own Namespace, as `customize` asks for it."""
    return call.related.get("Namespace.v1", {}).get(call.parent.metadata.namespace or "")


def _mark(past: Past, pending: notes.Pending, now: datetime, policy: Policy) -> Mark:
    """How the mark reads. `none` beside a status that speaks of a request on its way was put back from a copy of the
    object: the true mark is lost.
    """
    mark = pending.mark(now, policy.window)
    creating = past.condition(Phase.CREATING)
    under_way = creating.get("status") == "True" and creating.get("reason") == Reason.SYNCHRONIZING
    return Mark.MISSING if mark is Mark.INTENT and under_way and not past.resource_id else mark


def wished(call: SyncCall, words: Policies, came: Origin) -> Wish:
    """What is wanted of this object. Finalize without a deletionTimestamp means that labels stopped matching: let go
    (cases 11). What was adopted is deleted only where the object itself says so.
    """
    if not call.finalizing:
        return Wish.KEEP
    if not call.parent.metadata.deleting:
        return Wish.RELEASE
    return Wish.ORPHAN if stays(words, came) else Wish.DELETE


def proven(known: Known, observed: Observed) -> Known:
    """Without another proof only our tag shows that we made it; the object may say that it is to go all the same."""
    live = observed.live
    doubtful = known.origin is Origin.UNPROVEN and known.wish is Wish.DELETE and not known.policies.deletion_here
    if not doubtful or live is None or known.tag in live.tags:
        return known
    return replace(known, wish=Wish.ORPHAN, origin=Origin.ADOPTED)


def is_due(past: Past, parent: Parent, now: datetime) -> bool:
    """Whether a failed call may be tried again: its pause is over, or the spec changed since."""
    if past.next_attempt is None or now >= past.next_attempt:
        return True
    return past.condition("Ready").get("observedGeneration") != parent.metadata.generation


def _asked_anew(past: Past, parent: Parent) -> bool:
    """Whether somebody wants a fresh pass, now (cases 67)."""
    asked = notes.reconcile_at(parent.metadata)
    return bool(asked) and asked != past.handled


def _made(past: Past, mark: Mark) -> bool:
    """A resource exists or may exist: what was recorded at its attempt counts, not what the spec says by now."""
    return bool(past.resource_id) or mark in (Mark.YOUNG, Mark.OLD)


def _tenant(parent: Parent, past: Past, mark: Mark, named: str) -> str:
    """Calls about an existing resource use the tenant it was created under (design §5.8), if it was under any."""
    recorded = notes.recorded(parent.metadata, notes.RESOURCE_TENANT)
    return recorded if recorded and _made(past, mark) else named


def _path(kind: Kind, parent: Parent, past: Past, mark: Mark, resolved: Resolved) -> str | None:
    recorded = notes.recorded(parent.metadata, notes.RESOURCE_PATH)
    if recorded and _made(past, mark):
        return recorded
    stood, stands = parent_ids(kind, past), resolved.parents(kind)
    lost = mark is Mark.MISSING and past.announced
    ids = (stood or stands) if past.resource_id or lost else (stands or stood)
    try:
        return None if ids is None else kind.collection.at(ids)
    except ValueError:
        return None  # an ID in a status that somebody meddled with leads nowhere
