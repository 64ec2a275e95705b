"""A proxy before the real server: it notes what the operator sends, and can hold, refuse or spoil an answer."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

import requests

LONGEST_HOLD = 30.0


class Seen(NamedTuple):
    """One call as it arrived, and the status that it was answered with."""

    method: str
    path: str
    namespace: str
    token: str
    status: int


class Spoilt(NamedTuple):
    """An answer that comes from the way and not from the server behind it."""

    status: int
    text: str
    kind: str = "text/html"
    location: str = ""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    """Many come at once; one too many would wait a whole second for its second try."""


class Front:
    """`hold` and `spoil` strike the calls whose path they match; a held call never gets an answer."""

    def __init__(self, behind: str) -> None:
        self.behind = behind
        self.hold = ""
        self.spoil: tuple[str, Spoilt] | None = None
        self.seen: list[Seen] = []
        self.arrived: list[str] = []
        self.over = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self.over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def paths(self, part: str = "") -> list[str]:
        return [seen.path for seen in self.seen if part in seen.path]

    @property
    def logins(self) -> int:
        return sum(path.endswith("/login") for path in self.arrived)

    def statuses(self, status: int) -> int:
        return sum(seen.status == status for seen in self.seen)


@contextmanager
def front(behind: str) -> Iterator[Front]:
    made = Front(behind)
    made.start()
    try:
        yield made
    finally:
        made.stop()


def _handler(of: Front) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def _do(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            of.arrived.append(self.path)
            if of.hold and re.search(of.hold, self.path):
                of.over.wait(LONGEST_HOLD)
                return
            if of.spoil is not None and re.search(of.spoil[0], self.path):
                self._say(of.spoil[1])
                return
            with closing(requests.Session()) as session:
                session.trust_env = False
                kept = {name: value for name, value in self.headers.items() if name.lower().startswith("x-vault")}
                answer = session.request(self.command, of.behind + self.path, headers=kept, data=body, timeout=10)
            self._note(answer.status_code)
            self.send_response(answer.status_code)
            self.send_header("Content-Type", answer.headers.get("Content-Type", ""))
            self.send_header("Content-Length", str(len(answer.content)))
            self.end_headers()
            self.wfile.write(answer.content)

        def _say(self, spoilt: Spoilt) -> None:
            self._note(spoilt.status)
            self.send_response(spoilt.status)
            self.send_header("Content-Type", spoilt.kind)
            self.send_header("Content-Length", str(len(spoilt.text)))
            if spoilt.location:
                self.send_header("Location", spoilt.location)
            self.end_headers()
            self.wfile.write(spoilt.text.encode())

        def _note(self, status: int) -> None:
            told = self.headers.get("X-Vault-Namespace", ""), self.headers.get("X-Vault-Token", "")
            of.seen.append(Seen(self.command, self.path, *told, status))

        do_GET = do_POST = do_PUT = _do  # noqa: N815  the names are the library's

        def log_message(self, *_: object) -> None:
            """Nothing on stderr."""

    return Handler
