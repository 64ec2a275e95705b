"""The kubeconfig that leads kubectl to this API. Written for users by `local`, and for tests."""

from __future__ import annotations

import base64

import yaml

NAME = "aruba-local"


def kubeconfig(url: str, ca: bytes | None = None) -> str:
    """YAML for one cluster, one user without credentials, one context; `ca` is a PEM certificate for https."""
    cluster = {"server": url}
    if ca is not None:
        cluster["certificate-authority-data"] = base64.b64encode(ca).decode()
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": NAME, "cluster": cluster}],
        "users": [{"name": NAME, "user": {}}],
        "contexts": [{"name": NAME, "context": {"cluster": NAME, "user": NAME, "namespace": "default"}}],
        "current-context": NAME,
    }
    return yaml.safe_dump(document, sort_keys=False)
