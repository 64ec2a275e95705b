"""How Pods are reached: Services by name, Pods by address, both through proxies, since nothing here owns an interface.

Connections are balanced, not requests, as kube-proxy does it, and the list of endpoints is a little old, as its own is.
"""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from hooks.http import AsyncClient

Object = dict[str, Any]
HOST = "127.0.0.1"
LAG = 1.0
"""Seconds for which a list of endpoints is believed."""
_HEAD = re.compile(rb"^(\S+) (?:https?://)?([^/: ]+)(?::(\d+))?")
_SERVICE = re.compile(r"([-a-z0-9]+)\.([-a-z0-9]+)\.svc(?:\.cluster\.local)?\.?")
SLICES = "/apis/discovery.k8s.io/v1/namespaces/{}/endpointslices"
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Target(NamedTuple):
    """An address that can be dialled."""

    host: str
    port: int


class Network:
    """`pods` maps the addresses that Pods have in the cluster to those that they have here."""

    def __init__(self, kube: AsyncClient, pods: Mapping[str, str]) -> None:
        self._kube = kube
        self._pods = pods
        self._turn = itertools.count()
        self._known: dict[tuple[str, str], tuple[float, list[Object], Object]] = {}
        self._servers: list[asyncio.Server] = []
        self._open: set[asyncio.Task[None]] = set()
        self.proxy = ""
        """For HTTP_PROXY and HTTPS_PROXY of a process that calls Services."""

    async def start(self, egress: str) -> None:
        served = await asyncio.start_server(self._serve, HOST, 0)
        self.proxy = f"http://{HOST}:{served.sockets[0].getsockname()[1]}"
        self._servers = [served, await asyncio.start_unix_server(self._serve, egress)]

    async def stop(self) -> None:
        for server in self._servers:
            server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._join((reader, writer)))
        self._open.add(task)
        task.add_done_callback(self._open.discard)

    async def _join(self, caller: Streams) -> None:
        """Read where the caller wants to go, go there, and hand on all that follows, both ways."""
        try:
            head = await caller[0].readuntil(b"\r\n\r\n")
            method, host, port = _HEAD.match(head).groups()  # type: ignore[union-attr]
            target = await self._resolve(host.decode(), int(port or 80))
            if target is None:
                caller[1].write(b"HTTP/1.1 502 No endpoint\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                return
            called = await asyncio.open_connection(*target)
            if method == b"CONNECT":
                caller[1].write(b"HTTP/1.1 200 OK\r\n\r\n")
            else:
                called[1].write(head)
            try:
                await asyncio.gather(_copy(caller[0], called[1]), _copy(called[0], caller[1]))
            finally:
                called[1].close()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            caller[1].close()

    async def _resolve(self, host: str, port: int) -> Target | None:
        if host in self._pods:
            return Target(self._pods[host], port)
        named = _SERVICE.fullmatch(host)
        return await self._endpoint(named[2], named[1], port) if named else None

    async def _endpoint(self, namespace: str, name: str, port: int) -> Target | None:
        """A ready endpoint; where there is none, one that still serves (KEP-1669)."""
        slices, service = await self._look(namespace, name)
        called = next((p.get("name") for p in service.get("spec", {}).get("ports", ()) if p["port"] == port), None)
        found = [
            (one["conditions"], Target(self._pods[one["addresses"][0]], at["port"]))
            for item in slices
            for at in item.get("ports") or ()
            for one in item.get("endpoints") or ()
            if at.get("name") == called and one["addresses"][0] in self._pods
        ]
        ready = [target for conditions, target in found if conditions.get("ready")]
        usable = ready or [target for conditions, target in found if conditions.get("serving")]
        return usable[next(self._turn) % len(usable)] if usable else None

    async def _look(self, namespace: str, name: str) -> tuple[list[Object], Object]:
        now = asyncio.get_running_loop().time()
        kept = self._known.get((namespace, name))
        if kept is None or kept[0] < now:
            query = {"labelSelector": f"kubernetes.io/service-name={name}"}
            slices = (await self._kube.get(SLICES.format(namespace), params=query)).json().get("items", [])
            service = (await self._kube.get(f"/api/v1/namespaces/{namespace}/services/{name}")).json()
            kept = self._known[namespace, name] = (now + LAG, slices, service)
        return kept[1], kept[2]


async def _copy(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    """Until the source ends; the sink is then told so. A connection that breaks ends it too."""
    with suppress(OSError):
        while data := await source.read(65536):
            sink.write(data)
            await sink.drain()
    with suppress(OSError, RuntimeError):
        sink.close()
