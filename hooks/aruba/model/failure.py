"""What can go wrong with a call, named once (design §7). Failures are values that a pass carries to its report."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class Cause(Enum):
    """Classes of failure; `cloud/errors.py` classifies, one table in `engine/trouble.py` says what each does."""

    SEMANTIC = "semantic"
    NOT_READY = "not-ready"
    THROTTLED = "throttled"
    CREDENTIALS = "credentials"
    FORBIDDEN = "forbidden"
    GONE = "gone"
    CONFLICT = "conflict"
    TRANSIENT = "transient"
    TECHNICAL = "technical"
    ACCOUNT = "account"
    """The ordering or billing layer refused: the request may be in order (F24)."""
    HELD = "held"
    """What the call needs is held by another resource: it was not made."""
    BLIND = "blind"
    """The whole tenant answers as if it were empty: nothing is believed."""
    BUSY = "busy"
    """Our own limits: the deadline of this pass, or the rate limit."""


CATEGORY = {Cause.SEMANTIC: "semantic", Cause.TECHNICAL: "technical", Cause.BUSY: "technical"}
"""Upstream's three words for a condition's message (behaviour §2.1); whatever is not here is `transient`."""


class Failure(NamedTuple):
    """One failed call.

    `text` is for people, one line; `sent` is False only when the request provably was not accepted, so that nothing
    can have been made; `retry_after` is in seconds, as the other side asked.
    """

    cause: Cause
    text: str
    status: int = 0
    title: str = ""
    detail: str = ""
    trace: str = ""
    retry_after: float | None = None
    sent: bool = True
    reason: str = ""
    """The word for `Ready.reason`, where it is another than that of the class."""

    @property
    def category(self) -> str:
        return CATEGORY.get(self.cause, "transient")
