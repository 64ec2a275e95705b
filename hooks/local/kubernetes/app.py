"""The HTTP face of the API: from a request to the room that answers it, from a refusal to a Status.

`api.KubernetesApi` makes one; kubectl, Metacontroller's stand-in and the hooks talk to it.
"""

from __future__ import annotations

from email.utils import format_datetime

from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from hooks.local.kubernetes import discovery, openapi, replies
from hooks.local.kubernetes.address import parse
from hooks.local.kubernetes.calls import Call, Rooms
from hooks.local.kubernetes.errors import ApiError, no_such_path
from hooks.local.kubernetes.negotiate import Wanted, negotiate
from hooks.local.kubernetes.objects import Object

_HEALTH = ("/healthz", "/livez", "/readyz")


class App:
    """An ASGI application. It dates its answers itself, by the clock that the objects are stamped with."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms
        self._served = rooms.served

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        try:
            response = await self._answer(request)
        except ApiError as error:
            response = replies.failure(error)
        except ClientDisconnect:
            return
        response.headers["date"] = format_datetime(self._rooms.clock.now(), usegmt=True)
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        path = request.url.path.rstrip("/")
        form = negotiate(request.headers.get("accept", ""))
        if request.method == "GET":
            about = self._about(path, form)
            if about is not None:
                return about
        address = parse(path)
        if address is None:
            raise no_such_path(path)
        raw = await request.body()
        return Call(self._rooms, request, address, form, raw).answer()

    def _about(self, path: str, form: Wanted) -> Response | None:
        """What the API says of itself, if that is what the path asks for."""
        if path.startswith(_HEALTH):
            return PlainTextResponse("ok")
        steps = path.strip("/").split("/")
        if steps[0] == "openapi":
            return self._openapi(path, steps)
        document = self._discovery(steps, form)
        return replies.answer(document, form) if document is not None else None

    def _discovery(self, steps: list[str], form: Wanted) -> Object | None:
        aggregated = form.form == "APIGroupDiscoveryList"
        match steps:
            case ["version"]:
                return discovery.VERSION
            case ["api"]:
                return discovery.aggregated(self._served, core=True) if aggregated else discovery.core_versions()
            case ["apis"]:
                return (
                    discovery.aggregated(self._served, core=False) if aggregated else discovery.group_list(self._served)
                )
            case ["apis", group]:
                return discovery.group(self._served, group)
            case ["api", version]:
                return discovery.resource_list(self._served, "", version)
            case ["apis", group, version]:
                return discovery.resource_list(self._served, group, version)
        return None

    def _openapi(self, path: str, steps: list[str]) -> Response:
        document: Object | None = None
        match steps:
            case ["openapi", "v3"]:
                document = openapi.index(self._served, self._rooms.life.store.version)
            case ["openapi", "v3", "api", version]:
                document = openapi.document(self._served, "", version)
            case ["openapi", "v3", "apis", group, version]:
                document = openapi.document(self._served, group, version)
        if document is None:
            raise no_such_path(path)
        return replies.answer(document, Wanted())
