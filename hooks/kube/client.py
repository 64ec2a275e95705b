"""The five calls of the hooks to the Kubernetes API, as plain JSON. `stack` makes a `Kube` and hands it to the engine.

It stands for the engine's Kubernetes port and, since its answers carry the server's time, for a `Clock` too.
Nothing here raises for what the other side does: failures are values (design §3).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from hooks.clock import Clock
from hooks.http import AsyncClient, Response
from hooks.kube.answers import Raw, body, found_nothing, refused_precondition, stale, trouble
from hooks.kube.events import Events
from hooks.kube.wire import MERGE_PATCH, Observe, Wire, path_of
from hooks.meta.deadline import Deadline
from hooks.meta.outcomes import Patched, Stale, Trouble

PAGE = 500


class Kube:
    """Reads and writes objects of one API group; `component` signs Events and owns the fields that we write."""

    def __init__(
        self,
        client: AsyncClient,
        clock: Clock,
        group: str = "arubacloud.com",
        version: str = "v1alpha1",
        component: str = "aruba-cloud-operator",
        observe: Observe | None = None,
    ) -> None:
        self._wire = Wire(client, clock, observe)
        self._prefix = f"/apis/{group}/{version}"
        self._component = component
        self._events = Events(self._wire, component)

    def now(self) -> datetime:
        """The API server's time."""
        return self._wire.time.now()

    def monotonic(self) -> float:
        """Seconds that never go back."""
        return self._wire.time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Suspend the calling task for so many seconds."""
        await self._wire.time.sleep(seconds)

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
        """Merge annotations and labels (None removes), if the object still has this UID and version."""
        metadata: dict[str, Any] = {"uid": uid, "resourceVersion": resource_version}
        metadata |= {key: dict(given) for key, given in (("annotations", annotations), ("labels", labels)) if given}
        answer = await self._ask(
            "PATCH",
            (plural, namespace, name),
            deadline,
            query={"fieldManager": self._component},
            content={"metadata": metadata},
            media=MERGE_PATCH,
        )
        if isinstance(answer, Trouble):
            return answer
        if answer.status_code == 200:
            return (
                Patched(raw) if (raw := body(answer)) else Trouble("the Kubernetes API answered 200 without an object")
            )
        return stale(answer) if found_nothing(answer) or refused_precondition(answer) else trouble(answer)

    async def read(self, plural: str, namespace: str, name: str, deadline: Deadline) -> Raw | Trouble | None:
        """The live object, None when there is none."""
        answer = await self._ask("GET", (plural, namespace, name), deadline)
        if isinstance(answer, Trouble):
            return answer
        if answer.status_code == 200:
            return body(answer) or Trouble("the Kubernetes API answered 200 without an object")
        return None if found_nothing(answer) else trouble(answer)

    async def labelled(self, plural: str, selector: str, deadline: Deadline) -> list[Raw] | Trouble:
        """Live objects of a kind in all namespaces that match a label selector: all of them, or Trouble."""
        found: list[Raw] = []
        query = {"labelSelector": selector, "limit": str(PAGE)}
        while True:
            answer = await self._ask("GET", (plural, "", None), deadline, query=query)
            if isinstance(answer, Trouble):
                return answer
            page = body(answer)
            if answer.status_code != 200 or not isinstance(page.get("items"), list):
                return trouble(answer)
            found += [item for item in page["items"] if isinstance(item, dict)]
            token = (page.get("metadata") or {}).get("continue")
            if not token:
                return found
            query["continue"] = str(token)

    async def delete(
        self, plural: str, namespace: str, name: str, uid: str, deadline: Deadline
    ) -> Stale | Trouble | None:
        """Delete one object, if it still has this UID; one that is gone counts as done."""
        options = {"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": {"uid": uid}}
        answer = await self._ask("DELETE", (plural, namespace, name), deadline, content=options)
        if isinstance(answer, Trouble):
            return answer
        if answer.status_code in {200, 202} or found_nothing(answer):
            return None
        return stale(answer) if refused_precondition(answer) else trouble(answer)

    def tell(self, raw: Raw, kind: str, warning: bool, reason: str, message: str) -> None:
        """Record an Event about an object, in the background: it never delays or fails a pass."""
        self._events.tell(raw, kind, warning, reason, message)

    async def drain(self, deadline: Deadline) -> None:
        """Send what Events still wait, until the deadline; the rest is dropped."""
        await self._events.drain(deadline)

    async def _ask(
        self, method: str, where: tuple[str, str, str | None], deadline: Deadline, **request: Any
    ) -> Response | Trouble:
        plural, namespace, name = where
        try:
            path = path_of(self._prefix, plural, namespace, name)
        except ValueError as fault:
            return Trouble(str(fault))
        return await self._wire.ask(method, path, deadline, what=plural, **request)
