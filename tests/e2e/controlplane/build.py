"""Builds etcd, the API server and the controller manager from pinned sources, once, into a cache outside the tree.

`make e2e` calls it first, so that its progress is seen; the tests find the binaries in the cache. The
folder is named by what the binaries are made of: other pins or another Go, another folder.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
VERSION = "v1.36.3"
PARTS = {
    "etcd": "go.etcd.io/etcd/server/v3",
    "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
    "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
}
STAMPS = {"gitVersion": VERSION, "gitMajor": "1", "gitMinor": "36", "gitTreeState": "clean", "gitCommit": "unknown"}
"""What the binaries say of themselves: clients refuse a version that they cannot read."""
NO_GO = "make e2e builds a real Kubernetes control plane, and needs Go 1.26 or newer on the path"


class CannotBuild(Exception):
    """The text says why, in one line."""


def binaries() -> dict[str, Path]:
    """The binaries by name. Raises CannotBuild where one is missing."""
    folder = cache()
    found = {name: folder / name for name in PARTS}
    missing = [name for name, path in found.items() if not path.is_file()]
    if missing:
        raise CannotBuild(f"{', '.join(missing)} missing in {folder}: run make e2e")
    return found


def cache() -> Path:
    """The folder of these pins and this Go."""
    made_of = [(HERE / "go.mod").read_bytes(), (HERE / "go.sum").read_bytes(), _go_version()]
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return home / "aruba-cloud-operator" / "controlplane" / hashlib.sha256(b"\0".join(made_of)).hexdigest()[:16]


def build() -> None:
    """Make what is missing, saying what it does. Raises CannotBuild."""
    folder = cache()
    missing = [name for name in PARTS if not (folder / name).is_file()]
    if not missing:
        return
    print(f"Building a Kubernetes {VERSION} control plane into {folder}")
    print("Once, until the pins change: about ten minutes on two cores, most of it the API server")
    folder.mkdir(parents=True, exist_ok=True)
    for name in missing:
        began = time.monotonic()
        print(f"  {name} ...", end=" ", flush=True)
        _make(name, folder)
        print(f"{time.monotonic() - began:.0f} s", flush=True)


def _make(name: str, folder: Path) -> None:
    """Whole or not at all: a build that is cut off leaves nothing that would be taken for one."""
    draft = folder / f".{name}.{os.getpid()}"
    command = ["go", "build", "-trimpath", "-ldflags", " ".join(_flags()), "-o", str(draft), PARTS[name]]
    environ = {**os.environ, "CGO_ENABLED": "0", "GOFLAGS": "-mod=readonly -buildvcs=false", "GOWORK": "off"}
    done = subprocess.run(command, cwd=HERE, env=environ, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-3:]
        raise CannotBuild(f"go build {PARTS[name]} failed: {' / '.join(last)}")
    draft.replace(folder / name)


def _flags() -> Iterator[str]:
    yield from ("-s", "-w")
    for package in ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version"):
        for name, value in STAMPS.items():
            yield f"-X {package}.{name}={value}"


def _go_version() -> bytes:
    if shutil.which("go") is None:
        raise CannotBuild(NO_GO)
    return subprocess.run(["go", "env", "GOVERSION"], capture_output=True, check=True, cwd=HERE).stdout


if __name__ == "__main__":
    try:
        build()
    except CannotBuild as fault:
        sys.exit(str(fault))
