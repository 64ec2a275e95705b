"""Serving ASGI apps on real sockets: several in one loop, each on its own port, stopped without a lost answer.

`stack` starts them. Signals belong to whoever runs the loop; `told_to_stop` is what commands use.
"""

from __future__ import annotations

import asyncio
import signal
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

import uvicorn
from starlette.types import ASGIApp

from hooks.clock import Clock
from hooks.edge.gate import Gate
from hooks.meta.deadline import Deadline

KEEP_ALIVE = 120
"""Seconds; longer than the 90 s for which Metacontroller keeps an idle connection (mc §10.5)."""
STOP_WITHIN = 5.0
LEAVING = 1.0
"""Seconds in which calls over kept connections are still answered, and each caller is told to close its own: Services
keep established connections with a Pod that has left their lists.
"""
RUNNING_PASSES = 2.0
"""Seconds for passes that still run after that."""
LAST_ANSWERS = 1
"""Seconds for answers under way when the sockets close; whole ones, as uvicorn counts."""


class Server:
    """One app on one socket; port 0 takes any free one. With `tls`, each handshake is made by it."""

    def __init__(self, app: ASGIApp, host: str = "127.0.0.1", port: int = 0, tls: ssl.SSLContext | None = None) -> None:
        self._socket = listen(host, port)
        self._scheme = "http" if tls is None else "https"
        self.host = host
        self.port: int = self._socket.getsockname()[1]
        self._server = uvicorn.Server(_config(app, tls))
        self._loop: asyncio.Task[None] | None = None

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self._scheme}://{host}:{self.port}"

    async def start(self) -> None:
        """Return once the port answers. uvicorn's own `serve` is passed by: it would take the process's signals."""
        config = self._server.config
        config.load()
        self._server.lifespan = config.lifespan_class(config)
        await self._server.startup(sockets=[self._socket])
        self._loop = asyncio.get_running_loop().create_task(self._server.main_loop())

    async def stop(self) -> None:
        """Close the port, let answers under way go out, then close the connections."""
        if self._loop is not None:
            self._server.should_exit = True
            await self._loop
            await self._server.shutdown(sockets=[self._socket])
        self._socket.close()


def _config(app: ASGIApp, tls: ssl.SSLContext | None) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http="httptools",
        ws="none",
        loop="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        workers=1,
        proxy_headers=False,
        server_header=False,
        date_header=False,  # the small Kubernetes API writes its own, and nobody reads one of the hooks
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=LAST_ANSWERS,
        ssl_context_factory=None if tls is None else lambda _config, _default: tls,
    )


class CannotListen(Exception):
    """The address is taken, or not this machine's; the text says which and why."""


def listen(host: str, port: int) -> socket.socket:
    """A listening socket. Raises `CannotListen`.

    It names TCP outright: asyncio turns Nagle's algorithm off only where the protocol is named, and with it on, every
    answer on a kept connection waits 44 ms (libs 0.2).
    """
    made: socket.socket | None = None
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        made = socket.socket(family, kind, socket.IPPROTO_TCP)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen()
    except OSError as fault:
        if made is not None:
            made.close()
        raise CannotListen(f"cannot listen at {host} port {port}: {fault.strerror}") from None
    return made


@asynccontextmanager
async def told_to_stop() -> AsyncIterator[asyncio.Event]:
    """An event that SIGTERM and SIGINT set, while the block runs."""
    loop, told = asyncio.get_running_loop(), asyncio.Event()
    signals = (signal.SIGTERM, signal.SIGINT)
    for number in signals:
        loop.add_signal_handler(number, told.set)
    try:
        yield told
    finally:
        for number in signals:
            loop.remove_signal_handler(number)


async def serve(
    servers: Sequence[Server],
    gate: Gate,
    clock: Clock,
    stop: asyncio.Event,
    closing: Sequence[Callable[[Deadline], Awaitable[None]]] = (),
) -> None:
    """Serve until `stop` is set, then end within `STOP_WITHIN` seconds.

    Readiness goes first, then kept connections, then running passes have their time, then `closing` (Events still to be
    sent), then sockets.
    """
    for server in servers:
        await server.start()
    await stop.wait()
    deadline = Deadline(clock.monotonic() + STOP_WITHIN - 1.5 * LAST_ANSWERS)
    gate.leaving = True
    await clock.sleep(LEAVING)
    await gate.drain(RUNNING_PASSES)
    await asyncio.gather(*(close(deadline) for close in closing))
    await asyncio.gather(*(server.stop() for server in servers))
