"""One pass over one parent, in Metacontroller's order (mc §3.3): finalizer, related objects, hook, finalizer, status.

`run.py`'s workers call it with a key from the queue. The parent comes from the cache, stale as it may be; only the
answer to the finalizer's own PUT is fresher.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from hooks.local.metacontroller.api import Api, Object, key_of
from hooks.local.metacontroller.cache import Informer
from hooks.local.metacontroller.declaration import Composite
from hooks.local.metacontroller.errors import ApiError, EngineError, HookError
from hooks.local.metacontroller.events import Recorder
from hooks.local.metacontroller.queue import WorkQueue
from hooks.local.metacontroller.related import Related
from hooks.local.metacontroller.reply import Reply, composite_reply
from hooks.local.metacontroller.wire import Hook

__all__ = ["Pass"]


class Pass:
    def __init__(
        self,
        composite: Composite,
        parents: Informer,
        related: Related,
        hooks: dict[str, Hook],
        api: Api,
        queue: WorkQueue,
        events: Recorder,
    ) -> None:
        self._composite = composite
        self._parents = parents
        self._related = related
        self._hooks = hooks
        self._api = api
        self._queue = queue
        self._events = events

    async def run(self, key: str) -> None:
        """Raises `EngineError` for a pass that failed, after an Event; `Busy` and `NotSynced` go by without one."""
        parent = self._parents.get(key)
        if parent is None:
            return
        try:
            await self._sync(key, parent)
        except EngineError as failure:
            self._events.warn(parent, "SyncError", f"Sync error: {failure}")
            raise

    async def _sync(self, key: str, parent: Object) -> None:
        if not self._composite.concerns(parent):
            return
        parent = await self._keep_finalizer(parent)
        if not self._composite.concerns(parent):
            return
        related = await self._related.objects(parent)
        reply = await self._ask(parent, related)
        if reply.resync_after > 0:
            self._queue.add_after(key, reply.resync_after)
        if reply.finalized:
            parent = await self._update("can't remove finalizer for", parent, self._remove)
        await self._write_status(parent, reply.status)

    async def _keep_finalizer(self, parent: Object) -> Object:
        """Ours before the first hook call, so that no side effect is left behind; never on an object being deleted."""
        wanted = "finalize" in self._hooks
        if (self._composite.finalizer in _finalizers(parent)) == wanted:
            return parent
        if not wanted:
            return await self._update("can't sync finalizer for", parent, self._remove)
        if parent["metadata"].get("deletionTimestamp"):
            return parent
        return await self._update("can't sync finalizer for", parent, self._add)

    def _add(self, live: Object) -> bool:
        if self._composite.finalizer in _finalizers(live):
            return False
        live["metadata"]["finalizers"] = [*_finalizers(live), self._composite.finalizer]
        return True

    def _remove(self, live: Object) -> bool:
        if self._composite.finalizer not in _finalizers(live):
            return False
        live["metadata"]["finalizers"] = [name for name in _finalizers(live) if name != self._composite.finalizer]
        return True

    async def _ask(self, parent: Object, related: dict[str, dict[str, Object]]) -> Reply:
        leaving = bool(parent["metadata"].get("deletionTimestamp")) or not self._composite.selects(parent)
        hook = "finalize" if leaving and "finalize" in self._hooks else "sync"
        body = {
            "controller": self._composite.raw,
            "parent": parent,
            "children": {},
            "related": related,
            "finalizing": hook == "finalize",
        }
        try:
            return composite_reply(await self._hooks[hook].call(body))
        except HookError as failure:
            told = f"sync hook failed for {self._called(parent)}: {hook} hook failed (version=v2): {failure}"
            raise HookError(told) from failure

    async def _write_status(self, parent: Object, status: Object) -> None:
        """Replace the live status where it differs. Whoever won the race or deleted the object keeps its say."""
        wanted = status | {"observedGeneration": parent["metadata"].get("generation", 0)}

        def replace(live: Object) -> bool:
            if _same(live.get("status"), wanted):
                return False
            live["status"] = wanted
            return True

        try:
            await self._update("can't update status for", parent, replace, status=True)
        except ApiError as refused:
            if refused.code not in (404, 409):
                raise

    async def _update(
        self, failing: str, parent: Object, change: Callable[[Object], bool], *, status: bool = False
    ) -> Object:
        try:
            return await self._api.update(self._parents.resource, parent, change, status=status)
        except ApiError as refused:
            raise ApiError(refused.code, f"{failing} {self._called(parent)}: {refused}") from refused

    def _called(self, parent: Object) -> str:
        return f"{self._parents.resource.kind} {key_of(parent)}"


def _finalizers(item: Object) -> list[str]:
    return item["metadata"].get("finalizers") or []


def _same(one: object, other: object) -> bool:
    """Equal as Go sees it: 1, 1.0 and true are three values."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
