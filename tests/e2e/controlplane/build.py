"""Builds etcd, API server, controller manager and Helm from pinned sources, once, into a cache outside the tree.

`make e2e` calls it first, so that its progress is seen; the tests find the binaries in the cache. A folder there
is named by what its binaries are made of: other pins or another Go, another folder.
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
from typing import NamedTuple


class Part(NamedTuple):
    """A binary: the folder of the go.mod that pins it, and its package."""

    module: Path
    package: str

    @property
    def cache(self) -> Path:
        """Where what these pins and this Go make is kept."""
        made_of = [(self.module / "go.mod").read_bytes(), (self.module / "go.sum").read_bytes(), _go_version()]
        name = hashlib.sha256(b"\0".join(made_of)).hexdigest()[:16]
        return _home() / self.module.name / name


HERE = Path(__file__).parent
HELM = HERE.parent / "helm"
VERSION = "v1.36.3"
PARTS = {
    "etcd": Part(HERE, "go.etcd.io/etcd/server/v3"),
    "kube-controller-manager": Part(HERE, "k8s.io/kubernetes/cmd/kube-controller-manager"),
    "kube-apiserver": Part(HERE, "k8s.io/kubernetes/cmd/kube-apiserver"),
    "helm": Part(HELM, "helm.sh/helm/v4/cmd/helm"),
}
STAMPS = {"gitVersion": VERSION, "gitMajor": "1", "gitMinor": "36", "gitTreeState": "clean", "gitCommit": "unknown"}
"""What the binaries say of themselves: clients refuse a version that they cannot read."""
NO_GO = "make e2e builds a real Kubernetes control plane, and needs Go 1.26 or newer on the path"


class CannotBuild(Exception):
    """The text says why, in one line."""


def binaries() -> dict[str, Path]:
    """The binaries by name. Raises CannotBuild where one is missing."""
    found = {name: part.cache / name for name, part in PARTS.items()}
    missing = [str(path) for path in found.values() if not path.is_file()]
    if missing:
        raise CannotBuild(f"{', '.join(missing)} missing: run make e2e")
    return found


def build() -> None:
    """Make what is missing, saying what it does. Raises CannotBuild."""
    missing = {name: part for name, part in PARTS.items() if not (part.cache / name).is_file()}
    if not missing:
        return
    print(f"Building a Kubernetes {VERSION} control plane and Helm into {_home()}")
    print("Once, until the pins change: five to ten minutes on two cores")
    for name, part in missing.items():
        began = time.monotonic()
        print(f"  {name} ...", end=" ", flush=True)
        _make(name, part)
        print(f"{time.monotonic() - began:.0f} s", flush=True)


def _make(name: str, part: Part) -> None:
    """Whole or not at all: a build that is cut off leaves nothing that would be taken for one."""
    part.cache.mkdir(parents=True, exist_ok=True)
    draft = part.cache / f".{name}.{os.getpid()}"
    command = ["go", "build", "-trimpath", "-ldflags", " ".join(_flags()), "-o", str(draft), part.package]
    environ = {**os.environ, "CGO_ENABLED": "0", "GOFLAGS": "-mod=readonly -buildvcs=false", "GOWORK": "off"}
    done = subprocess.run(command, cwd=part.module, env=environ, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-3:]
        raise CannotBuild(f"go build {part.package} failed: {' / '.join(last)}")
    draft.replace(part.cache / name)


def _flags() -> Iterator[str]:
    yield from ("-s", "-w")
    for package in ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version"):
        for name, value in STAMPS.items():
            yield f"-X {package}.{name}={value}"


def _home() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "aruba-cloud-operator"


def _go_version() -> bytes:
    if shutil.which("go") is None:
        raise CannotBuild(NO_GO)
    asked = subprocess.run(["go", "env", "GOVERSION"], capture_output=True, check=False, cwd=HERE)
    if asked.returncode != 0:  # too old for these modules, and not able to fetch another
        raise CannotBuild(f"{NO_GO}: {asked.stderr.decode().strip().splitlines()[-1]}")
    return asked.stdout


if __name__ == "__main__":
    try:
        build()
    except CannotBuild as fault:
        sys.exit(str(fault))
