"""The cloud API as an ASGI endpoint: who asks, what they ask, and how a refusal is answered.

The families' routes are built with `endpoint`; a handler gets an `Asked` and is synchronous, so that no two requests
ever interleave inside a rule.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from hooks.simulator.calls import read_body
from hooks.simulator.errors import Refusal, forbidden, method_not_allowed, not_found, unauthorized
from hooks.simulator.resource import Kind, Resource
from hooks.simulator.world import World

ASKED_PATH = "asked_path"  # scope member: the path before it was put in lower case for routing


@dataclass(frozen=True)
class Asked:
    """One request: the client that its token names, the path as it was spelt, the ids in it, query and body."""

    client: str
    path: str
    ids: Mapping[str, str]
    query: Mapping[str, str]
    body: Any


_ROUTING = MappingProxyType({404: not_found, 405: method_not_allowed})

Handler = Callable[[Asked], Response]


def endpoint(world: World, path: str, handlers: Mapping[str, Handler]) -> Route:
    """One route; a method without a handler is refused by the router."""

    async def answer(request: Request) -> Response:
        body = read_body("", await request.body())
        world.settle()
        client = world.tokens.owner(request.headers.get("authorization", ""), world.now())
        if client is None:
            raise unauthorized()
        handler = handlers["GET" if request.method == "HEAD" else request.method]
        asked_path = request.scope[ASKED_PATH]
        return handler(Asked(client, asked_path, request.path_params, dict(request.query_params), body))

    return Route(path, answer, methods=list(handlers))


def problem(world: World) -> Callable[[Request, Exception], Awaitable[Response]]:
    """The exception handler that writes a refusal down."""

    async def answer(request: Request, raised: Exception) -> Response:
        refusal = raised if isinstance(raised, Refusal) else _ROUTING.get(_status(raised), not_found)()
        instance = request.scope.get(ASKED_PATH, request.url.path)
        body = refusal.body(instance, world.ids.trace(), world.quirks.error_shape)
        return JSONResponse(body, refusal.status)

    return answer


def _status(raised: Exception) -> int:
    return raised.status_code if isinstance(raised, HTTPException) else 404


def visible_project(asked: Asked, project: Resource) -> bool:
    """A project belongs to the client that created it; one without a creator belongs to everybody."""
    return project.owner in (None, asked.client)


def locate(world: World, asked: Asked, kind: Kind) -> Resource:
    """The resource that the path names, dead or alive, all its ancestors readable; refuses with 404 or 403."""
    found: Resource | None = None
    for step in kind.lineage:
        if found is not None and not world.readable(found):
            raise not_found()
        child = world.store.find(asked.ids[step.name.lower()])
        if child is None or child.kind is not step or child.parent is not found:
            raise not_found()
        if child.parent is None and not visible_project(asked, child):
            raise forbidden()
        found = child
    if found is None:
        raise not_found()
    return found
