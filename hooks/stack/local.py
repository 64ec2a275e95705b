"""Local mode: simulator, a small Kubernetes API, a small Metacontroller and the very webhooks that production runs, in
one process on loopback sockets (design §9). For trying and testing, never for production.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hooks.aruba.kinds import discover
from hooks.clock import Clock, SystemClock, seeded, unpredictable
from hooks.edge import Server, watch_app
from hooks.http import AsyncClient, HTTPError
from hooks.kube import connect
from hooks.local.guard import CONTROLLERS, DEFINITIONS, Guard
from hooks.local.kubernetes import KubernetesApi, kubeconfig
from hooks.local.metacontroller import Metacontroller
from hooks.manifests import composite_controllers, crds
from hooks.settings import Settings
from hooks.simulator import ADMIN, Simulator, load_timings, token_path
from hooks.stack.operator import Operator, assemble, pool, told
from hooks.telemetry.log import Log

LOOK_AGAIN = 0.5
"""Seconds between two looks for the definition of CompositeControllers."""


@dataclass(frozen=True)
class LocalOptions:
    """What the command line says. `kubernetes` is `builtin` or the path of a kubeconfig."""

    state_dir: Path
    timings: str = "fast"
    seed: int = 0
    kubernetes: str = "builtin"
    metacontroller: str = "builtin"
    ready_file: Path | None = None


@asynccontextmanager
async def local(options: LocalOptions, environ: Mapping[str, str]) -> AsyncIterator[dict[str, Any]]:
    """The whole stack, answering; yields the endpoints of interfaces.md.

    Raises ValueError for settings or timings that will not do, `NotOurs` and `Unusable` for a cluster that may not be
    used, OSError for a directory or port that cannot be had.
    """
    clock = SystemClock()
    options.state_dir.mkdir(parents=True, exist_ok=True)
    async with AsyncExitStack() as stack:
        cloud = await _served(stack, Simulator(clock, seed=options.seed, timings=load_timings(options.timings)).app)
        config = await _kubernetes(stack, options, clock)
        kube = await stack.enter_async_context(connect(config))
        guard = Guard(kube, options.state_dir, clock)
        await guard.check()
        settings = _settings(environ, cloud)
        operator, endpoints = await _operator(stack, settings, kube, clock, guard)
        await _apply(kube, guard, DEFINITIONS, crds(discover()))
        controllers = composite_controllers(discover(), base_url=endpoints["hooks"])
        if options.metacontroller == "builtin":
            await _metacontroller(stack, controllers, config, clock)
        else:
            await _external(stack, kube, guard, controllers, operator.telemetry.log, clock)
        endpoints |= {
            "kubernetes": str(kube.base_url).rstrip("/"),
            "cloud": settings.api_gateway,
            "token": settings.token_url,
            "admin": cloud + ADMIN,
            "kubeconfig": str(config),
            "pid": os.getpid(),
        }
        for file in (options.state_dir / "endpoints.json", options.ready_file):
            if file is not None:
                _write(file, json.dumps(endpoints, indent=1))
        yield endpoints
        await operator.gate.drain(2.0)


async def _served(stack: AsyncExitStack, app: Any) -> str:
    """Serve an app on a free port until the stack ends; its URL."""
    server = Server(app)
    await server.start()
    stack.push_async_callback(server.stop)
    return server.url


async def _kubernetes(stack: AsyncExitStack, options: LocalOptions, clock: Clock) -> Path:
    """The kubeconfig of the cluster to use: our own small API, empty, or the one that was named."""
    if options.kubernetes != "builtin":
        return Path(options.kubernetes)
    api = KubernetesApi(clock, unpredictable())
    url = await _served(stack, api.app)
    stack.push_async_callback(api.aclose)  # runs before the server stops: open watches would hold it up
    file = (options.state_dir / "kubeconfig").absolute()
    _write(file, kubeconfig(url))
    return file


def _settings(environ: Mapping[str, str], cloud: str) -> Settings:
    """The ARUBA_* settings, filled in where they are unset."""
    own = {
        "ARUBA_API_GATEWAY": cloud,
        "ARUBA_KEYCLOAK_URL": cloud + token_path().split("/realms/")[0],
        "ARUBA_CLIENT_ID": "aruba-local",
        "ARUBA_CLIENT_SECRET": "aruba-local-secret",
        "ARUBA_LOG_LEVEL": "info",
    }
    loaded = Settings.load({}, {}, {**own, **{k: v for k, v in environ.items() if k.startswith("ARUBA_") and v}})
    if loaded.settings is None:
        raise ValueError("; ".join(loaded.faults))
    return loaded.settings


async def _operator(
    stack: AsyncExitStack, settings: Settings, kube: AsyncClient, clock: Clock, guard: Guard
) -> tuple[Operator, dict[str, Any]]:
    telemetry = told(settings, clock)
    client = await stack.enter_async_context(pool())
    operator = assemble(settings, kube=kube, cloud=client, clock=clock, chance=seeded(0), telemetry=telemetry)
    hooks = await _served(stack, guard.around(operator.app))
    metrics = await _served(stack, watch_app(telemetry.metrics))
    return operator, {"hooks": hooks, "metrics": f"{metrics}/metrics"}


async def _apply(kube: AsyncClient, guard: Guard, path: str, objects: list[dict[str, Any]]) -> None:
    """Server-side apply, each object marked as this session's."""
    for item in objects:
        body = guard.marked(item)
        url = f"{path}/{body['metadata']['name']}"
        headers = {"Content-Type": "application/apply-patch+yaml"}
        query = {"fieldManager": "aruba-hooks-local", "force": "true"}
        answer = await kube.patch(url, params=query, content=json.dumps(body), headers=headers)
        if answer.status_code not in (200, 201):
            raise ValueError(f"{item['kind']} {item['metadata']['name']} was refused: {answer.text[:500]}")


async def _external(
    stack: AsyncExitStack, kube: AsyncClient, guard: Guard, controllers: list[dict[str, Any]], log: Log, clock: Clock
) -> None:
    """Apply the controllers; in the background, once their definition is there, if Metacontroller is not installed yet.

    Whoever installs it into our own small API learns only from the ready file where that API is.
    """
    if await _served_at(kube, CONTROLLERS):
        await _apply(kube, guard, CONTROLLERS, controllers)
        return
    log.warning("waiting for Metacontroller's definitions to apply the CompositeControllers")

    async def once_served() -> None:
        while not await _served_at(kube, CONTROLLERS):
            await clock.sleep(LOOK_AGAIN)
        try:
            await _apply(kube, guard, CONTROLLERS, controllers)
        except (ValueError, HTTPError) as refused:
            log.exception("the CompositeControllers are not applied", error=str(refused))
        else:
            log.info("the CompositeControllers are applied")

    stack.push_async_callback(_ended, asyncio.get_running_loop().create_task(once_served()))


async def _served_at(kube: AsyncClient, path: str) -> bool:
    try:
        return (await kube.get(path, params={"limit": "1"})).status_code == 200
    except HTTPError:
        return False


async def _metacontroller(stack: AsyncExitStack, controllers: list[dict[str, Any]], config: Path, clock: Clock) -> None:
    kube = await stack.enter_async_context(connect(config))
    hooks = await stack.enter_async_context(AsyncClient(timeout=None))
    engine = Metacontroller(controllers, kube=kube, hooks=hooks, clock=clock)
    running = asyncio.get_running_loop().create_task(engine.run())
    stack.push_async_callback(_ended, running)
    await engine.started()
    if running.done():
        running.result()


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def _write(file: Path, text: str) -> None:
    """Whole or not at all: a reader never sees half of it."""
    draft = file.with_name(f"{file.name}.{os.getpid()}")
    draft.write_text(text, encoding="utf-8")
    draft.replace(file)
