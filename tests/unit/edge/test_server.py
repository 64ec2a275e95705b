from __future__ import annotations

import asyncio
import os
import signal
import socket

import pytest
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

from hooks.clock import SystemClock
from hooks.edge import CannotListen, Server, serve, told_to_stop
from hooks.edge.server import listen
from hooks.http import AsyncClient, ConnectError
from tests.unit.edge.world import World, call, vpc

pytestmark = pytest.mark.real_time


def _app():
    async def hello(_request):
        return JSONResponse({"hello": "x" * 5000})

    return Starlette(routes=[Route("/hello", hello)])


async def test_replies_on_a_kept_connection_do_not_wait_for_nagle():
    server, clock = Server(_app()), SystemClock()
    await server.start()
    async with AsyncClient(base_url=server.url) as client:
        await client.get("/hello")
        began = clock.monotonic()
        for _ in range(10):
            await client.get("/hello")
        spent = clock.monotonic() - began
    await server.stop()
    assert spent < 0.3  # with Nagle on, each takes 44 ms


async def test_several_servers_take_free_ports_and_close_them():
    servers = [Server(_app()), Server(_app())]
    for server in servers:
        await server.start()
    ports = {server.port for server in servers}
    assert 0 not in ports
    assert len(ports) == 2
    async with AsyncClient() as client:
        for server in servers:
            assert (await client.get(f"{server.url}/hello")).status_code == 200
        await asyncio.gather(*(server.stop() for server in servers))
        with pytest.raises(ConnectError):
            await client.get(f"{servers[0].url}/hello")


async def test_a_port_in_use_is_said_so_and_a_server_that_never_started_can_be_stopped():
    first = Server(_app())
    with pytest.raises(CannotListen, match=f"cannot listen at 127.0.0.1 port {first.port}: .*in use"):
        Server(_app(), port=first.port)
    with pytest.raises(CannotListen, match=r"cannot listen at 192\.0\.2\.1 port 0: "):
        Server(_app(), "192.0.2.1")
    await first.stop()


async def test_sockets_name_tcp():
    made = listen("127.0.0.1", 0)
    assert made.proto == socket.IPPROTO_TCP
    assert made.getsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR)
    made.close()


async def test_told_to_stop_the_process_sends_its_callers_elsewhere_and_finishes_what_runs():
    """Case 112: kept connections are served for a while, and closed with their answers; then nothing new begins."""
    world, clock = World(), SystemClock()
    server, closed, go = Server(world.app), [], asyncio.Event()
    world.engine.before = go.wait

    async def close(deadline):
        closed.append(deadline.remaining(clock.monotonic()))

    async with told_to_stop() as stop, AsyncClient(base_url=server.url) as client:
        serving = asyncio.ensure_future(serve([server], world.gate, clock, stop, [close]))
        running = asyncio.ensure_future(client.post("/v2/vpcs/sync", json=call()))
        await asyncio.wait({running}, timeout=0.2)
        os.kill(os.getpid(), signal.SIGTERM)
        await stop.wait()
        await asyncio.sleep(0)
        ready = await client.get("/readyz")
        related = await client.post("/v2/vpcs/customize", json=call())
        assert [ready.status_code, related.status_code] == [503, 200]
        assert [ready.headers.get("connection"), related.headers.get("connection")] == [None, "close"]
        go.set()
        served = await client.post("/v2/vpcs/sync", json=call(vpc("u-2")))
        assert [served.status_code, served.headers.get("connection")] == [200, "close"]
        assert (await running).headers.get("connection") == "close"
        await asyncio.wait_for(serving, 4)
    assert 1.5 < closed[0] <= 2.6
