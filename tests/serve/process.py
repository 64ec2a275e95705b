"""`serve` as a process of its own, with its mounted files in folders, and a client for each way to call it."""

from __future__ import annotations

import json
import os
import signal
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, NamedTuple

KUBECONFIG = """
apiVersion: v1
kind: Config
clusters: [{name: none, cluster: {server: "http://127.0.0.1:9"}}]
contexts: [{name: none, context: {cluster: none, user: none}}]
current-context: none
users: [{name: none, user: {}}]
"""
PAIR = {"client-id": "id-of-the-test", "client-secret": "secret-of-the-test"}
CALL = json.dumps(
    {
        "parent": {
            "apiVersion": "arubacloud.com/v1alpha1",
            "kind": "VPC",
            "metadata": {"name": "net-a", "namespace": "team-blue", "uid": "u-1", "resourceVersion": "1"},
            "spec": {},
        }
    }
).encode()


class Answer(NamedTuple):
    """`status` is 0 where no connection came about; `body` then says why."""

    status: int
    body: str

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Serve:
    """Started with the given words; `config` and `secret` are its mounted folders."""

    def __init__(
        self,
        folder: Path,
        *words: str,
        secret: dict[str, str] | None = None,
        kubeconfig: Path | None = None,
        **environ: str,
    ) -> None:
        self.config, self.secret, self.tls = (folder / name for name in ("config", "secret", "tls"))
        for place in (self.config, self.secret, self.tls):
            place.mkdir(parents=True, exist_ok=True)
        for name, text in (PAIR if secret is None else secret).items():
            (self.secret / name).write_text(text)
        (folder / "nowhere.kubeconfig").write_text(KUBECONFIG)
        self._errors = folder / "serve.log"
        command = [sys.executable, "-m", "hooks", "serve", "--port", "0", "--metrics-port", "0", *words]
        command += ["--config-dir", str(self.config), "--secret-dir", str(self.secret)]
        own = {name: text for name, text in os.environ.items() if not name.startswith("ARUBA_")}
        with self._errors.open("w") as errors:
            command += ["--kubeconfig", str(kubeconfig or folder / "nowhere.kubeconfig")]
            self.process = subprocess.Popen(command, stderr=errors, env={**own, **environ})

    @property
    def lines(self) -> list[str]:
        return self._errors.read_text().splitlines()

    def until(self, what: Any, within: float = 15.0) -> Any:
        """Wait until something is there; fails with the log."""
        end = time.monotonic() + within
        while not (found := what()):
            if time.monotonic() > end or self.process.poll() is not None:
                raise AssertionError("\n".join(self.lines))
            time.sleep(0.05)
        return found

    @property
    def told(self) -> dict[str, Any]:
        """What it said when it began to serve: the URLs of the hooks and of those who watch."""
        found = [json.loads(line) for line in self.lines if line.startswith("{")]
        return next((line for line in found if line["message"] == "serving"), {})

    def serving(self) -> dict[str, Any]:
        return dict(self.until(lambda: self.told))

    def ask(
        self, path: str, at: str = "url", tls: ssl.SSLContext | None = None, token: str = "", body: bytes = CALL
    ) -> Answer:
        """GET, or POST of a hook call where the path is a hook's."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        data = body if path.startswith("/v2/") else None
        request = urllib.request.Request(self.told[at] + path, data=data, headers=headers)
        try:
            with urllib.request.urlopen(request, context=tls, timeout=10) as answer:
                return Answer(answer.status, answer.read().decode())
        except urllib.error.HTTPError as refusal:
            with refusal:
                return Answer(refusal.code, refusal.read().decode())
        except OSError as lost:
            return Answer(0, str(lost))

    def ready(self) -> Answer:
        return self.ask("/readyz", "watch")

    def stop(self) -> int:
        """Its exit code after SIGTERM, which it has five seconds for."""
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(6)
        finally:
            self.process.kill()
            self.process.wait()
