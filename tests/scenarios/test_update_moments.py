"""Every mutable field of every kind, edited at an unlucky moment: while the cloud is busy, while the resource is made,
several times in a row, and while the cloud refuses (field case 13). No edit is lost, none is told as applied too early.
"""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Any

import pytest

from tests.cases import nine
from tests.cases.world import living
from tests.scenarios.edits import (
    ACTIONS,
    EDITS,
    cloud_has,
    edit,
    in_cloud_words,
    present,
    ready,
    up,
    up_to_date,
    values,
)
from tests.scenarios.upstream import calls_so_far, creates, post_of, shown
from tests.world.film import Film, filming
from tests.world.house import House
from tests.world.judge import condition

pytestmark = pytest.mark.every_kind

Object = dict[str, Any]
STATEFUL = [(kind, field) for kind, field in EDITS if kind in nine.STATEFUL]


async def fulfilled(house: House, kind: str, made: str, field: str, value: Any) -> bool:
    """Told as up to date, and so it is."""
    if not await up_to_date(house, kind):
        return False
    assert cloud_has(house, kind, made, field) == await in_cloud_words(house, field, value)
    return True


@pytest.mark.parametrize(("kind", "field"), STATEFUL)
async def test_edited_while_the_cloud_is_busy(kind: str, field: str) -> None:
    """The resource is `Updating` for reasons of the platform's: nothing is sent meanwhile, nothing fails, and the edit
    goes out as one call once it has settled. An action, which has no look of its own before it as a PUT has, may meet
    with one refusal before that is known. A Project shows no state.
    """
    value = values(kind, field)[0]
    async with living() as house:
        made = await up(house, kind, field)
        since = await calls_so_far(house)
        await house.admin("POST", f"resources/{made}", {"state": "Updating"})
        await edit(house, kind, field, value)
        await asyncio.sleep(25)
        tried = [call["status"] for call in await house.writes(since)]
        assert tried == [] or (field in ACTIONS and tried == [400])
        item = await shown(house, kind)
        assert item["status"]["phase"] == "Updating"
        assert condition(item, "Ready")["status"] == "False"
        await house.admin("POST", f"resources/{made}", {"state": nine.rest(kind)})
        await house.until(lambda: fulfilled(house, kind, made, field, value), within=60)
        assert [call["status"] // 100 for call in (await house.writes(since))[len(tried) :]] == [2]


async def posted(house: House, kind: str) -> bool:
    return bool(await nine.posts(house, kind))


async def writes_about(house: House, kind: str, made: str) -> list[str]:
    """Methods of the accepted writes about the subject's resource, its creation included."""
    calls = [call for call in await house.writes() if creates(call, kind) or f"/{made}" in call["path"]]
    assert {call["status"] // 100 for call in calls} == {2}
    return [call["method"] for call in calls]


def in_order(kind: str, field: str) -> tuple[Any, Any]:
    """Two values, the second of which is not the subject's."""
    one, other = values(kind, field)[:2]
    return (other, one) if other == present(kind, field) else (one, other)


@pytest.mark.parametrize(("kind", "field"), EDITS)
async def test_edited_while_it_is_created(kind: str, field: str) -> None:
    """Edited while the POST is on its way, and again while the platform is still making it: made as it was first asked
    for, and then changed to the last value, by one call. A Project is there at once, so it is edited once.
    """
    first, last = in_order(kind, field)
    async with living() as house:
        item = await ready(house, kind, field)
        await house.faults({"match": post_of(kind), "then": {"delay": 2}})
        if kind != "Project":
            await house.quirks(neverSettle=kind)
        await house.apply(item)
        await house.until(lambda: posted(house, kind))
        await edit(house, kind, field, last if kind == "Project" else first)
        await asyncio.sleep(10)
        made = (await shown(house, kind))["status"]["resourceID"]
        if kind != "Project":
            assert (await shown(house, kind))["status"]["phase"] == "Provisioning"
            await edit(house, kind, field, last)
            await asyncio.sleep(10)
            assert await writes_about(house, kind, made) == ["POST"]
            await house.quirks(neverSettle=None)
        await house.until(lambda: fulfilled(house, kind, made, field, last), within=60)
        assert await writes_about(house, kind, made) == ["POST", "POST" if field in ACTIONS else "PUT"]


def journeys(kind: str, field: str) -> list[list[Any]]:
    """Values set one right after the other; a size only grows."""
    if nine.KINDS[kind].by_name[field].grows:
        return [[50, 55, 60, 65]]
    one, two, start = *values(kind, field)[:2], present(kind, field)
    return [[one, start, two, start, one], [two, one, start]]


@pytest.mark.parametrize(("kind", "field"), EDITS)
async def test_edited_back_and_forth(kind: str, field: str) -> None:
    """Every 0.3 s another value: in the end the cloud has the last one, also when that is the first, no more calls were
    made than edits, and then there is rest.
    """
    async with living() as house:
        made = await up(house, kind, field)
        for journey in journeys(kind, field):
            since = await calls_so_far(house)
            for value in journey:
                await edit(house, kind, field, value)
                await asyncio.sleep(0.3)
            await house.until(lambda last=journey[-1]: fulfilled(house, kind, made, field, last), within=60)
            count = len(await house.writes(since))
            assert count <= len(journey)
            await asyncio.sleep(70)
            assert await fulfilled(house, kind, made, field, journey[-1])
            assert len(await house.writes(since)) == count


WRONG = {"title": "Bad Request", "status": 400, "errors": [{"field": "Name", "message": "is not liked today"}]}


def change_of(kind: str, field: str, made: str) -> Object:
    """Matches the call that changes a field, for faults."""
    if field in ACTIONS:
        return {"method": "POST", "path": f"/{made}/{ACTIONS[field].name}$"}
    return {"method": "PUT", "path": f"/{made}$"}


async def ready_reason(house: House, kind: str, wanted: str) -> bool:
    return condition(await shown(house, kind), "Ready")["reason"] == wanted


def told_true(film: Film, kind: str, generation: int) -> list[datetime]:
    """When the object was written as Ready for a generation."""
    frames = film.of(kind, nine.name(kind))
    ready_at = [(frame.at, condition(frame.object, "Ready")) for frame in frames]
    return [at for at, one in ready_at if one["status"] == "True" and one["observedGeneration"] >= generation]


@pytest.mark.parametrize(("kind", "field"), EDITS)
async def test_case_13_a_change_that_does_not_work_is_told(kind: str, field: str) -> None:
    """Case 13: while the call fails Ready is False with the reason and the cloud's words; the edit is told as applied
    only after the call that worked. Departs: conditions carry the new generation at once, with False, as kstatus wants
    it (design §6); what the cloud refused as wrong is Failed, and is sent again when the spec is another (S3, S4).
    """
    one, other = values(kind, field)[:2]
    async with living() as house:
        made = await up(house, kind, field)
        since = await calls_so_far(house)
        before = cloud_has(house, kind, made, field)
        await house.faults(
            {"match": change_of(kind, field, made), "times": 2, "then": {"status": 503}},
            {"match": change_of(kind, field, made), "after": 1, "times": 1, "then": {"status": 400, "body": WRONG}},
        )
        async with filming(house) as film:
            await edit(house, kind, field, one)
            await house.until(lambda: ready_reason(house, kind, "ApiUnreachable"), within=5)
            item = await shown(house, kind)
            assert condition(item, "Ready")["status"] == "False"
            assert (item["status"]["phase"], "503" in item["status"]["message"]) == ("Updating", True)
            assert cloud_has(house, kind, made, field) == before
            await house.until(lambda: fulfilled(house, kind, made, field, one), within=90)
        calls = await house.writes(since)
        assert [call["status"] // 100 for call in calls] == [5, 5, 2]
        assert min(told_true(film, kind, 2)) > datetime.fromisoformat(calls[-1]["time"])

        await edit(house, kind, field, other)
        await house.until(lambda: ready_reason(house, kind, "ValidationFailed"), within=5)
        item = await shown(house, kind)
        assert (item["status"]["phase"], condition(item, "Stalled")["status"]) == ("Failed", "True")
        assert "Name: is not liked today" in item["status"]["message"]
        await asyncio.sleep(300)
        assert [call["status"] // 100 for call in await house.writes(since)] == [5, 5, 2, 4]
        grows = nine.KINDS[kind].by_name[field].grows
        for value in (70,) if grows else (one, other):
            await edit(house, kind, field, value)
            await house.until(lambda wanted=value: fulfilled(house, kind, made, field, wanted), within=20)
        assert [call["status"] // 100 for call in await house.writes(since)] == [5, 5, 2, 4, 2]
