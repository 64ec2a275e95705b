"""The caches (mc §3.1, §3.5): watching, losing the watch, and lagging behind on purpose; starting and stopping."""

from __future__ import annotations

import asyncio

import pytest

from hooks.local.metacontroller import UnmodelledError
from tests.local.metacontroller.kubernetes import FakeKubernetes
from tests.local.metacontroller.world import World, composite, vpc


def plain(**options):
    return World(composite(hooks=("sync",), **options.pop("spec", {})), **options)


async def test_a_lost_watch_goes_on_where_it_was():
    """Nothing that happened meanwhile is missed, and nothing is listed twice."""
    world = plain()
    await world.kube.put("vpcs", vpc())
    async with world.running():
        await asyncio.sleep(1)
        world.net.cut("kube")
        await world.kube.put("vpcs", vpc("two"))
        await asyncio.sleep(1)
        assert not world.of("sync", "two")
        world.net.hosts["kube"] = world.kube.app
        await asyncio.sleep(5)
        assert world.of("sync", "two")
    lists = [path for method, path in world.kube.requests if method == "GET" and path.endswith("/v1/vpcs")]
    assert len(lists) == 1 + world.kube.watches
    assert world.kube.watches == 2


async def test_a_version_too_old_makes_it_list_again():
    """410: objects that vanished meanwhile are gone from the cache, new ones are there."""
    world = plain()
    for name in ("one", "two"):
        await world.kube.put("vpcs", vpc(name))
    async with world.running():
        await asyncio.sleep(1)
        world.net.cut("kube")
        await world.kube.delete("vpcs", "a", "one")
        await world.kube.put("vpcs", vpc("three"))
        world.kube.forget()
        world.net.hosts["kube"] = world.kube.app
        await asyncio.sleep(5)
        assert world.of("sync", "three")
        calls = len(world.of("sync", "one"))
        await asyncio.sleep(2000)  # a flush of the cache calls for all that is in it
        assert len(world.of("sync", "one")) == calls
        assert len(world.of("sync", "two")) > 2
    assert world.events() == []


async def test_an_error_inside_the_watch_makes_it_list_again_too():
    world = plain()
    await world.kube.put("vpcs", vpc())
    async with world.running():
        await asyncio.sleep(1)
        calls = len(world.calls)
        world.kube.version += 1
        await world.kube.announce("vpcs", "ERROR", {"code": 410, "message": "too old resource version"})
        await asyncio.sleep(5)
        assert world.kube.watches == 2
        assert len(world.calls) == calls + 1


async def test_a_server_by_which_every_version_is_too_old_is_not_asked_without_a_pause():
    """As client-go does: list and watch again after 0.8 s, twice that, at last half a minute."""
    world = plain()
    world.net.latency = 0.01  # without it, asking without a pause would take no time at all, for ever
    world.kube.oldest = 10**9
    await world.kube.put("vpcs", vpc())
    async with world.running():
        await asyncio.sleep(600)
        lists = [path for method, path in world.kube.requests if path.endswith("/v1/vpcs")]
        assert 2 * 10 <= len(lists) <= 2 * 30
        world.kube.oldest = 0
        await world.kube.put("vpcs", vpc("two"))
        await asyncio.sleep(31)
        assert world.of("sync", "two")


async def test_a_text_may_hold_any_line_separator():
    """Only a newline ends an event; Python's own idea of a line is wider."""
    world = plain()
    text = "one\u2028two\u0085three\x0bfour"
    async with world.running():
        await world.kube.put("vpcs", vpc(metadata={"annotations": {"note": text}}))
        await asyncio.sleep(1)
        assert world.of("sync")[0][1]["parent"]["metadata"]["annotations"]["note"] == text
        assert world.kube.watches == 1


async def test_bookmarks_move_the_version_and_change_nothing():
    world = plain()
    await world.kube.put("vpcs", vpc())
    async with world.running():
        await asyncio.sleep(1)
        calls = len(world.calls)
        world.kube.version += 50
        mark = {"kind": "Vpc", "metadata": {"resourceVersion": str(world.kube.version)}}
        await world.kube.announce("vpcs", "BOOKMARK", mark)
        await asyncio.sleep(1)
        assert len(world.calls) == calls
        world.net.cut("kube")
        world.kube.oldest = world.kube.version
        world.net.hosts["kube"] = world.kube.app
        await world.kube.put("vpcs", vpc("two"))
        await asyncio.sleep(5)
        assert world.of("sync", "two")
        assert world.kube.watches == 2
        assert len(world.of("sync", "one")) == calls  # not listed again


async def test_events_reach_the_cache_when_the_delivery_lets_them():
    """mc §3.5: the seam; later events wait behind the held one."""

    class Gate:
        def __init__(self):
            self.open = asyncio.Event()
            self.seen = []

        async def deliver(self, resource, event):
            self.seen.append((resource.plural, event["type"], event["object"]["metadata"]["name"]))
            await self.open.wait()

    gate = Gate()
    world = plain(delivery=gate)
    async with world.running():
        await world.kube.put("vpcs", vpc())
        await world.kube.change("vpcs", "a", "one", spec={"size": 2})
        await asyncio.sleep(5)
        assert gate.seen == [("vpcs", "ADDED", "one")]
        assert world.calls == []
        gate.open.set()
        await asyncio.sleep(1)
        assert world.calls[0][2]["parent"]["spec"] == {"size": 2}


async def test_the_resync_period_calls_for_all_parents_at_once():
    """mc §3.1."""
    world = plain(spec={"resyncPeriodSeconds": 300})
    for name in ("one", "two"):
        await world.kube.put("vpcs", vpc(name))
    async with world.running():
        await asyncio.sleep(10)
        before = len(world.calls)
        await asyncio.sleep(600)
        assert [round(at) for at, _, _ in world.calls[before:]] == [300, 300, 600, 600]


@pytest.mark.parametrize("resync", [None, 4000])
async def test_the_flush_of_the_cache_does_it_for_all_others(resync):
    """mc §1.1: a longer resync period does nothing."""
    world = plain(spec={} if resync is None else {"resyncPeriodSeconds": resync})
    await world.kube.put("vpcs", vpc())
    async with world.running():
        await asyncio.sleep(10)
        before = len(world.calls)
        await asyncio.sleep(5000)
        assert [round(at) for at, _, _ in world.calls[before:]] == [1800, 3600]


async def test_cancelling_ends_everything():
    world = plain()
    await world.kube.put("vpcs", vpc())

    async def hook(which, body):
        await asyncio.sleep(5)
        return {"status": {"phase": "late"}, "children": [], "resyncAfterSeconds": 60}

    world.hook = hook
    async with world.running():
        await asyncio.sleep(7)
        assert len(world.calls) == 2
    writes = len(world.puts())
    await asyncio.sleep(10)  # the handler under way ends by itself; nobody hears its answer
    assert asyncio.all_tasks() == {asyncio.current_task()}
    await asyncio.sleep(600)
    assert len(world.calls) == 2
    assert len(world.puts()) == writes


async def test_a_restart_calls_for_all_parents_again():
    """mc §3.1."""
    world = plain()
    await world.kube.put("vpcs", vpc())
    async with world.running():
        await asyncio.sleep(1)
    before = len(world.calls)
    async with world.running():
        await asyncio.sleep(1)
    assert len(world.calls) == before + 1


async def test_a_definition_that_comes_late_is_waited_for():
    """mc §1.1. Its cache may have run long since, for others: what is in it counts as new all the same."""
    world = World(composite("subnets", hooks=("sync", "customize")), composite("vpcs", hooks=("sync",)))
    world.kube.undefined = {"vpcs.net.example.com"}
    for plural in ("vpcs", "subnets"):
        await world.kube.put(plural, vpc())

    async def hook(which, body):
        rules = [{"apiVersion": "net.example.com/v1", "resource": "vpcs"}]
        return {"relatedResources": rules} if which == "customize" else {"status": {}, "children": []}

    async def define():
        await asyncio.sleep(5.5)
        assert {body["parent"]["kind"] for _, _, body in world.calls} == {"Subnet"}
        world.kube.undefined = set()

    world.hook = hook
    later = asyncio.create_task(define())
    async with world.running():
        await asyncio.sleep(1)
        await later
    assert next(round(at) for at, _, body in world.calls if body["parent"]["kind"] == "Vpc") == 6
    assert world.live()["status"] == {"observedGeneration": 1}


async def test_parents_without_a_status_subresource_are_refused_loudly():
    """mc §1.1."""
    world = plain(kubernetes=FakeKubernetes(subresources=()))
    with pytest.raises(ExceptionGroup) as raised:
        async with asyncio.timeout(5), world.running():
            pass
    assert raised.group_contains(UnmodelledError, match=r"vpcs.net.example.com has no status subresource in version v1")
