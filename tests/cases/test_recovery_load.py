"""Field cases 52, 91 and 92: many objects at once, while something hangs, after a restart, and when all are refused."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from datetime import datetime
from itertools import pairwise
from typing import Any

import pytest

from hooks.local.metacontroller.api import Resource
from hooks.manifests.controllers import HOOK_TIMEOUT
from tests.cases.byhand import kill, restart
from tests.cases.front import Crowd
from tests.cases.test_errors_told import ANSWERS
from tests.cases.world import living
from tests.world import house as whole
from tests.world.house import House
from tests.world.judge import condition, no_duplicates
from tests.world.life import all_settled
from tests.world.manifests import make, project, ref, vpc

pytestmark = pytest.mark.every_kind

Object = dict[str, Any]
# Where more objects than elsewhere are woken at one moment the house is the plain one, without a guard against that.
SPECS: dict[str, Object] = {
    "VPC": {},
    "ElasticIP": {"billingPeriod": "Hour"},
    "KeyPair": {"value": "ssh-ed25519 AAAA"},
    "BlockStorage": {"sizeGB": 10},
}
SOON = 30.0
"""Seconds within which something in an undisturbed project has to happen."""


def many(kind: str, number: int, project_name: str = "prj-a", stem: str = "item") -> list[Object]:
    spec = {"tenant": "t-100", "projectReference": ref(project_name), **SPECS[kind]}
    return [make(kind, f"{stem}-{at:03}", dict(spec)) for at in range(number)]


async def of(house: House, project_name: str) -> list[Object]:
    """All objects in a project."""
    items = [item for item in await house.objects() if item["kind"] != "Project"]
    return [item for item in items if item["spec"]["projectReference"]["name"] == project_name]


async def settled(house: House, project_name: str) -> bool:
    return {condition(item, "Ready").get("status") for item in await of(house, project_name)} <= {"True"}


async def hang(house: House) -> None:
    """The cloud takes every call about the first project, and never answers."""
    await house.apply(project("prj-one"), project("prj-two"))
    for name in ("prj-one", "prj-two"):
        await house.apply(*many("VPC", 12, name, f"net-{name}"), *many("KeyPair", 3, name, f"key-{name}"))
    await house.until(lambda: all_settled(house))
    await asyncio.sleep(20)
    stuck = (await house.status("Project", "prj-one"))["resourceID"]
    await house.faults({"match": {"path": f"/projects/{stuck}"}, "then": {"delay": 1e6}})


async def a_life_elsewhere(house: House, name: str) -> None:
    """In the other project a VPC is made, changed and deleted; each takes two or three seconds when all is well."""
    await house.apply(vpc(name, projectReference=ref("prj-two")))
    await house.until(lambda: _is(house, name, "True", 1), within=SOON)
    await house.patch("VPC", name, {"spec": {"tags": ["edited"]}})
    await house.until(lambda: _is(house, name, "True", 2), within=SOON)
    await house.delete("VPC", name)
    await house.until(lambda: _gone(house, name), within=SOON)


async def _is(house: House, name: str, status: str, generation: int) -> bool:
    ready = condition(await house.get("VPC", name) or {}, "Ready")
    return (ready.get("status"), ready.get("observedGeneration")) == (status, generation)


async def _gone(house: House, name: str) -> bool:
    return await house.get("VPC", name) is None


async def hung_in_time(house: House) -> None:
    """Calls hang, and no hook call takes as long as Metacontroller would wait for it."""
    assert None in {row["status"] for row in await house.calls()}
    spent = [json.loads(line).get("ms", 0) for line in house.log.getvalue().splitlines()]
    assert max(spent) < 1000 * HOOK_TIMEOUT


@pytest.mark.parametrize("busy", [False, pytest.param(True, marks=pytest.mark.sweep)], ids=["at rest", "busy"])
async def test_case_52_a_project_that_never_answers(busy: bool) -> None:
    """Case 52: the cloud never answers about one project, be its fifteen objects at rest or some of them new, changed
    and deleted: each of them says so, and the other project goes on as ever, none of its objects notices.
    Departs: the reason is ApiUnreachable.
    """
    async with whole.living(environ={"ARUBA_LISTING_AGE": "20s"}) as house:
        await hang(house)
        if busy:
            await house.apply(*many("VPC", 5, "prj-one", "new"), *many("ElasticIP", 5, "prj-one", "new"))
            for at in range(3):
                await house.patch("VPC", f"net-prj-one-{at:03}", {"spec": {"tags": ["edited"]}})
                await house.delete("VPC", f"net-prj-one-{9 + at:03}")
        for at in range(4):
            await asyncio.sleep(15)
            await a_life_elsewhere(house, f"lives-{at}")
            assert await settled(house, "prj-two")
        await hung_in_time(house)
        for item in await of(house, "prj-one"):
            told = item["status"]["phase"], condition(item, "Ready")["status"], condition(item, "Ready")["reason"]
            resting = item["metadata"]["generation"] == 1 and not item["metadata"]["name"].startswith("new-")
            assert told[1:] == ("Unknown" if resting else "False", "ApiUnreachable"), (item["metadata"]["name"], told)
            assert not resting or told[0] == "Active"
        await house.admin("DELETE", "faults")
        await house.until(lambda: settled(house, "prj-one"), within=120)
        await no_duplicates(house)


class Watch:
    """A `Delivery` that keeps every write, of any object, that shows Ready other than True."""

    def __init__(self) -> None:
        self.seen: list[Object] = []
        self.writes = 0

    async def deliver(self, resource: Resource, event: Object) -> None:
        self.writes += 1
        if condition(event["object"], "Ready").get("status") != "True":
            self.seen.append(event["object"])


@pytest.mark.slow
@pytest.mark.sweep
async def test_case_91_restart_wave() -> None:
    """Case 91: 150 Active objects and their project; a new process that knows nothing, then one more together with a
    new Metacontroller that syncs every object at once: each collection is read once for all its objects, a few times
    in all the ten minutes after; nothing is written, Ready stays True. Departs: 150 objects, for what counts is pages.
    """
    watch = Watch()
    async with whole.living(delivery=watch) as house:
        await house.apply(project(), *(item for kind in SPECS for item in many(kind, 60 if kind == "VPC" else 30)))
        await house.until(lambda: all_settled(house), every=1)
        await asyncio.sleep(400)
        watch.seen.clear()
        await _wave(house)
        kill(house)
        restart(house)
        running = asyncio.ensure_future(house.new_metacontroller().run())
        await _wave(house)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        assert watch.seen == []


async def _wave(house: House) -> None:
    """The hooks are new; what they ask of the cloud until every object had its appointment twice."""
    kill(house)
    restart(house)
    since = (await house.calls())[-1]["n"]
    await asyncio.sleep(600)
    rows = await house.calls(since)
    assert await house.writes(since) == []
    reads = Counter(row["path"].rpartition("/")[2] for row in rows)
    assert len(reads) == len(SPECS) + 1
    assert set(reads.values()) <= {2, 3}, reads
    assert max(Counter(row["time"][:19] for row in rows).values()) <= len(reads)


REFUSALS = {"with errors": ("invalid", 200), "without": ("not ready", 6)}


@pytest.mark.slow
@pytest.mark.sweep
@pytest.mark.parametrize("refusal", sorted(REFUSALS))
async def test_case_92_the_pace_of_what_always_fails(refusal: str) -> None:
    """Case 92: an hour of a 400 for everybody. What is invalid was sent once; what may come right is sent in pauses
    that grow to five minutes. Departs: 200 objects of the first sort, 6 of the second: each keeps its own pace.
    """
    answer, number = REFUSALS[refusal]
    async with whole.living() as house:
        await house.apply(project())
        await house.until(house.all_active)
        await house.faults({"match": {"method": "POST", "path": "/keyPairs$"}, "then": ANSWERS[answer]})
        since = (await house.calls())[-1]["n"]
        await house.apply(*many("KeyPair", number))
        await asyncio.sleep(3550)
        rows = await house.calls(since)
        tries: dict[str, list[float]] = {}
        for row in rows:
            if row["method"] == "POST":
                at = datetime.fromisoformat(row["time"]).timestamp()
                tries.setdefault(row["requestBody"]["metadata"]["name"], []).append(at)
        assert len(tries) == number
        if refusal == "with errors":
            assert {len(times) for times in tries.values()} == {1}
        for times in tries.values() if refusal == "without" else ():
            assert 15 <= len(times) <= 30
            pauses = [pause for pause in (later - earlier for earlier, later in pairwise(times)) if pause > 10]
            assert [pair for pair in pairwise(pauses) if pair[1] < 0.6 * pair[0]] == []
            assert all(200 <= pause <= 400 for pause in pauses[-4:])
        assert len(rows) - sum(map(len, tries.values())) <= 130


@pytest.mark.parametrize("moment", ["create", "change"])
@pytest.mark.parametrize("refusal", sorted(REFUSALS))
async def test_case_92_an_edit_begins_anew(refusal: str, moment: str) -> None:
    """Case 92: after twenty minutes of refusals the spec is edited, and refused again without a verdict: sent at once,
    again after a pause as short as the very first ones, and not yet out of time.
    """
    async with living() as house:
        crowd = Crowd(house, "VPC", {"it": ANSWERS[REFUSALS[refusal][0]]})
        if moment == "create":
            await crowd.meet(by_id=False)
            await crowd.apply()
        else:
            await crowd.apply()
            await house.until(house.all_active)
            await crowd.meet(by_id=True)
            await crowd.edit("it", "first")
        await asyncio.sleep(1200)
        [key] = crowd.front.answers
        crowd.front.answers[key] = ANSWERS["not ready"]
        before = len(await crowd.tries("it"))
        edited = house.clock.monotonic()
        await crowd.edit("it", "second")
        await asyncio.sleep(20)
        tries = (await crowd.tries("it"))[before:]
        assert tries[0] - edited < 3
        assert tries[1] - tries[0] < 10
        assert (await crowd.ready("it"))["reason"] == "DependencyNotReady"
        crowd.front.answers.clear()
        await house.until(house.all_active, within=40)
