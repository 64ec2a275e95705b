"""From a request's bytes to a call of the contract, or to the refusal that the caller gets. Used by `app`."""

from __future__ import annotations

import asyncio
from typing import NamedTuple, TypeVar

from pydantic import ValidationError
from starlette.requests import ClientDisconnect, Request

from hooks.contract.controller import Controller
from hooks.contract.requests import CustomizeCall, SyncCall
from hooks.meta.text import one_line

Call = TypeVar("Call", SyncCall, CustomizeCall)


LONGEST_VERSION = 40
"""Characters of what a caller calls a version."""
TOO_OLD = (
    "Metacontroller 4.17.2 or later is needed, with its own definitions of that release: older ones drop the version "
    "of a hook, and show no objects of other namespaces; then apply the CompositeControllers again"
)


class Refused(NamedTuple):
    """Not a call that a controller may see: the status to answer, what is wrong and what would be right."""

    status: int
    error: str
    hint: str


async def read(request: Request, limit: int, seconds: float) -> bytes | Refused:
    """The whole body; refused as soon as it is known to be larger than `limit` bytes, or takes too long to come."""
    size = request.headers.get("content-length", "")
    if size.isdecimal() and int(size) > limit:
        return _too_large(limit)
    try:
        async with asyncio.timeout(seconds):
            return await _collect(request, limit)
    except ClientDisconnect:
        return Refused(400, "the caller hung up", "send the whole body")
    except TimeoutError:
        return Refused(400, f"the body did not arrive within {seconds:g} s", "send the whole body at once")


async def _collect(request: Request, limit: int) -> bytes | Refused:
    parts, total = [], 0
    async for part in request.stream():
        total += len(part)
        if total > limit:
            return _too_large(limit)
        parts.append(part)
    return b"".join(parts)


def parse(model: type[Call], raw: bytes, controller: Controller) -> Call | Refused:
    """A call about an object of this controller's kind."""
    try:
        call = model.model_validate_json(raw)
    except ValidationError as fault:
        return Refused(400, f"not a hook call: {_first(fault)}", "expected the body of a Metacontroller v2 hook")
    named, expected = (call.parent.apiVersion, call.parent.kind), (controller.api_version, controller.kind)
    if named != expected:
        hint = f"this path serves {expected[0]} {expected[1]}: check the hook's path in the CompositeController"
        return Refused(400, "the object is of another kind than this path's", hint)
    if others := call.versions - {"v2"}:
        told = one_line(", ".join(sorted(others)), LONGEST_VERSION)
        return Refused(400, f"the CompositeController has hooks of version {told}, not v2", TOO_OLD)
    return call


def _too_large(limit: int) -> Refused:
    return Refused(413, f"the body is larger than {limit} bytes", "raise body-limit, or relate fewer objects")


def _first(fault: ValidationError) -> str:
    """The first faults, by place; never the value, which may be a secret or a book."""
    found = fault.errors(include_url=False, include_input=False, include_context=False)[:3]
    return "; ".join(f"{'.'.join(str(part) for part in one['loc']) or 'body'}: {one['msg']}"[:200] for one in found)
