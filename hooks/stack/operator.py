"""The operator itself, put together from its rooms."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

from starlette.applications import Starlette

from hooks.aruba.cloud.client import Cloud, Limits
from hooks.aruba.cloud.session import Origin
from hooks.aruba.engine.hooks import controllers
from hooks.aruba.engine.ports import Ports
from hooks.aruba.engine.story import Policy
from hooks.aruba.kinds import discover
from hooks.clock import Clock, Random
from hooks.edge import OPEN, Front, Gate, Health, build
from hooks.edge.gate import Limits as EdgeLimits
from hooks.http import AsyncClient
from hooks.http import Limits as Pool
from hooks.kube import Kube
from hooks.settings import Settings, Watched
from hooks.stack.sights import Sights
from hooks.stack.sources import VaultPort, sources
from hooks.telemetry import Telemetry
from hooks.telemetry.log import adopt, logger
from hooks.telemetry.metrics import Metrics

PASS_BUDGET = 22.0
"""Seconds of one pass: well under the hook time-out that the generated controllers give to Metacontroller."""


@dataclass(frozen=True)
class Operator:
    """The hooks as an ASGI app, and what has to be ended in order."""

    app: Starlette
    gate: Gate
    health: Health
    kube: Kube
    cloud: Cloud
    telemetry: Telemetry


def policy(settings: Settings) -> Policy:
    """The part of the settings that a pass goes by."""
    return Policy(
        phase_timeout=settings.phase_timeout,
        window=settings.propagation_window,
        listing_age=settings.listing_age,
        defaults=settings.policies,
        vault=settings.vault_enabled,
        tenants=settings.tenant_policy,
        references=settings.reference_policy,
    )


def assemble(
    settings: Watched | Settings,
    *,
    kube: AsyncClient,
    cloud: AsyncClient,
    clock: Clock,
    chance: Random,
    telemetry: Telemetry,
    front: Front = OPEN,
    vault: VaultPort | None = None,
) -> Operator:
    """The operator over two HTTP clients, one for the Kubernetes API and one for the cloud and its token endpoint.

    `front` judges callers; `vault` stands in for the calls to Vault.
    """
    now = _reader(settings)
    current = now()
    catalog = discover()
    sights = Sights(catalog, telemetry, clock, now)
    kube_port = Kube(kube, clock, observe=sights.kubernetes)
    limits = Limits(rate=current.rate_limit / current.replicas)
    credentials = sources(now, clock, sights.vault, vault)
    aged = telemetry.metrics.listing_age
    cloud_port = Cloud(lambda: origin(now()), credentials, cloud, kube_port, chance, limits, sights.cloud, aged)
    gate = Gate(EdgeLimits(body=current.body_limit, budget=PASS_BUDGET, in_flight=current.in_flight))
    table = controllers(catalog, Ports(cloud_port, kube_port, kube_port), lambda: policy(now()))
    health = Health(own=front.own, notes=lambda: (*_notes(settings), *front.notes()), peers=sights.peers)
    app = build(table, gate=gate, clock=clock, telemetry=telemetry, health=health, authorise=front.authorise)
    return Operator(app, gate, health, kube_port, cloud_port, telemetry)


def _current(settings: Watched | Settings) -> Settings:
    found = settings if isinstance(settings, Settings) else settings.current
    if found is None:
        raise ValueError("there are no valid settings yet")
    return found


def _reader(settings: Watched | Settings) -> Callable[[], Settings]:
    """The settings as they stand now: mounted files are looked at again at each use (cases 79)."""

    def read() -> Settings:
        if isinstance(settings, Watched):
            settings.refresh()
        return _current(settings)

    return read


def origin(settings: Settings) -> Origin:
    """Where the API and its tokens are."""
    return Origin(settings.api_gateway, settings.token_url)


def _notes(settings: Watched | Settings) -> tuple[str, ...]:
    """What is wrong with the settings as they stand now, while the last good ones are in force."""
    if not isinstance(settings, Watched):
        return ()
    settings.refresh()
    return (*settings.faults, *settings.warnings)


def told(settings: Settings, clock: Clock) -> Telemetry:
    """Log and metrics of a process."""
    log = logger(sys.stderr, settings.log_level, clock.now)
    adopt(log)
    return Telemetry(log, Metrics())


def pool() -> AsyncClient:
    """The one connection pool to the cloud; redirects are never followed, and no proxy is taken from thin air."""
    return AsyncClient(limits=Pool(max_connections=100, max_keepalive_connections=50), follow_redirects=False)
