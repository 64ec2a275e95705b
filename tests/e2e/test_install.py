"""A newcomer's walk through docs/how-to/install.md on a real cluster, with a real Helm; then the ways out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.e2e.pages import nothing, walk
from tests.e2e.site import Site, metacontroller, site

pytestmark = pytest.mark.real_time

PAGE = "docs/how-to/install.md"
FIRST_PART = ["1. Metacontroller", "2. An image", "3. Two Secrets", "4. The chart"]
TREE = """
apiVersion: arubacloud.com/v1alpha1
kind: Project
metadata: {name: shop, namespace: default}
spec: {tenant: ARU-000001}
---
apiVersion: arubacloud.com/v1alpha1
kind: VPC
metadata: {name: shop, namespace: default}
spec: {tenant: ARU-000001, region: ITBG-Bergamo, projectReference: {name: shop, namespace: default}}
---
apiVersion: arubacloud.com/v1alpha1
kind: ElasticIP
metadata: {name: shop, namespace: default}
spec: {tenant: ARU-000001, region: ITBG-Bergamo, projectReference: {name: shop, namespace: default}}
"""
ALL = "projects,vpcs,elasticips"
HELM = "helm install aruba ./helm/aruba-cloud-operator --namespace aruba-system --values values.yaml"


async def newcomer(here: Site, *without: str) -> str:
    """The page's four steps, word by word, but for the commands in which one of these words occurs; what they print."""

    async def engine(command: str) -> str:
        """Its chart is in a public registry; its flags are the page's."""
        (flags,) = re.findall(r"commandArgs=\{(.*?)\}", command)
        await metacontroller(here, flags.split(","))
        return ""

    here.keys()
    instead = {"oci://": engine, "make image": nothing, "podman push": nothing, **dict.fromkeys(without, nothing)}
    return await walk(here, PAGE, FIRST_PART, instead, lambda _name, text: here.with_cloud(text))


async def live(here: Site) -> None:
    here.write("tree.yaml", TREE)
    await here.sh("kubectl apply -f tree.yaml && kubectl wait --for=condition=Ready -f tree.yaml --timeout=90s")


async def uids(here: Site) -> str:
    return await here.sh(f"kubectl get crd,{ALL} -o jsonpath='{{.items[*].metadata.uid}}'")


async def test_case_61_and_107_install_run_rotate_uninstall_and_come_back(tmp_path: Path) -> None:
    """Cases 61 and 107, with a real Helm: nothing is lost by taking the release away, and it all goes on afterwards."""
    async with site(tmp_path) as here:
        printed = await newcomer(here)
        assert "fail" not in printed.partition("aruba-hooks doctor")[2]
        await live(here)
        await walk(here, PAGE, ["Upgrade"])
        await _rotated(here)
        before, calls = await uids(here), await here.writes()
        await walk(here, PAGE, ["Uninstall"])
        assert await uids(here) == before
        assert await here.sh("kubectl get compositecontrollers -o name") == ""
        await here.sh(f"kubectl delete -f tree.yaml --wait=false && sleep 3 && kubectl get {ALL}")
        assert await here.writes() == calls
        await here.sh(HELM)
        await here.sh("kubectl wait --for=delete -f tree.yaml --timeout=90s")
        assert [call.split()[0] for call in (await here.writes())[len(calls) :]] == ["DELETE"] * 3
        await live(here)
        await walk(here, PAGE, ["Leave for good"])
        assert await here.resources() == []
        assert "arubacloud.com" not in await here.sh("kubectl get crd -o name")


async def _rotated(here: Site) -> None:
    """The old token is refused afterwards, and the operator goes on with the new one."""
    old = await here.sh(
        "kubectl -n aruba-system get secret aruba-hook-token --template='{{.data.token | base64decode}}'"
    )
    await walk(here, PAGE, ["Rotate"])
    await here.sh("kubectl -n aruba-system rollout status deployment/aruba-cloud-operator-hooks --timeout=60s")
    assert await answered(here, old) == "401"
    await here.sh("kubectl annotate vpc shop arubacloud.com/reconcile-at=now")
    await here.sh('kubectl patch vpc shop --type=merge -p \'{"spec":{"tags":["rotated"]}}\'')
    await here.sh("kubectl wait --for=jsonpath='{.status.observedGeneration}'=2 vpc/shop --timeout=60s")


async def answered(here: Site, token: str) -> str:
    """The status that somebody with this token gets from the hooks."""
    url = "http://aruba-cloud-operator-hooks.aruba-system.svc:8080/v2/vpcs/sync"
    said = f"curl -s -o /dev/null -w '%{{http_code}}' -x {here.node.proxy} -X POST -H 'Authorization: Bearer {token}'"
    return await here.sh(f"{said} {url}")
