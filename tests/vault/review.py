"""As much of a Kubernetes API as Vault's Kubernetes login asks: whose a service account's token is."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@contextmanager
def reviewer(known: Mapping[str, tuple[str, str]]) -> Iterator[str]:
    """`known` maps each good token to namespace and name of its account."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            account = known.get(asked["spec"]["token"])
            status = {"authenticated": False, "error": "not known"} if account is None else _account(*account)
            body = json.dumps({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "status": status})
            self.send_response(201)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            """Nothing on stderr."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _account(namespace: str, name: str) -> dict[str, object]:
    user = f"system:serviceaccount:{namespace}:{name}"
    groups = ["system:serviceaccounts", f"system:serviceaccounts:{namespace}"]
    return {"authenticated": True, "user": {"username": user, "uid": "4711", "groups": groups}}
