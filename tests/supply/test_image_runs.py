"""What the image does, tried without an engine: the wheel in a tree that nobody may write, served unprivileged."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

from hooks.http import AsyncClient
from tests.supply.containerfile import stages
from tests.supply.pins import read

ROOT = Path(__file__).parents[2]
RUNTIME = stages((ROOT / "Containerfile").read_text("utf-8"))[1][-1]

KUBECONFIG = """
apiVersion: v1
kind: Config
current-context: none
contexts: [{name: none, context: {cluster: none, user: none}}]
clusters: [{name: none, cluster: {server: "http://127.0.0.1:9"}}]
users: [{name: none, user: {}}]
"""


def build_wheel(folder: Path) -> Path:
    """As the build stage does."""
    words = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(words, cwd=ROOT, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


def install(tree: Path, wheel: Path) -> Path:
    """As the build stage does, except that what the operator depends on is what these tests run with."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tree)], check=True)
    python = tree / "bin" / "python"
    ask = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    site = Path(subprocess.run(ask, check=True, capture_output=True, text=True).stdout.strip())
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--no-compile", "--no-deps", "--no-index", str(wheel)], check=True)
    compile_all = [python, "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", str(tree / "lib")]
    subprocess.run(compile_all, check=True)
    return python


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Nobody may write in it, until the test is over and it is to be cleared away."""
    everything = [folder, *(path for path in folder.rglob("*") if not path.is_symlink())]
    modes = {path: path.stat().st_mode for path in everything}
    for path, mode in modes.items():
        path.chmod(mode & 0o7555)
    try:
        yield
    finally:
        for path, mode in modes.items():
            path.chmod(mode)


def unprivileged(python: Path) -> list[str]:
    """What goes before a command so that read-only holds: root becomes the image's user where that one may reach
    Python, else root without capabilities, which must obey file modes as well.
    """
    setpriv = shutil.which("setpriv")
    if os.geteuid() != 0 or setpriv is None:
        return []
    user, group = RUNTIME.all("USER")[-1].split(":")
    other = [setpriv, f"--reuid={user}", f"--regid={group}", "--clear-groups", "--no-new-privs"]
    probe = f"import hooks, sys; sys.exit(sys.base_prefix != {sys.base_prefix!r})"
    if subprocess.run([*other, python, "-c", probe], cwd="/", capture_output=True, check=False).returncode == 0:
        return other
    return [setpriv, "--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"]


def refused(lowered: list[str], python: Path, file: Path) -> bool:
    """Whether whoever serves may not make this file."""
    words = [*lowered, python, "-c", f"open({str(file)!r}, 'w')"]
    return subprocess.run(words, capture_output=True, check=False).returncode != 0


def snapshot(*folders: Path) -> dict[str, tuple[int, int]]:
    found = [path for folder in folders for path in [folder, *folder.rglob("*")]]
    return {str(path): (path.lstat().st_mtime_ns, path.lstat().st_size) for path in found}


def mounted(folder: Path) -> list[str]:
    """The files that a pod mounts, and the words of `serve` that point at them."""
    for name, key, text in [
        ("config", "api-gateway", "http://127.0.0.1:9"),
        ("config", "keycloak-url", "http://127.0.0.1:9/auth"),
        ("secret", "client-id", "made-up"),
        ("secret", "client-secret", "made-up"),
        ("kube", "config", KUBECONFIG),
    ]:
        (folder / name).mkdir(exist_ok=True)
        (folder / name / key).write_text(text, "utf-8")
    (folder / "temporary").mkdir()
    return [
        *("--config-dir", str(folder / "config"), "--secret-dir", str(folder / "secret")),
        *("--kubeconfig", str(folder / "kube" / "config"), "--host", "127.0.0.1", "--port", "0", "--metrics-port", "0"),
    ]


async def told_url(process: asyncio.subprocess.Process) -> str:
    """Where it serves, from its own log."""
    assert process.stderr is not None
    async with asyncio.timeout(20):
        while line := await process.stderr.readline():
            told = json.loads(line)
            if told.get("event") == "serving" or told.get("message") == "serving":
                return str(told["url"])
    raise AssertionError("it ended without serving")


@pytest.fixture
def room():
    """A folder that other users may enter, which pytest's own are not."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.mark.real_time
async def test_the_wheel_serves_from_a_read_only_tree_and_writes_nothing(room):
    tree, mounts = room / "tree", room / "mounts"
    mounts.mkdir()
    python = install(tree, build_wheel(room / "wheel"))
    words = [RUNTIME.words("CMD")[0], *mounted(mounts)]
    environ = {**RUNTIME.pairs("ENV"), "TMPDIR": str(mounts / "temporary")}
    with read_only(tree), read_only(mounts):
        lowered = unprivileged(python)
        assert refused(lowered, python, tree / "x") or not (lowered or os.geteuid()), "the tree is not read-only"
        (tree / "x").unlink(missing_ok=True)
        before = snapshot(tree, mounts)
        script = tree / "bin" / RUNTIME.words("ENTRYPOINT")[0]
        process = await asyncio.create_subprocess_exec(
            *lowered, script, *words, env=environ, cwd="/", stderr=asyncio.subprocess.PIPE
        )
        try:
            url = await told_url(process)
            async with AsyncClient(base_url=url, timeout=10) as client:
                assert (await client.get("/healthz")).status_code == 200
                assert (await client.get("/readyz")).status_code == 200
                assert (await client.post("/v2/projects/sync", content=b"{}")).status_code in {400, 401, 403}
            process.terminate()
            async with asyncio.timeout(10):
                await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
                await process.communicate()
        assert process.returncode == 0
        assert snapshot(tree, mounts) == before


IMPORT = """
import pkgutil, sys
from importlib import import_module

class Lacking:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in sys.argv:
            raise ModuleNotFoundError(f"the image has no {name}", name=name)

sys.meta_path.insert(0, Lacking())
import hooks.cli.serve, hooks.stack
rooms = "aruba.cloud aruba.credentials aruba.engine contract edge kube meta settings telemetry"
for room in rooms.split():
    for found in pkgutil.walk_packages(import_module(f"hooks.{room}").__path__, f"hooks.{room}."):
        import_module(found.name)
"""
"""What `serve` may come to need, at once or late; the commands that import and plan belong to a person's machine."""


def test_what_serves_imports_nothing_that_the_image_lacks():
    """The tree above is lent all that the tests have; the image has the runtime list and no more."""
    held = {pin.name for pin in read(ROOT / "requirements" / "runtime.txt").pins}
    owners = {name: {canonicalize_name(o) for o in some} for name, some in packages_distributions().items()}
    lacking = [name for name, some in owners.items() if name.isidentifier() and not some & held]
    assert {"rich", "cel", "pytest"} <= set(lacking)
    done = subprocess.run(
        [sys.executable, "-c", IMPORT, *lacking], cwd=ROOT, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
