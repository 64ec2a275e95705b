from __future__ import annotations

import asyncio

from hooks.edge import Health, Peer, watch_app
from hooks.http import AsyncClient
from tests.unit.edge.world import World
from tests.world.loopback import Loopback
from tests.world.time import LoopClock


async def test_only_own_reasons_turn_readiness_off_and_peers_are_listed():
    clock, faults = LoopClock(), []
    cloud, token = Peer(clock), Peer(clock)
    health = Health(own=lambda: tuple(faults), notes=lambda: ("mode: bad",), peers={"cloud": cloud, "token": token})
    world = World(health=health)
    cloud.failed("503 from the gateway")
    await asyncio.sleep(40)
    cloud.failed("timed out")
    await asyncio.sleep(2)
    answer = await world.client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json() == {
        "ready": True,
        "reasons": [],
        "notes": ["mode: bad"],
        "peers": {
            "cloud": {"state": "failing", "age": 2.0, "for": 42.0, "detail": "timed out"},
            "token": {"state": "unknown", "age": None, "for": None},
        },
    }
    faults.append("client-id: missing")
    answer = await world.client.get("/readyz")
    assert (answer.status_code, answer.json()["reasons"]) == (503, ["client-id: missing"])


async def test_a_peer_that_answers_again_is_ok_from_then_on():
    peer = Peer(LoopClock())
    peer.failed("x")
    await asyncio.sleep(5)
    peer.ok()
    assert peer.view() == {"state": "ok", "age": 0.0, "for": 0.0}


async def test_metrics_are_served_beside_the_hooks_and_on_a_port_of_their_own():
    world = World()
    await world.post("sync")
    alone = AsyncClient(transport=Loopback({"m": watch_app(world.telemetry.metrics)}), base_url="http://m")
    for client in (world.client, alone):
        page = await client.get("/metrics")
        assert page.headers["content-type"].startswith("text/plain; version=")
        assert 'aruba_hook_duration_seconds_count{hook="sync",kind="VPC",outcome="ok"} 1.0' in page.text
    assert (await alone.get("/readyz")).status_code == 404
