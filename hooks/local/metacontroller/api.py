"""The Kubernetes API as this engine speaks it: raw JSON over HTTP. All that goes there goes by here."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, TypeAlias

from hooks.clock import Clock
from hooks.http import AsyncClient, HTTPError, Response, Timeout
from hooks.local.metacontroller.errors import ApiError

__all__ = ["Api", "Object", "Resource", "key_of"]

Object: TypeAlias = dict[str, Any]

# client-go's DefaultBackoff: four tries, these pauses between them (mc §3.4)
CONFLICT_PAUSES = (0.01, 0.05, 0.25)
WATCH_SECONDS = 300


def key_of(item: Object) -> str:
    """`namespace/name`, or `name` for what belongs to the cluster."""
    meta = item["metadata"]
    return f"{meta['namespace']}/{meta['name']}" if meta.get("namespace") else str(meta["name"])


@dataclass(frozen=True)
class Resource:
    """One served kind: where it lives and what it is called."""

    api_version: str
    plural: str
    kind: str
    namespaced: bool

    @property
    def group_key(self) -> str:
        """Its key in `related`: the kind, a dot, the apiVersion (mc §2.2)."""
        return f"{self.kind}.{self.api_version}"

    def path(self, item: Object | None = None) -> str:
        """The collection over all namespaces, or one object."""
        base = _root(self.api_version)
        if item is None:
            return f"{base}/{self.plural}"
        meta = item["metadata"]
        where = f"/namespaces/{meta['namespace']}" if self.namespaced else ""
        return f"{base}{where}/{self.plural}/{meta['name']}"


def _root(api_version: str) -> str:
    return f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"


class Api:
    """Calls against one API server. Whatever goes wrong raises `ApiError`; a watch shows the HTTP library's own."""

    def __init__(self, client: AsyncClient, clock: Clock) -> None:
        self._client = client
        self._clock = clock

    async def discover(self, api_version: str, plural: str) -> Resource:
        """What the server says about a resource named in a rule or a controller."""
        served = await self._call("GET", _root(api_version))
        for entry in served.get("resources", ()):
            if entry["name"] == plural:
                return Resource(api_version, plural, entry["kind"], entry["namespaced"])
        raise ApiError(404, f"discovery: can't find resource {plural} in apiVersion {api_version}")

    async def definition(self, name: str) -> Object:
        return await self._call("GET", f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}")

    async def list(self, resource: Resource) -> Object:
        return await self._call("GET", resource.path())

    def watch(self, resource: Resource, version: str) -> AbstractAsyncContextManager[Response]:
        """An open watch; the caller reads its lines, which may be minutes apart."""
        query = {
            "watch": "true",
            "resourceVersion": version,
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(WATCH_SECONDS),
        }
        return self._client.stream("GET", resource.path(), params=query, timeout=Timeout(30, read=None))

    async def create(self, path: str, item: Object) -> Object:
        return await self._call("POST", path, item)

    async def merge(self, path: str, patch: Object) -> Object:
        return await self._call("PATCH", path, patch, "application/merge-patch+json")

    async def update(
        self, resource: Resource, item: Object, change: Callable[[Object], bool], *, status: bool = False
    ) -> Object:
        """GET the live object, let `change` work on it, PUT it if `change` said so; again on a conflict (mc §3.4).

        The live object must have the UID of `item`; versions are not compared: an old view may overwrite a new one.
        """
        path = resource.path(item)
        for pause in (*CONFLICT_PAUSES, None):
            live = await self._call("GET", path)
            if live["metadata"]["uid"] != item["metadata"]["uid"]:
                raise ApiError(404, f"{resource.plural} {key_of(item)} was replaced by another object of its name")
            if not change(live):
                return live
            try:
                return await self._call("PUT", f"{path}/status" if status else path, live)
            except ApiError as refused:
                if refused.code != 409 or pause is None:
                    raise
            await self._clock.sleep(pause)
        raise AssertionError("the last try returns or raises")

    async def _call(
        self, method: str, path: str, body: Object | None = None, media: str = "application/json"
    ) -> Object:
        headers = {"Accept": "application/json"} | ({"Content-Type": media} if body is not None else {})
        try:
            answer = await self._client.request(method, path, json=body, headers=headers)
            if answer.is_success:
                decoded: Object = answer.json()
                return decoded
        except (HTTPError, ValueError) as lost:  # ValueError: what was sent or came back is not JSON
            raise ApiError(503, f"{method} {path}: {lost!r}") from lost
        raise ApiError(answer.status_code, f"{method} {path}: {answer.status_code} {answer.text[:500]}")
