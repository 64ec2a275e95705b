"""The lifecycle machine's house and loop, and its user: applies, edits, annotates, replaces and deletes.

`lifecycle_life` adds everybody else, and what is judged.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import Any

import looptime
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from hooks.simulator import ADMIN
from tests.properties import lifecycle
from tests.properties.lifecycle import ANNOTATIONS, EDITS, FIRST, SPECS, Watched
from tests.world.house import House, living

Object = dict[str, Any]
NAMES = st.sampled_from(list(SPECS))


class Stage(RuleBasedStateMachine):
    """One house and one loop of virtual time; each rule runs on it until it is done."""

    def __init__(self) -> None:
        super().__init__()
        self._runner = asyncio.Runner(loop_factory=looptime.new_event_loop)
        self._open = AsyncExitStack()
        self._foreign: set[str] = set()
        self._sound, self._idle = True, 0
        self._asked = 0
        self.house: House = self._run(self._open.enter_async_context(living(**lifecycle.house())))
        self.watched = Watched(self.house)

    def _run(self, work: Any) -> Any:
        """After a failure nothing more is judged."""
        sound, self._sound = self._sound, False
        result = self._runner.run(work)
        self._sound = sound
        return result

    @initialize(order=st.permutations(FIRST), whole=st.booleans())
    def begin(self, order: list[str], whole: bool) -> None:
        """Somebody else has a project too; ours is applied, and perhaps has time to become Active."""
        self._run(self._begin(order, whole))

    async def _begin(self, order: list[str], whole: bool) -> None:
        await self._made_at_console({"kind": "Project", "name": "another-one"})
        await self.house.apply(*(lifecycle.manifest(name) for name in order))
        await asyncio.sleep(30.0 if whole else 1.0)

    # the user

    @rule(name=NAMES)
    def create(self, name: str) -> None:
        self._run(self._create(name))

    async def _create(self, name: str) -> None:
        answer = await self.house.kube.post(self.house.path(lifecycle.manifest(name)), json=lifecycle.manifest(name))
        assert answer.status_code in (201, 409), answer.text

    @rule(name=NAMES)
    def delete(self, name: str) -> None:
        self._run(self._delete(name))

    async def _delete(self, name: str) -> None:
        """Once the finalizer is there: before it nobody could be told."""
        live = await self._get(name)
        if live is not None and live["metadata"].get("finalizers"):
            await self.house.delete(SPECS[name][0], name)

    @rule(name=NAMES, data=st.data())
    def edit(self, name: str, data: st.DataObject) -> None:
        """A field that may be edited."""
        fields = EDITS[SPECS[name][0]]
        field = data.draw(st.sampled_from(sorted(fields)))
        value = data.draw(st.sampled_from(fields[field]))
        self._run(self._patch(name, {"spec": {field: value}}))

    @rule(name=NAMES, data=st.data())
    def annotate(self, name: str, data: st.DataObject) -> None:
        key = data.draw(st.sampled_from(sorted(ANNOTATIONS)))
        value = data.draw(st.sampled_from(ANNOTATIONS[key]))
        self._run(self._patch(name, {"metadata": {"annotations": {f"arubacloud.com/{key}": value}}}))

    async def _patch(self, name: str, patch: Object) -> None:
        """As far as the schema's rules let it be written."""
        url = f"{self.house.path(lifecycle.manifest(name))}/{name}"
        answer = await self.house.kube.patch(url, json=patch, headers={"Content-Type": "application/merge-patch+json"})
        assert answer.status_code in (200, 404, 422), answer.text

    @rule(name=NAMES)
    def replace(self, name: str) -> None:
        """With the manifest of the pool, metadata and all; where the schema lets that be written."""
        self._run(self._replace(name))

    async def _replace(self, name: str) -> None:
        live = await self._get(name)
        if live is not None and "deletionTimestamp" not in live["metadata"]:
            assert await self.house.replace(lifecycle.manifest(name)) in (200, 404, 409, 422)

    async def _get(self, name: str) -> Object | None:
        return await self.house.get(SPECS[name][0], name)

    async def _made_at_console(self, body: Object) -> None:
        """As far as there is a place for it."""
        status = {name: (await self._get(name) or {}).get("status", {}) for name in ("prj-a", "net-a", "data-a")}
        place = {"projectId": status["prj-a"].get("resourceID"), "parentId": status["net-a"].get("resourceID")}
        if body["kind"] == "Snapshot":
            body["properties"] = {"volume": {"uri": f"/volumes/{status['data-a'].get('resourceID')}"}}
        if body["kind"] == "Subnet":
            body["properties"] = {"type": "Advanced", "network": {"address": "10.20.2.0/25"}}
            body["parentId"] = place["parentId"]
        if body["kind"] != "Project":
            body["projectId"] = place["projectId"]
        answer = await self.house.cloud.post(f"{ADMIN}/resources", json=body)
        if answer.status_code < 300:
            self._foreign.add(answer.json()["id"])
