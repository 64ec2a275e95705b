"""A transport that carries requests to ASGI apps in this process, as a network would.

Each call runs in a task of its own: a caller that hangs up (time-out, cancellation) leaves the handler running, as on
a real server, and only the handler's `receive` learns of it. Bodies stream, so a watch arrives line by line. A host
that is `cut` answers nothing more: its running calls are dropped, then cancelled, as by a killed process.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from typing import Any

from hooks.http import AsyncBaseTransport, AsyncByteStream, ConnectError, ReadError, ReadTimeout, Request, Response

App = Callable[..., Awaitable[None]]
Message = MutableMapping[str, Any]


class _Exchange(AsyncByteStream):
    """One request under way: what the handler has sent so far, and whether somebody still listens."""

    def __init__(self, request: Request, body: bytes) -> None:
        self.request = request
        self.body: bytes | None = body
        self.out: asyncio.Queue[Message | None] = asyncio.Queue()
        self.gone = asyncio.Event()
        self.dead = False
        self.task: asyncio.Task[None] | None = None

    async def receive(self) -> Message:
        if self.body is not None:
            body, self.body = self.body, None
            return {"type": "http.request", "body": body, "more_body": False}
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        if self.gone.is_set():
            return
        self.out.put_nowait(message)

    async def run(self, app: App, scope: dict[str, Any]) -> None:
        try:
            await app(scope, self.receive, self.send)
        finally:
            self.out.put_nowait(None)

    def cut(self) -> None:
        self.dead = True
        self.gone.set()
        self.out.put_nowait(None)
        if self.task is not None:
            self.task.cancel()

    async def next(self, timeout: float | None) -> Message | None:
        try:
            async with asyncio.timeout(timeout):
                message = await self.out.get()
        except TimeoutError:
            self.gone.set()
            raise ReadTimeout("no answer in time", request=self.request) from None
        if self.dead:
            raise ReadError("connection lost", request=self.request)
        return message

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while True:
            message = await self.next(None)
            if message is None:
                return
            if message.get("body"):
                yield message["body"]
            if not message.get("more_body", False):
                return

    async def aclose(self) -> None:
        self.gone.set()


class Loopback(AsyncBaseTransport):
    """Routes by host name: `hosts` maps a name to an ASGI app; `latency` seconds pass before a request arrives."""

    def __init__(self, hosts: dict[str, App], latency: float = 0.0) -> None:
        self.hosts = hosts
        self.latency = latency
        self.running: dict[str, set[_Exchange]] = {}

    def cut(self, host: str) -> None:
        """Drop what runs on a host and refuse what comes, until `hosts` names an app for it again."""
        self.hosts.pop(host, None)
        for exchange in list(self.running.get(host, ())):
            exchange.cut()

    async def handle_async_request(self, request: Request) -> Response:
        body = await request.aread()
        if self.latency:
            await asyncio.sleep(self.latency)
        host = request.url.host
        app = self.hosts.get(host)
        if app is None:
            raise ConnectError(f"nobody listens at {host}", request=request)
        exchange = _Exchange(request, body)
        self.running.setdefault(host, set()).add(exchange)
        exchange.task = asyncio.get_running_loop().create_task(exchange.run(app, _scope(request)))
        exchange.task.add_done_callback(lambda task: self._done(host, exchange, task))
        timeout = request.extensions.get("timeout", {}).get("read")
        try:
            start = await exchange.next(timeout)
        except asyncio.CancelledError:
            exchange.gone.set()
            raise
        if start is None:
            raise ReadError("connection closed without an answer", request=request)
        return Response(start["status"], headers=start.get("headers", []), stream=exchange, request=request)

    def _done(self, host: str, exchange: _Exchange, task: asyncio.Task[None]) -> None:
        self.running[host].discard(exchange)
        if not task.cancelled():
            task.exception()  # a handler's own failure is seen by the caller as a lost connection


def _scope(request: Request) -> dict[str, Any]:
    url = request.url
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": url.scheme,
        "path": url.path,
        "raw_path": url.raw_path.split(b"?")[0],
        "query_string": url.query,
        "root_path": "",
        "headers": [(name.lower(), value) for name, value in request.headers.raw],
        "client": ("127.0.0.1", 50000),
        "server": (url.host, url.port or 80),
        "state": {},
        "extensions": {},
    }
