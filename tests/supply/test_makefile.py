"""What the make targets of this part would run, without running it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def would_run(tmp_path, *words):
    """The commands of a fresh machine: no virtual environment is there yet."""
    command = ["make", "--dry-run", "--no-print-directory", f"VENV={tmp_path}/venv", *words]
    environ = {"PATH": os.environ["PATH"]}  # these tests may run under make, whose own flags are not meant here
    return subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=True).stdout


def test_the_demo_is_as_it_was_without_a_variable(tmp_path):
    told = would_run(tmp_path, "demo")
    assert "-r requirements/local.txt" in told
    assert "vault" not in told.splitlines()[-1]
    assert "--tenants" not in told


def test_the_demo_with_vault_installs_one_first(tmp_path):
    told = would_run(tmp_path, "demo", "TENANTS=vault")
    assert "-r requirements/vault.txt" in told
    assert told.splitlines()[-1].endswith("-m hooks demo --tenants vault")


@pytest.mark.parametrize(
    ("words", "lists", "command"),
    [
        (["sbom"], ["audit"], "-m tests.supply sbom"),
        (["audit"], ["test", "audit"], "-m tests.supply audit"),
        (["image", "IMAGE=a/b:1"], [], "-m tests.supply image a/b:1"),
        (["image", "BASE=c@sha256:d"], [], "-m tests.supply image aruba-cloud-operator --base c@sha256:d"),
    ],
)
def test_each_target_installs_what_it_needs_by_hashes(tmp_path, words, lists, command):
    told = would_run(tmp_path, *words)
    assert told.splitlines()[-1].strip().endswith(command)
    installs = [line for line in told.splitlines() if " pip install " in line]
    assert [line.rpartition("requirements/")[2] for line in installs] == [f"{name}.txt" for name in lists]
    assert all("--require-hashes" in line for line in installs)


def test_what_tests_need_satisfies_the_vault_demo(tmp_path):
    (tmp_path / "venv" / "bin").mkdir(parents=True)
    (tmp_path / "venv" / "bin" / "python").touch()
    (tmp_path / "venv" / ".vault").touch()
    assert "pip install" not in would_run(tmp_path, "demo", "TENANTS=vault")
    assert "touch {0}/.test {0}/.local {0}/.vault".format(tmp_path / "venv") in would_run(tmp_path, "check")
