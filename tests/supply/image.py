"""`make image`: builds the Containerfile with whichever engine there is and answers, or says what is needed."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from types import MappingProxyType

PROBES = MappingProxyType({"docker": ("version",), "podman": ("info",), "buildah": ("info",)})
"""Engines in the order of trying, each with the question that fails when it cannot build."""

Find = Callable[[str], str | None]


def build(root: Path, tag: str, base: str | None = None, find: Find = shutil.which) -> int:
    """0 when it is built, 1 when the build failed, 2 with one line when there is nothing to build with."""
    engine, why = choose(find)
    if engine is None:
        print(f"image: {why}", file=sys.stderr)
        return 2
    words = command(engine, root, tag, base)
    print(f"image: {' '.join(words)}", flush=True)
    return int(subprocess.run(words, check=False).returncode != 0)


def choose(find: Find = shutil.which) -> tuple[str | None, str]:
    """The path of an engine that answers; or None and why there is none."""
    silent = []
    for name, question in PROBES.items():
        path = find(name)
        if path is None:
            continue
        complaint = _complaint([path, *question])
        if complaint is None:
            return path, ""
        silent.append(f"{name} is installed but does not answer ({complaint})")
    if silent:
        return None, f"{'; '.join(silent)}: start it, or install podman or buildah, which need no daemon"
    return None, f"no container engine is installed: install one of {', '.join(PROBES)}"


def _complaint(words: Sequence[str]) -> str | None:
    """None from an engine that answers; else its last words."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired) as fault:
        return type(fault).__name__
    if done.returncode == 0:
        return None
    lines = (done.stderr or done.stdout).strip().splitlines()
    return lines[-1][:200] if lines else f"exit {done.returncode}"


def command(engine: str, root: Path, tag: str, base: str | None) -> list[str]:
    """What each of the three engines understands alike."""
    version = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    told = {"VERSION": version, "REVISION": _revision(root), **({"BASE": base} if base else {})}
    arguments = [word for name, value in told.items() for word in ("--build-arg", f"{name}={value}")]
    return [engine, "build", "--file", str(root / "Containerfile"), *arguments, "--tag", tag, str(root)]


def _revision(root: Path) -> str:
    """The commit, marked when files differ from it; "unknown" outside a checkout."""
    try:
        words = ["git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
        done = subprocess.run(words, capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    return done.stdout.strip() or "unknown"
