"""`doctor`, `release` and `graph` as their users call them, against a running local cluster."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from hooks.__main__ import main
from tests.local.command import Local
from tests.local.test_local_command import CONTROLLERS, PROJECT, VPC

HELD = VPC.replace(
    "name: net-a,", "name: net-a, finalizers: [metacontroller.io/compositecontroller-vpcs.arubacloud.com],"
)
COMPOSITES = "compositecontrollers.metacontroller.k8s.io"


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Local]:
    """Without a Metacontroller, so that objects stay as they are applied."""
    running = Local(tmp_path_factory.mktemp("local"), "--metacontroller", "external")
    running.kubectl("apply", "-f", "-", text=PROJECT)
    running.kubectl("apply", "-f", "-", text=HELD)
    yield running
    assert running.stop() == 0


@pytest.fixture(autouse=True)
def found(local: Local, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", local.endpoints["kubeconfig"])
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


def test_doctor_says_what_a_local_cluster_does_not_show(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == "ok    CRDs: all 9 established and of this version"
    assert lines[2].startswith("warn  CompositeControllers: not checked, local mode")
    assert not [line for line in lines if not line.startswith(("ok  ", "warn  "))]


def test_graph_draws_what_was_applied(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["graph"]) == 0
    drawn = capsys.readouterr().out
    assert '["Project<br/>default/shop<br/>no status yet"]:::waiting' in drawn
    assert "  n0 --> n1\n" in drawn
    assert main(["graph", "--format", "dot", "-n", "default"]) == 0
    assert "n0 -> n1;" in capsys.readouterr().out


def test_release_goes_by_every_name_and_acts_only_when_told_to(
    local: Local, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last of this module: it installs the CompositeControllers, and takes them away again."""
    for word in ("VPC", "vpc", "vpcs", "aruvpc", "vpcs.arubacloud.com"):
        assert main(["release", word, "default/net-a", "--force"]) == 0
        assert "run it again with --yes" in capsys.readouterr().out
    assert main(["release", "vpc", "default/net-a", "default/nope", "--force"]) == 1
    assert capsys.readouterr().out.endswith("\nNot released: VPC default/nope\n")
    local.kubectl("apply", "-f", "-", text=CONTROLLERS)
    local.kubectl("wait", "--for=create", f"{COMPOSITES}/vpcs.arubacloud.com", "--timeout=30s")
    assert main(["release", "--all", "--yes"]) == 1
    assert "refused, since CompositeController vpcs.arubacloud.com" in capsys.readouterr().out
    assert finalizers(local)
    assert main(["doctor"]) == 0
    told = capsys.readouterr().out
    assert f"ok    hooks at {local.endpoints['hooks']} are ready" in told
    assert "CompositeControllers: 9 of 9 as generated" in told
    assert main(["release", "--all", "--yes", "--force", "-n", "default"]) == 0
    assert capsys.readouterr().out.endswith("\nDone.\n")
    assert not finalizers(local)
    assert local.get("admin", "/calls").json() == []


def finalizers(local: Local) -> list[str]:
    live = json.loads(local.kubectl("get", "vpc", "net-a", "-o", "json"))
    return list(live["metadata"].get("finalizers") or [])
