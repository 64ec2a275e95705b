"""The work queue (mc §2.6, §3.2, §3.6)."""

from __future__ import annotations

import asyncio

from hooks.local.metacontroller.queue import WorkQueue
from hooks.local.metacontroller.rate import TokenBucket
from tests.local.metacontroller.world import now
from tests.world.time import LoopClock


async def arrivals(queue, count):
    """(key, seconds) of the next keys, each done at once."""
    found = []
    for _ in range(count):
        key = await queue.get()
        queue.done(key)
        found.append((key, round(now(), 3)))
    return found


async def idle(queue, seconds=5000):
    try:
        async with asyncio.timeout(seconds):
            return await queue.get()
    except TimeoutError:
        return None


async def test_adds_before_processing_collapse_into_one():
    """mc §3.2."""
    queue = WorkQueue(LoopClock())
    for key in ("a", "b", "a", "a"):
        queue.add(key)
    assert [key for key, _ in await arrivals(queue, 2)] == ["a", "b"]
    assert await idle(queue) is None


async def test_adds_during_processing_make_the_key_come_back_once_it_is_done():
    """mc §3.2: dirty, and never to two workers at once."""
    queue = WorkQueue(LoopClock())
    queue.add("a")
    assert await queue.get() == "a"
    queue.add("a")
    queue.add("a")
    assert await idle(queue) is None
    queue.done("a")
    assert await arrivals(queue, 1)
    assert await idle(queue) is None


async def test_of_several_delays_the_earliest_wins_and_only_it_fires():
    """mc §3.6: a new wish moves the pending one forward, never back, and timers do not pile up."""
    queue = WorkQueue(LoopClock())
    queue.add_after("a", 60)
    queue.add_after("a", 30)
    queue.add_after("a", 45)
    assert await arrivals(queue, 1) == [("a", 30)]
    assert await idle(queue) is None


async def test_a_pending_delay_survives_an_earlier_add():
    """mc §3.6: it is not cancelled by a sync that an event caused."""
    queue = WorkQueue(LoopClock())
    queue.add_after("a", 30)
    queue.add("a")
    assert await arrivals(queue, 2) == [("a", 0), ("a", 30)]


async def test_a_delay_of_nothing_is_an_add():
    """mc §2.6: a hot loop if the webhook asks for it."""
    queue = WorkQueue(LoopClock())
    queue.add_after("a", 0)
    queue.add_after("b", -3)
    assert await arrivals(queue, 2) == [("a", 0), ("b", 0)]


async def test_the_back_off_doubles_from_5_ms_to_1000_s_and_starts_anew_after_a_success():
    """mc §2.6."""
    queue = WorkQueue(LoopClock())
    waits = []
    for _ in range(20):
        before = now()
        queue.retry("a")
        await arrivals(queue, 1)
        waits.append(round(now() - before, 3))
    assert waits[:6] == [0.005, 0.01, 0.02, 0.04, 0.08, 0.16]
    assert waits[14:] == [81.92, 163.84, 327.68, 655.36, 1000, 1000]
    queue.forget("a")
    before = now()
    queue.retry("a")
    await arrivals(queue, 1)
    assert round(now() - before, 3) == 0.005


async def test_about_fifteen_tries_in_the_first_three_minutes():
    """mc §2.6."""
    queue = WorkQueue(LoopClock())
    tries = 0
    while now() < 180:
        queue.retry("a")
        await arrivals(queue, 1)
        tries += 1
    assert tries == 16


async def test_retries_of_one_controller_share_a_bucket():
    """mc §2.6: a burst of 100, then ten a second."""
    queue = WorkQueue(LoopClock())
    for n in range(120):
        queue.retry(str(n))
    times = [at for _, at in await arrivals(queue, 120)]
    assert times[:100] == [0.005] * 100
    assert times[100:103] == [0.1, 0.2, 0.3]
    assert times[-1] == 2.0


async def test_closing_leaves_no_timer():
    queue = WorkQueue(LoopClock())
    queue.add_after("a", 30)
    await queue.close()
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert await idle(queue) is None


def test_a_bucket_gives_its_burst_and_then_one_an_interval():
    bucket = TokenBucket(300, 25)
    assert [bucket.allow(0) for _ in range(26)] == [True] * 25 + [False]
    assert [bucket.allow(at) for at in (299, 300, 301, 600, 600)] == [False, True, False, True, False]
