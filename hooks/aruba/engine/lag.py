"""Calls whose view has been overtaken by our own last answer: they get that answer again, and nothing is done.

Metacontroller may call with a view from before the status that we gave it a moment ago (mc §3.5). A pass on such a view
decides by what is no longer so, and its answer takes the newer status back; the next pass puts it right, and so on for
ever, since each write wakes the next pass (cases 17). What is remembered serves only this and only for seconds: losing
it, or another replica that does not have it, costs a pass and a write, nothing else.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import NamedTuple

from hooks.aruba.engine.values import Raw
from hooks.contract.replies import SyncReply
from hooks.contract.requests import SyncCall

LAG = 2.0
"""Seconds for which a view may lag behind; if an answer was lost on its way, the next pass is only so much later."""


class Answered(NamedTuple):
    """The last answer about one object: the status that it replaced, and when it was given (monotonic seconds)."""

    finalizing: bool
    generation: int
    replaced: Raw
    reply: SyncReply
    at: float


Recent = MutableMapping[str, Answered]
"""By UID; any mapping that forgets after some seconds."""


def answered(call: SyncCall, reply: SyncReply, now: float) -> Answered:
    """What to remember of an answer."""
    return Answered(call.finalizing, call.parent.metadata.generation, call.parent.status or {}, reply, now)


def overtaken(call: SyncCall, before: Answered | None, now: float) -> SyncReply | None:
    """The answer to give again, when the call still shows the very status that it replaced; None otherwise."""
    if before is None or now - before.at > LAG or call.finalizing != before.finalizing:
        return None
    shown = call.parent.status or {}
    if call.parent.metadata.generation != before.generation or shown != before.replaced or shown == before.reply.status:
        return None
    after = max(0.05, before.reply.resyncAfterSeconds - (now - before.at))
    return before.reply.model_copy(update={"resyncAfterSeconds": round(after, 3)})
