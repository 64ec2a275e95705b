"""What a pass says about its object: phase, reason and words, before they are laid into a status."""

from __future__ import annotations

from typing import NamedTuple

from hooks.aruba.engine.values import Raw
from hooks.aruba.model.failure import Failure
from hooks.aruba.model.phases import Phase, Reason


class Verdict(NamedTuple):
    """`text` is for people and becomes `status.message`; `error` makes the phase's condition an ERROR one."""

    phase: Phase
    reason: Reason
    text: str
    ready_reason: str
    ready: str = "False"
    stalled: bool = False
    failure: Failure | None = None
    error: str = ""
    after: float | None = None
    """Seconds to the next pass; None is the net."""
    restart: bool = False
    """The phase's clock starts anew: it was just entered, or made progress."""
    pause: float | None = None
    """Seconds in which no failed call is tried again."""
    confirmed: bool = False
    """A read has seen the resource: its creation is Synchronized."""
    forget: bool = False
    """The recorded ID is of a resource that is gone."""
    resource_id: str = ""
    """The ID to record, where it is a new one."""
    change: str | None = None
    """Digest of the change that was taken or refused, and which of these, as `lastChange` shows it."""
    applied: str | None = None
    """Digest of the spec that the cloud was seen to have."""
    untimed: bool = False
    """A person asked for this to wait: no time-out applies."""
    finalized: bool = False
    keep: Raw | None = None
    """Answer with this status, byte for byte: nothing new is known."""


def line(verdict: Verdict) -> str:
    """The message of the phase's condition, in upstream's exact form (behaviour §2.1)."""
    head = f"{verdict.phase} {verdict.reason}"
    failure = verdict.failure
    if failure is not None:
        detail = f"status: {failure.status}, detail: {failure.detail or failure.text}"
        return f"{head} - ERROR [{failure.category}]: {failure.title} ({detail})"
    return f"{head} - ERROR: {verdict.error}" if verdict.error else f"{head} - OK"
