from __future__ import annotations

import asyncio

import pytest

from hooks.edge import Limits
from hooks.http import ReadTimeout
from tests.unit.edge.world import World, call, vpc


def _hold(world):
    """Keep every pass until the event is set."""
    go = asyncio.Event()
    world.engine.before = go.wait
    return go


async def _started(world, count):
    """Give the calls the time they need to reach the engine."""
    await asyncio.sleep(0.1)
    assert len(world.engine.calls) == count


async def test_over_the_bound_sync_and_finalize_are_429_and_customize_is_answered():
    world = World(Limits(in_flight=2))
    go = _hold(world)
    running = [asyncio.ensure_future(world.post("sync", call(vpc(f"u-{n}")))) for n in range(2)]
    await _started(world, 2)
    for hook in ("sync", "finalize"):
        answer = await world.post(hook, call(vpc("u-9")))
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "1")
    assert (await world.post("customize")).status_code == 200
    go.set()
    assert [answer.status_code for answer in await asyncio.gather(*running)] == [200, 200]
    assert (await world.post("sync", call(vpc("u-9")))).status_code == 200


async def test_the_bound_holds_for_calls_that_arrive_together():
    world = World(Limits(in_flight=3))
    go = _hold(world)
    calls = [asyncio.ensure_future(world.post("sync", call(vpc(f"u-{n}")))) for n in range(10)]
    await _started(world, 3)
    await asyncio.sleep(1)
    go.set()
    assert sorted(answer.status_code for answer in await asyncio.gather(*calls)) == [200] * 3 + [429] * 7


async def test_a_caller_that_hangs_up_leaves_the_pass_running():
    world = World()
    done = []

    async def slow():
        await asyncio.sleep(8)
        done.append(True)

    world.engine.before = slow
    with pytest.raises(ReadTimeout):
        await world.post("sync", timeout=2)
    assert not done
    await asyncio.sleep(7)
    assert done
    assert world.log()[-1]["outcome"] == "ok"


async def test_a_cancelled_connection_leaves_the_pass_running():
    world = World()
    done = []

    async def slow():
        await asyncio.sleep(8)
        done.append(True)

    world.engine.before = slow
    caller = asyncio.ensure_future(world.post("sync"))
    await _started(world, 1)
    world.net.cut("hooks")
    await asyncio.gather(caller, return_exceptions=True)
    await asyncio.sleep(10)
    assert done


async def test_one_object_has_one_pass_at_a_time_even_when_its_first_caller_has_gone():
    world = World()
    go = _hold(world)
    with pytest.raises(ReadTimeout):
        await world.post("sync", timeout=2)
    answer = await world.post("finalize")
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "1")
    assert [hook for hook, *_ in world.engine.calls] == ["sync"]
    go.set()
    assert (await world.post("finalize")).json()["finalized"] is True


async def test_a_pass_that_ignores_its_deadline_is_cut_off_and_its_object_freed():
    world = World(Limits(budget=5))
    go = _hold(world)
    answer = await world.post("sync", timeout=60)
    assert answer.status_code == 500
    assert world.clock.monotonic() == pytest.approx(15, abs=0.5)
    go.set()
    assert (await world.post("sync")).status_code == 200


async def test_a_body_that_does_not_come_is_given_up():
    world = World(Limits(budget=5))
    sent = []

    async def receive():
        await asyncio.sleep(3600)

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/v2/vpcs/sync", "headers": [], "query_string": b"", "state": {}}
    await world.app(scope, receive, send)
    assert sent[0]["status"] == 400
    assert world.clock.monotonic() == pytest.approx(5, abs=0.1)


async def test_while_draining_passes_are_503_customize_is_answered_and_readiness_is_gone():
    world = World()
    assert (await world.client.get("/readyz")).status_code == 200
    world.gate.leaving = world.gate.draining = True
    for hook in ("sync", "finalize"):
        refused = await world.post(hook)
        assert (refused.status_code, refused.headers["connection"]) == (503, "close")
    assert (await world.post("customize")).status_code == 200
    answer = await world.client.get("/readyz")
    assert (answer.status_code, answer.json()["reasons"]) == (503, ["draining"])
    assert (await world.client.get("/healthz")).status_code == 200


async def test_draining_waits_for_what_runs():
    world = World()
    world.engine.before = lambda: asyncio.sleep(2)
    running = asyncio.ensure_future(world.post("sync"))
    await _started(world, 1)
    await world.gate.drain(10)
    assert world.clock.monotonic() == pytest.approx(2, abs=0.2)
    assert (await running).status_code == 200


async def test_draining_gives_up_what_takes_too_long():
    world = World()
    _hold(world)
    running = asyncio.ensure_future(world.post("sync"))
    await _started(world, 1)
    await world.gate.drain(3)
    assert world.clock.monotonic() == pytest.approx(3, abs=0.2)
    assert (await running).status_code == 503
    assert world.log()[-1]["outcome"] == "cut off"
