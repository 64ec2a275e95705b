"""The frozen words of one pass: what is wanted, what was seen, and the one thing that is done."""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple

from hooks.aruba.model.phases import Phase

Raw = dict[str, Any]

Wish = Enum("Wish", "KEEP DELETE ORPHAN RELEASE")
"""What is wanted: the resource, its end, that we let go of it once what belongs to it has gone its way, or at once."""
Origin = Enum("Origin", "CREATED TAKEN ADOPTED UNPROVEN")
"""Where the resource comes from: made by us, by the Go operator for this object, by somebody else; UNPROVEN: a look
must show our tag before it counts as ours (design §5.7)."""
Refs = Enum("Refs", "READY WAITING WRONG")
"""References and validation: all Active, some not yet, or in conflict with the spec."""
Cloud = Enum(
    "Cloud", "UNASKED SILENT UNSEEN ABSENT CHANGING SETTLED FAILED STRANGE LEAVING FOREIGN AMBIGUOUS ADOPTABLE"
)
"""What a look showed. UNASKED: not due yet. SILENT: no answer. UNSEEN: not found, without proof. ABSENT: proven.
ADOPTABLE: one that is not ours yet and may be, if no other object stands for it."""
NOT_OURS = frozenset({Cloud.FOREIGN, Cloud.AMBIGUOUS, Cloud.ADOPTABLE})
"""What was seen is not this object's resource, so nothing of it is recorded."""
Mark = Enum("Mark", "MISSING INTENT YOUNG OLD")
"""The create-pending annotation: none, nothing tried yet, tried within the window, tried before it."""
Diff = Enum("Diff", "NONE CHANGE REFUSED BOTH")
"""Spec against cloud: equal, a change that a call settles, one that nothing settles, both."""
Family = Enum("Family", "NONE SOME USED BLOCKED UNREAD")
"""While deleting: owned children left, none but somebody uses this one, something protects it, or the lists could not
be read."""
Memory = Enum("Memory", "NEW ANNOUNCED REPLIED SEEN REJECTED GONE")
"""All that status is trusted for: no intent yet; intent recorded; an ID from a POST's reply; an ID that a read has
seen; refused for this generation; already shown Deleted."""
Step = Enum("Step", "WAIT CLAIM ANNOUNCE REMARK CREATE ADOPT CHANGE SETTLE CASCADE DELETE LET_GO HOLD PROPOSE SUSPEND")
"""The one next thing to do. PROPOSE stands in for a step that `mode: observe` does not let happen, SUSPEND for any."""


class Situation(NamedTuple):
    """Everything that a step is decided by; a product of small enums, so that a test can enumerate it."""

    wish: Wish
    claimed: bool
    refs: Refs
    cloud: Cloud
    mark: Mark
    diff: Diff
    family: Family
    memory: Memory
    due: bool
    """The pause after a failed call is over."""
    overdue: bool
    """The phase has lasted longer than its time-out without progress."""
    recreate: bool
    """A resource that vanished is made again."""


class Target(NamedTuple):
    """One referenced object, as the hook was shown it; `raw` is None when it does not exist."""

    field: str
    kind: str
    namespace: str
    name: str
    raw: Raw | None

    @property
    def uid(self) -> str:
        return str((self.raw or {}).get("metadata", {}).get("uid", ""))

    @property
    def status(self) -> Raw:
        status = (self.raw or {}).get("status")
        return status if isinstance(status, dict) else {}

    @property
    def spec(self) -> Raw:
        spec = (self.raw or {}).get("spec")
        return spec if isinstance(spec, dict) else {}

    @property
    def id(self) -> str:
        return str(self.status.get("resourceID") or "")

    @property
    def deleting(self) -> bool:
        return bool((self.raw or {}).get("metadata", {}).get("deletionTimestamp"))

    @property
    def ready(self) -> bool:
        """It can be referred to in a request."""
        return self.status.get("phase") == Phase.ACTIVE and bool(self.id) and not self.deleting

    @property
    def path(self) -> str:
        return f"{self.namespace}/{self.name}"

    @property
    def missing(self) -> str:
        """What it still lacks to be referred to, in words; empty when it is ready."""
        what = f"{self.kind} {self.path}"
        if self.raw is None:
            return f"{what} does not exist"
        if self.deleting:
            return f"{what} is being deleted"
        if self.ready:
            return ""
        phase = str(self.status.get("phase") or "Pending")
        return f"{what} has failed" if phase == Phase.FAILED else f"{what} is {phase}"


class Violation(NamedTuple):
    """One rule that the spec breaks; `text` is for people (behaviour §2.8)."""

    rule: str
    text: str
    reason: str = "IntentionValidationFailed"
    """The word for `Ready.reason`."""
