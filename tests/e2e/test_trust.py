"""docs/how-to/install.md, "With TLS and client certificates": both sides know each other by certificates."""

from __future__ import annotations

from pathlib import Path

import pytest
import trustme
import yaml

from tests.e2e.pages import walk
from tests.e2e.site import Site, site
from tests.e2e.test_install import PAGE, live, newcomer

pytestmark = pytest.mark.real_time

SERVICE = "aruba-cloud-operator-hooks.aruba-system.svc"


async def test_hooks_with_tls_that_ask_for_a_certificate(tmp_path: Path) -> None:
    """Everything works through them, and without a certificate nobody gets in."""
    async with site(tmp_path) as here:
        ca = certificates(here.folder)
        await newcomer(here, "helm install aruba", "rollout status", "aruba-hooks doctor")

        def edited(_name: str, text: str) -> str:
            values = yaml.safe_load(here.with_cloud(text))
            values["tls"]["ca"] = ca
            return yaml.safe_dump(values)

        await walk(here, PAGE, ["With TLS and client certificates"], {}, edited)
        await here.sh("kubectl -n aruba-system rollout status deployment/aruba-cloud-operator-hooks --timeout=90s")
        await live(here)
        report = await here.sh("aruba-hooks doctor")
        assert "fail" not in report
        await _strangers(here)


def certificates(folder: Path) -> str:
    """Pairs for both sides, as the page's commands name the files; the authority of the hooks' own in PEM."""
    servers, callers = trustme.CA(), trustme.CA()
    for name, issued in (("tls", servers.issue_cert(SERVICE)), ("client", callers.issue_cert("metacontroller"))):
        issued.private_key_pem.write_to_path(folder / f"{name}.key")
        issued.cert_chain_pems[0].write_to_path(folder / f"{name}.crt")
    callers.cert_pem.write_to_path(folder / "client-ca.crt")
    servers.cert_pem.write_to_path(folder / "ca.crt")
    return servers.cert_pem.bytes().decode()


async def _strangers(here: Site) -> None:
    call = f"curl -sS -o /dev/null -w '%{{http_code}}' -x {here.node.proxy} --cacert ca.crt -X POST"
    url = f"https://{SERVICE}:8443/v2/vpcs/sync"
    closed = await here.sh(f"{call} -d '{{}}' {url}", fails=True)
    assert "Empty reply from server" in closed or "SSL" in closed, "it depends on which side is quicker"
    shown = await here.sh(f"{call} --cert client.crt --key client.key -d '{{}}' {url}")
    assert shown == "400"
