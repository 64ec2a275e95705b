"""The admin API: what a test sees of the simulated cloud from behind, and what it may do to it.

Every call, member and meaning is fixed in the interface; outsiders rely on them. Mounted by the app under `ADMIN`.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from hooks.simulator import meddling
from hooks.simulator.calls import stamp
from hooks.simulator.collection import Collection
from hooks.simulator.errors import Refusal
from hooks.simulator.faults import Fault
from hooks.simulator.meddling import Change, Foreign
from hooks.simulator.quirks import Quirks
from hooks.simulator.resource import Resource
from hooks.simulator.world import World


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Reset(_Body):
    seed: int | None = None


class ClockOrder(_Body):
    advance: float | None = Field(None, ge=0)
    mode: Literal["real", "manual"] | None = None


class TokenOrder(_Body):
    revoke: str | None = None
    lifetime: float | None = Field(None, ge=0)
    clients: dict[str, str] = Field(default_factory=dict)


_FAULTS = TypeAdapter(list[Fault])
_OBJECT = TypeAdapter(dict[str, Any])


class Admin:
    """All admin calls; an unusable body is answered 400 with the reason."""

    def __init__(self, world: World, collections: Mapping[str, Collection]) -> None:
        self.world = world
        self.collections = collections

    def routes(self) -> list[Route]:
        return [
            _route("/state", GET=self.state),
            _route("/calls", GET=self.calls),
            _route("/reset", POST=self.reset),
            _route("/clock", GET=self.clock, POST=self.set_clock),
            _route("/faults", GET=self.faults, POST=self.add_faults, DELETE=self.clear_faults),
            _route("/resources", POST=self.add_resource),
            _route("/resources/{id}", POST=self.change_resource, DELETE=self.remove_resource),
            _route("/tokens", POST=self.tokens),
            _route("/quirks", GET=self.quirks, POST=self.set_quirks),
        ]

    def state(self, request: Request, body: bytes) -> Any:
        now = self.world.settle()
        dead_too = request.query_params.get("all", "0") not in ("", "0", "false")
        shown = [row(one) for one in self.world.store if one.alive or dead_too]
        return {"now": stamp(now), "resources": shown}

    def calls(self, request: Request, body: bytes) -> Any:
        return self.world.calls.since(int(request.query_params.get("since", "0")))

    def reset(self, request: Request, body: bytes) -> Any:
        order = Reset.model_validate_json(body or b"{}")
        self.world.reset(self.world.seed if order.seed is None else order.seed)
        return {"now": stamp(self.world.now())}

    def clock(self, request: Request, body: bytes) -> Any:
        return {"now": stamp(self.world.settle()), "mode": self.world.clock.mode}

    def set_clock(self, request: Request, body: bytes) -> Any:
        order = ClockOrder.model_validate_json(body)
        if order.mode is not None:
            self.world.clock.switch(order.mode)
        if order.advance is not None:
            self.world.clock.advance(order.advance)
        return self.clock(request, body)

    def faults(self, request: Request, body: bytes) -> Any:
        return self.world.faults.shown()

    def add_faults(self, request: Request, body: bytes) -> Any:
        self.world.faults.append(_FAULTS.validate_json(body))
        return self.world.faults.shown()

    def clear_faults(self, request: Request, body: bytes) -> Any:
        self.world.faults.clear()
        return []

    def add_resource(self, request: Request, body: bytes) -> Any:
        self.world.settle()
        foreign = Foreign.model_validate_json(body)
        return row(meddling.add(self.world, self.collections, foreign))

    def change_resource(self, request: Request, body: bytes) -> Any:
        resource = self._living(request)
        meddling.change(self.world, resource, Change.model_validate_json(body))
        return row(resource)

    def remove_resource(self, request: Request, body: bytes) -> Any:
        resource = self._living(request)
        meddling.remove(self.world, resource)
        return row(resource)

    def tokens(self, request: Request, body: bytes) -> Any:
        order, tokens = TokenOrder.model_validate_json(body), self.world.tokens
        tokens.clients |= order.clients
        if order.lifetime is not None:
            tokens.lifetime = order.lifetime
        return {"revoked": tokens.revoke(order.revoke) if order.revoke else 0, "lifetime": tokens.lifetime}

    def quirks(self, request: Request, body: bytes) -> Any:
        return self.world.quirks.model_dump(by_alias=True)

    def set_quirks(self, request: Request, body: bytes) -> Any:
        self.world.settle()
        known = self.world.quirks.model_dump(by_alias=True)
        self.world.set_quirks(Quirks.model_validate(known | _OBJECT.validate_json(body)))
        return self.quirks(request, body)

    def _living(self, request: Request) -> Resource:
        self.world.settle()
        resource = self.world.store.find(request.path_params["id"].lower())
        if resource is None or not resource.alive:
            raise LookupError(f"no living resource {request.path_params['id']}")
        return resource


Answer = Callable[[Request, bytes], Any]


def row(resource: Resource) -> dict[str, Any]:
    """One resource as `state` lists it."""
    return {
        "kind": resource.kind.name,
        "id": resource.id,
        "projectId": resource.project.id,
        "name": resource.name,
        "tags": resource.tags or [],
        "state": resource.state,
        "uri": resource.uri,
        "createdAt": stamp(resource.created),
        "deletedAt": stamp(resource.deleted) if resource.deleted else None,
    }


def _route(path: str, **answers: Answer) -> Route:
    return Route(path, _guarded(answers), methods=list(answers))


def _guarded(answers: Mapping[str, Answer]) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        body = await request.body()
        try:
            return JSONResponse(answers[request.method](request, body))
        except LookupError as problem:
            return JSONResponse({"error": str(problem)}, 404)
        except (Refusal, ValidationError, ValueError) as problem:
            return JSONResponse({"error": _reason(problem)}, 400)

    return answer


def _reason(problem: Exception) -> str:
    if isinstance(problem, Refusal) and problem.findings:
        return "; ".join(f"{field}: {message}" for field, message in problem.findings)
    if isinstance(problem, ValidationError):
        found = json.loads(problem.json(include_url=False, include_context=False))
        return "; ".join(": ".join([*filter(None, [".".join(map(str, one["loc"]))]), one["msg"]]) for one in found)
    return str(problem)
