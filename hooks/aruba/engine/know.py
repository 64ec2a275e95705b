"""From a hook call to `Known`: everything that needs no look at the world. Pure."""

from __future__ import annotations

from datetime import datetime

from hooks.aruba.engine import notes
from hooks.aruba.engine.findings import Resolved
from hooks.aruba.engine.ownership import claim
from hooks.aruba.engine.recall import Past, memory, parent_ids, recall
from hooks.aruba.engine.resolve import resolve, tenant_in
from hooks.aruba.engine.sendable import unfit
from hooks.aruba.engine.story import Known, Policy
from hooks.aruba.engine.validate import validate
from hooks.aruba.engine.values import Mark, Wish
from hooks.aruba.model.catalog import Catalog
from hooks.aruba.model.kind import Kind
from hooks.aruba.model.phases import Phase, Reason
from hooks.contract.requests import Parent, SyncCall


def know(kind: Kind, catalog: Catalog, call: SyncCall, policy: Policy, now: datetime) -> Known:
    """Read the object, its past and its references."""
    parent = call.parent
    past, pending = recall(parent), notes.pending(parent.metadata)
    mark = _mark(past, pending, now, policy)
    anew = _asked_anew(past, parent)
    resolved = resolve(kind, parent, call.related, now)
    return Known(
        kind=kind,
        catalog=catalog,
        parent=parent,
        policy=policy,
        now=now,
        wish=wished(call),
        past=past,
        memory=memory(past, parent.metadata, now, anew),
        pending=pending,
        mark=mark,
        resolved=resolved,
        violations=validate(kind, parent, resolved),
        unfit=() if past.resource_id else unfit(kind, parent, resolved),
        claim=claim(kind, parent, resolved, past),
        tenant=_tenant(parent, past, mark, resolved),
        path=_path(kind, parent, past, mark, resolved),
        due=anew or is_due(past, parent, now),
        asked_anew=anew,
        timeout=notes.timeout(parent.metadata) or policy.phase_timeout,
    )


def _mark(past: Past, pending: notes.Pending, now: datetime, policy: Policy) -> Mark:
    """How the mark reads. `none` beside a status that speaks of a request on its way was put back from a copy of the
    object: the true mark is lost.
    """
    mark = pending.mark(now, policy.window)
    creating = past.condition(Phase.CREATING)
    under_way = creating.get("status") == "True" and creating.get("reason") == Reason.SYNCHRONIZING
    return Mark.MISSING if mark is Mark.INTENT and under_way and not past.resource_id else mark


def wished(call: SyncCall) -> Wish:
    """What is wanted of this object. Finalize without a deletionTimestamp means that labels stopped matching: let go
    (cases 11). An unreadable delete-policy is taken as the cautious one.
    """
    meta = call.parent.metadata
    if not call.finalizing:
        return Wish.KEEP
    if not meta.deleting or notes.policy(meta, notes.DELETE_POLICY, "delete") == "orphan":
        return Wish.RELEASE
    return Wish.DELETE


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


def _tenant(parent: Parent, past: Past, mark: Mark, resolved: Resolved) -> str:
    """Calls about an existing resource use the tenant it was created under (design §5.8)."""
    named = tenant_in(resolved.spec, parent.spec)
    recorded = notes.recorded(parent.metadata, notes.RESOURCE_TENANT)
    return recorded if recorded is not None and _made(past, mark) else named


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
