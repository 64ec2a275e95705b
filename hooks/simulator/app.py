"""The simulator put together: one ASGI app with the cloud, its token endpoint and the admin API.

Made by the command line, by local mode and by tests; it knows nothing of the operator that it is used to try.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp

from hooks.clock import Clock
from hooks.simulator.admin import Admin
from hooks.simulator.api import problem
from hooks.simulator.calls import read_body
from hooks.simulator.clock import SteeredClock
from hooks.simulator.collection import Collection
from hooks.simulator.compute import routes as compute
from hooks.simulator.edge import ADMIN, Edge
from hooks.simulator.errors import Refusal
from hooks.simulator.network import routes as network
from hooks.simulator.project.routes import Projects
from hooks.simulator.project.rules import ProjectRules
from hooks.simulator.storage import routes as storage
from hooks.simulator.timings import FAST, Timings
from hooks.simulator.tokens import DEFAULT_CLIENTS, Denied
from hooks.simulator.world import Spontaneous, World

_REALM_ENDPOINT = "/auth/realms/{realm}/protocol/openid-connect/token"


def token_path(realm: str = "cmp-new-apikey") -> str:
    """The token endpoint's path; every realm works."""
    return _REALM_ENDPOINT.format(realm=realm)


class Simulator:
    """An Aruba Cloud of its own. `app` is the ASGI callable; a new one is empty, with every quirk off.

    `clients` maps client ids to secrets (default: `aruba-local`/`aruba-local-secret`). `spontaneous` may send a
    resource into another state than the one its transition should end in: (kind, id, state) -> state or None.
    """

    def __init__(
        self,
        clock: Clock,
        *,
        seed: int = 0,
        timings: Timings = FAST,
        clients: Mapping[str, str] | None = None,
        spontaneous: Spontaneous | None = None,
    ) -> None:
        known = DEFAULT_CLIENTS if clients is None else clients
        self.world = World(SteeredClock(clock), seed, timings, known, spontaneous)
        self.app: ASGIApp = Edge(_router(self.world), self.world)


def _router(world: World) -> Starlette:
    collections = _collections(world)
    routes = [route for collection in collections.values() for route in collection.routes()]
    token = Route(_REALM_ENDPOINT, _token_endpoint(world), methods=["POST"])
    admin = Mount(ADMIN, routes=Admin(world, collections).routes())
    answers = problem(world)
    app = Starlette(routes=[token, admin, *routes], exception_handlers={Refusal: answers, HTTPException: answers})
    app.router.redirect_slashes = False
    return app


def _collections(world: World) -> Mapping[str, Collection]:
    """Every collection by CR kind."""
    families = [*network.collections(world), *compute.collections(world), *storage.collections(world)]
    vpcs = families[0]
    projects = Projects(world, ProjectRules(), vpcs)
    return MappingProxyType({one.kind.name: one for one in (projects, *families)})


def _token_endpoint(world: World) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        form = read_body(request.headers.get("content-type", ""), await request.body())
        asked = form if isinstance(form, dict) else {}
        try:
            return JSONResponse(world.tokens.grant(request.headers.get("authorization", ""), asked, world.now()))
        except Denied as denied:
            return JSONResponse(denied.body, denied.status)

    return answer
