"""The half of the audit that needs no network: pins, agreement between lists, what is installed, licences, Pythons."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from tests.supply.installed import Installed, Look
from tests.supply.pins import Pin, Pinned, read

AUDITED = ("runtime", "local", "vault", "test", "build", "audit")

ALLOWED = frozenset({"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MIT-0", "MPL-2.0", "PSF-2.0"})
"""Licences under which a part may be shipped beside Apache-2.0 code without conditions on that code."""


def lists(root: Path) -> list[Pinned]:
    return [read(root / "requirements" / f"{name}.txt") for name in AUDITED]


def faults(root: Path, listed: list[Pinned], look: Look) -> list[str]:
    """One sentence for each thing that is wrong."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    found = [fault for pinned in listed for fault in pinned.faults]
    found += _disagreements(listed)
    found += _unmet(project, listed)
    everything = {pin.name: pin for pinned in listed for pin in pinned.pins if pin.wanted({})}
    for pin in everything.values():
        found += _told(pin, look(pin.name), _pythons(project))
    return found


def _disagreements(listed: list[Pinned]) -> Iterator[str]:
    """Two lists that pin one thing differently could not be installed side by side, as the make targets do."""
    first: dict[str, tuple[str, Pin]] = {}
    for pinned in listed:
        for pin in pinned.pins:
            file, known = first.setdefault(pin.name, (pinned.file, pin))
            if known.version != pin.version:
                yield f"{pinned.file}: {pin.name} is {pin.version} here and {known.version} in {file}"


def _unmet(project: dict[str, Any], listed: list[Pinned]) -> Iterator[str]:
    """What pyproject.toml asks for and the list of that name does not hold, or holds in a version that will not do."""
    extras = project["optional-dependencies"]
    for pinned in listed:
        name = pinned.file.removesuffix(".txt")
        held = {pin.name: pin.version for pin in pinned.pins}
        wishes = extras.get(name, []) if name != "runtime" else project["dependencies"]
        for wish in map(Requirement, wishes):
            version = held.get(canonicalize_name(wish.name))
            if version is None:
                yield f"{pinned.file}: {wish.name} is wanted by pyproject.toml and not listed: run `make requirements`"
            elif not wish.specifier.contains(version, prereleases=True):
                yield f"{pinned.file}: {wish.name} {version} is not {wish.specifier}, as pyproject.toml has it"


def _pythons(project: dict[str, Any]) -> list[str]:
    """The Python versions that pyproject.toml promises, such as 3.11."""
    prefix = "Programming Language :: Python :: 3."
    return [entry.rpartition(" :: ")[2] for entry in project["classifiers"] if entry.startswith(prefix)]


def _told(pin: Pin, found: Installed | None, pythons: list[str]) -> Iterator[str]:
    if found is None:
        yield f"{pin.name} {pin.version} is pinned and not installed here: run `make audit`, which installs the lists"
        return
    if found.version != pin.version:
        yield f"{pin.name} is pinned at {pin.version}, but {found.version} is installed: install the list again"
    if not found.licence:
        yield f"{pin.name} names no licence that is known: look, then add its spelling to tests/supply/installed.py"
    elif not allowed(found.licence):
        yield f"{pin.name} has licence {found.licence}, which is not among {', '.join(sorted(ALLOWED))}"
    fits = SpecifierSet(found.python)
    for python in pythons:
        if not fits.contains(f"{python}.99"):
            yield f"{pin.name} needs Python {found.python}, and {python} is promised in pyproject.toml"


def allowed(licence: str) -> bool:
    """Whether an SPDX expression can be met: any side of OR, every side of AND, which binds closer. Brackets: no."""
    return any(all(word.strip() in ALLOWED for word in side.split(" AND ")) for side in licence.split(" OR "))
