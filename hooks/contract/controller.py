"""What serves one parent kind: the edge routes to it, the manifests write a CompositeController for it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from hooks.contract.replies import CustomizeReply, Reply
from hooks.contract.requests import CustomizeCall, SyncCall
from hooks.meta.deadline import Deadline


@dataclass(frozen=True)
class Controller:
    """Three hooks of one parent kind. `plural` is the URL segment, `kind` and `api_version` what a body must name."""

    plural: str
    kind: str
    api_version: str
    sync: Callable[[SyncCall, Deadline], Awaitable[Reply]]
    finalize: Callable[[SyncCall, Deadline], Awaitable[Reply]]
    customize: Callable[[CustomizeCall], CustomizeReply]
