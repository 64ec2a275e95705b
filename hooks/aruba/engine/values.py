"""The frozen words of one pass, and the two ports through which it reaches the cloud and Kubernetes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import Enum
from typing import Any, NamedTuple, Protocol

from hooks.aruba.model.failure import Failure
from hooks.aruba.model.live import Live
from hooks.aruba.model.phases import Phase
from hooks.aruba.model.wire import Around, Call, Listing, Reading
from hooks.meta.deadline import Deadline
from hooks.meta.outcomes import Patched, Stale, Trouble

Raw = dict[str, Any]

Wish = Enum("Wish", "KEEP DELETE RELEASE")
"""What is wanted: the resource, its end, or only that we let go of it."""
Refs = Enum("Refs", "READY WAITING WRONG")
"""References and validation: all Active, some not yet, or in conflict with the spec."""
Cloud = Enum("Cloud", "UNASKED SILENT UNSEEN ABSENT CHANGING SETTLED FAILED STRANGE LEAVING FOREIGN AMBIGUOUS")
"""What a look showed. UNASKED: not due yet. SILENT: no answer. UNSEEN: not found, without proof. ABSENT: proven."""
Mark = Enum("Mark", "MISSING INTENT YOUNG OLD")
"""The create-pending annotation: none, nothing tried yet, tried within the window, tried before it."""
Diff = Enum("Diff", "NONE CHANGE REFUSED BOTH")
"""Spec against cloud: equal, a change that a call settles, one that nothing settles, both."""
Family = Enum("Family", "NONE SOME USED UNREAD")
"""While deleting: owned children left, none but somebody uses this one, or the lists could not be read."""
Memory = Enum("Memory", "NEW ANNOUNCED REPLIED SEEN REJECTED GONE")
"""All that status is trusted for: no intent yet; intent recorded; an ID from a POST's reply; an ID that a read has
seen; refused for this generation; already shown Deleted."""
Step = Enum("Step", "WAIT CLAIM ANNOUNCE REMARK CREATE CHANGE SETTLE CASCADE DELETE LET_GO HOLD")
"""The one next thing to do."""


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


class CloudPort(Protocol):
    """The Aruba Cloud API as the engine sees it. Nothing here raises for what the other side does."""

    async def ready(self, tenant: str, deadline: Deadline) -> Failure | None:
        """Have a token and a place in the rate limit at hand, so that the next `send` leaves at once."""

    async def listing(
        self, tenant: str, path: str, since: datetime, deadline: Deadline, *, proof: bool
    ) -> Listing | Failure:
        """The collection, from a read started at or after `since`. With `proof`, it is read until absence counts."""

    async def item(
        self, tenant: str, path: str, resource_id: str, since: datetime, deadline: Deadline, *, proof: bool
    ) -> Reading | Failure:
        """One resource, from any read started at or after `since`; with `proof` by its own URL, so that absence counts.

        Without `proof` an answer of `live=None` says only that no listing showed it.
        """

    async def around(
        self, tenant: str, path: str, resource_id: str, since: datetime, deadline: Deadline
    ) -> Around | Failure:
        """What answers around a resource that is not found, so that its absence can be believed or not."""

    async def send(self, tenant: str, call: Call, deadline: Deadline, leave_by: float | None = None) -> Live | Failure:
        """Make one write. An answer without a body is a `Live` of an empty mapping.

        After `leave_by` (monotonic seconds) nothing leaves any more, no second attempt either.
        """


class KubePort(Protocol):
    """The Kubernetes API as the engine sees it."""

    async def annotate(
        self,
        plural: str,
        namespace: str,
        name: str,
        *,
        uid: str,
        resource_version: str,
        annotations: Mapping[str, str | None],
        labels: Mapping[str, str | None],
        deadline: Deadline,
    ) -> Patched | Stale | Trouble:
        """Merge annotations and labels (None removes), fenced by UID and resourceVersion (design §5.2)."""

    async def read(self, plural: str, namespace: str, name: str, deadline: Deadline) -> Raw | Trouble | None:
        """The live object, None when there is none."""

    async def labelled(self, plural: str, selector: str, deadline: Deadline) -> list[Raw] | Trouble:
        """Live objects of a kind in all namespaces that match a label selector."""

    async def delete(
        self, plural: str, namespace: str, name: str, uid: str, deadline: Deadline
    ) -> Stale | Trouble | None:
        """Delete one object, if it still has this UID; one that is gone counts as done."""

    def tell(self, raw: Raw, kind: str, warning: bool, reason: str, message: str) -> None:
        """Record an Event about an object, in the background: it never delays or fails a pass."""


class Clock(Protocol):
    """Time as the engine may know it: `now` follows the API server's clock, so that replicas agree."""

    def now(self) -> datetime: ...

    def monotonic(self) -> float: ...


class Ports(NamedTuple):
    """What a pass reaches the world by."""

    cloud: CloudPort
    kube: KubePort
    clock: Clock
