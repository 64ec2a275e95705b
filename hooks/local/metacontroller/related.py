"""Related objects: what customize asks for, what the caches hold of it, and whom their changes wake (mc §4).

One per controller; `pass_.py` asks for the objects of a parent, the caches tell of changes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from cachetools import TTLCache

from hooks.clock import Clock
from hooks.local.metacontroller.api import Object, Resource, key_of
from hooks.local.metacontroller.cache import Informer, Informers
from hooks.local.metacontroller.declaration import Composite
from hooks.local.metacontroller.errors import Busy, EngineError, NotSynced
from hooks.local.metacontroller.reply import Rule, customize_reply
from hooks.local.metacontroller.wire import Hook

__all__ = ["Related"]

REMEMBERED_SECONDS = 20 * 60


class Related:
    """The rules of each (UID, generation), asked of customize once in 20 minutes; errors are not remembered."""

    def __init__(
        self,
        composite: Composite,
        hook: Hook | None,
        informers: Informers,
        parents: Informer,
        wake: Callable[[Object], None],
        clock: Clock,
    ) -> None:
        self._composite = composite
        self._hook = hook
        self._informers = informers
        self._parents = parents
        self._wake = wake
        self._followed: dict[tuple[str, str], Informer] = {}
        self._rules: TTLCache[tuple[str, int], tuple[Rule, ...]] = TTLCache(
            math.inf, REMEMBERED_SECONDS, timer=clock.monotonic
        )

    async def objects(self, parent: Object) -> dict[str, dict[str, Object]]:
        """The `related` of a request: a group for each rule, also an empty one (mc §2.2)."""
        groups: dict[str, dict[str, Object]] = {}
        for rule in await self.rules(parent):
            informer = await self._follow(rule)
            if not informer.synced.is_set():
                raise NotSynced
            rule.check()
            chosen = (item for item in informer.objects(rule.namespace) if rule.matches(item))
            groups.setdefault(informer.resource.group_key, {}).update((key_of(item), item) for item in chosen)
        return groups

    async def rules(self, parent: Object) -> tuple[Rule, ...]:
        if self._hook is None:
            return ()
        key = (parent["metadata"]["uid"], parent["metadata"].get("generation", 0))
        known = self._rules.get(key)
        if known is None:
            known = customize_reply(await self._hook.call({"controller": self._composite.raw, "parent": parent}))
            self._rules[key] = known
        return known

    async def _follow(self, rule: Rule) -> Informer:
        key = (rule.api_version, rule.resource)
        if key not in self._followed:
            informer = await self._informers.get(*key)
            if key not in self._followed:  # while we asked, another pass may have subscribed
                self._followed[key] = informer
                informer.subscribe(partial(self._changed, informer.resource))
        return self._followed[key]

    async def _changed(self, resource: Resource, old: Object | None, new: Object | None) -> None:
        """Wake every parent whose rules select the object as it was or as it is, asking customize where need be.

        A parent whose rules cannot be had is not woken (mc §4.4).
        """
        if old and new and old["metadata"]["resourceVersion"] == new["metadata"]["resourceVersion"]:
            return
        sides = [item for item in (old, new) if item is not None]
        for parent in self._parents.objects():
            try:
                rules = await self.rules(parent)
            except (EngineError, Busy):
                continue
            if any(_selects(rule, resource, sides) for rule in rules):
                self._wake(parent)


def _selects(rule: Rule, resource: Resource, sides: list[Object]) -> bool:
    if (rule.api_version, rule.resource) != (resource.api_version, resource.plural):
        return False
    return any(rule.matches(item) for item in sides)
