"""Reads a pinned list and says what is wrong with it. Used by the audit, the bill of materials and their tests."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from packaging.markers import Environment, Marker
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

IMAGE = MappingProxyType(
    {
        "implementation_name": "cpython",
        "implementation_version": "3.13.0",
        "os_name": "posix",
        "platform_machine": "x86_64",
        "platform_python_implementation": "CPython",
        "platform_release": "",
        "platform_system": "Linux",
        "platform_version": "",
        "python_full_version": "3.13.0",
        "python_version": "3.13",
        "sys_platform": "linux",
    }
)
"""The markers' view of what the image is (a test compares it with the Containerfile): the same on every machine."""

EXACT = re.compile(r"==[^*,=<>~]+\Z")
HASH = re.compile(r"\s--hash=(\S+)")
SHA256 = re.compile(r"sha256:[0-9a-f]{64}\Z")


@dataclass(frozen=True)
class Pin:
    """One distribution of a list: its canonical name, the one version, where it is wanted, the files that will do."""

    name: str
    version: str
    marker: Marker | None
    hashes: tuple[str, ...]

    def wanted(self, environment: Mapping[str, str]) -> bool:
        """Whether an environment of that kind installs it; the empty mapping stands for this very one."""
        return self.marker is None or self.marker.evaluate(Environment(**environment))  # type: ignore[typeddict-item]


@dataclass(frozen=True)
class Pinned:
    """A list as read: its pins, and one sentence for each line that will not do."""

    file: str
    pins: tuple[Pin, ...]
    faults: tuple[str, ...]


def read(path: Path) -> Pinned:
    """Every line of a list; a faulty one is reported and, as far as it names a version, kept."""
    pins: list[Pin] = []
    faults: list[str] = []
    for number, line in _lines(path.read_text("utf-8")):
        made, found = _pin(line)
        if made is not None:
            pins.append(made)
        faults += [f"{path.name}:{number}: {fault}" for fault in found]
    return Pinned(path.name, tuple(pins), (*faults, *_twice(path.name, pins)))


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Logical lines, without comments, each with the number of its first physical line."""
    begun, start = "", 0
    for number, raw in enumerate(text.splitlines(), 1):
        start = start if begun else number
        begun += " " + re.sub(r"(^|\s)#.*", "", raw).strip()
        if begun.endswith("\\"):
            begun = begun[:-1]
            continue
        if begun.strip():
            yield start, begun.strip()
        begun = ""
    if begun.strip():
        yield start, begun.strip()


def _pin(line: str) -> tuple[Pin | None, list[str]]:
    hashes = tuple(HASH.findall(line))
    words = HASH.sub("", line).strip()
    if words.startswith("-"):
        return None, [f"{words.split()[0].split('=')[0]} is an option of pip: a list holds pins and no index's address"]
    try:
        wish = Requirement(words)
    except InvalidRequirement:
        return None, [f"{words!r} is not a requirement: write NAME==VERSION"]
    faults = []
    if wish.url is not None:
        return None, [f"{wish.name} comes from an address of its own: pin a released version with its hashes"]
    if not EXACT.match(str(wish.specifier)):
        return None, [f"{wish.name}{wish.specifier} is not one version: pin it with =="]
    if not hashes:
        faults.append(f"{wish.name} has no hash: pip could not tell a changed file")
    faults += [f"{wish.name}: {entry} is no sha256 hash" for entry in hashes if not SHA256.match(entry)]
    version = str(wish.specifier).removeprefix("==")
    return Pin(canonicalize_name(wish.name), version, wish.marker, hashes), faults


def _twice(file: str, pins: list[Pin]) -> Iterator[str]:
    """A name that one environment would be told twice; lists for several environments may repeat it under markers."""
    for index, pin in enumerate(pins):
        if any(pin.name == earlier.name and _overlap(pin, earlier) for earlier in pins[:index]):
            yield f"{file}: {pin.name} is listed twice"


def _overlap(one: Pin, other: Pin) -> bool:
    kinds: tuple[Mapping[str, str], ...] = ({}, IMAGE)
    return any(one.wanted(kind) and other.wanted(kind) for kind in kinds)
