"""How to reach the API server: the mounted service account, or a kubeconfig file that was named. Used by `stack`.

Nothing is guessed: without a file and outside a cluster there is no connection (interfaces, "Commands").
"""

from __future__ import annotations

import os
import ssl
import tempfile
from collections.abc import Mapping
from pathlib import Path

from hooks.http import AsyncClient, Limits, Request, Timeout
from hooks.kube.kubeconfig import Access, Unusable, read_kubeconfig

__all__ = ["ACCOUNT", "Unusable", "connect"]

ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")


def connect(kubeconfig: Path | None, environ: Mapping[str, str] = os.environ, account: Path = ACCOUNT) -> AsyncClient:
    """A client with the server as its base URL. Raises `Unusable`, saying what to do, when there is no way in."""
    access = read_kubeconfig(kubeconfig) if kubeconfig else _in_cluster(environ, account)
    token = access.token
    return AsyncClient(
        base_url=access.server,
        verify=_trust(access),
        auth=_Bearer(token) if token else None,
        timeout=Timeout(10.0),
        limits=Limits(max_connections=50, max_keepalive_connections=20, keepalive_expiry=30.0),
        headers={"User-Agent": "aruba-cloud-operator"},
        trust_env=False,  # neither a proxy nor ~/.netrc has a say in how the cluster is reached
    )


def _in_cluster(environ: Mapping[str, str], account: Path) -> Access:
    host, port = environ.get("KUBERNETES_SERVICE_HOST"), environ.get("KUBERNETES_SERVICE_PORT", "443")
    if not host:
        raise Unusable("not inside a cluster (KUBERNETES_SERVICE_HOST is unset): pass --kubeconfig FILE")
    token, authority = account / "token", account / "ca.crt"
    if not token.is_file() or not authority.is_file():
        raise Unusable(f"no service account at {account}: mount its token, or pass --kubeconfig FILE")
    server = f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}"
    return Access(server, token=token, authority=authority.read_text("utf-8"))


def _trust(access: Access) -> ssl.SSLContext | bool:
    if not access.server.startswith("https://"):
        return True
    try:
        context = ssl.create_default_context(cadata=access.authority or None)
        if access.insecure:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        if access.certificate:
            _identify(context, access)
    except (OSError, ValueError) as fault:  # ssl.SSLError is an OSError
        raise Unusable(f"the certificates for {access.server} cannot be used: {fault}") from None
    return context


def _identify(context: ssl.SSLContext, access: Access) -> None:
    """The ssl module reads certificates from files only; these are gone at once, and nobody else may read them."""
    with tempfile.TemporaryDirectory() as room:
        pem = Path(room) / "client.pem"
        pem.touch(mode=0o600)
        pem.write_bytes(access.certificate + b"\n" + access.key)
        context.load_cert_chain(pem)


class _Bearer:
    """Adds the token; one in a file is read again when the file changes, since the kubelet rotates it."""

    def __init__(self, token: str | Path) -> None:
        self._file = token if isinstance(token, Path) else None
        self._token = token if isinstance(token, str) else ""
        self._seen = 0

    def __call__(self, request: Request) -> Request:
        request.headers["Authorization"] = f"Bearer {self._current()}"
        return request

    def _current(self) -> str:
        if self._file is not None:
            try:
                changed = self._file.stat().st_mtime_ns
                if changed != self._seen:
                    self._token, self._seen = self._file.read_text("utf-8").strip(), changed
            except OSError:
                pass  # between two rotations the file may be missing: the token at hand is good for a while yet
        return self._token
