"""A very small Kubernetes API, in memory, for the engine's own tests: just enough, and easy to disturb."""

from __future__ import annotations

import asyncio
import copy
import json
from collections import deque

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

KINDS = {
    "vpcs": ("Vpc", True),
    "subnets": ("Subnet", True),
    "namespaces": ("Namespace", False),
    "events": ("Event", True),
    "regions": ("Region", False),
}


def status(code, reason):
    return JSONResponse({"kind": "Status", "code": code, "reason": reason, "message": reason}, code)


class FakeKubernetes:
    """`objects` by (plural, namespace, name); `requests` lists (method, path).

    `refuse` holds (method, end of the path, status): each refuses one request.
    """

    def __init__(self, subresources=("status",)):
        self.version = 100
        self.objects = {}
        self.history = deque()
        self.oldest = 0
        self.news = asyncio.Condition()
        self.requests = []
        self.refuse = []
        self.undefined = set()
        self.before_put = None
        self.watches = 0
        self.subresources = subresources
        item = "/{plural}/{name}"
        self.app = Starlette(
            routes=[
                Route("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}", self.definition),
                Route("/api/v1", self.discover),
                Route("/apis/net.example.com/v1", self.discover),
                *[
                    Route(root + space + path, self.serve, methods=["GET", "PUT", "POST", "PATCH"])
                    for root in ("/apis/net.example.com/v1", "/api/v1")
                    for space, path in (
                        ("/namespaces/{namespace}", item + "/status"),
                        ("/namespaces/{namespace}", item),
                        ("/namespaces/{namespace}", "/{plural}"),
                        ("", item),
                        ("", "/{plural}"),
                    )
                ],
            ]
        )

    async def definition(self, request: Request) -> Response:
        if request.path_params["name"] in self.undefined:
            return status(404, "NotFound")
        served = {"name": "v1", "subresources": {name: {} for name in self.subresources}}
        return JSONResponse({"spec": {"versions": [served]}})

    async def discover(self, request: Request) -> Response:
        core = request.url.path == "/api/v1"
        return JSONResponse(
            {
                "resources": [
                    {"name": plural, "kind": kind, "namespaced": namespaced}
                    for plural, (kind, namespaced) in KINDS.items()
                    if (plural in ("namespaces", "events")) == core
                ]
            }
        )

    async def serve(self, request: Request) -> Response:
        at = request.path_params
        self.requests.append((request.method, request.url.path))
        for refusal in self.refuse:
            method, suffix, code = refusal
            if request.method == method and request.url.path.endswith(suffix):
                self.refuse.remove(refusal)
                return status(code, "refused")
        key = (at["plural"], at.get("namespace", ""), at.get("name", ""))
        if request.method == "POST":
            item = await request.json()
            return JSONResponse(await self.put(at["plural"], item))
        if request.method in ("PUT", "PATCH"):
            return await self.write(request, key)
        if at.get("name"):
            return JSONResponse(self.objects[key]) if key in self.objects else status(404, "NotFound")
        if request.query_params.get("watch"):
            return self.watch(at["plural"], int(request.query_params["resourceVersion"]))
        items = [item for (plural, _, _), item in self.objects.items() if plural == at["plural"]]
        return JSONResponse({"metadata": {"resourceVersion": str(self.version)}, "items": items})

    async def write(self, request: Request, key) -> Response:
        wanted = await request.json()
        if self.before_put:
            await self.before_put(request.url.path)
        live = self.objects.get(key)
        if live is None:
            return status(404, "NotFound")
        if request.method == "PATCH":
            return JSONResponse(await self.put(key[0], live | wanted))
        if wanted["metadata"]["resourceVersion"] != live["metadata"]["resourceVersion"]:
            return status(409, "Conflict")
        if request.url.path.endswith("/status"):
            wanted = live | ({"status": wanted["status"]} if "status" in wanted else {})
        else:
            wanted = wanted | ({"status": live["status"]} if "status" in live else {})
        return JSONResponse(live if wanted == live else await self.put(key[0], wanted))

    async def put(self, plural, item):
        """Store an object as it is: a new version, and an event for every watcher."""
        item = copy.deepcopy(item)
        meta = item["metadata"]
        key = (plural, meta.get("namespace", ""), meta["name"])
        live = self.objects.get(key)
        self.version += 1
        kind, _ = KINDS[plural]
        item.setdefault("apiVersion", "v1" if plural in ("namespaces", "events") else "net.example.com/v1")
        item.setdefault("kind", kind)
        meta.setdefault("uid", f"uid-{self.version}")
        meta["generation"] = meta.get("generation", 1) + (live is not None and live.get("spec") != item.get("spec"))
        meta["resourceVersion"] = str(self.version)
        if meta.get("deletionTimestamp") and not meta.get("finalizers"):
            self.objects.pop(key, None)
            await self.announce(plural, "DELETED", item)
            return item
        self.objects[key] = item
        await self.announce(plural, "MODIFIED" if live else "ADDED", item)
        return item

    async def change(self, plural, namespace, name, **parts):
        """Lay parts over an object; `metadata` is merged, the rest replaced."""
        item = copy.deepcopy(self.objects[plural, namespace, name])
        item["metadata"] |= parts.pop("metadata", {})
        return await self.put(plural, item | parts)

    async def delete(self, plural, namespace, name):
        item = self.objects[plural, namespace, name]
        generation = item["metadata"]["generation"] + 1
        stamp = {"deletionTimestamp": "2026-07-01T08:00:00Z", "generation": generation}
        return await self.change(plural, namespace, name, metadata=stamp)

    async def announce(self, plural, kind, item):
        self.history.append((self.version, plural, {"type": kind, "object": item}))
        async with self.news:
            self.news.notify_all()

    def forget(self):
        """Compact: whoever watches from an older version than now is told 410."""
        self.oldest = self.version
        self.history.clear()

    def watch(self, plural, since) -> Response:
        if since < self.oldest:
            return status(410, "Expired")
        self.watches += 1

        async def lines():
            at = since
            while True:
                last, at = at, self.version
                for version, whose, event in list(self.history):
                    if version > last and whose == plural:
                        yield json.dumps(event, ensure_ascii=False) + "\n"
                async with self.news:
                    while self.version == at:
                        await self.news.wait()

        return StreamingResponse(lines(), media_type="application/json")
