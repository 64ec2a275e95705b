"""The application that Metacontroller calls: three routes a kind, and three for those who watch over the process.

`stack` builds it for production, local mode and tests alike.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from hooks.clock import Clock
from hooks.contract.controller import Controller
from hooks.edge import answers
from hooks.edge.callers import Authorise, anybody
from hooks.edge.gate import Gate
from hooks.edge.health import Health
from hooks.edge.passes import Passes
from hooks.telemetry import Telemetry
from hooks.telemetry.metrics import CONTENT_TYPE, Metrics

Handler = Callable[[Request], Awaitable[Response]]
HOOKS = ("sync", "finalize", "customize")


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


def watch_app(metrics: Metrics, gate: Gate | None = None, health: Health | None = None) -> Starlette:
    """`/metrics`, and health where it is handed in, for a port of their own: who watches needs no token."""
    routes = _health(gate, health) if gate is not None and health is not None else []
    return _app([*routes, _metrics(metrics)])


def waiting_app(health: Health) -> Starlette:
    """What a process answers that has no valid settings yet: it lives, is not ready, and says why."""

    async def not_yet(_request: Request) -> Response:
        return answers.refusal(503, "there are no valid settings yet", "/readyz says what is wrong with them")

    hook = Route("/v2/{plural}/{hook}", not_yet, methods=["POST"])
    return _app([hook, *_health(None, health), Route("/metrics", not_yet)])


def _app(routes: list[Route]) -> Starlette:
    app = Starlette(routes=routes, exception_handlers={HTTPException: answers.http_fault, Exception: answers.fault})
    app.router.redirect_slashes = False  # paths are exact: a redirect would cost each call a second trip
    return app


def _hook(passes: Passes, controller: Controller, hook: str) -> Handler:
    async def endpoint(request: Request) -> Response:
        return await passes.handle(controller, hook, request)

    return endpoint


def _health(gate: Gate | None, health: Health) -> list[Route]:
    async def healthz(_request: Request) -> Response:
        return JSONResponse({"alive": True})

    async def readyz(_request: Request) -> Response:
        ready, story = health.report(gate is not None and gate.leaving)
        return JSONResponse(story, 200 if ready else 503)

    return [Route("/healthz", healthz), Route("/readyz", readyz)]


def _metrics(metrics: Metrics) -> Route:
    async def page(_request: Request) -> Response:
        return Response(metrics.page(), headers={"Content-Type": CONTENT_TYPE})

    return Route("/metrics", page)
