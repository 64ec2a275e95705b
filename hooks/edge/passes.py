"""One hook call from bytes to answer: who may call, what is let in, the pass itself, and what is told about it.

`app` makes one `Passes` for all controllers and routes to it.
"""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from hooks.clock import Clock
from hooks.contract.controller import Controller
from hooks.contract.replies import Busy, Reply
from hooks.contract.requests import CustomizeCall, Parent, SyncCall
from hooks.edge import answers
from hooks.edge.body import Call, Refused, parse, read
from hooks.edge.callers import Authorise
from hooks.edge.gate import Gate
from hooks.meta.conditions import by_type
from hooks.meta.deadline import Deadline
from hooks.telemetry import Telemetry
from hooks.telemetry.log import about


class _End(NamedTuple):
    """An answer and the one word that logs and metrics keep of it."""

    outcome: str
    answer: Response


class Passes:
    """What the three hooks of every controller have in common."""

    def __init__(self, gate: Gate, clock: Clock, telemetry: Telemetry, authorise: Authorise) -> None:
        self._gate = gate
        self._clock = clock
        self._telemetry = telemetry
        self._authorise = authorise

    async def handle(self, controller: Controller, hook: str, request: Request) -> Response:
        """Answer one call; `hook` is sync, finalize or customize."""
        began = self._clock.monotonic()
        if (reason := self._authorise(request.headers)) is not None:
            end = self._denied(controller, hook, reason)
        elif hook == "customize":
            end = await self._customize(controller, request)
        else:
            end = await self._guarded(controller, hook, request)
        self._telemetry.metrics.hook(controller.kind, hook, end.outcome, self._clock.monotonic() - began)
        if self._gate.leaving:  # a caller that keeps this connection would meet a closed one with its next call
            end.answer.headers["Connection"] = "close"
        return end.answer

    async def _customize(self, controller: Controller, request: Request) -> _End:
        """Pure and quick, so never refused: Metacontroller drops a wake-up when customize fails (mc §4.4)."""
        call = await self._call(CustomizeCall, controller, request)
        if isinstance(call, Refused):
            return self._refused(controller, "customize", call)
        try:
            return _End("ok", answers.related(controller.customize(call)))
        except Exception as fault:  # noqa: BLE001 - whatever breaks in a controller, its insides are not for the caller
            with about(**_names(controller, "customize", call.parent)):
                return self._broke(fault)

    async def _guarded(self, controller: Controller, hook: str, request: Request) -> _End:
        if self._gate.draining:
            return _End("draining", answers.refusal(503, "this replica is stopping", "another one answers"))
        if self._gate.full:
            return _End("limited", answers.busy(1, "this replica has as many calls in hand as it takes"))
        end = await self._gate.run(self._pass(controller, hook, request))
        return end or _End("cut off", answers.refusal(503, "this replica has stopped", "another one answers"))

    async def _pass(self, controller: Controller, hook: str, request: Request) -> _End:
        deadline = Deadline(self._clock.monotonic() + self._gate.limits.budget)
        call = await self._call(SyncCall, controller, request)
        if isinstance(call, Refused):
            return self._refused(controller, hook, call)
        with self._gate.alone(call.parent.metadata.uid) as alone, about(**_names(controller, hook, call.parent)):
            if alone:
                return await self._timed(controller, hook, call, deadline)
            self._line(call, "overlap", 0.0)
            return _End("overlap", answers.busy(1, "an earlier pass about this object is not over"))

    async def _call(self, model: type[Call], controller: Controller, request: Request) -> Call | Refused:
        limits = self._gate.limits
        raw = await read(request, limits.body, limits.budget)
        return parse(model, raw, controller) if isinstance(raw, bytes) else raw

    async def _timed(self, controller: Controller, hook: str, call: SyncCall, deadline: Deadline) -> _End:
        began = self._clock.monotonic()
        work = controller.finalize if hook == "finalize" else controller.sync
        reply: Reply | None = None
        outcome = "cut off"
        try:
            async with asyncio.timeout(self._gate.limits.patience):
                reply = await work(call, deadline)
            answer = answers.replied(hook, reply)
            outcome = "busy" if isinstance(reply, Busy) else "ok"
        except Exception as fault:  # noqa: BLE001 - as above; the caller gets 500, so no status is lost
            outcome, answer = self._broke(fault)
        finally:
            spent = self._clock.monotonic() - began
            self._line(call, outcome, spent, reason=reply.reason if isinstance(reply, Busy) else None)
        self._step(controller, call, None if outcome == "error" else reply, spent)
        return _End(outcome, answer)

    def _step(self, controller: Controller, call: SyncCall, reply: Reply | None, spent: float) -> None:
        """A pass that ended in 429 wrote no status, so it took no step."""
        if isinstance(reply, Busy):
            return
        before = _phase(call.parent.status)
        after = _phase(reply.status) if reply else before
        self._telemetry.metrics.step(controller.kind, before, after, reply is not None, spent)

    def _line(self, call: SyncCall, outcome: str, spent: float, **more: Any) -> None:
        said = {name: value for name, value in more.items() if value is not None}
        ms = round(1000 * spent, 1)
        self._telemetry.log.info("pass", finalizing=call.finalizing, outcome=outcome, ms=ms, **said)

    def _refused(self, controller: Controller, hook: str, why: Refused) -> _End:
        self._telemetry.log.warning("refused", kind=controller.kind, hook=hook, status=why.status, error=why.error)
        # Else the caller would have to send the rest of a body that nobody reads before it may ask anything again.
        headers = {"Connection": "close"} if why.status == 413 else None
        return _End("refused", answers.refusal(why.status, why.error, why.hint, headers))

    def _denied(self, controller: Controller, hook: str, reason: str) -> _End:
        self._telemetry.log.warning("denied", kind=controller.kind, hook=hook, error=reason)
        hint = "send the bearer token that the hooks were given"
        return _End("denied", answers.refusal(401, reason, hint, {"WWW-Authenticate": "Bearer"}))

    def _broke(self, fault: Exception) -> _End:
        self._telemetry.log.error("a hook failed", exc_info=fault)
        return _End("error", answers.refusal(500, "internal error", "the log of the hooks has the details"))


def _names(controller: Controller, hook: str, parent: Parent) -> dict[str, Any]:
    """What says whose pass it is; the version tells a stale call from a fresh one."""
    meta = parent.metadata
    return {
        "kind": controller.kind,
        "namespace": meta.namespace,
        "name": meta.name,
        "uid": meta.uid,
        "resourceVersion": meta.resourceVersion,
        "generation": meta.generation,
        "hook": hook,
    }


def _phase(status: dict[str, Any] | None) -> tuple[str, str]:
    """Phase, and the reason of its condition, empty where there is none."""
    phase = (status or {}).get("phase")
    phase = phase if isinstance(phase, str) else ""
    condition = by_type((status or {}).get("conditions")).get(phase, {})
    return phase, str(condition.get("reason", "")) if condition.get("status") == "True" else ""
