"""The three hooks of each kind, as the contract wants them; the only part of the engine that the stack calls."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from hooks.aruba.engine.ports import Ports
from hooks.aruba.engine.reconcile import reconcile
from hooks.aruba.engine.resolve import related
from hooks.aruba.engine.story import Policy
from hooks.aruba.model.catalog import Catalog
from hooks.aruba.model.kind import Kind
from hooks.aruba.model.phases import API_VERSION
from hooks.contract.controller import Controller
from hooks.contract.replies import CustomizeReply, Reply
from hooks.contract.requests import CustomizeCall, SyncCall
from hooks.meta.deadline import Deadline


def controllers(catalog: Catalog, ports: Ports, policy: Callable[[], Policy]) -> dict[str, Controller]:
    """One controller per kind, by plural; `policy` gives the settings as they stand at each pass."""
    return {kind.names.plural: _controller(kind, catalog, ports, policy) for kind in catalog}


def _controller(kind: Kind, catalog: Catalog, ports: Ports, policy: Callable[[], Policy]) -> Controller:
    def hook(finalizing: bool) -> Callable[[SyncCall, Deadline], Awaitable[Reply]]:
        async def run(call: SyncCall, deadline: Deadline) -> Reply:
            told = call.model_copy(update={"finalizing": finalizing})
            return await reconcile(kind, catalog, told, ports, policy(), deadline)

        return run

    def customize(call: CustomizeCall) -> CustomizeReply:
        return CustomizeReply(relatedResources=related(kind, catalog, call.parent, policy().granting))

    return Controller(
        kind.names.plural, kind.names.kind, API_VERSION, sync=hook(False), finalize=hook(True), customize=customize
    )
