"""Keeps local mode away from a cluster that is not its own (interfaces, "Commands").

Everything that local mode applies carries the id of its state directory. A cluster that holds anything of
arubacloud.com without that mark is refused before the first write.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from hooks.clock import Clock
from hooks.http import AsyncClient, HTTPError

SESSION = "arubacloud.com/local-session"
GROUP = "arubacloud.com"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
CONTROLLERS = "/apis/metacontroller.k8s.io/v1alpha1/compositecontrollers"
NAMED = 5
TRUST = 10.0
"""Seconds for which a look at the definitions counts."""
REFUSAL = b'{"error": "this cluster is not the one of this local session", "hint": "use an empty cluster"}'
Object = dict[str, Any]
App = Callable[[Any, Any, Any], Awaitable[None]]


class NotOurs(Exception):
    """The cluster holds something that this local session did not put there."""


class Guard:
    """`kube` is a client of the cluster; the session's id follows from the state directory."""

    def __init__(self, kube: AsyncClient, state_dir: Path, clock: Clock) -> None:
        self._kube = kube
        self._clock = clock
        self._trusted_until = 0.0
        self.session = hashlib.sha256(str(state_dir.absolute()).encode()).hexdigest()[:16]

    def marked(self, item: Object) -> Object:
        """The object with this session's mark."""
        metadata = item["metadata"]
        annotations = {**metadata.get("annotations", {}), SESSION: self.session}
        return {**item, "metadata": {**metadata, "annotations": annotations}}

    async def check(self) -> None:
        """Raises `NotOurs`, naming what was found."""
        found = await self._foreign_definitions() + await self._foreign_objects()
        if found:
            named = ", ".join(found[:NAMED]) + (" and more" if len(found) > NAMED else "")
            raise NotOurs(f"this cluster holds {named}, not made by this local session: choose an empty cluster")

    async def _foreign_definitions(self) -> list[str]:
        found = []
        for path, kind in ((DEFINITIONS, "CRD"), (CONTROLLERS, "CompositeController")):
            names = [item["metadata"]["name"] for item in await self._items(path) if not self._ours(item)]
            found += [f"{kind} {name}" for name in names if name.endswith(f".{GROUP}")]
        return found

    async def _foreign_objects(self) -> list[str]:
        found = []
        for definition in await self._items(DEFINITIONS):
            spec = definition["spec"]
            if spec["group"] != GROUP:
                continue
            path = f"/apis/{GROUP}/{spec['versions'][0]['name']}/{spec['names']['plural']}"
            for item in await self._items(path):
                meta = item["metadata"]
                if not self._ours(item):
                    found.append(f"{spec['names']['kind']} {meta.get('namespace')}/{meta['name']}")
        return found

    async def _items(self, path: str) -> list[Object]:
        answer = await self._kube.get(path)
        if answer.status_code == 404:
            return []
        answer.raise_for_status()
        items: list[Object] = answer.json().get("items", [])
        return items

    def _ours(self, item: Object) -> bool:
        return bool((item["metadata"].get("annotations") or {}).get(SESSION) == self.session)

    def around(self, app: App) -> App:
        """The hooks, which answer 429 while the cluster's definitions do not carry this session's mark."""

        async def guarded(scope: Any, receive: Any, send: Any) -> None:
            if scope["type"] == "http" and scope["method"] == "POST" and not await self._still_ours():
                headers = [(b"retry-after", b"30"), (b"content-type", b"application/json")]
                await send({"type": "http.response.start", "status": 429, "headers": headers})
                await send({"type": "http.response.body", "body": REFUSAL})
                return
            await app(scope, receive, send)

        return guarded

    async def _still_ours(self) -> bool:
        if self._clock.monotonic() < self._trusted_until:
            return True
        try:
            foreign = await self._foreign_definitions()
        except HTTPError:
            return False
        if not foreign:
            self._trusted_until = self._clock.monotonic() + TRUST
        return not foreign
