"""What goes back to a caller: replies as Metacontroller takes them, and one shape for every refusal."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from hooks.contract.replies import Busy, CustomizeReply, FinalizeReply, SyncReply

JSON = "application/json"


def refusal(status: int, error: str, hint: str, headers: Mapping[str, str] | None = None) -> Response:
    """`{"error", "hint"}`: what is wrong, and what would be right."""
    return JSONResponse({"error": error, "hint": hint}, status, dict(headers or {}))


def busy(retry_after: float, reason: str) -> Response:
    """429, which writes no status and asks again; a zero there would make Metacontroller call in a loop (mc §2.6)."""
    seconds = max(1, -int(-retry_after // 1))
    return refusal(429, reason, f"call again in {seconds} s", {"Retry-After": str(seconds)})


def replied(hook: str, reply: SyncReply | Busy) -> Response:
    """A full reply. Metacontroller acts on `finalized` in sync too, so only finalize ever says it (mc §2.4)."""
    if isinstance(reply, Busy):
        return busy(reply.retry_after, reply.reason)
    if hook == "finalize" and not isinstance(reply, FinalizeReply):
        reply = FinalizeReply(**reply.model_dump(), finalized=False)
    kept_back = {"finalized"} if hook == "sync" else set()
    return Response(reply.model_dump_json(exclude=kept_back), media_type=JSON)


def related(reply: CustomizeReply) -> Response:
    """Related rules, without the members that are not set: a null is not an absent selection everywhere."""
    return Response(reply.model_dump_json(exclude_none=True), media_type=JSON)


async def http_fault(_request: Request, fault: Exception) -> Response:
    """An unknown path or a wrong method, in the same shape as every refusal."""
    if not isinstance(fault, HTTPException):
        raise fault
    hint = {
        404: "hooks are at POST /v2/<plural>/sync, /finalize and /customize",
        405: "hooks take POST; /healthz, /readyz and /metrics take GET",
    }.get(fault.status_code, "")
    return refusal(fault.status_code, fault.detail, hint, fault.headers)


async def fault(_request: Request, _fault: Exception) -> Response:
    """Something of ours broke; what it was stands in the log, not in the answer."""
    return refusal(500, "internal error", "the log of the hooks has the details")
