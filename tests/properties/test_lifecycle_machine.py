"""Random lives of all nine kinds through the whole house, and what must be true whenever the world comes to rest.

A machine edits, annotates, creates, deletes and replaces objects, meddles at the console, lets calls fail and the cloud
be odd, and lets time pass. At rest (nothing in the way any more) each object is as the cloud has it or says truly why
not, nothing was made twice, is too much or is lost, and nobody is busy for nothing.

Few lives are played, the same at every run: four for each of two seeds. `SEEDS=N` in the environment (so also `make
test SEEDS=N`) plays N seeds; a failing test names its seed, and the steps of the life that failed.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import AsyncExitStack
from typing import Any

import looptime
import pytest
from hypothesis import HealthCheck, Phase, note, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from hooks.simulator import ADMIN
from hooks.simulator.compute.server import bind
from hooks.simulator.lifecycle import calm
from hooks.simulator.resource import unlink
from tests.properties import lifecycle, lifecycle_truth
from tests.properties.lifecycle import ANNOTATIONS, ANSWERS, EDITS, FIRST, PLACES, QUIRKS, SPECS, SPOKEN, Watched
from tests.world.house import House, living
from tests.world.judge import condition, twins

pytestmark = pytest.mark.every_kind

SEEDS = int(os.environ.get("SEEDS") or 2)
LIVES, STEPS = 4, 14
PATIENCE = 2400.0
"""Seconds of calm in which everything must have come to rest: the time-out, the longest pauses and some more."""
QUIET = 150.0
"""Seconds in which then nothing may move."""
Object = dict[str, Any]
NAMES = st.sampled_from(list(SPECS))


class Life(RuleBasedStateMachine):
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

    # the console

    @rule(name=NAMES)
    def remove_at_console(self, name: str) -> None:
        self._run(self._at_console(name, "DELETE"))

    @rule(name=NAMES, state=st.sampled_from(["Failed", "Disabled", "Rebalancing", "Deleting"]))
    def change_state_at_console(self, name: str, state: str) -> None:
        if SPECS[name][0] not in ("Project", "KeyPair"):
            self._run(self._at_console(name, "POST", {"state": state, "failureReason": "by hand"}))

    @rule(name=NAMES, keep=st.sampled_from(["ours", "none", "another"]))
    def change_tags_at_console(self, name: str, keep: str) -> None:
        self._run(self._at_console(name, "POST", tags=keep))

    @rule(name=st.sampled_from(["prj-a", "eip-a", "data-a"]))
    def change_value_at_console(self, name: str) -> None:
        self._run(self._at_console(name, "POST", {"properties": lifecycle.BY_HAND[SPECS[name][0]]}))

    async def _at_console(self, name: str, method: str, body: Object | None = None, tags: str = "") -> None:
        resource_id = ((await self._get(name)) or {}).get("status", {}).get("resourceID", "")
        rows = [row for row in await self.house.resources() if row["id"] == resource_id]
        for row in rows:
            if tags:
                kept = {"ours": [t for t in row["tags"] if t.startswith("k8s-")], "another": [lifecycle.stranger(name)]}
                body = {"metadata": {"tags": ["by-hand", *kept.get(tags, [])]}}
            await self.house.admin(method, f"resources/{resource_id}", body)

    @rule(name=st.sampled_from(["data-a", "data-b", "eip-a", "grp-b"]))
    def rewire_at_console(self, name: str) -> None:
        """What is attached to the server is detached from it, what is free is attached."""
        self._run(self._rewired(name))

    async def _rewired(self, name: str) -> None:
        ids = [((await self._get(n)) or {}).get("status", {}).get("resourceID", "") for n in ("srv-a", name)]
        now = self.house.simulator.world.settle()
        server, other = (self.house.simulator.world.store.find(one) for one in ids)
        if server is None or other is None or not (server.alive and other.alive and server.settled and other.settled):
            return
        if other.id in server.links:
            unlink(server, other)
            calm(other, now)
        elif not other.bound("CloudServer"):
            bind(server, other, now)

    @rule(kind=st.sampled_from(["VPC", "Subnet", "Snapshot", "KeyPair"]))
    def make_at_console(self, kind: str) -> None:
        """Something of somebody's in our project: a namesake, a neighbour, a snapshot."""
        self._run(
            self._made_at_console({"kind": kind, "name": {"VPC": "net-a", "KeyPair": "key-a"}.get(kind, "theirs")})
        )

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

    # what goes wrong

    @rule(
        place=st.sampled_from(PLACES),
        method=st.sampled_from(["GET", "POST", "PUT", "DELETE", None]),
        answer=st.sampled_from(sorted(ANSWERS)),
        times=st.sampled_from([1, 2, 4, None]),
    )
    def fault(self, place: str, method: str | None, answer: str, times: int | None) -> None:
        """Some calls fare otherwise, or all of a sort until the calm."""
        if answer in SPOKEN and method in ("GET", None):
            method = "POST"
        match = {"path": f"/{place}" if place else ""} | ({"method": method} if method else {})
        self._run(self.house.faults({"match": match, "times": times, "then": ANSWERS[answer]}))

    @rule(name=st.sampled_from(sorted(QUIRKS)), data=st.data())
    def quirk(self, name: str, data: st.DataObject) -> None:
        value = data.draw(st.sampled_from(QUIRKS[name]))
        self._run(self.house.quirks(**{name: value}))

    @rule()
    def revoke_tokens(self) -> None:
        """The simplest of all steps, so the one that the first life of each seed is made of: nothing to judge there."""
        self._idle += 1
        self._run(self.house.admin("POST", "tokens", {"revoke": "all"}))

    @rule(seconds=st.sampled_from([0.5, 3.0, 12.0, 40.0, 90.0]))
    def wait(self, seconds: float) -> None:
        self._run(asyncio.sleep(seconds))

    @precondition(lambda self: self._asked < 3)
    @rule()
    def wait_long(self) -> None:
        """Longer than the time-out of a phase."""
        self._asked += 1
        self._run(asyncio.sleep(700.0))

    @invariant()
    def never_two(self) -> None:
        assert not twins(self._run(self.house.resources(everything=True)))

    # at rest

    def teardown(self) -> None:
        try:
            if self._sound and self._idle < STEPS:
                self._run(self._rest())
                self._run(self._end())
        finally:
            self._runner.run(self._open.aclose())
            self._runner.close()

    async def _rest(self) -> None:
        """Calm, until all is true; and then nothing moves."""
        await self._calm()
        found = await self._until_true()
        assert not found, await self._told(found)
        before, calls = await self._objects(), self.watched.calls.copy()
        began = int(self.house.clock.monotonic() // 60)
        await asyncio.sleep(QUIET)
        found = await lifecycle_truth.faults(self.house, self._foreign)
        for name, item in (await self._objects()).items():
            if condition(item, "Ready")["status"] == "True" and item != before[name]:
                found.append(f"{name} was written at rest: {_news(before[name], item)}")
        busy = {key: n for key, n in (self.watched.calls - calls).items() if key[1] > began}
        found += [f"{name}: {n} hook calls in minute {minute} at rest" for (name, minute), n in busy.items() if n > 12]
        assert not found + self.watched.problems(), await self._told(found + self.watched.problems())

    async def _calm(self) -> None:
        note(f"calm at {self.house.clock.monotonic():.1f}")
        await self.house.admin("DELETE", "faults")
        await self.house.quirks(**lifecycle.HARMLESS)
        await asyncio.sleep(5.0)

    async def _until_true(self) -> list[str]:
        """What the cloud found invalid is tried again when somebody asks for it."""
        until = self.house.clock.monotonic() + PATIENCE
        while found := await lifecycle_truth.faults(self.house, self._foreign):
            if self.house.clock.monotonic() > until or self.watched.struck:
                return found
            await asyncio.sleep(10.0)
        return []

    async def _objects(self) -> dict[str, Object]:
        return {item["metadata"]["name"]: item for item in await self.house.objects()}

    async def _end(self) -> None:
        """What others put in the way is taken out of it, everything is deleted, and nothing of it is left."""
        await self._cleared()
        await asyncio.sleep(QUIET)
        until = self.house.clock.monotonic() + PATIENCE
        while not await self._gone():
            assert self.house.clock.monotonic() < until, await self._told(["not all is gone"])
            await asyncio.sleep(10.0)
        found = await lifecycle_truth.faults(self.house, self._foreign)
        assert not found + self.watched.problems(), await self._told(found + self.watched.problems())

    async def _cleared(self) -> None:
        for row in await self.house.resources():
            if lifecycle.strange(row["tags"]):
                await self.house.admin("POST", f"resources/{row['id']}", {"metadata": {"tags": ["by-hand"]}})
            stuck = row["state"] == "Deleting" and self.house.simulator.world.store.find(row["id"]).transition is None
            if (row["id"] in self._foreign and row["kind"] != "Project") or stuck:
                await self.house.admin("DELETE", f"resources/{row['id']}")

    async def _gone(self) -> bool:
        """An object that got its finalizer only now is deleted now."""
        left = await self._objects()
        for name in left:
            await self._delete(name)
        return not left

    async def _told(self, found: list[str]) -> str:
        logged = await self.house.told()
        return "\n".join([*found, "", *(line for line in logged.splitlines() if not line.startswith("{"))])


def _news(before: Object, after: Object) -> Object:
    """What is new about an object."""
    parts = [(part, key) for part in ("metadata", "spec", "status") for key in after.get(part, {})]
    changed = {f"{p}.{k}": after[p][k] for p, k in parts if after[p][k] != before.get(p, {}).get(k)}
    return {key: value for key, value in changed.items() if key != "metadata.managedFields"}


@pytest.mark.slow
@pytest.mark.parametrize("number", range(SEEDS))
def test_whatever_happens_every_message_comes_to_be_true(number: int) -> None:
    """Not made shorter when it fails: a life is short, and a turn of them should not take long."""
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    few = settings(max_examples=LIVES, stateful_step_count=STEPS, phases=[Phase.generate], suppress_health_check=checks)
    run_state_machine_as_test(seed(number)(type("Life", (Life,), {})), settings=few)
