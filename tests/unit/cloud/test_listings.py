"""Collections: paged to the end, shared by all who ask, believed only as far as they can be (design §5.5, §8)."""

import asyncio
from datetime import timedelta

import pytest

from hooks.aruba.model.failure import Cause, Failure
from hooks.aruba.model.live import Live
from hooks.aruba.model.wire import Listing
from tests.unit.cloud.script import HTML, NOT_FOUND, P1, PROBLEM, VPCS, App, Reply, World, row, shelf

MANY = [f"v{n}" for n in range(250)]


MISSING = [Reply(404, NOT_FOUND, PROBLEM), Reply(404, None, {})]


def ids(listing: Listing) -> list[str]:
    return [live.id for live in listing.rows]


async def test_one_page_is_a_proof():
    world = World(shelf(["v1", "v2"]))
    listing = await world.listing(world.ago(), proof=True)
    assert listing == Listing((Live(row("v1")), Live(row("v2"))), True, world.clock.now())
    assert world.api.count() == 1


@pytest.mark.parametrize("next_", ["http://evil.example/?offset=0", f"{VPCS}?offset=0", "", None, 17])
async def test_case_39_all_pages_come_and_links_are_not_followed(next_):
    world = World(shelf(MANY, next=next_))
    evil = App(lambda asked: Reply(200, {}))
    world.net.hosts["evil.example"] = evil
    listing = await world.listing(world.ago())
    assert ids(listing) == MANY
    assert [asked.query["offset"] for asked in world.api.asked] == ["0", "100", "200"]
    assert {asked.query["limit"] for asked in world.api.asked} == {"100"}
    assert evil.count() == 0


async def test_several_pages_prove_absence_only_when_read_twice_alike():
    world = World(shelf(MANY))
    world.net.latency = 0.1
    once = await world.listing(world.ago())
    assert (once.complete, world.api.count()) == (False, 3)
    asked = world.ago()
    twice = await world.listing(asked, proof=True)
    assert (twice.complete, world.api.count()) == (True, 9)
    assert twice.started == asked  # what both readings lack was not there when the first began


async def test_an_unlike_second_reading_calls_for_a_third():
    seen = [MANY, [*MANY[:249], "w1"], [*MANY[:249], "w1"]]
    calls = 0

    def handler(asked):
        nonlocal calls
        calls += 1
        return shelf(seen[(calls - 1) // 3])(asked)

    world = World(handler)
    listing = await world.listing(world.ago(), proof=True)
    assert listing.complete
    assert "w1" in ids(listing)
    assert calls == 9


async def test_three_unlike_readings_prove_nothing():
    calls = 0

    def handler(asked):
        nonlocal calls
        calls += 1
        return shelf([*MANY[:249], f"w{(calls - 1) // 3}"])(asked)

    world = World(handler)
    listing = await world.listing(world.ago(), proof=True)
    assert (listing.complete, calls) == (False, 9)


async def test_case_39_a_row_that_slips_between_pages_is_noticed():
    """At each border the first row is replaced by the one before: `total` and the lengths look right."""

    def handler(asked):
        start = int(asked.query["offset"])
        page = [row(name) for name in MANY[start : start + 100]]
        if start:
            page[0] = row(MANY[start - 1])
        return Reply(200, {"total": 250, "values": page})

    world = World(handler)
    listing = await world.listing(world.ago(), proof=True)
    assert not listing.complete
    assert "v100" not in ids(listing)
    assert len(listing.rows) == 248


async def test_a_total_that_changes_on_the_way_proves_nothing():
    def handler(asked):
        start = int(asked.query["offset"])
        total = 250 if start == 0 else 249
        return Reply(200, {"total": total, "values": [row(name) for name in MANY[start : min(start + 100, 249)]]})

    world = World(handler)
    listing = await world.listing(world.ago(), proof=True)
    assert (len(listing.rows), listing.complete) == (249, False)


async def test_a_server_that_cuts_pages_short_is_read_to_the_end():
    def handler(asked):
        start = int(asked.query["offset"])
        return Reply(200, {"total": 250, "values": [row(name) for name in MANY[start : start + 25]]})

    world = World(handler)
    assert ids(await world.listing(world.ago())) == MANY
    assert world.api.count() == 10


async def test_case_39_a_server_that_never_ends_is_left():
    def handler(asked):
        return Reply(200, {"total": 10**9, "values": [row(f"v{asked.query['offset']}")], "next": "x"})

    world = World(handler, rate=100_000.0)
    listing = await world.listing(world.ago())
    assert (len(ids(listing)), listing.complete) == (500, False)
    assert world.api.count() == 500


async def test_case_39_a_page_that_comes_again_ends_the_reading():
    world = World(lambda asked: Reply(200, {"total": 10**9, "values": [row("v1")], "next": "x"}), rate=100_000.0)
    listing = await world.listing(world.ago())
    assert (ids(listing), listing.complete) == (["v1"], False)
    assert world.api.count() == 2


def untold(names, **more):
    """A collection that does not say how much there is of it."""

    def answer(asked):
        start = int(asked.query["offset"])
        return Reply(200, {"values": [row(name) for name in names[start : start + 100]], **more})

    return answer


@pytest.mark.parametrize(("names", "offsets"), [([], ["0"]), (["v1"], ["0", "1"]), (MANY[:99], ["0", "99"])])
async def test_without_a_total_a_single_short_page_is_a_proof(names, offsets):
    world = World(untold(names))
    listing = await world.listing(world.ago(), proof=True)
    assert (ids(listing), listing.complete) == (names, True)
    assert [(asked.path, asked.query["offset"]) for asked in world.api.asked] == [(VPCS, at) for at in offsets]


@pytest.mark.parametrize("names", [["v1", "v2"], [""]])
async def test_without_a_total_the_same_page_again_ends_the_reading_and_proves_nothing(names):
    world = World(lambda asked: Reply(200, {"values": [row(name) for name in names], "next": None}))
    listing = await world.listing(world.ago())
    assert (ids(listing)[: len(names)], listing.complete, world.api.count()) == (names, False, 2)
    assert not (await world.listing(world.ago(), proof=True)).complete


async def test_without_a_total_a_server_that_cuts_pages_short_is_read_to_the_end():
    def handler(asked):
        start = int(asked.query["offset"])
        return Reply(200, {"values": [row(name) for name in MANY[start : min(start + 25, 60)]]})

    world = World(handler)
    once = await world.listing(world.ago())
    assert (ids(once), once.complete, world.api.count()) == (MANY[:60], False, 4)
    assert (await world.listing(world.ago(), proof=True)).complete


async def test_without_a_total_several_pages_are_a_proof_when_read_twice_alike():
    world = World(untold(MANY))
    once = await world.listing(world.ago())
    assert (ids(once), once.complete, world.api.count()) == (MANY, False, 4)
    twice = await world.listing(world.ago(), proof=True)
    assert (ids(twice), twice.complete, world.api.count()) == (MANY, True, 12)


async def test_without_a_total_a_full_page_may_not_be_the_last():
    world = World(untold(MANY[:100]))
    listing = await world.listing(world.ago())
    assert (len(listing.rows), listing.complete, world.api.count()) == (100, False, 2)


@pytest.mark.parametrize("names", [[], ["v1"]])
async def test_without_a_total_a_page_that_names_another_is_not_the_last(names):
    world = World(untold(names, next="x"))
    listing = await world.listing(world.ago(), proof=True)
    assert (ids(listing), listing.complete) == (names, False)


async def test_without_a_total_odd_rows_prevent_a_proof():
    world = World(lambda asked: Reply(200, {"values": [row("v1"), "odd"]}))
    assert not (await world.listing(world.ago(), proof=True)).complete


@pytest.mark.parametrize(
    "reply",
    [
        Reply(200, {"total": 0, "values": []}),
        Reply(200, {"total": 0, "values": None}),
        Reply(200, {"totalCount": 0, "values": []}),
        Reply(200, {"values": []}),
        Reply(200, {"values": None}),
        Reply(204, None, {}),
        *MISSING,
    ],
)
async def test_an_empty_collection_in_all_its_spellings(reply):
    world = World(lambda asked: reply)
    assert await world.listing(world.ago(), proof=True) == Listing((), True, world.clock.now())
    assert [asked.path for asked in world.api.asked] == [VPCS]


async def test_a_list_that_is_not_found_proves_nothing_to_who_wants_only_presence():
    world = World(lambda asked: MISSING[0])
    listing = await world.listing(world.ago())
    assert (listing.rows, listing.complete, world.api.count()) == ((), False, 1)


@pytest.mark.parametrize(
    "reply",
    [
        Reply(404, b"<html>not here</html>", HTML),
        Reply(200, b"<html>sign in</html>", HTML),
        Reply(200),
        Reply(200, {}),
        Reply(200, row("v1")),
        Reply(200, []),
        Reply(200, {"values": {"v1": {}}}),
    ],
)
async def test_case_14_what_is_not_a_list_is_not_an_empty_one(reply):
    world = World(lambda asked: reply)
    failure = await world.listing(world.ago(), proof=True)
    assert failure.cause is Cause.TECHNICAL


async def test_rows_without_an_id_are_kept_and_odd_ones_prevent_a_proof():
    world = World(lambda asked: Reply(200, {"total": 3, "values": [{"metadata": {"name": "a"}}, {}, "odd"]}))
    listing = await world.listing(world.ago(), proof=True)
    assert [live.name for live in listing.rows] == ["a", ""]
    assert not listing.complete


async def test_a_failure_on_a_later_page_is_the_failure_of_the_listing():
    world = World(lambda asked: Reply(500) if asked.query["offset"] == "100" else shelf(MANY)(asked))
    assert (await world.listing(world.ago())).status == 500


async def test_all_who_ask_at_one_poll_point_share_one_request():
    world = World(shelf(["v1", "v2"]))
    world.net.latency = 0.2
    point = world.ago(1)
    listings = await asyncio.gather(*(world.listing(point) for _ in range(50)))
    assert len({listing.started for listing in listings}) == 1
    assert world.api.count("GET", VPCS) == 1
    await asyncio.sleep(20)
    assert (await world.listing(point)) == listings[0]
    assert world.api.count("GET", VPCS) == 1


async def test_who_needs_something_newer_does_not_join():
    world = World(lambda asked: Reply(200, {"total": 0, "values": []}, delay=1.0))
    await world.cloud.ready("t", world.deadline())
    first = asyncio.create_task(world.listing(world.ago()))
    await asyncio.sleep(0.5)
    now = world.ago()
    second = await world.listing(now)
    assert second.started == now > (await first).started
    assert world.api.count() == 2


async def test_who_wants_a_proof_is_not_served_by_less():
    world = World(shelf(MANY))
    await world.listing(world.ago(5))
    assert (await world.listing(world.ago(5), proof=True)).complete
    assert world.api.count() == 9
    assert (await world.listing(world.ago(5))).complete
    assert world.api.count() == 9


async def test_an_older_reading_that_ends_later_replaces_nothing():
    slow = True

    def handler(asked):
        return Reply(200, {"total": 1, "values": [row("old" if slow else "new")]}, delay=3.0 if slow else 0.0)

    world = World(handler)
    await world.cloud.ready("t", world.deadline())
    first = asyncio.create_task(world.listing(world.ago()))
    await asyncio.sleep(1)
    point, slow = world.ago(), False
    assert ids(await world.listing(point)) == ["new"]
    assert ids(await first) == ["old"]
    assert ids(await world.listing(point)) == ["new"]
    assert world.api.count() == 2


async def test_a_cancelled_asker_does_not_end_the_reading_of_the_others():
    world = World(lambda asked: Reply(200, {"total": 0, "values": []}, delay=2.0))
    first = asyncio.create_task(world.listing(world.ago()))
    await asyncio.sleep(0.5)
    second = asyncio.create_task(world.listing(world.ago(5)))
    await asyncio.sleep(0.5)
    first.cancel()
    assert (await second).complete
    assert world.api.count() == 1


async def test_an_asker_in_a_hurry_finds_the_reading_in_its_next_pass():
    world = World(lambda asked: Reply(200, {"total": 0, "values": []}, delay=4.0))
    point = world.ago()
    before = world.clock.monotonic()
    failure = await world.listing(point, seconds=2)
    assert isinstance(failure, Failure)
    assert f"did not list {VPCS}" in failure.text
    assert world.clock.monotonic() - before == pytest.approx(2)
    await asyncio.sleep(3)
    assert (await world.listing(point, seconds=2)).complete
    assert world.api.count() == 1


async def test_a_page_that_hangs_is_given_up_and_asked_for_again():
    delays = [1000.0, 0.0]
    world = World(lambda asked: Reply(200, {"total": 0, "values": []}, delay=delays.pop(0)))
    point = world.ago()
    assert isinstance(await world.listing(point, seconds=2), Failure)
    await asyncio.sleep(14)
    assert (await world.listing(point, seconds=2)).complete
    assert world.api.count() == 2


async def test_failures_are_not_kept():
    world = World(lambda asked: Reply(500))
    point = world.ago()
    assert isinstance(await world.listing(point), Failure)
    world.api.handler = shelf(["v1"])
    assert ids(await world.listing(point)) == ["v1"]


@pytest.mark.parametrize("proof", [True, False])
async def test_a_clock_that_is_put_back_makes_no_reading_younger(proof):
    world = World(shelf(["v1"]))
    assert ids(await world.listing(world.ago(), proof=proof)) == ["v1"]
    world.clock.off = timedelta(minutes=-10)
    world.api.handler = shelf(["v1", "v2"])
    assert ids(await world.listing(world.ago(), proof=proof)) == ["v1"]  # of this very moment
    await asyncio.sleep(1)
    listing = await world.listing(world.ago(), proof=proof)
    assert (ids(listing), listing.started) == (["v1", "v2"], world.clock.now())


async def test_a_clock_that_is_put_forward_makes_no_reading_older():
    world = World(shelf(["v1"]))
    await world.listing(world.ago())
    await asyncio.sleep(20)
    world.clock.off = timedelta(minutes=10)
    listing = await world.listing(world.ago(30))
    assert (listing.started, world.api.count()) == (world.ago(20), 1)


async def test_a_clock_that_is_put_back_lets_nobody_join_an_older_reading():
    world = World(lambda asked: Reply(200, {"total": 0, "values": []}, delay=1.0))
    await world.cloud.ready("t", world.deadline())
    first = asyncio.create_task(world.listing(world.ago()))
    await asyncio.sleep(0.5)
    world.clock.off = timedelta(minutes=-10)
    point = world.ago()
    assert (await world.listing(point)).started == point
    await first
    assert world.api.count() == 2


async def test_collections_are_kept_apart():
    world = World(lambda asked: Reply(200, {"total": 1, "values": [row(asked.path.split("/")[2])]}))
    other = "/projects/p2/providers/Aruba.Network/vpcs"
    assert ids(await world.listing(world.ago())) == ["p1"]
    assert ids(await world.listing(world.ago(), path=other)) == ["p2"]


async def test_what_is_kept_is_bounded(monkeypatch):
    monkeypatch.setattr("hooks.aruba.cloud.listings.KEPT_ROWS", 200)
    world = World(shelf(MANY))
    point = world.ago()
    assert len((await world.listing(point)).rows) == 250
    assert len((await world.listing(point)).rows) == 250
    assert world.api.count() == 6  # too large to keep
    world = World(shelf(MANY[:90]))
    for project in ("p1", "p2", "p3"):
        world.api.handler = lambda asked: Reply(200, {"total": 90, "values": [row(name) for name in MANY[:90]]})
        await world.listing(point, path=f"/projects/{project}/providers/Aruba.Network/vpcs")
    (desk,) = world.cloud._desks.values()
    assert desk.listings.known(VPCS) is None
    await asyncio.sleep(901)
    assert desk.listings.known("/projects/p3/providers/Aruba.Network/vpcs") is None


async def test_case_95_ten_thousand_rows_come_in_pages():
    names = [f"v{n}" for n in range(10_000)]
    world = World(shelf(names), rate=100_000.0)
    assert (await world.listing(world.ago(), proof=True, seconds=30)).complete
    assert world.api.count() == 200
    assert P1 not in {asked.path for asked in world.api.asked}
