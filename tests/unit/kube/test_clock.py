from __future__ import annotations

from datetime import timedelta

import pytest

from hooks.kube.clock import ServerClock
from tests.unit.kube.server import PATH, World, vpc
from tests.world.time import EPOCH, LoopClock


async def _after(skew, *more):
    """What the client takes for the time once it has heard a server that is `skew` seconds ahead."""
    world = World()
    world.api.put(PATH, vpc())
    for seconds in (skew, *more):
        world.api.skew = timedelta(seconds=seconds)
        await world.kube.read("vpcs", "team-blue", "net-a", world.soon())
    return (world.kube.now() - world.clock.now()).total_seconds()


@pytest.mark.parametrize(("skew", "offset"), [(0, 0), (1, 0), (-1, 0), (30, 30), (-30, -30), (3600, 3600)])
async def test_time_follows_the_server_but_not_its_jitter(skew, offset):
    assert await _after(skew) == pytest.approx(offset, abs=1)
    if offset == 0:
        assert await _after(skew) == 0


async def test_an_offset_stays_put_while_the_server_agrees_within_its_second():
    first = await _after(30)
    assert await _after(30, 31, 29, 30) == first


async def test_an_offset_goes_away_when_the_clocks_agree_again():
    assert await _after(30, 0) == pytest.approx(0, abs=1)


async def test_offsets_are_whole_seconds():
    assert await _after(17.4) == round(await _after(17.4))


async def test_without_a_date_or_with_a_strange_one_nothing_moves():
    clock = ServerClock(LoopClock())
    for date in (None, "", "tomorrow", "Wed, 99 Jul 2026 08:00:00 GMT"):
        clock.learn(date, EPOCH)
    assert clock.now() == EPOCH


async def test_a_slow_answer_is_no_skew():
    clock = ServerClock(LoopClock())
    clock.learn("Wed, 01 Jul 2026 07:59:51 GMT", EPOCH - timedelta(seconds=9))
    assert clock.now() == EPOCH


async def test_monotonic_seconds_are_the_machines_own():
    world = World()
    assert world.kube.monotonic() == world.clock.monotonic()
