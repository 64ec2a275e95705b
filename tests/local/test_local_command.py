"""`hooks local` as its users meet it: a process of its own, the real kubectl, good input and bad."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.local.command import Local

PROJECT = """
apiVersion: arubacloud.com/v1alpha1
kind: Project
metadata: {name: shop, namespace: default}
spec: {tenant: t-100}
"""
VPC = """
apiVersion: arubacloud.com/v1alpha1
kind: VPC
metadata: {name: net-a, namespace: default}
spec: {tenant: t-100, region: ITBG-Bergamo, projectReference: {name: shop, namespace: default}}
"""


CONTROLLERS = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: compositecontrollers.metacontroller.k8s.io}
spec:
  group: metacontroller.k8s.io
  scope: Cluster
  names: {plural: compositecontrollers, singular: compositecontroller, kind: CompositeController}
  versions:
    - name: v1alpha1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
"""


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Local]:
    running = Local(tmp_path_factory.mktemp("local"))
    yield running
    assert running.stop() == 0


def test_it_says_where_everything_is(local: Local) -> None:
    assert set(local.endpoints) == {
        "kubernetes", "hooks", "metrics", "cloud", "token", "admin", "kubeconfig", "pid",
    }  # fmt: skip
    assert local.endpoints["pid"] == local.process.pid
    assert "operator is up" in local.welcome
    assert local.get("metrics").status_code == 200
    assert local.get("hooks", "/readyz").status_code == 200


def test_a_whole_life_with_kubectl(local: Local) -> None:
    local.kubectl("apply", "-f", "-", text=VPC)
    assert "Project default/shop does not exist" in local.kubectl("get", "vpc", "net-a", "-o", "wide")
    local.kubectl("apply", "--server-side", "-f", "-", text=PROJECT)
    local.kubectl("wait", "--for=condition=Ready", "vpc/net-a", "--timeout=30s")
    local.kubectl("wait", "--for=jsonpath={.status.phase}=Active", "prj/shop", "--timeout=30s")
    told = local.kubectl("describe", "vpc", "net-a")
    for reason in ("WaitingForReferences", "Created", "Active"):
        assert reason in told.split("Events:")[1]
    names = local.kubectl("get", "aruba", "-o", "name").split()
    assert names == ["project.arubacloud.com/shop", "vpc.arubacloud.com/net-a"]
    assert "spec.region" in local.kubectl(
        "patch", "vpc", "net-a", "--type=merge", "-p", '{"spec":{"region":"ITBG-Elsewhere"}}', fails=True
    )
    local.kubectl("label", "vpc", "net-a", "team=blue")
    assert "net-a" in local.kubectl("get", "vpc", "-l", "team=blue")
    local.kubectl("replace", "-f", "-", text=VPC)
    local.kubectl("wait", "--for=condition=Ready", "vpc/net-a", "--timeout=30s")
    local.kubectl("delete", "project", "shop", "--timeout=60s")
    local.kubectl("wait", "--for=delete", "vpc/net-a", "--timeout=30s")
    resources = local.get("admin", "/state", all="1").json()["resources"]
    assert [r["kind"] for r in resources] == ["Project", "VPC"]
    assert all(r["deletedAt"] for r in resources)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("kind: [", "error parsing"),
        (VPC.replace("tenant:", "tenat:"), 'unknown field "spec.tenat"'),
        (VPC.replace("{name: shop, namespace: default}}", "{name: shop}}"), "spec.projectReference.namespace"),
        (VPC.replace("v1alpha1", "v1"), "no matches for kind"),
        (VPC.replace("namespace: default}\nspec", "namespace: nowhere}\nspec"), 'namespaces "nowhere" not found'),
        (VPC.replace("name: net-a", "name: Net_1"), "metadata.name"),
    ],
)
def test_bad_manifests_are_refused_in_words_that_help(local: Local, text: str, complaint: str) -> None:
    assert complaint in local.kubectl("apply", "-f", "-", text=text, fails=True)
    assert local.kubectl("get", "aruba", "-A", "-o", "name") == ""


@pytest.mark.parametrize(
    ("body", "status", "told"),
    [
        (b'{"parent": {"apiVersion": "aru', 400, "JSON"),
        (b"", 400, ""),
        (b"[" * 100_000, 400, ""),
        (b'{"parent": {"kind": "Project", "apiVersion": "arubacloud.com/v1alpha1"}}', 400, "metadata"),
        (b'{"parent": {"kind": "VPC", "apiVersion": "v9", "metadata": {"name": "x", "uid": "u"}}}', 400, ""),
        (b'{"parent": {"kind": "VPC", "metadata": {"name": "x"}, "pad": "' + b"x" * 10_000_000 + b'"}}', 400, ""),
    ],
)
def test_what_is_not_a_hook_call_is_refused_and_reaches_nothing(
    local: Local, body: bytes, status: int, told: str
) -> None:
    before = len(local.get("admin", "/calls").json())
    answer = local.post("hooks", "/v2/vpcs/sync", body)
    assert answer.status_code == status
    assert told in answer.text
    assert set(answer.json()) == {"error", "hint"}
    assert len(local.get("admin", "/calls").json()) == before


def test_a_cluster_with_anything_of_ours_that_it_did_not_make_is_refused(local: Local, tmp_path: Path) -> None:
    other = Local(tmp_path, "--kubernetes", local.endpoints["kubeconfig"])
    assert other.ended() == 2
    assert "CRD blockstorages.arubacloud.com" in other.errors
    assert "choose an empty cluster" in other.errors


@pytest.mark.parametrize("words", [("--timings", "fastest"), ("--timings", "/nowhere.yaml")])
def test_a_start_that_cannot_work_says_why(tmp_path: Path, words: tuple[str, ...]) -> None:
    failed = Local(tmp_path, *words)
    assert failed.ended() == 2
    assert failed.errors.startswith("local: ")
    assert words[1] in failed.errors


def test_the_controllers_of_an_external_metacontroller_come_once_their_definition_is_there(tmp_path: Path) -> None:
    local = Local(tmp_path, "--metacontroller", "external")
    assert "operator is up" in local.welcome
    assert "waiting for Metacontroller's definitions" in local.errors
    local.kubectl("apply", "-f", "-", text=CONTROLLERS)
    local.kubectl("wait", "--for=create", "compositecontroller/vpcs.arubacloud.com", "--timeout=30s")
    found = json.loads(local.kubectl("get", "compositecontrollers", "-o", "json"))["items"]
    assert len(found) == 9
    for item in found:
        assert "arubacloud.com/local-session" in item["metadata"]["annotations"]
        for hook in item["spec"]["hooks"].values():
            assert hook["webhook"]["url"].startswith(local.endpoints["hooks"] + "/v2/")
    assert local.stop() == 0
