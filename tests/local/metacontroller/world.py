"""The engine between a fake Kubernetes API and scripted webhooks, in virtual time."""

from __future__ import annotations

import asyncio
import contextlib
import json

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from hooks.http import AsyncClient
from hooks.local.metacontroller import Metacontroller
from tests.local.metacontroller.kubernetes import FakeKubernetes
from tests.world.loopback import Loopback
from tests.world.time import LoopClock

DONE = {"status": {"phase": "Active"}, "children": []}


def now():
    return asyncio.get_running_loop().time()


def composite(plural="vpcs", hooks=("sync", "finalize"), parent=None, **spec):
    return {
        "metadata": {"name": f"{plural}.net.example.com", "uid": "cc"},
        "spec": {
            "generateSelector": True,
            "parentResource": {"apiVersion": "net.example.com/v1", "resource": plural} | (parent or {}),
            "hooks": {
                hook: {"version": "v2", "webhook": {"url": f"http://hooks/{plural}/{hook}", "timeout": "20s"}}
                for hook in hooks
            },
        }
        | spec,
    }


class World:
    """`hook` answers every webhook: `async def hook(which, body)` gives a dict, raw bytes or a Response.

    `calls` lists (seconds since the start, "sync"|"finalize"|"customize", request body).
    """

    def __init__(self, *controllers, kubernetes=None, **options):
        self.kube = kubernetes or FakeKubernetes()
        self.calls = []
        self.controllers = controllers or (composite(),)
        self.options = options
        self.engine = None
        app = Starlette(routes=[Route("/{plural}/{hook}", self._serve, methods=["POST"])])
        self.net = Loopback({"kube": self.kube.app, "hooks": app})

    async def hook(self, which, body):
        return DONE

    async def _serve(self, request: Request) -> Response:
        body = await request.json()
        which = request.path_params["hook"]
        self.calls.append((now(), which, body))
        answer = await self.hook(which, body)
        if isinstance(answer, Response):
            return answer
        return Response(answer, 200) if isinstance(answer, bytes) else JSONResponse(answer)

    @contextlib.asynccontextmanager
    async def running(self):
        kube = AsyncClient(transport=self.net, base_url="http://kube")
        hooks = AsyncClient(transport=self.net)
        self.engine = Metacontroller(self.controllers, kube=kube, hooks=hooks, clock=LoopClock(), **self.options)
        async with kube, hooks:
            task = asyncio.create_task(self.engine.run())
            await asyncio.wait_for(self.engine.started(), 60)
            if task.done():
                await task
            try:
                yield self
            finally:
                assert not task.done(), task.exception()
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task

    def of(self, which, name=None):
        return [
            (at, body)
            for at, hook, body in self.calls
            if hook == which and name in (None, body["parent"]["metadata"]["name"])
        ]

    def live(self, plural="vpcs", namespace="a", name="one"):
        return self.kube.objects.get((plural, namespace, name))

    def events(self):
        return [item for (plural, _, _), item in self.kube.objects.items() if plural == "events"]

    def puts(self, suffix=""):
        return [path for method, path in self.kube.requests if method == "PUT" and path.endswith(suffix)]


def vpc(name="one", namespace="a", **more):
    meta = {"name": name, "namespace": namespace} | more.pop("metadata", {})
    return {"metadata": meta, "spec": {"size": 1}} | more


def dumps(value):
    return json.dumps(value).encode()


__all__ = ["DONE", "World", "composite", "dumps", "now", "vpc"]
