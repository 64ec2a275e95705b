"""The application that Metacontroller calls: three routes a kind, and three for those who watch over the process.

`stack` builds it for production, local mode and tests alike.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from hooks.clock import Clock
from hooks.contract.controller import Controller
from hooks.edge import answers
from hooks.edge.gate import Gate
from hooks.edge.health import Health
from hooks.edge.passes import Authorise, Passes
from hooks.telemetry import Telemetry
from hooks.telemetry.metrics import CONTENT_TYPE, Metrics

Handler = Callable[[Request], Awaitable[Response]]
HOOKS = ("sync", "finalize", "customize")


def anybody(_headers: Headers) -> str | None:
    """Lets every caller in: local hooks need no authentication."""
    return None


def build(
    controllers: Mapping[str, Controller],
    *,
    gate: Gate,
    clock: Clock,
    telemetry: Telemetry,
    health: Health | None = None,
    authorise: Authorise = anybody,
) -> Starlette:
    """The hooks of these controllers, by plural, with health and metrics beside them."""
    passes = Passes(gate, clock, telemetry, authorise)
    routes = [
        Route(f"/v2/{plural}/{hook}", _hook(passes, controller, hook), methods=["POST"])
        for plural, controller in controllers.items()
        for hook in HOOKS
    ]
    return _app([*routes, *_health(gate, health or Health()), _metrics(telemetry.metrics)])


def metrics_app(metrics: Metrics) -> Starlette:
    """`/metrics` alone, for a port of its own."""
    return _app([_metrics(metrics)])


def _app(routes: list[Route]) -> Starlette:
    app = Starlette(routes=routes, exception_handlers={HTTPException: answers.http_fault, Exception: answers.fault})
    app.router.redirect_slashes = False  # paths are exact: a redirect would cost each call a second trip
    return app


def _hook(passes: Passes, controller: Controller, hook: str) -> Handler:
    async def endpoint(request: Request) -> Response:
        return await passes.handle(controller, hook, request)

    return endpoint


def _health(gate: Gate, health: Health) -> list[Route]:
    async def healthz(_request: Request) -> Response:
        return JSONResponse({"alive": True})

    async def readyz(_request: Request) -> Response:
        ready, story = health.report(gate.draining)
        return JSONResponse(story, 200 if ready else 503)

    return [Route("/healthz", healthz), Route("/readyz", readyz)]


def _metrics(metrics: Metrics) -> Route:
    async def page(_request: Request) -> Response:
        return Response(metrics.page(), headers={"Content-Type": CONTENT_TYPE})

    return Route("/metrics", page)
