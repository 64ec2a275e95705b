from __future__ import annotations

import asyncio

import pytest
from starlette.applications import Starlette
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route

from hooks.http import AsyncClient, ConnectError, ReadError, ReadTimeout
from tests.world.loopback import Loopback


def make():
    done = []

    async def slow(request):
        await asyncio.sleep(30)
        done.append(1)
        return JSONResponse({})

    async def lines(request):
        async def body():
            for n in range(3):
                await asyncio.sleep(1)
                yield f"{n}\n"

        return StreamingResponse(body())

    return Starlette(routes=[Route("/slow", slow), Route("/lines", lines)]), done


async def test_a_caller_that_times_out_leaves_the_handler_running():
    app, done = make()
    async with AsyncClient(transport=Loopback({"a": app}), timeout=10) as client:
        with pytest.raises(ReadTimeout):
            await client.get("http://a/slow")
        assert not done
        await asyncio.sleep(25)
        assert done


async def test_a_body_streams_line_by_line():
    app, _ = make()
    seen = []
    async with AsyncClient(transport=Loopback({"a": app}), timeout=10) as client:
        async with client.stream("GET", "http://a/lines") as answer:
            async for line in answer.aiter_lines():
                seen.append((line, asyncio.get_running_loop().time()))
    assert [line for line, _ in seen] == ["0", "1", "2"]
    assert seen[0][1] < seen[2][1]


async def test_a_cut_host_drops_what_runs_and_refuses_what_comes():
    app, done = make()
    net = Loopback({"a": app})
    async with AsyncClient(transport=net, timeout=100) as client:
        call = asyncio.ensure_future(client.get("http://a/slow"))
        await asyncio.sleep(1)
        net.cut("a")
        with pytest.raises(ReadError):
            await call
        with pytest.raises(ConnectError):
            await client.get("http://a/slow")
        await asyncio.sleep(60)
        assert not done
