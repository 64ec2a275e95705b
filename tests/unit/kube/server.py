"""A tiny API server: a few objects, the fences of a real one, and whatever fault a test asks for."""

from __future__ import annotations

import json
from email.utils import format_datetime

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from hooks.http import AsyncClient
from hooks.kube import Kube
from hooks.meta.deadline import Deadline
from tests.world.loopback import Loopback
from tests.world.time import LoopClock


def status(code, reason, message, **details):
    body = {
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "reason": reason,
        "message": message,
        "code": code,
    }
    return JSONResponse({**body, **({"details": details} if details else {})}, code)


class FakeApi:
    """Keeps objects by path; `requests` are (method, path, query, body, content type)."""

    def __init__(self, clock):
        self.objects, self.requests, self.answers = {}, [], []
        self.clock, self.skew, self.page = clock, None, None
        self.app = Starlette(routes=[Route("/{path:path}", self.serve, methods=["GET", "POST", "PATCH", "DELETE"])])

    def put(self, path, raw):
        self.objects[path] = raw

    async def serve(self, request: Request) -> Response:
        body = json.loads(await request.body() or b"null")
        kind = request.headers.get("content-type")
        self.requests.append((request.method, request.url.path, dict(request.query_params), body, kind))
        answer = await self.answer(request, body)
        if self.skew is not None:
            answer.headers["Date"] = format_datetime(self.clock.now() + self.skew, usegmt=True)
        return answer

    async def answer(self, request, body):
        if self.answers:
            prepared = self.answers.pop(0)
            return prepared if isinstance(prepared, Response) else await prepared()
        path = request.url.path
        if request.method == "POST":
            return self.create(path, body)
        if "labelSelector" in request.query_params:
            return self.list(request.query_params)
        if path not in self.objects:
            return status(404, "NotFound", f"{path} not found", name=path.rsplit("/", 1)[-1])
        return getattr(self, request.method.lower())(path, body)

    def create(self, path, body):
        path = f"{path}/{body['metadata']['name']}"
        if path in self.objects:
            return status(409, "AlreadyExists", "already exists")
        self.objects[path] = body
        return JSONResponse(body, 201)

    def get(self, path, _body):
        return JSONResponse(self.objects[path])

    def patch(self, path, body):
        stored, asked = self.objects[path], body.get("metadata", {})
        meta = stored["metadata"]
        if asked.get("uid", meta.get("uid")) != meta.get("uid"):
            causes = [{"reason": "FieldValueInvalid", "message": "field is immutable", "field": "metadata.uid"}]
            return status(422, "Invalid", "metadata.uid: Invalid value: field is immutable", causes=causes)
        if asked.get("resourceVersion", meta.get("resourceVersion")) != meta.get("resourceVersion"):
            return status(409, "Conflict", "the object has been modified")
        for group in ("annotations", "labels"):
            merged = {**meta.get(group, {}), **asked.get(group, {})}
            meta[group] = {key: value for key, value in merged.items() if value is not None}
        stored.update({key: value for key, value in body.items() if key != "metadata"})
        if "resourceVersion" in meta:
            meta["resourceVersion"] = str(int(meta["resourceVersion"]) + 1)
        return JSONResponse(stored)

    def delete(self, path, body):
        if body["preconditions"]["uid"] != self.objects[path]["metadata"]["uid"]:
            return status(409, "Conflict", "Precondition failed: UID in precondition")
        del self.objects[path]
        return JSONResponse({"kind": "Status", "status": "Success"})

    def list(self, query):
        items, at, limit = list(self.objects.values()), int(query.get("continue", 0)), self.page or int(query["limit"])
        more = {"continue": str(at + limit)} if at + limit < len(items) else {}
        return JSONResponse(
            {"kind": "List", "metadata": {"resourceVersion": "9", **more}, "items": items[at : at + limit]}
        )


class World:
    def __init__(self, **more):
        self.clock = LoopClock()
        self.api = FakeApi(self.clock)
        self.net = Loopback({"kube": self.api.app})
        self.seen = []
        self.client = AsyncClient(transport=self.net, base_url="https://kube:6443")
        self.kube = Kube(self.client, self.clock, observe=lambda *one: self.seen.append(one), **more)

    def soon(self, seconds=10.0):
        return Deadline(self.clock.monotonic() + seconds)


PREFIX = "/apis/arubacloud.com/v1alpha1"
PATH = f"{PREFIX}/namespaces/team-blue/vpcs/net-a"


def vpc(**metadata):
    meta = {"name": "net-a", "namespace": "team-blue", "uid": "u-1", "resourceVersion": "41", **metadata}
    return {"apiVersion": "arubacloud.com/v1alpha1", "kind": "VPC", "metadata": meta, "spec": {"tenant": "t-100"}}
