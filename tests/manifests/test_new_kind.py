"""`new-kind NAME`: a starting file that works as it stands."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hooks.aruba.kinds import discover
from hooks.cli import generate, new_kind
from hooks.manifests import crd
from tests.manifests.commands import checkout, lend, run
from tests.manifests.objects import faults, schema_of
from tests.manifests.structural import complaints

TOP = Path(__file__).parents[2]


@pytest.fixture
def root(tmp_path):
    return checkout(tmp_path)


def test_the_starting_file_imports_and_generates(root, monkeypatch, capsys):
    assert run(new_kind, "LoadBalancer", "--root", str(root)) == 0
    path = root / "hooks" / "aruba" / "kinds" / "loadbalancer.py"
    assert f"Wrote {path}" in capsys.readouterr().out
    lend(monkeypatch, path.parent, "loadbalancer")

    kind = discover()["LoadBalancer"]
    assert kind.names == ("LoadBalancer", "loadbalancers", "lb", "arulb")
    assert kind.owner is not None
    assert kind.owner.name == "projectReference"
    made = crd(kind)
    assert complaints(schema_of(made)) == []
    sample = {"apiVersion": "arubacloud.com/v1alpha1", "kind": "LoadBalancer", "metadata": {"name": "x"}}
    assert faults(made, {**sample, "spec": dict(kind.full_sample)}) == []
    assert run(generate, "--root", str(root)) == 0
    assert (root / "crds" / "loadbalancers.yaml").exists()


def test_the_starting_file_is_clean(root):
    run(new_kind, "Registry", "--root", str(root))
    path = root / "hooks" / "aruba" / "kinds" / "registry.py"
    ruff = [Path(sys.executable).parent / "ruff"]
    config = ["--config", TOP / "pyproject.toml", "--no-cache"]
    # The rules by path speak of the checkout: field names are the API's there.
    for words in (["check", *config, "--ignore", "N815,INP001"], ["format", "--check", *config]):
        done = subprocess.run([*ruff, *words, path], capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("LoadBalancer", ("loadbalancers", "lb", "arulb")),
        ("Registry", ("registries", "reg", "arureg")),
        ("Bus", ("buses", "bus", "arubus")),
    ],
)
def test_names_are_guessed_as_kubernetes_guesses(name, names):
    assert new_kind.propose(name)[1:] == names


def test_names_may_be_said():
    assert new_kind.propose("KaaS", "kaas", "kc") == ("KaaS", "kaas", "kc", "arukc")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("loadbalancer",), "written like LoadBalancer"),
        (("../Evil",), "written like LoadBalancer"),
        (("Registry", "--plural", "My Registries"), "small letters and digits only"),
        (("Snapshot", "--short", "sn"), "'sn' already stands for Subnet"),
        (("Vpc",), "'vpcs' already stands for VPC"),
    ],
)
def test_names_that_cannot_be_had_are_refused(root, capsys, words, said):
    assert run(new_kind, *words, "--root", str(root)) == 1
    assert said in capsys.readouterr().out
    assert list((root / "hooks" / "aruba" / "kinds").iterdir()) == []


def test_a_file_is_never_overwritten(root, capsys):
    path = root / "hooks" / "aruba" / "kinds" / "registry.py"
    path.write_text("mine")
    assert run(new_kind, "Registry", "--root", str(root)) == 1
    assert "is there already" in capsys.readouterr().out
    assert path.read_text() == "mine"


def test_outside_a_checkout_nothing_is_written(tmp_path, capsys):
    assert run(new_kind, "Registry", "--root", str(tmp_path)) == 2
    assert list(tmp_path.iterdir()) == []
