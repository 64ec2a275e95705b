"""One Pod, from being given to this machine to its end: volumes, process, readiness, and an end in a kubelet's order.

Only what the operator relies on is played: one container, HTTP readiness, `preStop.sleep`, SIGTERM and its grace.
"""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from hooks.http import AsyncClient, HTTPError
from tests.e2e.controlplane.children import die_with_us
from tests.e2e.machine import files
from tests.e2e.machine.images import Container, Process, process

Object = dict[str, Any]
STEP = 0.3
"""Seconds between two looks at a Pod."""
TOP = Path(__file__).parents[3]


class Machine(Protocol):
    """What a Pod needs of the machine that runs it."""

    kube: AsyncClient
    folder: Path
    name: str
    proxy: str

    async def kubeconfig(self, item: Object) -> Path:
        """Access to the API server as this Pod's service account."""


class Address(NamedTuple):
    """In the cluster, and on this machine."""

    ip: str
    here: str


class Pod:
    """`item` is renewed by the machine; the end begins once it carries a deletionTimestamp."""

    def __init__(self, machine: Machine, item: Object, address: Address) -> None:
        self.item = item
        self.address = address
        self._machine = machine
        meta = item["metadata"]
        self._path = f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}"
        self._container = item["spec"]["containers"][0]
        self._folder = machine.folder / meta["namespace"] / meta["name"]
        self._running: asyncio.subprocess.Process | None = None
        self._starts = 0
        self._told: Object = {}

    @property
    def log(self) -> Path:
        return self._folder / "log"

    async def run(self) -> None:
        """Returns once the Pod is gone from the API server."""
        self._folder.mkdir(parents=True, exist_ok=True)
        if not self.item["spec"].get("nodeName"):
            await self._bind()
        while not self._leaving:
            try:
                await self._mount()
                await self._live()
            except files.Missing as why:
                await self._tell(ready=False, waiting=("ContainerCreating", str(why)))
            except HTTPError:
                pass  # the API server is away: what runs goes on, as under a kubelet
            await asyncio.sleep(STEP)
        await self._end()

    @property
    def _leaving(self) -> bool:
        return bool(self.item["metadata"].get("deletionTimestamp"))

    async def _bind(self) -> None:
        meta = {key: self.item["metadata"][key] for key in ("name", "namespace", "uid")}
        target = {"kind": "Node", "name": self._machine.name, "apiVersion": "v1"}
        body = {"apiVersion": "v1", "kind": "Binding", "metadata": meta, "target": target}
        await self._machine.kube.post(f"{self._path}/binding", json=body)

    async def _mount(self) -> None:
        for volume in self.item["spec"].get("volumes") or ():
            if volume["name"].startswith("kube-api-access-"):
                continue  # a kubeconfig takes its place
            found = await files.contents(self._machine.kube, self.item["metadata"]["namespace"], volume)
            place = self._folder / "volumes" / volume["name"]
            place.mkdir(parents=True, exist_ok=True)
            if found is not None:
                files.place(place, found)

    async def _live(self) -> None:
        """Started where it does not run, and asked whether it is ready where it does."""
        if self._running is None or self._running.returncode is not None:
            started = await self._start()
            if not started:
                return
        await self._tell(ready=await self._ready())

    async def _start(self) -> bool:
        given = await self._given()
        made = process(self._container["image"], given)
        if made is None:
            await self._tell(ready=False, waiting=("ImagePullBackOff", f"nobody has {self._container['image']}"))
            return False
        self._starts += 1
        self._running = await self._spawn(made)
        return True

    async def _given(self) -> Container:
        words = [*self._container.get("command", ()), *self._container.get("args", ())]
        return Container(
            [self._here(word) for word in words if word not in ("/manager", "/usr/bin/metacontroller")],
            self.address.here,
            await self._machine.kubeconfig(self.item),
            self._machine.proxy,
        )

    def _here(self, word: str) -> str:
        """A path below a mount, as it is on this machine."""
        for mount in self._container.get("volumeMounts") or ():
            if mount["mountPath"] in word:
                return word.replace(mount["mountPath"], str(self._folder / "volumes" / mount["name"]))
        return word

    async def _spawn(self, made: Process) -> asyncio.subprocess.Process:
        own = {name: text for name, text in os.environ.items() if not name.startswith("ARUBA_")}
        said = {one["name"]: self._here(one["value"]) for one in self._container.get("env") or () if "value" in one}
        with self.log.open("ab") as log:
            return await asyncio.create_subprocess_exec(
                *made.command,
                env={**own, **said, **made.environ},
                cwd=TOP,
                stdout=log,
                stderr=log,
                preexec_fn=die_with_us,
            )

    async def _ready(self) -> bool:
        """Every probe is asked at each look: a true period would only make tests wait."""
        probe = (self._container.get("readinessProbe") or {}).get("httpGet")
        if probe is None:
            return True
        ports = {port.get("name"): port["containerPort"] for port in self._container.get("ports") or ()}
        port = ports.get(probe["port"], probe["port"])
        try:
            async with AsyncClient(timeout=3) as client:
                return (await client.get(f"http://{self.address.here}:{port}{probe['path']}")).status_code == 200
        except HTTPError:
            return False

    async def _tell(self, *, ready: bool, waiting: tuple[str, str] | None = None) -> None:
        """The status, where it is another than the last one told."""
        state: Object = {"running": {"startedAt": self.item["metadata"]["creationTimestamp"]}}
        if waiting is not None:
            state = {"waiting": {"reason": waiting[0], "message": waiting[1]}}
        conditions = {"Initialized": True, "ContainersReady": ready, "Ready": ready, "PodScheduled": True}
        status = {
            "phase": "Pending" if waiting else "Running",
            "podIP": self.address.ip,
            "podIPs": [{"ip": self.address.ip}],
            "conditions": [{"type": name, "status": str(yes)} for name, yes in conditions.items()],
            "containerStatuses": [
                {
                    "name": self._container["name"],
                    "image": self._container["image"],
                    "imageID": self._container["image"],
                    "ready": ready,
                    "started": waiting is None,
                    "restartCount": max(0, self._starts - 1),
                    "state": state,
                }
            ],
        }
        if status != self._told:
            headers = {"Content-Type": "application/merge-patch+json"}
            answer = await self._machine.kube.patch(f"{self._path}/status", json={"status": status}, headers=headers)
            if answer.status_code == 200:
                self._told = status

    async def _end(self) -> None:
        """`preStop`, SIGTERM, what is left of the grace, SIGKILL; then the Pod goes from the API server."""
        grace = float(self.item["metadata"].get("deletionGracePeriodSeconds") or 0)
        pause = ((self._container.get("lifecycle") or {}).get("preStop") or {}).get("sleep") or {}
        began = asyncio.get_running_loop().time()
        if self._running is not None and self._running.returncode is None:
            await asyncio.sleep(min(float(pause.get("seconds", 0)), grace))
            await self.kill(max(1.0, began + grace - asyncio.get_running_loop().time()))
        meta = self.item["metadata"]
        options = {"gracePeriodSeconds": 0, "preconditions": {"uid": meta["uid"]}}
        with suppress(HTTPError):
            await self._machine.kube.request("DELETE", self._path, json=options)

    async def kill(self, grace: float) -> None:
        """End the process: told first, then made to."""
        if self._running is None or self._running.returncode is not None:
            return
        self._running.send_signal(signal.SIGTERM)
        try:
            await asyncio.wait_for(self._running.wait(), grace)
        except TimeoutError:
            self._running.kill()
            await self._running.wait()
