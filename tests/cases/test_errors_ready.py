"""Field cases 7, 97 and 104: refusals that pass by themselves, and what they do to `Ready`."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Any

import pytest

from tests.cases import nine
from tests.cases.byhand import restart
from tests.cases.test_concurrency import CHANGED
from tests.cases.test_errors_told import NAME, entries
from tests.cases.test_interface import Film
from tests.cases.world import living
from tests.world.house import House
from tests.world.judge import condition

pytestmark = pytest.mark.every_kind

Object = dict[str, Any]


async def shown(house: House, kind: str) -> Object:
    return await house.get(kind, nine.name(kind)) or {}


async def ready(house: House, kind: str) -> Object:
    return condition(await shown(house, kind), "Ready")


async def reason_is(house: House, kind: str, reason: str) -> bool:
    return (await ready(house, kind)).get("reason") == reason


def waited_for(item: Object) -> bool:
    """Whether `kubectl wait --for=condition=Ready` would end: True, and not about an older generation."""
    found = condition(item, "Ready")
    observed = found.get("observedGeneration", item.get("status", {}).get("observedGeneration"))
    current = observed is None or observed >= item["metadata"]["generation"]
    return current and found.get("status") == "True"


NOW = {"arubacloud.com/reconcile-at": "now"}
FAILURES = {
    "ValidationFailed": {"status": 400, "body": entries(NAME)},
    "Forbidden": {"status": 403, "body": {"title": "Forbidden"}},
    "DependencyNotReady": {"status": 400, "body": {"title": "Bad Request", "detail": "BootVolume in use"}},
    "ApiUnreachable": {"status": 503, "body": {"title": "Service Unavailable"}},
}


@pytest.mark.parametrize("reason", sorted(FAILURES))
@pytest.mark.parametrize("kind", sorted(CHANGED))
async def test_case_97_one_ready_and_false_when_a_change_fails(kind: str, reason: str) -> None:
    """Case 97: from the edit to its end there is exactly one Ready at every write, no condition comes twice, and nobody
    who waits for Ready is let through before the cloud has taken the change. Departs: no word for all failed changes;
    the reason is that of the cause.
    """
    film = Film(kind)
    async with living(delivery=film) as house:
        resource = await nine.active(house, kind)
        await asyncio.sleep(5)
        film.house = house
        match = {"path": f"/{resource}(/|$)"}
        await house.faults(*({"match": {**match, "method": m}, "then": FAILURES[reason]} for m in ("PUT", "POST")))
        since = (await house.calls())[-1]["n"]
        await house.patch(kind, nine.name(kind), {"spec": CHANGED[kind]})
        await asyncio.sleep(40)
        assert len(film.samples) >= 2
        assert [waited_for(sample.item) for sample in film.samples] == [False] * len(film.samples)
        told = await ready(house, kind)
        assert (told["status"], told["reason"], told["observedGeneration"]) == ("False", reason, 2)
        await house.admin("DELETE", "faults")
        if reason == "ValidationFailed":
            await house.patch(
                kind, nine.name(kind), {"metadata": {"annotations": {"arubacloud.com/reconcile-at": "1"}}}
            )
        await house.until(lambda: reason_is(house, kind, "Available"), within=60)
        assert [waited_for(sample.item) for sample in film.samples].index(True) == len(film.samples) - 1
        assert [row["status"] for row in await house.writes(since)][-1] in (200, 202)
        for item, _ in film.samples:
            types = [one["type"] for one in item["status"]["conditions"]]
            assert len(set(types)) == len(types)
            assert "Ready" in types


WHERE = {"reads": {"method": "GET", "path": "/projects"}, "everything": {}, "token": {"path": "/token$"}}


@pytest.mark.parametrize("where", sorted(WHERE))
@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_104_a_passing_limit_does_not_touch_ready(kind: str, where: str) -> None:
    """Case 104: looks at a resource at rest meet 429 for some minutes, from the API or for a new token, before and
    after a restart: Ready is True at every write, with the same reason; only the message may tell. The cloud is asked
    as seldom as it wants.
    """
    film = Film(kind)
    async with living(delivery=film, environ={"ARUBA_LISTING_AGE": "20s"}) as house:
        await nine.active(house, kind)
        await asyncio.sleep(45)
        film.house = house
        before = await ready(house, kind)
        await house.faults({"match": WHERE[where], "then": {"status": 429, "headers": {"retry-after": "25"}}})
        if where == "token":
            await house.admin("POST", "tokens", {"revoke": "all"})
        since = (await house.admin("GET", "calls"))[-1]["n"]
        await asyncio.sleep(70)
        restart(house)
        await asyncio.sleep(70)
        limited = [row["time"][:19] for row in await house.admin("GET", f"calls?since={since}") if row["status"] == 429]
        assert 2 <= len(set(limited)) <= 8
        assert await house.writes(since) == []
        for item in (await shown(house, kind), *(sample.item for sample in film.samples)):
            now = condition(item, "Ready")
            assert {**now, "message": ""} == {**before, "message": ""}
            assert item["status"]["phase"] == "Active"
        await house.admin("DELETE", "faults")
        await house.until(lambda: _quiet(house, kind), within=60, every=1)
        assert [sample.item["status"]["phase"] for sample in film.samples if not waited_for(sample.item)] == []


async def _quiet(house: House, kind: str) -> bool:
    return "message" not in (await shown(house, kind))["status"]


async def _paused(house: House, since: int) -> float:
    """Seconds between the call that met 429 and the next one of any sort."""
    rows = await house.calls(since)
    at = next(number for number, row in enumerate(rows) if row["status"] == 429)
    first, second = (datetime.fromisoformat(row["time"]) for row in rows[at : at + 2])
    return (second - first).total_seconds()


@pytest.mark.parametrize("kind", sorted(CHANGED))
async def test_case_07_throttled_change_and_delete(kind: str) -> None:
    """Case 7, 429 at a change and at a DELETE: Throttled, nobody has to act, nothing is sent for as long as the cloud
    asked, then it goes on by itself; each is taken once.
    """
    limit = {"status": 429, "headers": {"retry-after": "20"}}
    async with living() as house:
        resource = await nine.active(house, kind)
        once = {"path": f"/{resource}(/|$)"}, {"times": 1, "then": limit}
        await house.faults(*({"match": {**once[0], "method": verb}, **once[1]} for verb in ("PUT", "POST")))
        since = (await house.calls())[-1]["n"]
        await house.patch(kind, nine.name(kind), {"spec": CHANGED[kind]})
        await house.until(lambda: reason_is(house, kind, "Throttled"), within=15)
        assert condition(await shown(house, kind), "Stalled")["status"] == "False"
        await house.until(lambda: reason_is(house, kind, "Available"), within=45)
        assert 20 <= await _paused(house, since) < 40
        await house.faults({"match": {**once[0], "method": "DELETE"}, **once[1]})
        since = (await house.calls())[-1]["n"]
        await house.delete(kind, nine.name(kind))
        await house.until(lambda: reason_is(house, kind, "Throttled"), within=15)
        assert condition(await shown(house, kind), "Stalled")["status"] == "False"
        await house.until(lambda: _absent(house, kind), within=60)
        assert 20 <= await _paused(house, since) < 40
        assert [row["status"] for row in await house.writes(since)][:2] == [429, 204 if kind == "Project" else 202]
        assert len(await nine.deletes(house, kind)) == 2


async def _absent(house: House, kind: str) -> bool:
    return await shown(house, kind) == {}


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_07_a_conflict_is_looked_up(kind: str) -> None:
    """Case 7, 409: the namesake that somebody made a moment earlier is found and named; from then on nothing is sent,
    and nothing is taken over. Departs: adoption is asked for, never a consequence of a conflict (design §5.7); a
    listing of up to a minute ago still counts, so a few attempts may come before.
    """
    async with living() as house:
        item = await nine.prepared(house, kind)
        unique = {"status": 409, "body": {"title": "Must be unique"}}
        await house.faults({"match": {"method": "POST", "path": nine.collection(kind)}, "then": unique})
        await house.apply(item)
        await house.until(lambda: reason_is(house, kind, "Conflict"), within=20)
        foreign = {"kind": kind, "name": nine.name(kind), **await _place(house, kind)}
        other = (await house.admin("POST", "resources", foreign))["id"]
        await house.until(lambda: reason_is(house, kind, "AlreadyExists"), within=100)
        item = await shown(house, kind)
        assert other in item["status"]["message"]
        assert (condition(item, "Stalled")["status"], item["status"].get("resourceID")) == ("True", None)
        tries = len(await nine.posts(house, kind))
        assert tries <= 12
        await house.admin("DELETE", "faults")
        await asyncio.sleep(120)
        assert len(await nine.posts(house, kind)) == tries
        await house.delete(kind, nine.name(kind))
        await house.until(lambda: _absent(house, kind), within=30)
        assert [row["id"] for row in await house.resources(kind) if row["name"] == nine.name(kind)] == [other]


async def _place(house: House, kind: str) -> Object:
    """Where a namesake is to be made, and of what: a server cannot be without parts."""
    if kind == "Project":
        return {}
    place = {"projectId": (await house.status("Project", nine.name("Project")))["resourceID"]}
    if kind != "CloudServer":
        return place
    return {**place, "properties": (await nine.posts(house, kind))[0]["requestBody"]["properties"]}
