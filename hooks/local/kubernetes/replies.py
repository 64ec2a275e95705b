"""Objects, lists, tables, errors and watch streams as HTTP answers, in the form that was asked for. For `app`."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from datetime import datetime
from typing import Any

import yaml
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from hooks.local.kubernetes.collection import Page
from hooks.local.kubernetes.errors import ApiError
from hooks.local.kubernetes.negotiate import YAML, Wanted
from hooks.local.kubernetes.objects import Object, metadata
from hooks.local.kubernetes.resources import Resource
from hooks.local.kubernetes.table import META, partial, table
from hooks.local.kubernetes.watch import Event, Watch


def encode(data: Any) -> bytes:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def _body(data: Any, wanted: Wanted) -> bytes:
    if wanted.media == YAML:
        return yaml.safe_dump(data, sort_keys=False, allow_unicode=True).encode()
    return encode(data)


def answer(data: Any, wanted: Wanted, code: int = 200, warnings: list[str] | None = None) -> Response:
    response = Response(_body(data, wanted), code, media_type=wanted.content_type)
    for text in dict.fromkeys(warnings or ()):
        quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
        response.headers.append("warning", f'299 - "{quoted}"')
    return response


def failure(error: ApiError) -> Response:
    return Response(encode(error.status()), error.code, media_type="application/json")


def formed(resource: Resource, obj: Object, wanted: Wanted, now: datetime, include: str) -> Object:
    """One object in the form that was asked for."""
    if wanted.form == "Table":
        meta = {"resourceVersion": metadata(obj).get("resourceVersion", "")}
        return table(resource, [obj], meta, now, include)
    return partial(obj) if wanted.form.startswith("PartialObjectMetadata") else obj


def formed_list(resource: Resource, page: Page, wanted: Wanted, now: datetime, include: str) -> Object:
    if wanted.form == "Table":
        return table(resource, page.objects, page.meta, now, include)
    if wanted.form.startswith("PartialObjectMetadata"):
        items = [partial(obj) for obj in page.objects]
        return {"kind": "PartialObjectMetadataList", "apiVersion": META, "metadata": page.meta, "items": items}
    head = {"kind": resource.list_name, "apiVersion": resource.api_version}
    return {**head, "metadata": page.meta, "items": page.objects}


class Stream(StreamingResponse):
    """A watch as newline-delimited JSON; ends with the watch or with the reader."""

    def __init__(
        self, watch: Watch, resource: Resource, wanted: Wanted, now: Callable[[], datetime], include: str
    ) -> None:
        self._watch = watch
        self._form: Callable[[Event], bytes] = lambda event: _line(event, resource, wanted, now(), include)
        super().__init__(self._lines(), media_type="application/json")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._watch.close()

    async def _lines(self) -> AsyncIterator[bytes]:
        async with aclosing(self._watch.events()) as events:
            async for event in events:
                yield self._form(event)


def _line(event: Event, resource: Resource, wanted: Wanted, now: datetime, include: str) -> bytes:
    verb, obj = event
    bare = verb in ("BOOKMARK", "ERROR")
    return encode({"type": verb, "object": obj if bare else formed(resource, obj, wanted, now, include)}) + b"\n"
