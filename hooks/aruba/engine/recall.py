"""What status is trusted for, and no more (design §5.8): the one reading of it, shared by decision and report."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from hooks.aruba.engine.notes import Pending, adoptee, predecessor
from hooks.aruba.engine.values import Memory, Origin, Raw
from hooks.aruba.model.kind import Kind
from hooks.aruba.model.phases import Phase, Reason
from hooks.contract.requests import Parent
from hooks.meta.conditions import by_type
from hooks.meta.objects import ObjectMeta
from hooks.meta.times import parse_time

REVIEW = timedelta(hours=1)
"""How long a request that the cloud found invalid is not repeated unchanged."""


TAKEN, REFUSED = "taken", "refused"
"""What became of the last change, behind its digest."""
_WORDS = ("phase", "resourceID", "origin", "cloudState", "lastChange", "appliedSpec", "lastHandledReconcileAt")


class Past(NamedTuple):
    """A status as it was shown to us."""

    raw: Raw
    phase: str
    resource_id: str
    origin: str
    """Where the resource comes from, as it was recorded; empty before."""
    started: datetime | None
    next_attempt: datetime | None
    missing: datetime | None
    """Since when neither the resource nor its project is found."""
    last_change: str
    """Digest of the change that was sent last."""
    change_taken: bool
    """The cloud took it, and has not been seen to have it."""
    applied: str
    namesakes: tuple[str, ...]
    handled: str
    cloud_state: str
    conditions: Mapping[str, Mapping[str, Any]]

    @property
    def announced(self) -> bool:
        """An intent to create was recorded at some time."""
        return Phase.CREATING in self.conditions

    @property
    def confirmed(self) -> bool:
        """The recorded ID was seen by a read, or comes from somewhere else than a POST of ours."""
        creating = self.conditions.get(Phase.CREATING)
        return creating is None or creating.get("reason") == Reason.SYNCHRONIZED

    @property
    def was_active(self) -> bool:
        return Phase.ACTIVE in self.conditions

    @property
    def asked_to_delete(self) -> bool:
        """Our DELETE was accepted: from now on only its end is looked for."""
        return self.condition(Phase.DELETING).get("reason") == Reason.SYNCHRONIZING

    def condition(self, name: str) -> Mapping[str, Any]:
        return self.conditions.get(name, {})

    def id_of(self, field: str) -> str:
        """A referenced resource's ID as recorded, empty when it is not."""
        value = self.raw.get(field)
        return value if isinstance(value, str) else ""

    def ids_of(self, field: str) -> frozenset[str]:
        value = self.raw.get(field)
        if isinstance(value, str):
            return frozenset({value.lower()} if value else ())
        return frozenset(str(item).lower() for item in value) if isinstance(value, list) else frozenset()


def recall(parent: Parent) -> Past:
    """Read a status tolerantly: what is missing or of another type counts as not there."""
    raw = parent.status or {}
    text = {key: str(raw.get(key) or "") for key in _WORDS}
    return Past(
        raw=raw,
        phase=text["phase"],
        resource_id=text["resourceID"],
        origin=text["origin"],
        started=parse_time(raw.get("phaseStartTime")),
        next_attempt=parse_time(raw.get("nextAttemptTime")),
        missing=parse_time(raw.get("missingSince")),
        last_change=text["lastChange"].partition(" ")[0],
        change_taken=text["lastChange"].endswith(f" {TAKEN}"),
        applied=text["appliedSpec"],
        namesakes=_texts(raw.get("namesakes")),
        handled=text["lastHandledReconcileAt"],
        cloud_state=text["cloudState"],
        conditions=by_type(raw.get("conditions")),
    )


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


CREATED, TAKEN_OVER, ADOPTED = "Created", "TakenOver", "Adopted"
"""Where a resource comes from, as `status.origin` shows it."""


def origin(past: Past, meta: ObjectMeta, pending: Pending, singular: str) -> Origin:
    """What proves, without a look, that the resource was made for this object: an attempt of ours, or the finalizer of
    the Go operator. Status proves nothing: where it alone says so, our tag must be seen.
    """
    if predecessor(singular) in meta.finalizers:
        return Origin.TAKEN
    if past.origin == ADOPTED and past.resource_id:
        return Origin.ADOPTED
    if pending.at is not None or not (past.resource_id or adoptee(meta)):
        return Origin.CREATED
    if adoptee(meta) and past.origin != CREATED:
        return Origin.ADOPTED
    return Origin.UNPROVEN


def memory(past: Past, meta: ObjectMeta, now: datetime, asked_anew: bool = False) -> Memory:
    """The one word that a decision may know of the past. Deleted counts only at the end of a deletion."""
    if past.phase == Phase.DELETED and meta.deleting:
        return Memory.GONE
    if past.resource_id:
        return Memory.SEEN if past.confirmed else Memory.REPLIED
    if not asked_anew and _rejected(past, meta.generation, now):
        return Memory.REJECTED
    return Memory.ANNOUNCED if past.announced else Memory.NEW


def _rejected(past: Past, generation: int, now: datetime) -> bool:
    failed = past.condition(Phase.FAILED)
    if failed.get("status") != "True" or failed.get("reason") != Reason.VALIDATION_FAILED:
        return False
    since = parse_time(past.raw.get("nextAttemptTime")) or now
    return failed.get("observedGeneration") == generation and now < since


def parent_ids(kind: Kind, past: Past) -> dict[str, str] | None:
    """The IDs that the kind's path needs, from status; None when one is not recorded."""
    ids = {name: past.id_of(kind.parent_field(name).id_field) for name in kind.collection.placeholders}
    return ids if all(ids.values()) else None
