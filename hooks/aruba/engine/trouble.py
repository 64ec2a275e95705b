"""One table: what each class of failure does while creating, changing, looking and deleting (design §7)."""

from __future__ import annotations

from types import MappingProxyType
from typing import NamedTuple

from hooks.aruba.engine import schedule
from hooks.aruba.model.failure import Cause, Failure


class Effect(NamedTuple):
    """What a failure means: the word in `Ready.reason`, whether a person must act, and the longest pause."""

    reason: str
    stalled: bool
    cap: float
    advice: str = ""


CREATING = {
    Cause.SEMANTIC: Effect("ValidationFailed", True, 3600.0, "correct the spec; it is tried again then, and hourly"),
    Cause.NOT_READY: Effect("DependencyNotReady", False, 300.0, "tried again by itself"),
    Cause.GONE: Effect("DependencyNotReady", False, 300.0, "tried again by itself"),
    Cause.CONFLICT: Effect("Conflict", False, 300.0, "tried again by itself"),
    Cause.TRANSIENT: Effect("CloudRefused", False, 300.0, "not the spec's fault as far as can be told; tried again"),
    Cause.ACCOUNT: Effect("AccountOrBilling", False, 300.0, "look at the account and its billing; tried again"),
    Cause.HELD: Effect("DependencyInUse", False, 30.0, "goes on by itself once it is released"),
    Cause.BLIND: Effect(
        "TenantUnreadable", False, 60.0, "check the credentials and the API; looked at again by itself"
    ),
    Cause.THROTTLED: Effect("Throttled", False, 60.0, "tried again when the cloud allows"),
    Cause.CREDENTIALS: Effect(
        "CredentialsUnavailable", False, 120.0, "check the credentials of this tenant, and where they come from"
    ),
    Cause.FORBIDDEN: Effect("Forbidden", False, 300.0, "give these credentials the permission; tried again"),
    Cause.TECHNICAL: Effect("ApiUnreachable", False, 25.0, "tried again by itself"),
    Cause.BUSY: Effect("Throttled", False, 10.0, "tried again by itself"),
}
DELETING = {
    **CREATING,
    Cause.SEMANTIC: Effect("DeleteRefused", True, 300.0, "tried again every few minutes"),
    Cause.NOT_READY: Effect("DeleteRefused", False, 300.0, "tried again by itself"),
    Cause.CONFLICT: Effect("DeleteRefused", False, 300.0, "tried again by itself"),
    Cause.TRANSIENT: Effect("DeleteRefused", False, 300.0, "tried again by itself"),
    Cause.ACCOUNT: Effect("AccountOrBilling", False, 300.0, "look at the account and its billing; tried again"),
    Cause.HELD: Effect("InUse", True, 300.0, "delete these first; goes on by itself then"),
}


PAUSES = MappingProxyType({row.reason: row.cap for cause, row in CREATING.items() if cause is not Cause.BLIND})
"""What `Ready.reason` says after a create or a change that did not work, and the longest pause that it explains."""


def effect(failure: Failure, deleting: bool) -> Effect:
    """The row of the table for a failure."""
    row = (DELETING if deleting else CREATING)[failure.cause]
    return row._replace(reason=failure.reason) if failure.reason else row


def pause(failure: Failure, of: Effect, elapsed: float, uid: str, flat: bool) -> float:
    """Seconds until the call is tried again: what the cloud asked for, or a growing pause up to the row's cap.

    With `flat`, what the cloud found invalid is not repeated before the cap.
    """
    if flat and failure.cause is Cause.SEMANTIC:
        return of.cap
    own = schedule.pause(elapsed, uid, of.cap)
    return max(own, failure.retry_after) if failure.retry_after else own
