"""A real control plane on loopback: etcd, API server with RBAC, and the controllers that an operator's users rely on.

One `Cluster` is one empty Kubernetes; it ends with its `stop`, and leaves nothing.
"""

from __future__ import annotations

import base64
import json
import socket
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import trustme
import yaml

from hooks.http import AsyncClient
from hooks.kube import connect
from tests.e2e.controlplane.build import binaries
from tests.e2e.controlplane.children import die_with_us

Object = dict[str, Any]
HOST = "127.0.0.1"
UP_WITHIN = 60.0
CONTROLLERS = (
    "garbage-collector-controller",
    "namespace-controller",
    "serviceaccount-controller",
    "root-ca-certificate-publisher-controller",
    "clusterrole-aggregation-controller",
    "deployment-controller",
    "replicaset-controller",
    "statefulset-controller",
    "endpoints-controller",
    "endpointslice-controller",
    "validatingadmissionpolicy-status-controller",
)
TOKEN_LIFE = 24 * 3600
EGRESS = """
apiVersion: apiserver.k8s.io/v1beta1
kind: EgressSelectorConfiguration
egressSelections:
  - name: cluster
    connection: {proxyProtocol: HTTPConnect, transport: {uds: {udsName: SOCKET}}}
"""
"""What the API server sends to Pods, as `kubectl get --raw .../services/.../proxy`, goes to a socket of the tests'."""


class Cluster:
    """`folder` takes its data, certificates and logs; `admin` is the kubeconfig of somebody who may do everything."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._parts: list[subprocess.Popen[bytes]] = []
        self._ca = trustme.CA(organization_name="control plane of the tests")
        self._write("ca.crt", self._ca.cert_pem.bytes())
        self.url = ""
        self.admin = folder / "admin.kubeconfig"
        self.egress = folder / "egress.sock"

    def start(self) -> None:
        """Returns once the API server is ready; fails with the logs."""
        etcd, api = free_ports(2), free_ports(1)[0]
        self._write("egress.yaml", EGRESS.replace("SOCKET", str(self.egress)).encode())
        self.url = f"https://{HOST}:{api}"
        self._pair("server", HOST, "localhost", common_name="kube-apiserver")
        self._pair("accounts", "accounts.test")
        self.admin.write_text(self._kubeconfig("admin", self._identity("admin", "system:masters")))
        self._run("etcd", self._etcd(etcd))
        self._run("kube-apiserver", self._api_server(f"http://{HOST}:{etcd[0]}", api))
        self._await_ready()
        self._run("kube-controller-manager", self._controller_manager())

    def stop(self) -> None:
        """The other way round, so that nobody waits for what is gone already."""
        for part in reversed(self._parts):
            part.terminate()
            try:
                part.wait(20)
            except subprocess.TimeoutExpired:
                part.kill()
                part.wait()

    def client(self, kubeconfig: Path | None = None) -> AsyncClient:
        """A client as this kubeconfig's user; the administrator's by default."""
        return connect(kubeconfig or self.admin)

    async def account(self, namespace: str, name: str) -> Path:
        """A kubeconfig with a token of this service account, as a pod would get one."""
        path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token"
        body = {
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenRequest",
            "spec": {"expirationSeconds": TOKEN_LIFE},
        }
        async with self.client() as kube:
            answer = await kube.post(path, json=body)
        assert answer.status_code == 201, answer.text
        file = self.folder / f"{namespace}-{name}.kubeconfig"
        file.write_text(self._kubeconfig(name, {"token": answer.json()["status"]["token"]}))
        return file

    def _etcd(self, ports: list[int]) -> list[str]:
        client, peer = (f"http://{HOST}:{port}" for port in ports)
        return [
            f"--data-dir={self.folder / 'etcd'}",
            f"--listen-client-urls={client}",
            f"--advertise-client-urls={client}",
            f"--listen-peer-urls={peer}",
            f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=default={peer}",
            "--unsafe-no-fsync",  # nothing of it outlives the tests
            "--log-level=warn",
        ]

    def _api_server(self, etcd: str, port: int) -> list[str]:
        return [
            f"--etcd-servers={etcd}",
            f"--bind-address={HOST}",
            f"--secure-port={port}",
            f"--advertise-address={HOST}",
            "--endpoint-reconciler-type=none",
            f"--tls-cert-file={self.folder / 'server.crt'}",
            f"--tls-private-key-file={self.folder / 'server.key'}",
            f"--client-ca-file={self.folder / 'ca.crt'}",
            "--authorization-mode=RBAC",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={self.folder / 'accounts.key'}",
            f"--service-account-signing-key-file={self.folder / 'accounts.key'}",
            "--service-cluster-ip-range=10.0.0.0/24",
            "--enable-admission-plugins=PodSecurity",
            f"--egress-selector-config-file={self.folder / 'egress.yaml'}",
            "--profiling=false",
        ]

    def _controller_manager(self) -> list[str]:
        return [
            f"--kubeconfig={self.admin}",
            f"--controllers={','.join(CONTROLLERS)}",
            f"--bind-address={HOST}",
            f"--secure-port={free_ports(1)[0]}",
            "--leader-elect=false",
            "--use-service-account-credentials=false",
            f"--root-ca-file={self.folder / 'ca.crt'}",
            f"--cert-dir={self.folder / 'kcm'}",
        ]

    def _run(self, name: str, words: Iterable[str]) -> None:
        with (self.folder / f"{name}.log").open("wb") as log:
            command = [str(binaries()[name]), *words]
            part = subprocess.Popen(
                command,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                preexec_fn=die_with_us,  # noqa: PLW1509 - it makes one system call and takes no lock
            )
            self._parts.append(part)

    def _await_ready(self) -> None:
        end = time.monotonic() + UP_WITHIN
        while not self._ready():
            gone = [part for part in self._parts if part.poll() is not None]
            if gone or time.monotonic() > end:
                logs = [(self.folder / f"{name}.log").read_text()[-2000:] for name in ("etcd", "kube-apiserver")]
                raise AssertionError("the control plane did not come up:\n" + "\n".join(logs))
            time.sleep(0.1)

    def _ready(self) -> bool:
        import asyncio

        async def ask() -> bool:
            async with self.client() as kube:
                return (await kube.get("/readyz")).status_code == 200

        try:
            return asyncio.run(ask())
        except Exception:  # noqa: BLE001 - not yet, whatever it is
            return False

    def _identity(self, name: str, group: str) -> Object:
        made = self._ca.issue_cert(f"{name}.test", common_name=name, organization_name=group)
        chain = b"".join(blob.bytes() for blob in made.cert_chain_pems)
        return {
            "client-certificate-data": base64.b64encode(chain).decode(),
            "client-key-data": base64.b64encode(made.private_key_pem.bytes()).decode(),
        }

    def _pair(self, name: str, *identities: str, **more: str) -> None:
        made = self._ca.issue_cert(*identities, **more)
        self._write(f"{name}.key", made.private_key_pem.bytes())
        self._write(f"{name}.crt", b"".join(blob.bytes() for blob in made.cert_chain_pems))

    def _kubeconfig(self, user: str, proof: Object) -> str:
        ca = base64.b64encode((self.folder / "ca.crt").read_bytes()).decode()
        whole = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "tests", "cluster": {"server": self.url, "certificate-authority-data": ca}}],
            "users": [{"name": user, "user": proof}],
            "contexts": [{"name": "tests", "context": {"cluster": "tests", "user": user}}],
            "current-context": "tests",
        }
        return yaml.safe_dump(whole)

    def _write(self, name: str, content: bytes) -> None:
        file = self.folder / name
        file.touch(mode=0o600)
        file.write_bytes(content)


def free_ports(count: int) -> list[int]:
    """Ports that nobody has now; all different."""
    sockets = [socket.create_server((HOST, 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def documents(text: str) -> list[Object]:
    """The objects of a stream of YAML or of a List in JSON."""
    found = [item for item in yaml.safe_load_all(text) if item]
    return [inner for item in found for inner in (item["items"] if item.get("kind") == "List" else [item])]


async def apply(kube: AsyncClient, path: str, item: Object, manager: str = "tests", *, dry: bool = False) -> Object:
    """Server-side apply of one object below a collection's path, or all of that but the storing."""
    answer = await kube.patch(
        f"{path}/{item['metadata']['name']}",
        params={
            "fieldManager": manager,
            "force": "true",
            "fieldValidation": "Strict",
            **({"dryRun": "All"} if dry else {}),
        },
        content=json.dumps(item),
        headers={"Content-Type": "application/apply-patch+yaml"},
    )
    assert answer.status_code in (200, 201), answer.text
    return dict(answer.json())
