"""One resource by its ID: cheap where presence suffices, certain where absence must be proven (design §5.5, §8)."""

import asyncio
from datetime import timedelta

import pytest

from hooks.aruba.model.failure import Cause, Failure
from hooks.aruba.model.live import Live
from hooks.aruba.model.wire import Reading
from tests.unit.cloud.script import HTML, NOT_FOUND, P1, PROBLEM, VPCS, Reply, World, row, shelf

MANY = [f"v{n}" for n in range(250)]
GONE = Reply(404, NOT_FOUND, PROBLEM)
EMPTY = Reply(200, {"total": 0, "values": []})


def routes(**answers):
    """Replies by path: `item`, `listing`, `project`, `projects`; what is not given is an empty list."""
    paths = {f"{VPCS}/v1": "item", VPCS: "listing", P1: "project", "/projects": "projects"}
    return lambda asked: answers.get(paths.get(asked.path, ""), EMPTY)


async def test_many_askers_of_one_collection_cost_one_listing():
    world = World(shelf(MANY[:80]))
    world.net.latency = 0.2
    point = world.ago(1)
    readings = await asyncio.gather(*(world.item(name, point) for name in MANY[:80]))
    assert [reading.live for reading in readings] == [Live(row(name)) for name in MANY[:80]]
    assert (world.api.count(), world.api.count("GET", VPCS)) == (1, 1)


async def test_what_no_listing_shows_is_only_not_seen():
    world = World(shelf(["v1"]))
    assert await world.item("v2", world.ago()) == Reading(None, world.clock.now())
    assert world.api.count() == 1


async def test_with_fewer_askers_than_pages_each_gets_its_own():
    world = World(shelf(MANY))
    assert (await world.item("v1", world.ago())).live == Live(row("v1"))
    assert world.api.count() == 3  # how many pages there are is not known yet
    await asyncio.sleep(60)
    point = world.ago()
    for name in ("v1", "v1", "v2", "v9"):
        assert (await world.item(name, point)).live == Live(row(name))
    assert [world.api.count("GET", f"{VPCS}/{name}") for name in ("v1", "v2", "v9")] == [1, 1, 0]
    assert world.api.count("GET", VPCS) == 6  # the third ID made a listing pay
    for name in MANY:
        await world.item(name, point)
    assert world.api.count() == 8


async def test_a_reading_by_url_serves_later_askers():
    world = World(shelf(["v1"]))
    point = world.ago()
    await world.item("v1", point, proof=True)
    assert (await world.item("v1", point)).live == Live(row("v1"))
    assert (await world.item("v1", point, proof=True)).live == Live(row("v1"))
    assert world.api.count() == 1
    await asyncio.sleep(1)
    await world.item("v1", world.ago(), proof=True)
    assert world.api.count() == 2


async def test_a_proof_wanted_by_many_is_one_get():
    world = World(shelf(["v1"]))
    world.net.latency = 0.2
    point = world.ago()
    readings = await asyncio.gather(*(world.item("v1", point, proof=True) for _ in range(20)))
    assert {reading.started for reading in readings} == {point}
    assert world.api.count() == 1


async def test_a_get_under_way_that_is_too_old_is_not_joined():
    world = World(lambda asked: Reply(200, row("v1"), delay=1.0))
    await world.cloud.ready("t", world.deadline())
    first = asyncio.create_task(world.item("v1", world.ago(), proof=True))
    await asyncio.sleep(0.5)
    point = world.ago()
    assert (await world.item("v1", point, proof=True)).started == point > (await first).started
    assert world.api.count() == 2


async def test_a_clock_that_is_put_back_makes_no_reading_younger():
    world = World(shelf(["v1"]))
    assert (await world.item("v1", world.ago(), proof=True)).live is not None
    world.clock.off = timedelta(minutes=-10)
    world.api.handler = routes(item=GONE, project=Reply(200, row("p1")))
    await asyncio.sleep(1)
    assert await world.item("v1", world.ago(), proof=True) == Reading(None, world.clock.now())


async def test_a_clock_that_is_put_forward_makes_no_reading_older():
    world = World(shelf(["v1"]))
    await world.item("v1", world.ago(), proof=True)
    await asyncio.sleep(20)
    world.clock.off = timedelta(minutes=10)
    assert (await world.item("v1", world.ago(30), proof=True)).started == world.ago(20)
    assert world.api.count() == 1


async def test_case_40_ids_do_not_differ_in_case():
    world = World(shelf(["ABC1"]))
    assert (await world.item("abc1", world.ago())).live == Live(row("ABC1"))
    world.api.handler = lambda asked: Reply(200, row("ABC1"))
    assert (await world.item("abc1", world.ago(), proof=True)).live == Live(row("ABC1"))


@pytest.mark.parametrize("answer", [GONE, Reply(404, None, {})])
async def test_absence_is_what_the_api_itself_says_in_one_call(answer):
    """What answers around it, and whether that is believed, is asked apart."""
    world = World(routes(item=answer))
    assert await world.item("v1", world.ago(), proof=True) == Reading(None, world.clock.now())
    assert [asked.path for asked in world.api.asked] == [f"{VPCS}/v1"]


async def test_a_project_is_looked_for_in_the_same_way():
    world = World(routes(project=GONE))
    assert await world.item("p1", world.ago(), proof=True, path="/projects") == Reading(None, world.clock.now())
    assert [asked.path for asked in world.api.asked] == [P1]


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        (Reply(404, b"<html>nothing here</html>", HTML), Cause.TECHNICAL),
        (Reply(404, {"message": "no Route matched"}), Cause.TECHNICAL),
        (Reply(503), Cause.TECHNICAL),
        (Reply(403, {"title": "Forbidden"}), Cause.FORBIDDEN),
        (Reply(200, b"<html>sign in</html>", HTML), Cause.TECHNICAL),
    ],
)
async def test_case_14_what_is_not_the_api_speaking_is_no_absence(answer, cause):
    world = World(lambda asked: answer)
    for path, name in ((VPCS, "v1"), ("/projects", "p1")):
        assert (await world.item(name, world.ago(), proof=True, path=path)).cause is cause


@pytest.mark.parametrize("proof", [True, False])
async def test_case_6_the_state_deleted_is_gone(proof):
    gone = row("v1") | {"status": {"state": "Deleted"}}
    world = World(lambda asked: Reply(200, gone if asked.path != VPCS else {"total": 1, "values": [gone]}))
    assert (await world.item("v1", world.ago(), proof=proof)).live is None


async def test_case_57_deleting_is_not_gone():
    world = World(routes(item=Reply(200, row("v1") | {"status": {"state": "Deleting"}})))
    assert (await world.item("v1", world.ago(), proof=True)).live.state == "Deleting"


@pytest.mark.parametrize(
    "reply", [Reply(200), Reply(204, None, {}), Reply(200, []), Reply(200, {}), EMPTY, Reply(200, row("v2"))]
)
async def test_an_answer_that_is_not_the_resource_is_a_failure(reply):
    world = World(routes(item=reply))
    assert (await world.item("v1", world.ago(), proof=True)).cause is Cause.TECHNICAL


async def test_failures_are_not_kept():
    world = World(lambda asked: Reply(500))
    point = world.ago()
    assert isinstance(await world.item("v1", point, proof=True), Failure)
    world.api.handler = shelf(["v1"])
    assert (await world.item("v1", point, proof=True)).live == Live(row("v1"))


async def test_a_project_is_read_from_the_list_of_projects():
    world = World(routes(projects=Reply(200, {"total": 1, "values": [row("p1")]})))
    assert (await world.item("p1", world.ago(), path="/projects")).live == Live(row("p1"))
    assert [asked.path for asked in world.api.asked] == ["/projects"]
