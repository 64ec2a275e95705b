"""The two ports through which a pass reaches the cloud and Kubernetes, and the clock that it goes by."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple, Protocol

from hooks.aruba.engine.values import Raw
from hooks.aruba.model.failure import Failure
from hooks.aruba.model.live import Live
from hooks.aruba.model.wire import Around, Call, Listing, Reading
from hooks.meta.deadline import Deadline
from hooks.meta.outcomes import Patched, Stale, Trouble


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

    async def unfinalize(
        self,
        plural: str,
        namespace: str,
        name: str,
        *,
        uid: str,
        resource_version: str,
        finalizers: list[str],
        deadline: Deadline,
    ) -> Patched | Stale | Trouble:
        """Leave only these finalizers on an object, fenced like `annotate`."""

    async def space(self, name: str, deadline: Deadline) -> Raw | Trouble | None:
        """The live Namespace, None when there is none."""

    async def leaving(self, plural: str, deadline: Deadline) -> bool | Trouble:
        """Whether the CustomResourceDefinition of these objects is itself being deleted."""

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
