"""The calls of the hooks to the Kubernetes API, as plain JSON. `stack` makes a `Kube` and hands it to the engine.

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
DEFINITIONS = "/apis/apiextensions.k8s.io/v1"


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
        self._group = group
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
        given = (("annotations", annotations), ("labels", labels))
        changes = {key: dict(changed) for key, changed in given if changed}
        return await self._patch((plural, namespace, name), uid, resource_version, changes, deadline)

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
        """Leave only these finalizers, if the object still has this UID and version."""
        return await self._patch((plural, namespace, name), uid, resource_version, {"finalizers": finalizers}, deadline)

    async def _patch(
        self, where: tuple[str, str, str], uid: str, version: str, changes: Mapping[str, Any], deadline: Deadline
    ) -> Patched | Stale | Trouble:
        """Merge into the metadata; the two members that fence it are checked by the API server (design §5.2)."""
        answer = await self._ask(
            "PATCH",
            where,
            deadline,
            query={"fieldManager": self._component},
            content={"metadata": {"uid": uid, "resourceVersion": version, **changes}},
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
        return answer if isinstance(answer, Trouble) else _object(answer)

    async def labelled(self, plural: str, selector: str, deadline: Deadline) -> list[Raw] | Trouble:
        """Live objects of a kind in all namespaces that match a label selector, or without one: all, or Trouble."""
        found: list[Raw] = []
        query = {"limit": str(PAGE), **({"labelSelector": selector} if selector else {})}
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

    async def space(self, name: str, deadline: Deadline) -> Raw | Trouble | None:
        """The live Namespace, None when there is none."""
        return await self._cluster("/api/v1", "namespaces", name, deadline)

    async def leaving(self, plural: str, deadline: Deadline) -> bool | Trouble:
        """Whether the definition of these objects is itself being deleted, or gone: the objects go with it."""
        found = await self._cluster(DEFINITIONS, "customresourcedefinitions", f"{plural}.{self._group}", deadline)
        if isinstance(found, Trouble):
            return found
        return found is None or bool((found.get("metadata") or {}).get("deletionTimestamp"))

    async def _cluster(self, prefix: str, plural: str, name: str, deadline: Deadline) -> Raw | Trouble | None:
        try:
            path = path_of(prefix, plural, "", name)
        except ValueError as fault:
            return Trouble(str(fault))
        answer = await self._wire.ask("GET", path, deadline, what=plural)
        return answer if isinstance(answer, Trouble) else _object(answer)

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


def _object(answer: Response) -> Raw | Trouble | None:
    """What a GET brought; None when the API server itself says that there is no such object."""
    if answer.status_code == 200:
        return body(answer) or Trouble("the Kubernetes API answered 200 without an object")
    return None if found_nothing(answer) else trouble(answer)
