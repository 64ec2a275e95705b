"""The one Node of a test's cluster: takes every Pod that nobody has, and runs it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import yaml

from hooks.http import AsyncClient, HTTPError
from tests.e2e.controlplane.cluster import Cluster
from tests.e2e.machine.images import token_of
from tests.e2e.machine.network import Network
from tests.e2e.machine.pod import STEP, Address, Pod

Object = dict[str, Any]


class Node:
    """`pods` are those that run here, by UID."""

    name = "machine"

    def __init__(self, cluster: Cluster, kube: AsyncClient, folder: Path) -> None:
        self.kube = kube
        self.folder = folder
        self.pods: dict[str, Pod] = {}
        self.faults: list[BaseException] = []
        """Of this machine itself: a test that meets one has failed."""
        self.addresses: dict[str, str] = {}
        self.network = Network(kube, self.addresses)
        self._cluster = cluster
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._taken = 0

    @property
    def proxy(self) -> str:
        return self.network.proxy

    async def kubeconfig(self, item: Object) -> Path:
        """Access to the API server as this Pod's service account; its token is in a file of its own besides."""
        file = await self._cluster.account(item["metadata"]["namespace"], item["spec"]["serviceAccountName"])
        token_of(file).write_text(yaml.safe_load(file.read_text())["users"][0]["user"]["token"])
        return file

    async def run(self) -> None:
        """Until cancelled."""
        await self._register()
        while True:
            with suppress(HTTPError):
                await self._look()
            await asyncio.sleep(STEP)

    async def end(self) -> None:
        """Every process ends, whatever the API server says."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        await asyncio.gather(*(pod.kill(5) for pod in self.pods.values()))

    def logs(self, name: str) -> str:
        """What all Pods of this name's beginning have printed, one after the other."""
        return "".join(file.read_text() for file in sorted(self.folder.glob(f"*/{name}*/log")))

    async def _register(self) -> None:
        made = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": self.name}}
        await self.kube.post("/api/v1/nodes", json=made)
        headers = {"Content-Type": "application/merge-patch+json"}
        ready = {"status": {"conditions": [{"type": "Ready", "status": "True", "reason": "Test"}]}}
        await self.kube.patch(f"/api/v1/nodes/{self.name}/status", json=ready, headers=headers)

    async def _look(self) -> None:
        answer = await self.kube.get("/api/v1/pods")
        if answer.status_code != 200:
            return
        for item in answer.json()["items"]:
            uid = item["metadata"]["uid"]
            if uid in self.pods:
                self.pods[uid].item = item
            else:
                self._begin(uid, item)

    def _begin(self, uid: str, item: Object) -> None:
        pod = self.pods[uid] = Pod(self, item, self._address())
        task = self._tasks[uid] = asyncio.ensure_future(pod.run())
        task.add_done_callback(lambda _done: self._forget(uid))

    def _forget(self, uid: str) -> None:
        task = self._tasks.pop(uid)
        if task.cancelled():
            return
        if (fault := task.exception()) is not None:
            self.faults.append(fault)
        self.addresses.pop(self.pods.pop(uid).address.ip)

    def _address(self) -> Address:
        """A loopback address that only this process of tests uses."""
        self._taken += 1
        at, mine = divmod(self._taken, 200), os.getpid()
        address = Address(
            f"10.244.{at[0]}.{at[1] + 2}", f"127.{mine // 250 % 250 + 1}.{mine % 250 + 1}.{self._taken % 250 + 2}"
        )
        self.addresses[address.ip] = address.here
        return address


@asynccontextmanager
async def running(cluster: Cluster, folder: Path) -> AsyncIterator[Node]:
    """A Node and its network; all that it ran has ended afterwards."""
    async with cluster.client() as kube:
        node = Node(cluster, kube, folder)
        await node.network.start(str(cluster.egress))
        task = asyncio.ensure_future(node.run())
        try:
            yield node
        finally:
            task.cancel()
            (ended,) = await asyncio.gather(task, return_exceptions=True)
            if ended is not None and not isinstance(ended, asyncio.CancelledError):
                node.faults.append(ended)
            await node.end()
            await node.network.stop()
        assert node.faults == []
