"""A real Metacontroller that calls hooks which ask who is calling: TLS, a bearer token and its own certificate, by the
CompositeControllers that `controllers` prints. Needs METACONTROLLER and METACONTROLLER_CRDS, as tests/local does.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import trustme

from tests.local.real_metacontroller import Trial
from tests.serve.certificates import install
from tests.serve.process import Serve

BINARY, DEFINITIONS = os.environ.get("METACONTROLLER", ""), os.environ.get("METACONTROLLER_CRDS", "")
TOKEN = "token-of-metacontroller-1"
PROJECT = """
apiVersion: arubacloud.com/v1alpha1
kind: Project
metadata: {name: shop-prod, namespace: default}
spec: {tenant: ARU-000001}
"""

pytestmark = [
    pytest.mark.real_time,
    pytest.mark.skipif(
        not (BINARY and DEFINITIONS),
        reason="needs a real Metacontroller: METACONTROLLER=its binary METACONTROLLER_CRDS=the manifest of its CRDs",
    ),
]


def controllers(*words: str) -> str:
    command = [sys.executable, "-m", "hooks", "controllers", *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_metacontroller_is_let_in_with_token_and_certificate_and_nothing_less(tmp_path, started) -> None:
    servers, callers = trustme.CA(), trustme.CA()
    servers.cert_pem.write_to_path(tmp_path / "servers.pem")
    callers.cert_pem.write_to_path(tmp_path / "callers.pem")
    own = callers.issue_cert("metacontroller.test")
    own.private_key_pem.write_to_path(tmp_path / "tls.key")
    own.cert_chain_pems[0].write_to_path(tmp_path / "tls.crt")
    trial = Trial(tmp_path, BINARY)
    kubectl = trial.local.kubectl
    try:
        trial.install(DEFINITIONS)
        serve = _serve(tmp_path, trial)
        started.append(serve)
        install(servers, serve.tls)
        base = serve.serving()["url"]
        kubectl("create", "namespace", "aruba-system")
        kubectl("create", "secret", "generic", "hook-token", "-n", "aruba-system", f"--from-literal=token={TOKEN}")
        pair = ["--cert", str(tmp_path / "tls.crt"), "--key", str(tmp_path / "tls.key")]
        kubectl("create", "secret", "tls", "hook-client", "-n", "aruba-system", *pair)
        trust = ["--base-url", base, "--ca-file", str(tmp_path / "servers.pem")]
        token = ["--bearer-secret", "aruba-system/hook-token"]
        shown = ["--client-secret", "aruba-system/hook-client"]
        kubectl("replace", "-f", "-", text=_controllers_only(controllers(*trust, *token)))
        trial.start()
        try:
            kubectl("apply", "-f", "-", text=PROJECT)
            # Without a certificate of its own it meets closed connections.
            serve.until(lambda: "SyncError" in kubectl("get", "events", "-A"), within=30)
            assert "phase:" not in kubectl("get", "project", "shop-prod", "-o", "yaml")
            kubectl("replace", "-f", "-", text=_controllers_only(controllers(*trust, *token, *shown)))
            kubectl("wait", "--for=condition=Ready", "project/shop-prod", "--timeout=60s")
            kubectl("delete", "project", "shop-prod", "--timeout=60s")
        finally:
            trial.stop()
        assert not [line for line in serve.lines if TOKEN in line]
    finally:
        assert trial.local.stop() == 0


def _serve(folder: Path, trial: Trial) -> Serve:
    """The hooks beside the local stack, on its cluster and cloud, closed to whoever lacks token or certificate."""
    ends = trial.local.endpoints
    pair = {"client-id": "aruba-local", "client-secret": "aruba-local-secret"}
    words = ["--tls-dir", str(folder / "tls"), "--client-ca-file", str(folder / "callers.pem")]
    return Serve(
        folder,
        *words,
        secret={**pair, "hook-token": TOKEN},
        kubeconfig=Path(ends["kubeconfig"]),
        ARUBA_API_GATEWAY=ends["cloud"],
        ARUBA_KEYCLOAK_URL=ends["token"].split("/realms/")[0],
    )


def _controllers_only(text: str) -> str:
    """Local mode's small API serves no RBAC."""
    return "---\n".join(part for part in text.split("---\n") if "kind: ClusterRole" not in part)
