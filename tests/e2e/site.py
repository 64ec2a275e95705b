"""A cluster as a platform engineer has it before anything of ours is there: Pods run, a cloud answers, tools are real.

Commands are run by bash with kubectl, helm and `aruba-hooks` on the path, as the administrator.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import yaml

from hooks.clock import SystemClock
from hooks.edge import Server
from hooks.http import AsyncClient
from hooks.simulator import ADMIN, FAST, Simulator
from tests.e2e.controlplane.build import binaries
from tests.e2e.controlplane.cluster import Cluster
from tests.e2e.machine.node import Node, running
from tests.helm.charted import mixed
from tests.pages import TOP

Object = dict[str, Any]
DEFINITIONS = os.environ.get("METACONTROLLER_CRDS") or str(
    Path(__file__).parent / "machine" / "compositecontroller.yaml"
)
RESTRICTED = {"pod-security.kubernetes.io/enforce": "restricted"}
KEYS = {"client-id": "aruba-local", "client-secret": "aruba-local-secret"}


class Site:
    """`folder` is where commands run; `cloud` is the URL of the cloud, `books` a client for its own books."""

    def __init__(self, cluster: Cluster, node: Node, cloud: str, folder: Path) -> None:
        self.cluster = cluster
        self.node = node
        self.cloud = cloud
        self.folder = folder
        self.kube = node.kube
        self.books = AsyncClient(base_url=cloud, timeout=30)
        for name in ("helm", "crds", "metacontroller"):  # as in a checkout, where the pages' commands are run
            (folder / name).symlink_to(TOP / name)
        self._command("aruba-hooks", f'exec {sys.executable} -m hooks "$@"')
        own = [folder / "bin", Path(sys.executable).parent, binaries()["helm"].parent]
        keep = {name: text for name, text in os.environ.items() if not name.startswith("ARUBA_")}
        self.environ = {
            **keep,
            "PATH": ":".join([*map(str, own), os.environ["PATH"]]),
            "KUBECONFIG": str(cluster.admin),
            "HOME": str(folder),
            "PYTHONPATH": str(TOP),
        }

    def _command(self, name: str, text: str) -> None:
        """What an installed package would put on the path."""
        (self.folder / "bin").mkdir()
        file = self.folder / "bin" / name
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)

    async def sh(self, text: str, *, fails: bool = False, within: float = 180) -> str:
        """What a command prints; where it is expected to fail, its complaint too."""
        process = await asyncio.create_subprocess_exec(
            "bash",
            "-euo",
            "pipefail",
            "-c",
            text,
            cwd=self.folder,
            env=self.environ,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        printed = (await asyncio.wait_for(process.communicate(), within))[0].decode()
        assert (process.returncode != 0) == fails, f"$ {text}\n{printed}\n{self.story()}"
        return printed

    def story(self) -> str:
        """The last lines of everybody's log."""
        logs = sorted(self.node.folder.glob("*/*/log"))
        return "\n".join(f"== {file.parent.name}\n{file.read_text()[-1500:]}" for file in logs)

    def write(self, name: str, content: str | Object) -> None:
        text = content if isinstance(content, str) else yaml.safe_dump(content, sort_keys=False)
        file = self.folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)

    def keys(self) -> None:
        """The API key of the simulated cloud, as files."""
        for name, text in KEYS.items():
            self.write(name, text)

    def with_cloud(self, values: str) -> str:
        """These values for the chart, with our cloud instead of the real one."""
        gateway = {"config": {"gateway": self.cloud, "auth": {"idp": f"{self.cloud}/auth"}}}
        return yaml.safe_dump(mixed(yaml.safe_load(values), gateway))

    async def until(self, what: Callable[[], Awaitable[Any]], within: float = 90) -> Any:
        end = asyncio.get_running_loop().time() + within
        while not (found := await what()):
            assert asyncio.get_running_loop().time() < end, self.story()
            await asyncio.sleep(0.3)
        return found

    async def resources(self) -> list[Object]:
        """What is in the cloud."""
        return list((await self.books.get(f"{ADMIN}/state")).json()["resources"])

    async def calls(self) -> list[Object]:
        """What the cloud was asked so far."""
        return list((await self.books.get(f"{ADMIN}/calls")).json())

    async def writes(self) -> list[str]:
        """The cloud's own list of what would have changed it."""
        asked = [call for call in await self.calls() if not call["path"].startswith("/auth")]
        return [f"{call['method']} {call['path']}" for call in asked if call["method"] != "GET"]


@asynccontextmanager
async def site(folder: Path) -> AsyncIterator[Site]:
    """A new cluster with a machine and a cloud; all gone afterwards."""
    for name in ("cluster", "pods", "desk"):
        (folder / name).mkdir()
    cluster = Cluster(folder / "cluster")
    simulator = Server(Simulator(SystemClock(), timings=FAST).app)
    try:
        await asyncio.to_thread(cluster.start)
        await simulator.start()
        async with running(cluster, folder / "pods") as node:
            made = Site(cluster, node, simulator.url, folder / "desk")
            async with made.books:
                yield made
    finally:
        await simulator.stop()
        await asyncio.to_thread(cluster.stop)


async def metacontroller(here: Site, flags: list[str]) -> None:
    """What Metacontroller's own chart brings: its definitions, an account that may do everything, a StatefulSet."""
    await here.sh(f"kubectl apply --server-side -f {DEFINITIONS}")
    meta = {"name": "metacontroller", "namespace": "metacontroller"}
    labels = {"app.kubernetes.io/name": "metacontroller-helm"}
    container = {
        "name": "metacontroller",
        "image": "ghcr.io/metacontroller/metacontroller:v4.17.2",
        "args": flags,
        "readinessProbe": {"httpGet": {"path": "/readyz", "port": 8081}},
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
    }
    pod = {
        "serviceAccountName": "metacontroller",
        "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [container],
    }
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"}
    subject = {"kind": "ServiceAccount", **meta}
    items: list[Object] = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "metacontroller", "labels": RESTRICTED}},
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": meta},
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": "metacontroller"},
            "roleRef": role,
            "subjects": [subject],
        },
        {
            "apiVersion": "apps/v1",
            "kind": "StatefulSet",
            "metadata": {**meta, "labels": labels},
            "spec": {
                "serviceName": "",
                "replicas": 1,
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": pod},
            },
        },
    ]
    here.write("metacontroller.yaml", yaml.safe_dump_all(items))
    await here.sh("kubectl apply -f metacontroller.yaml && kubectl -n metacontroller rollout status sts/metacontroller")
