"""`serve`: the webhooks of a cluster, from the first look at the settings to the last answer."""

from __future__ import annotations

import asyncio
import os
import sys
from argparse import Namespace
from contextlib import suppress
from ipaddress import ip_address

from hooks.clock import SystemClock, unpredictable
from hooks.edge import Callers, Certificates, Front, Health, Server, told_to_stop, waiting_app, watch_app
from hooks.edge import serve as serve_apps
from hooks.kube import Unusable, connect
from hooks.settings import Watched
from hooks.stack.operator import Operator, assemble, pool, told
from hooks.telemetry.log import Log

LOOPBACK = "127.0.0.1"
LOOK_AGAIN = 1.0
"""Seconds between two looks at settings that are not valid yet."""
CLOSED = (
    "no caller is known: neither hook-token nor --client-ca-file is given, so the hooks listen at 127.0.0.1 only "
    "(ARUBA_HOOK_AUTH=none lets anybody in)"
)


async def serve(settings: Watched, args: Namespace) -> int:
    """The webhooks until SIGTERM. 2 when they cannot be served by the means given, with a line that says why."""
    clock = SystemClock()
    certificates = Certificates(args.tls_dir, args.client_ca_file) if args.tls_dir else None
    async with told_to_stop() as stop:
        if settings.current is None:
            await _wait_for(settings, args, stop)
        if settings.current is None:
            return 0
        try:
            kube = connect(args.kubeconfig, os.environ)
        except Unusable as fault:
            sys.stderr.write(f"serve: {fault}\n")
            return 2
        telemetry = told(settings.current, clock)
        door = Door(settings, args, certificates)
        async with kube, pool() as cloud:
            operator = assemble(
                settings,
                kube=kube,
                cloud=cloud,
                clock=clock,
                chance=unpredictable(),
                telemetry=telemetry,
                front=Front(door.authorise, door.reasons, door.notes),
            )
            door.tell(telemetry.log)
            servers = _servers(operator, door, args)
            telemetry.log.info("serving", url=servers[0].url, watch=servers[-1].url)
            await serve_apps(servers, operator.gate, clock, stop, closing=[operator.kube.drain])
    return 0


class Door:
    """Who is let in, and where the hooks may be reached from, as follows from flags and settings at the start."""

    def __init__(self, settings: Watched, args: Namespace, certificates: Certificates | None) -> None:
        def tokens() -> tuple[str, ...]:
            settings.refresh()
            return settings.current.hook_token if settings.current is not None else ()

        current = settings.current
        assert current is not None, "there are settings by now"
        known = bool(tokens()) or args.client_ca_file is not None
        open_to_all = current.hook_auth == "none"
        self.certificates = certificates
        self.host = args.host if known or open_to_all or _on_this_machine(args.host) else LOOPBACK
        self._closed = self.host != args.host
        self._bare = bool(tokens()) and certificates is None and not _on_this_machine(self.host)
        # A token that is taken away later lets nobody in; where there was none, this machine or a certificate vouches.
        self.authorise = Callers(tokens, trusted=open_to_all or not tokens())
        self._settings = settings

    def reasons(self) -> tuple[str, ...]:
        """Why nobody should call this process."""
        missing = self.certificates.missing if self.certificates else ()
        return (*missing, *([CLOSED] if self._closed else []))

    def notes(self) -> tuple[str, ...]:
        """What is wrong, or unwise, and stops nothing."""
        faults = self.certificates.faults if self.certificates and not self.certificates.missing else ()
        return (*faults, *(["hook-token travels unencrypted: give --tls-dir"] if self._bare else []))

    def tell(self, log: Log) -> None:
        for line in (*self._settings.warnings, *self.reasons(), *self.notes()):
            log.warning(line)


def _servers(operator: Operator, door: Door, args: Namespace) -> list[Server]:
    """The hooks, and beside them health and metrics, which tell no secrets and need no token."""
    tls = door.certificates.context() if door.certificates else None
    servers = [Server(operator.app, door.host, args.port, tls)]
    if args.metrics_port is not None:
        watch = watch_app(operator.telemetry.metrics, operator.gate, operator.health)
        servers.append(Server(watch, args.host, args.metrics_port))
    return servers


def _on_this_machine(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


async def _wait_for(settings: Watched, args: Namespace, stop: asyncio.Event) -> None:
    """Live, and say what is wrong, until the mounted files are put right or the process is told to stop."""
    health = Health(own=lambda: ("no valid settings yet", *settings.faults))
    ports = [args.port, *([args.metrics_port] if args.metrics_port is not None else [])]
    servers = [Server(waiting_app(health), args.host, port) for port in ports]
    for server in servers:
        await server.start()
    sys.stderr.write("serve: waiting for valid settings; /readyz lists what is wrong\n")
    try:
        while settings.current is None and not stop.is_set():
            settings.refresh()
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_AGAIN):
                    await stop.wait()
    finally:
        for server in servers:
            await server.stop()
