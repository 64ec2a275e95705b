"""The chart's objects on a real API server: every one is taken, and the admission policies do what they say."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from hooks.http import AsyncClient
from tests.e2e.controlplane.cluster import Cluster, apply
from tests.e2e.house import PATHS as KNOWN
from tests.e2e.house import install
from tests.helm.charted import BASE, MODES, ON, mixed, objects
from tests.world.house import API
from tests.world.manifests import make

pytestmark = pytest.mark.real_time

Object = dict[str, Any]
ADMISSION = "/apis/admissionregistration.k8s.io/v1"
PATHS = {
    **KNOWN,
    "ConfigMap": "/api/v1/namespaces/{}/configmaps",
    "Secret": "/api/v1/namespaces/{}/secrets",
    "Service": "/api/v1/namespaces/{}/services",
    "Deployment": "/apis/apps/v1/namespaces/{}/deployments",
    "PodDisruptionBudget": "/apis/policy/v1/namespaces/{}/poddisruptionbudgets",
    "NetworkPolicy": "/apis/networking.k8s.io/v1/namespaces/{}/networkpolicies",
    "ValidatingAdmissionPolicy": f"{ADMISSION}/validatingadmissionpolicies",
    "ValidatingAdmissionPolicyBinding": f"{ADMISSION}/validatingadmissionpolicybindings",
}
ELSEWHERE = {"CompositeController", "ServiceMonitor"}
"""Of definitions that others bring."""
PROTECTION, TENANTS = "arubacloud.com/deletion-protection", "arubacloud.com/tenants"


async def test_everything_is_taken_and_the_policies_act(cluster: Cluster) -> None:
    items = [item for item in objects(mixed(BASE, ON)) if item["kind"] not in ELSEWHERE]
    async with cluster.client() as kube:
        await install(cluster, kube)
        for item in items:
            await apply(
                kube, PATHS[item["kind"]].format(item["metadata"].get("namespace", "aruba-system")), item, "helm"
            )
        try:
            for item in items:
                if item["kind"] == "ValidatingAdmissionPolicy":
                    await _well_typed(kube, item["metadata"]["name"])
            await _tenants(kube)
            await _protection(kube)
        finally:
            for item in items:
                if item["kind"].startswith("ValidatingAdmission"):
                    await kube.delete(f"{PATHS[item['kind']]}/{item['metadata']['name']}")


async def test_every_way_to_install_is_taken(cluster: Cluster) -> None:
    """All that each mode brings, by the API server's own strict validation and admission."""
    async with cluster.client() as kube:
        await install(cluster, kube)
        for space in ("platform", "aruba-system"):
            await apply(
                kube, PATHS["Namespace"], {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": space}}
            )
        seen = set()
        for values in MODES.values():
            for item in objects(values):
                text = json.dumps(item, sort_keys=True)
                if item["kind"] not in ELSEWHERE and text not in seen:
                    where = PATHS[item["kind"]].format(item["metadata"].get("namespace", "aruba-system"))
                    await apply(kube, where, item, "helm", dry=True)
                seen.add(text)
        assert len(seen) > 60


async def _well_typed(kube: AsyncClient, name: str) -> None:
    """The controller manager checks each expression against the schemas of the kinds."""
    for _ in range(200):
        found = (await kube.get(f"{PATHS['ValidatingAdmissionPolicy']}/{name}")).json()
        status = found.get("status", {})
        if status.get("observedGeneration") == found["metadata"]["generation"]:
            assert status.get("typeChecking", {}).get("expressionWarnings", []) == []
            return
        await asyncio.sleep(0.1)
    raise AssertionError(f"{name} was not looked at: {found}")


async def _tenants(kube: AsyncClient) -> None:
    """A Namespace names its tenants; another is refused by the API server itself, once the policy is known there."""
    space = {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": "team-blue", "annotations": {TENANTS: "t-100"}},
    }
    await apply(kube, PATHS["Namespace"], space)
    url = f"{API}/namespaces/team-blue/projects"
    for _ in range(100):
        answer = await kube.post(url, json=make("Project", "other", {"tenant": "t-200"}, "team-blue"))
        if answer.status_code != 201:
            break
        await kube.delete(f"{url}/other")
        await asyncio.sleep(0.2)
    assert answer.status_code in (403, 422), answer.text
    assert "t-200" in answer.json()["message"]
    answer = await kube.post(url, json=make("Project", "mine", {"tenant": "t-100"}, "team-blue"))
    assert answer.status_code == 201, answer.text


async def _protection(kube: AsyncClient) -> None:
    url = f"{API}/namespaces/team-blue/projects/mine"
    headers = {"Content-Type": "application/merge-patch+json"}
    await kube.patch(url, json={"metadata": {"annotations": {PROTECTION: "true"}}}, headers=headers)
    answer = await kube.delete(url)
    assert answer.status_code == 403, answer.text
    assert "protected" in answer.json()["message"]
    await kube.patch(url, json={"metadata": {"annotations": {PROTECTION: "false"}}}, headers=headers)
    assert (await kube.delete(url)).status_code == 200
