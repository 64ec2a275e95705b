"""The lifecycle machine: its user, the console, what goes wrong, and what must be true once nothing is in the way."""

from __future__ import annotations

import asyncio
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule

from hooks.simulator.compute.server import bind
from hooks.simulator.lifecycle import calm
from hooks.simulator.resource import unlink
from tests.properties import lifecycle, lifecycle_truth
from tests.properties.lifecycle import ANSWERS, PLACES, QUIRKS, SPECS, SPOKEN
from tests.properties.lifecycle_stage import NAMES, Stage
from tests.world.judge import condition, twins

Object = dict[str, Any]
STEPS = 14
"""Of one life."""
PATIENCE = 2400.0
"""Seconds of calm in which everything must have come to rest: the time-out, the longest pauses and some more."""
QUIET = 150.0
"""Seconds in which then nothing may move."""


class Life(Stage):
    """Everybody else, and the judgement."""

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
        print(f"calm at {self.house.clock.monotonic():.1f}")  # noqa: T201 - pytest shows it with the failure
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
