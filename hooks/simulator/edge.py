"""The outermost layer: every call to the cloud and to the token endpoint passes here on its way in and out.

It writes the call log, lets the faults strike, and puts paths in lower case for routing, since the cloud's routing
ignores case. The admin API is neither logged nor disturbed.
"""

from __future__ import annotations

from collections.abc import Mapping

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hooks.simulator.api import ASKED_PATH
from hooks.simulator.calls import Call, read_body
from hooks.simulator.faults import Effect
from hooks.simulator.tokens import requester
from hooks.simulator.world import World

ADMIN = "/_simulator"


class Dropped(Exception):
    """The connection is cut: raised where no transport is at hand to cut, which a caller sees as a lost connection."""


class Edge:
    """ASGI middleware around the app's router."""

    def __init__(self, app: ASGIApp, world: World) -> None:
        self.app = app
        self.world = world

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith(ADMIN):
            await self.app(scope, receive, send)
            return
        body = await _read(receive)
        call = self._log(scope, body)
        started = self.world.now()
        try:
            effect = self.world.faults.strike(scope["method"], scope["path"])
            exchange = _Exchange(self.app, _routable(scope), body, receive, send, call)
            await self._answer(exchange, effect or Effect())
        finally:
            call.ms = round((self.world.now() - started).total_seconds() * 1000, 3)

    async def _answer(self, exchange: _Exchange, effect: Effect) -> None:
        if effect.delay:
            await self.world.clock.sleep(effect.delay)
        if effect.works:
            await exchange.work(silent=effect.answers or effect.drop == "after")
        if effect.drop is not None:
            await exchange.cut()
        elif effect.answers:
            await exchange.answer(_answer_of(effect))

    def _log(self, scope: Scope, body: bytes) -> Call:
        headers, query = Headers(scope=scope), scope["query_string"].decode("latin-1")
        world = self.world
        call = world.calls.arrive(world.now(), scope["method"], scope["path"], query, headers, body)
        call.clientId = self._client(headers, body)
        return call

    def _client(self, headers: Mapping[str, str], body: bytes) -> str | None:
        """The client that its token names, or that asks for one."""
        authorization = headers.get("authorization", "")
        form = read_body(headers.get("content-type", ""), body)
        known = self.world.tokens.known(authorization)
        return known or requester(authorization, form if isinstance(form, dict) else {})[0] or None


class _Exchange:
    """One request on its way: it may be carried out, answered and cut, in any combination."""

    def __init__(self, app: ASGIApp, scope: Scope, body: bytes, receive: Receive, send: Send, call: Call) -> None:
        self._app = app
        self._scope = scope
        self._body: bytes | None = body
        self._receive = receive
        self._send = send
        self._call = call

    async def work(self, *, silent: bool) -> None:
        await self._app(self._scope, self._replay, _unheard if silent else self._noted)

    async def answer(self, response: Response) -> None:
        await response(self._scope, self._replay, self._noted)

    async def cut(self) -> None:
        """No byte of an answer: ASGI has no word for it, so uvicorn's own transport is aborted, where there is one."""
        transport = getattr(getattr(self._send, "__self__", None), "transport", None)
        abort = getattr(transport, "abort", None)
        if abort is None:
            raise Dropped
        abort()
        while (await self._receive())["type"] != "http.disconnect":
            pass

    async def _noted(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._call.status = message["status"]
        await self._send(message)

    async def _replay(self) -> Message:
        if self._body is None:
            return await self._receive()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}


def _routable(scope: Scope) -> Scope:
    """Paths of the cloud in lower case, the original kept for answers; ids are in lower case anyway."""
    path = scope["path"]
    routed = path.lower() if path.lower().startswith("/projects") else path
    return {**scope, "path": routed, "raw_path": routed.encode(), ASKED_PATH: path}


def _answer_of(effect: Effect) -> Response:
    status = effect.status or 200
    if effect.text is not None:
        return Response(effect.text, status, headers=effect.headers, media_type="text/html")
    if "body" in effect.model_fields_set:
        return JSONResponse(effect.body, status, headers=effect.headers)
    return Response(status_code=status, headers=effect.headers)


async def _unheard(message: Message) -> None:
    """The work is done, its answer goes nowhere."""


async def _read(receive: Receive) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body", False):
            return bytes(body)
