"""A write leaves in time or not at all, whatever it waits for: its fence does not vouch for it later (design §5.3)."""

import asyncio

import pytest

from hooks.aruba.model.failure import Cause
from hooks.aruba.model.live import Live
from hooks.http import AsyncBaseTransport, AsyncClient, ConnectTimeout
from tests.unit.cloud.script import Reply, World

HELD_UP = "the request was held up for too long, so it was not sent"


def assert_held_up(failure):
    assert (failure.cause, failure.sent, failure.retry_after, failure.text) == (Cause.BUSY, False, 1.0, HELD_UP)


async def test_after_a_refused_token_the_second_attempt_does_not_leave_late():
    world = World(lambda asked: Reply(401, {}, delay=4.0))
    await world.cloud.ready("t", world.deadline())
    world.keycloak.delay = 3.0
    assert_held_up(await world.send(seconds=20.0, leave_within=5.0))
    assert (world.api.count(), world.login.count(), world.clock.monotonic()) == (1, 2, 7.0)


async def test_after_a_refused_token_the_second_attempt_leaves_in_time():
    world = World(lambda asked: Reply(401 if asked.bearer == "token-1" else 201, {}, delay=1.0))
    await world.cloud.ready("t", world.deadline())
    world.keycloak.delay = 3.0
    assert await world.send(seconds=20.0, leave_within=5.0) == Live({})
    assert world.api.count() == 2


async def test_an_answer_may_come_later():
    world = World(lambda asked: Reply(201, {}, delay=6.0))
    assert await world.send(leave_within=1.0) == Live({})


@pytest.mark.parametrize(("delay", "sent"), [(3.0, 0), (1.0, 1)])
async def test_a_write_that_waits_for_its_token(delay, sent):
    world = World()
    world.keycloak.delay = delay
    answer = await world.send(leave_within=2.0)
    assert world.api.count() == sent
    if sent:
        assert answer == Live({})
    else:
        assert_held_up(answer)


async def test_a_write_that_waits_for_its_credential():
    class Slow:
        async def credential(self, tenant):
            await asyncio.sleep(3.0)
            return await source.credential(tenant)

    world = World()
    source = world.cloud._credentials
    world.cloud = world.made(Slow())
    assert_held_up(await world.send(leave_within=2.0))
    assert world.api.count() == 0


async def test_a_write_that_waits_for_its_place_in_the_rate():
    world = World(rate=1.0)
    await world.send()
    assert_held_up(await world.send(leave_within=0.5))
    assert world.api.count() == 1


async def test_a_write_that_waits_for_its_turn_gives_it_back():
    world = World(lambda asked: Reply(201, {}, delay=1.5), flight=1)
    first = asyncio.create_task(world.send())
    await asyncio.sleep(0.1)
    assert_held_up(await world.send(leave_within=1.0))
    assert await first == Live({})
    assert await world.send(leave_within=1.0) == Live({})
    assert world.api.count() == 2


class Unreachable(AsyncBaseTransport):
    """No connection to the API comes about in the time that a request allows for it."""

    def __init__(self, inner):
        self.inner = inner
        self.allowed = []

    async def handle_async_request(self, request):
        if request.url.host != "cloud":
            return await self.inner.handle_async_request(request)
        times = request.extensions["timeout"]
        self.allowed.append((times["pool"], times["connect"]))
        await asyncio.sleep(times["connect"])
        raise ConnectTimeout("no connection")


def unreachable():
    world = World()
    transport = Unreachable(world.net)
    world.http = AsyncClient(transport=transport)
    world.cloud = world.made(world.cloud._credentials)
    return world, transport


async def test_pool_connection_and_encryption_together_end_in_time():
    world, transport = unreachable()
    failure = await world.send(seconds=20.0, leave_within=3.0)
    assert (failure.cause, failure.sent) == (Cause.TECHNICAL, False)
    assert transport.allowed == [(1.0, 1.0), pytest.approx((2 / 3, 2 / 3))]


async def test_without_such_a_time_a_connection_has_its_usual_time():
    world, transport = unreachable()
    await world.send(seconds=20.0)
    assert transport.allowed == [(2.0, 5.0), (2.0, 5.0)]


async def test_a_connection_never_made_is_not_tried_again_late():
    world, transport = unreachable()
    assert_held_up(await world.send(seconds=20.0, leave_within=0.05))
    assert len(transport.allowed) == 1
