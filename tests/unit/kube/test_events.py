from __future__ import annotations

import asyncio

import pytest
from starlette.responses import Response

from tests.unit.kube.server import PATH, World, vpc

EVENTS = "/api/v1/namespaces/team-blue/events"


def _kept(world):
    return [raw for path, raw in world.api.objects.items() if path.startswith(EVENTS)]


async def test_an_event_names_the_object_and_who_tells():
    world = World()
    world.kube.tell(vpc(), "VPC", True, "ChangeRefused", "spec.cidr\ncannot\x1b change")
    await world.kube.drain(world.soon())
    (event,) = _kept(world)
    assert event["involvedObject"] == {
        "apiVersion": "arubacloud.com/v1alpha1",
        "kind": "VPC",
        "namespace": "team-blue",
        "name": "net-a",
        "uid": "u-1",
        "resourceVersion": "41",
    }
    assert (event["type"], event["reason"], event["message"]) == ("Warning", "ChangeRefused", "spec.cidr cannot change")
    assert event["source"] == {"component": "aruba-cloud-operator"}
    assert (event["count"], event["firstTimestamp"], event["lastTimestamp"]) == (1, *2 * ("2026-07-01T08:00:00Z",))
    assert event["metadata"]["namespace"] == "team-blue"
    assert event["metadata"]["name"].startswith("net-a.")


async def test_telling_does_not_wait_for_the_server():
    world = World()

    async def silence():
        await asyncio.sleep(3600)

    world.api.answers = [silence]
    world.kube.tell(vpc(), "VPC", False, "Created", "x")
    assert world.clock.monotonic() < 0.1
    await world.kube.drain(world.soon(60))
    assert world.clock.monotonic() == pytest.approx(5, abs=0.2)


async def test_the_same_words_within_ten_minutes_are_told_once():
    world = World()
    for _ in range(3):
        world.kube.tell(vpc(), "VPC", False, "Created", "x")
        await asyncio.sleep(100)
    world.kube.tell(vpc(uid="u-2"), "VPC", False, "Created", "x")
    world.kube.tell(vpc(), "VPC", False, "Created", "y")
    await world.kube.drain(world.soon())
    assert len(world.api.requests) == len(_kept(world)) == 3


async def test_later_or_by_another_replica_they_are_counted_up():
    world = World()
    other = World()
    other.client._transport = world.net
    world.kube.tell(vpc(), "VPC", False, "Created", "x")
    await asyncio.sleep(30)
    other.kube.tell(vpc(resourceVersion="55"), "VPC", False, "Created", "x")
    await asyncio.sleep(700)
    world.kube.tell(vpc(), "VPC", False, "Created", "x")
    await world.kube.drain(world.soon())
    (event,) = _kept(world)
    assert event["count"] == 3
    assert (event["firstTimestamp"], event["lastTimestamp"]) == ("2026-07-01T08:00:00Z", "2026-07-01T08:12:10Z")


async def test_words_that_did_not_arrive_may_be_said_again():
    world = World()
    world.api.answers = [Response("", 503)]
    for _ in range(2):
        world.kube.tell(vpc(), "VPC", False, "Created", "x")
        await asyncio.sleep(1)
    assert len(_kept(world)) == 1


async def test_a_full_queue_drops_the_oldest_and_never_raises():
    world = World()
    for n in range(1500):
        world.kube.tell(vpc(), "VPC", False, "Created", f"message {n}")
    await world.kube.drain(world.soon(60))
    kept = {event["message"] for event in _kept(world)}
    assert len(kept) == 1000
    assert "message 1499" in kept
    assert "message 499" not in kept


async def test_what_is_told_while_the_server_is_away_is_dropped_in_silence():
    world = World()
    world.net.cut("kube")
    world.kube.tell(vpc(), "VPC", False, "Created", "x")
    world.kube.tell({}, "VPC", False, "Created", "an object without a name")
    await world.kube.drain(world.soon())
    await world.kube.drain(world.soon())


async def test_long_messages_and_names_fit():
    world = World()
    world.kube.tell(vpc(name="n" * 229 + "." + "n" * 23), "VPC", False, "Created", "m" * 5000)
    await world.kube.drain(world.soon())
    (event,) = _kept(world)
    assert len(event["message"]) == 1024
    assert len(event["metadata"]["name"]) <= 253
    assert ".." not in event["metadata"]["name"]


async def test_draining_ends_at_the_deadline():
    world = World()

    async def silence():
        await asyncio.sleep(3600)

    world.api.answers = [silence] * 3
    for n in range(3):
        world.kube.tell(vpc(), "VPC", False, "Created", str(n))
    await world.kube.drain(world.soon(2))
    assert world.clock.monotonic() == pytest.approx(2, abs=0.1)
    assert PATH not in world.api.objects
