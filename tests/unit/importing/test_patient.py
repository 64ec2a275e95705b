"""A command waits where a pass would give up, but not for ever, and says what it is waiting for."""

from __future__ import annotations

import pytest

from hooks.aruba.model.failure import Cause, Failure
from hooks.aruba.model.wire import Listing
from hooks.cli.importing.patient import Patient
from hooks.http import AsyncClient
from hooks.settings import Settings
from tests.unit.cloud.script import NOT_FOUND, PROBLEM, VPCS, App, Keycloak, Reply, shelf
from tests.world.loopback import Loopback
from tests.world.time import LoopClock


class World:
    def __init__(self, handler):
        self.api = App(handler)
        self.told: list[str] = []
        self.clock = LoopClock()
        self.net = Loopback({"cloud": self.api, "login": App(Keycloak())})

    async def listing(self):
        settings = Settings(
            api_gateway="http://cloud", keycloak_url="http://login", client_id="id-1", client_secret="secret-1"
        )
        async with (
            AsyncClient(transport=self.net) as http,
            Patient(settings, http, self.clock, "", self.told.append) as it,
        ):
            return await it.listing(VPCS)


def twice(reply, then):
    """Two such answers, and only then the right one."""
    left = [reply, reply]

    def answer(asked):
        return left.pop() if left and asked.path == VPCS else then(asked)

    return answer


@pytest.mark.parametrize("reply", [Reply(503, b"busy"), Reply(429, {}, {"retry-after": "7"})])
async def test_what_passes_is_waited_for(reply):
    world = World(twice(reply, shelf(["a", "b"])))
    answer = await world.listing()
    assert isinstance(answer, Listing)
    assert [live.id for live in answer.rows] == ["a", "b"]
    assert world.told
    assert "asking again in" in world.told[0]


async def test_a_long_pause_is_told_and_not_waited_for():
    world = World(lambda asked: Reply(429, {}, {"retry-after": "500"}))
    answer = await world.listing()
    assert isinstance(answer, Failure)
    assert answer.cause is Cause.THROTTLED
    assert world.told == []


async def test_an_unreachable_cloud_ends_it_after_some_attempts():
    world = World(shelf([]))
    world.net.cut("cloud")
    answer = await world.listing()
    assert isinstance(answer, Failure)
    assert len(world.told) == 3


async def test_a_refusal_is_final():
    world = World(lambda asked: Reply(403, NOT_FOUND | {"status": 403}, PROBLEM))
    assert (await world.listing()).cause is Cause.FORBIDDEN
    assert world.told == []
