"""The real connection pool after a storm of cancelled passes (cases 88)."""

import asyncio

import pytest

from hooks.aruba.cloud.client import Cloud, Limits
from hooks.aruba.cloud.session import Origin
from hooks.aruba.credentials.direct import Direct
from hooks.aruba.model.live import Live
from hooks.aruba.model.wire import Call
from hooks.clock import SystemClock, seeded
from hooks.http import AsyncClient
from hooks.http import Limits as PoolLimits
from hooks.meta.deadline import Deadline

BODY = b'{"access_token": "token-1", "expires_in": 3600}'


class Server:
    """Answers every request on a connection with the same body."""

    def __init__(self):
        self.handlers = []

    async def handle(self, reader, writer):
        self.handlers.append(asyncio.current_task())
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                lines = head.lower().split(b"\r\n")
                await reader.readexactly(
                    next((int(one[15:]) for one in lines if one.startswith(b"content-length:")), 0)
                )
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n")
                writer.write(b"content-length: %d\r\n\r\n%b" % (len(BODY), BODY))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()
            await asyncio.gather(writer.wait_closed(), return_exceptions=True)


@pytest.mark.real_time
async def test_case_88_a_storm_of_cancelled_passes_does_not_poison_the_pool():
    there = Server()
    server = await asyncio.start_server(there.handle, "127.0.0.1", 0)
    base = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    clock = SystemClock()
    async with AsyncClient(limits=PoolLimits(max_connections=10)) as http:
        origin, source = Origin(base, f"{base}/token"), Direct(lambda: ("id-1", "secret-1"))
        cloud = Cloud(lambda: origin, source, http, clock, seeded(1), Limits(rate=100_000.0))

        def call():
            return cloud.send("t", Call("PUT", "/projects/p1", {}), Deadline(clock.monotonic() + 8))

        for turn in range(300):
            one = asyncio.create_task(call())
            for _ in range(turn % 13):  # now before it connects, now while it connects, now while it is answered
                await asyncio.sleep(0)
            one.cancel()
            await asyncio.gather(one, return_exceptions=True)
        answers = await asyncio.gather(*(call() for _ in range(10)))
        await cloud.drain(5)
    await asyncio.gather(*there.handlers)
    server.close()
    await server.wait_closed()
    assert all(isinstance(answer, Live) for answer in answers), answers
