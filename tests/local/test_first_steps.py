"""docs/tutorial/first-steps.md, walked as a newcomer does: every block of it is run, in its order, by a real shell."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pages import TOP, steps

pytestmark = pytest.mark.real_time

PAGE = "docs/tutorial/first-steps.md"
PRINTED = "<the path that make local printed>"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """This one, but with a state of its own; what is installed already is not installed again."""
    for name in ("Makefile", "hooks", "pyproject.toml", "requirements"):
        (tmp_path / name).symlink_to(TOP / name)
    (tmp_path / ".venv").symlink_to(sys.prefix)
    (Path(sys.prefix) / ".local").touch()
    return tmp_path


class Newcomer:
    """One terminal with `make local` in it, and a second one."""

    def __init__(self, checkout: Path) -> None:
        self._folder = checkout
        self._said = ""
        self._first: subprocess.Popen[str] | None = None
        self._environ = {**os.environ, "KUBECONFIG": "/nonexistent"}
        self._exports = ""

    def start(self, command: str) -> None:
        self._first = subprocess.Popen(
            ["bash", "-c", command],
            cwd=self._folder,
            env=self._environ,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        assert self._first.stdout is not None
        while "kubeconfig" not in self._said:
            line = self._first.stdout.readline()
            assert line, self._said
            self._said += line

    def export(self, block: str) -> None:
        """The first block of the second terminal: the path is read from what the first one shows."""
        (path,) = re.findall(r"KUBECONFIG=(\S+)", self._said)[:1]
        self._exports = block.replace(PRINTED, path)

    def run(self, block: str) -> str:
        text = f"{self._exports}\n{block}"
        done = subprocess.run(
            ["bash", "-euc", text],
            cwd=self._folder,
            env=self._environ,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, f"{block}\n{done.stdout}{done.stderr}\n{self._said}"
        return done.stdout

    def interrupt(self) -> None:
        """Ctrl-C reaches everything in that terminal, and all of it ends."""
        assert self._first is not None
        os.killpg(self._first.pid, signal.SIGINT)
        self._first.communicate(timeout=30)

    def end(self) -> None:
        if self._first is not None and self._first.poll() is None:
            os.killpg(self._first.pid, signal.SIGKILL)
            self._first.communicate()


@pytest.fixture
def newcomer(checkout: Path) -> Iterator[Newcomer]:
    made = Newcomer(checkout)
    yield made
    made.end()


def test_every_step_of_the_first_steps(newcomer: Newcomer) -> None:
    found = steps(PAGE)
    assert [step.text for step in found[:1]] == ["make local"]
    newcomer.start(found[0].text)
    assert PRINTED in found[1].text
    newcomer.export(found[1].text)
    printed = {step.section: newcomer.run(step.text) for step in found[2:]}
    assert "vpc.arubacloud.com/net-a created" in printed["2. Create a project and a network in it"]
    watched = printed["3. Watch"]
    assert "vpc.arubacloud.com/net-a condition met" in watched
    assert "The cloud took the request to create this VPC" in watched
    assert 'project.arubacloud.com "shop" deleted' in printed["4. Delete the project"]
    assert newcomer.run("kubectl get vpcs,projects --ignore-not-found") == ""
    newcomer.interrupt()
    newcomer.run("! kubectl get projects --request-timeout=5s 2>/dev/null")
