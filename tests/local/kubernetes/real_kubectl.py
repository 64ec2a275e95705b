"""The real kubectl against the API on a real loopback socket, for tests marked `real_time`."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import uvicorn
import yaml

from hooks.clock import SystemClock, seeded
from hooks.local.kubernetes import KubernetesApi, kubeconfig
from tests.local.kubernetes.widgets import crd

KUBECTL = Path(sys.prefix) / "bin" / "kubectl"


class Ran(NamedTuple):
    code: int
    out: str
    err: str


class Kubectl:
    """Runs kubectl with a home and a kubeconfig of its own."""

    def __init__(self, url: str, home: Path) -> None:
        self.url = url
        self._home = home
        (home / "config").write_text(kubeconfig(url))

    async def start(self, *args: str, **env: str) -> asyncio.subprocess.Process:
        pipe = asyncio.subprocess.PIPE
        environment = {
            "HOME": str(self._home),
            "KUBECONFIG": str(self._home / "config"),
            "PATH": os.environ["PATH"],
            **env,
        }
        return await asyncio.create_subprocess_exec(
            KUBECTL, *args, stdin=pipe, stdout=pipe, stderr=pipe, env=environment
        )

    async def run(self, *args: str, stdin: Any = "", **env: str) -> Ran:
        process = await self.start(*args, **env)
        text = stdin if isinstance(stdin, str) else yaml.safe_dump(stdin)
        out, err = await asyncio.wait_for(process.communicate(text.encode()), 30)
        return Ran(process.returncode or 0, out.decode(), err.decode())

    async def ok(self, *args: str, stdin: Any = "", **env: str) -> str:
        ran = await self.run(*args, stdin=stdin, **env)
        assert ran.code == 0, ran
        return ran.out

    async def until(self, *args: str) -> str:
        """Run until it prints something."""
        while not (out := await self.ok(*args)):
            pass
        return out

    async def json(self, *args: str) -> Any:
        return json.loads(await self.ok(*args, "-o", "json"))


@asynccontextmanager
async def kubectl(home: Path) -> AsyncIterator[Kubectl]:
    """A kubectl in front of a fresh API that serves widgets."""
    api = KubernetesApi(SystemClock(), seeded(7))
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    server = uvicorn.Server(uvicorn.Config(api.app, log_level="warning", lifespan="off", date_header=False))
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        tool = Kubectl(f"http://127.0.0.1:{listener.getsockname()[1]}", home)
        await tool.ok("create", "-f", "-", stdin=crd())
        yield tool
    finally:
        server.should_exit = True
        await api.aclose()
        await task
        listener.close()
