"""A key for each tenant from a real OpenBao, which asks the real API server whose the hooks' token is.

docs/how-to/vault.md and the section of docs/how-to/install.md about it, walked.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.e2e.pages import walk
from tests.e2e.site import Site, site
from tests.e2e.test_install import PAGE, live, newcomer
from tests.vault import bao

pytestmark = pytest.mark.real_time

VAULT = "docs/how-to/vault.md"
FURNISHED = ["1. A place for the secrets", "2. A policy that may read them and nothing else", "3. A way in"]
OTHER = "apiVersion: arubacloud.com/v1alpha1\nkind: Project\nmetadata: {name: other, namespace: default}\n"


async def test_hooks_that_log_in_to_vault_by_their_service_account(tmp_path: Path) -> None:
    """No secret of Vault's is in the cluster; another tenant than the Namespace's is refused by the API server."""
    bao.needed()
    (tmp_path / "bao").mkdir()
    with bao.dev(tmp_path / "bao") as server:
        async with site(tmp_path) as here:
            here.environ |= {"BAO_ADDR": server.url, "BAO_TOKEN": server.token}
            await newcomer(here, "helm install aruba", "rollout status", "aruba-hooks doctor")
            await _furnished(here)
            await walk(
                here, PAGE, ["With a key for each tenant"], {}, lambda _name, text: _with_bao(here, server.url, text)
            )
            await here.sh("kubectl -n aruba-system rollout status deployment/aruba-cloud-operator-hooks --timeout=90s")
            await live(here)
            here.write("other.yaml", f"{OTHER}spec: {{tenant: ARU-000002}}\n")
            assert "ARU-000002" in await here.sh("kubectl apply -f other.yaml", fails=True)
            report = await here.sh("aruba-hooks doctor")
            assert "fail" not in report
            await here.sh("kubectl delete project shop --timeout=90s")
            assert await here.resources() == []


async def _furnished(here: Site) -> None:
    """As the page says, with the address and the key that there are here."""

    async def reachable(command: str) -> str:
        return await here.sh(command.replace("https://kubernetes.example:6443", here.cluster.url))

    async def known(command: str) -> str:
        return await here.sh(command.replace("client-id=cmp-5a1b7c", "client-id=aruba-local"))

    (here.folder / "ca.crt").write_bytes((here.cluster.folder / "ca.crt").read_bytes())
    await walk(here, VAULT, FURNISHED, {"kubernetes_host=": reachable})
    await walk(here, VAULT, ["4. The secret of a tenant"], {"bao kv put": known})


def _with_bao(here: Site, url: str, text: str) -> str:
    """A development server speaks no TLS."""
    values = yaml.safe_load(here.with_cloud(text))
    vault = values["config"]["auth"]["multi"]["vault"]
    del vault["ca"]
    vault["address"] = url
    return yaml.safe_dump(values)
