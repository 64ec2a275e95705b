"""`generate`: writes what follows from the kinds (CRDs, controllers, RBAC, samples, reference pages).

Called by `make generate`; with `--check`, by `make check`, where a file that differs fails the build.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from hooks.aruba.kinds import discover
from hooks.manifests import FOLDERS, generated
from hooks.manifests.files import OVERLAYS
from hooks.manifests.text import is_generated


class Drift(NamedTuple):
    """One file that is not as it would be generated."""

    path: str
    what: str


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 naming each file that differs")
    parser.add_argument("--root", type=Path, default=Path(), help="the checkout (default: the current directory)")


def run(args: Namespace) -> int:
    """0 when all is as it should be, 1 when something is not, 2 outside a checkout."""
    if not (args.root / "hooks" / "aruba" / "kinds").is_dir():
        print(f"{args.root.resolve()} is not a checkout of the operator: run this at its top, or say --root")
        return 2
    files = generated(discover())
    if not args.check:
        write(args.root, files)
    drifts = list(drift(args.root, files))
    for found in drifts:
        print(f"{found.path}: {found.what}")
    if drifts and args.check:
        print("Generated files are out of step with hooks/aruba/kinds. Run: make generate")
    return 1 if drifts else 0


def write(root: Path, files: Mapping[str, str]) -> None:
    """Writes what differs and removes what was generated once and is no more; files of other origin are left alone."""
    for path, text in files.items():
        if _read(root / path) != text:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
    for path in _others(root, files):
        if is_generated(_read(root / path) or ""):
            (root / path).unlink()


def drift(root: Path, files: Mapping[str, str]) -> Iterator[Drift]:
    """What differs, is missing, or has no business in a folder of generated files."""
    for path, text in files.items():
        found = _read(root / path)
        if found != text:
            yield Drift(path, "missing" if found is None else "differs")
    for path in _others(root, files):
        once = is_generated(_read(root / path) or "")
        yield Drift(path, "superfluous" if once else "superfluous, and not generated: move it elsewhere")


def _others(root: Path, files: Mapping[str, str]) -> list[str]:
    found = (path for folder in FOLDERS for path in (root / folder).rglob("*") if path.is_file())
    names = {path.relative_to(root).as_posix() for path in found} - set(files)
    return sorted(name for name in names if not name.startswith(f"{OVERLAYS}/"))


def _read(path: Path) -> str | None:
    """The text as it stands, undecodable bytes replaced; None when there is no such file."""
    return path.read_bytes().decode("utf-8", "replace") if path.is_file() else None
