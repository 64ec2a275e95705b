"""One running `hooks local`, a process of its own, and the real kubectl in front of it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from hooks.http import AsyncClient, Response

KUBECTL = Path(sys.executable).parent / "kubectl"


class Local:
    """`settings` are ARUBA_* variables."""

    def __init__(self, folder: Path, *words: str, **settings: str) -> None:
        self.ready = folder / "ready.json"
        command = [sys.executable, "-m", "hooks", "local", "--state-dir", str(folder / "state"), *words]
        self._errors = folder / "errors.log"
        with self._errors.open("w") as errors:  # a pipe that nobody empties would hold it up
            self.process = subprocess.Popen(
                [*command, "--ready-file", str(self.ready)],
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env={**os.environ, "KUBECONFIG": "/nonexistent", **settings},
            )
        assert self.process.stdout is not None
        self.welcome = self.process.stdout.readline()
        self.endpoints = json.loads(self.ready.read_text()) if self.ready.exists() else {}

    def kubectl(self, *words: str, text: str = "", fails: bool = False) -> str:
        """Run kubectl; its output, or its complaint where it is expected to fail."""
        done = subprocess.run(
            [KUBECTL, *words],
            input=text,
            capture_output=True,
            text=True,
            timeout=120,
            env={**os.environ, "KUBECONFIG": self.endpoints["kubeconfig"]},
            check=False,
        )
        assert (done.returncode != 0) == fails, done.stdout + done.stderr
        return done.stderr if fails else done.stdout

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.ended(15)

    def ended(self, within: float = 30) -> int:
        """The exit code, once it has come to its end."""
        self.process.communicate(timeout=within)
        return self.process.returncode

    @property
    def errors(self) -> str:
        """All that it wrote to stderr so far."""
        return self._errors.read_text()

    def get(self, endpoint: str, path: str = "", **query: str) -> Response:
        """GET what lies below one of its endpoints."""
        return asyncio.run(_ask("GET", self.endpoints[endpoint] + path, params=query))

    def post(self, endpoint: str, path: str, content: bytes) -> Response:
        return asyncio.run(_ask("POST", self.endpoints[endpoint] + path, content=content))


async def _ask(method: str, url: str, **more: Any) -> Response:
    async with AsyncClient(timeout=30) as client:
        return await client.request(method, url, **more)
