"""Our own rate limit, and the pause that the cloud asks for (cases 89)."""

import asyncio
from email.utils import format_datetime

import pytest

from hooks.aruba.cloud.rate import Rate
from hooks.aruba.model.failure import Cause, Failure
from hooks.aruba.model.live import Live
from tests.unit.cloud.script import CREATE, ByTenant, Reply, World
from tests.world.time import EPOCH, LoopClock


async def test_so_many_a_second_and_a_few_at_once():
    rate = Rate(LoopClock(), 50.0)
    waits = [rate.take(2.0) for _ in range(60)]
    assert waits[:10] == [0.0] * 10
    assert waits[10] == pytest.approx(0.02)
    assert waits[59] == pytest.approx(1.0)


async def test_who_would_wait_too_long_takes_nothing():
    rate = Rate(LoopClock(), 1.0)
    assert [rate.take(2.0) for _ in range(4)] == [0.0, 1.0, 2.0, None]
    assert rate.wait() == 3.0
    await asyncio.sleep(1)
    assert rate.take(2.0) == 2.0


async def test_requests_leave_at_the_rate():
    times = []
    world = World(lambda asked: times.append(world.clock.monotonic()) or Reply(200, {}), rate=10.0)
    answers = await asyncio.gather(*(world.send() for _ in range(20)))
    assert answers == [Live({})] * 20
    assert times[1] - times[0] == 0
    assert times[-1] - times[0] == pytest.approx(1.8)


async def test_over_the_limit_is_busy_at_once():
    world = World(rate=2.0)
    before = world.clock.monotonic()
    answers = await asyncio.gather(*(world.send() for _ in range(10)))
    refused = [answer for answer in answers if isinstance(answer, Failure)]
    assert len(refused) == 10 - 5
    assert {(one.cause, one.sent) for one in refused} == {(Cause.BUSY, False)}
    assert refused[0].retry_after == pytest.approx(2.5)
    assert world.clock.monotonic() - before == pytest.approx(2.0)


async def test_nobody_waits_beyond_the_deadline():
    world = World(rate=1.0)
    await world.send()
    assert (await world.send(seconds=1.2)).cause is Cause.BUSY
    assert await world.send(seconds=1.5) == Live({})


async def test_a_call_that_is_ready_leaves_at_once():
    world = World(rate=1.0)
    assert await world.cloud.ready("t", world.deadline()) is None
    assert (await world.send(seconds=0.9)) == Live({})  # uses the place that was kept
    assert (await world.send(seconds=0.9)).cause is Cause.BUSY
    before = world.clock.monotonic()
    assert await world.cloud.ready("t", world.deadline()) is None
    assert world.clock.monotonic() - before == pytest.approx(1.0)
    before = world.clock.monotonic()
    assert await world.send() == Live({})
    assert world.clock.monotonic() == before
    assert world.login.count() == 1


async def test_a_place_is_not_kept_for_ever():
    world = World(rate=1.0)
    await world.cloud.ready("t", world.deadline())
    await asyncio.sleep(16)
    await world.send()
    assert (await world.send(seconds=0.9)).cause is Cause.BUSY


async def test_ready_says_why_not():
    world = World(rate=1.0)
    world.pair = ("", "")
    assert (await world.cloud.ready("t", world.deadline())).cause is Cause.CREDENTIALS
    world.pair = ("id-1", "secret-1")
    await world.cloud.ready("t", world.deadline())
    await world.cloud.ready("t", world.deadline())
    assert (await world.cloud.ready("t", world.deadline(1.0))).cause is Cause.BUSY


@pytest.mark.parametrize(
    ("value", "pause"),
    [("7", 7.0), (format_datetime(EPOCH.replace(second=9), usegmt=True), 9.0), (None, 5.0), ("100000", 600.0)],
)
async def test_case_89_a_pause_holds_for_all_calls_of_the_credential(value, pause):
    headers = {} if value is None else {"retry-after": value}
    world = World(lambda asked: Reply(429, {"title": "Too Many Requests"}, headers))
    failure = await world.send()
    assert (failure.cause, failure.sent, failure.status, failure.retry_after) == (Cause.THROTTLED, False, 429, pause)
    world.api.handler = lambda asked: Reply(200, {"total": 0, "values": []})
    await asyncio.sleep(2)
    for held in (
        await world.send(),
        await world.listing(world.ago()),
        await world.item("v1", world.ago(), proof=True),
        await world.cloud.ready("t", world.deadline()),
    ):
        assert (held.cause, held.sent) == (Cause.THROTTLED, False)
        assert held.retry_after == pytest.approx(pause - 2)
    assert world.api.count() == 1
    await asyncio.sleep(pause - 2)
    assert isinstance(await world.send(), Live)


async def test_case_89_the_pause_of_one_credential_is_not_anothers():
    world = World(lambda asked: Reply(429 if asked.bearer == "token-1" else 200, {}))
    world.keycloak.clients = {"a": "sa", "b": "sb"}
    cloud = world.made(ByTenant({"t-100": ("a", "sa"), "t-200": ("b", "sb"), "t-300": ("a", "sa")}))
    assert (await cloud.send("t-100", CREATE, world.deadline())).cause is Cause.THROTTLED
    assert await cloud.send("t-200", CREATE, world.deadline()) == Live({})
    assert (await cloud.send("t-300", CREATE, world.deadline())).cause is Cause.THROTTLED
    assert world.api.count() == 2


async def test_a_page_waits_longer_for_its_place_than_others_do():
    """All pages before it would be lost, and a listing is what relieves the rate."""
    world = World(lambda asked: Reply(200, {"total": 0, "values": []}), rate=1.0)
    sending = [asyncio.create_task(world.send()) for _ in range(3)]
    await asyncio.sleep(0.1)
    assert (await world.send()).cause is Cause.BUSY
    listing = await world.listing(world.ago())
    assert (listing.complete, world.clock.monotonic()) == (True, pytest.approx(3))
    assert all(isinstance(answer, Live) for answer in await asyncio.gather(*sending))
