"""`make audit`: what is wrong with the pinned lists, and in plain words what could not be found out here.

1 when something is wrong or a vulnerability is known; with AUDIT_STRICT=1 also when something could not be checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from packaging.utils import canonicalize_name

from tests.supply import known, offline
from tests.supply.installed import Look, look
from tests.supply.pins import IMAGE, Pinned

ASKED = ("runtime", "test", "build")
"""The lists whose vulnerabilities are asked for: what the image holds and is built with, and what developers run."""


def audit(root: Path, environ: Mapping[str, str], look: Look = look, run: known.Run = known.execute) -> int:
    listed = offline.lists(root)
    wrong = offline.faults(root, listed, look)
    _tell_pins(listed, wrong)
    if any(pinned.faults for pinned in listed):
        print("audit: pins WRONG; vulnerabilities NOT checked: the lists cannot be read as they are")
        return 1
    asked = [pinned for pinned in listed if pinned.file.removesuffix(".txt") in ASKED]
    names = {pin.name for pinned in asked for pin in pinned.pins if pin.wanted({}) or pin.wanted(IMAGE)}
    answer = known.ask(names, [root / "requirements" / pinned.file for pinned in asked], environ, run)
    unchecked = sorted(names - {canonicalize_name(name) for name in answer.checked})
    _tell_known(answer, len(names), unchecked)
    print("not looked at: whether a pinned release was withdrawn (yanked) since; pip warns when it installs such a one")
    print(_verdict(wrong, answer, len(names), unchecked))
    strict = environ.get("AUDIT_STRICT", "") not in {"", "0"}
    return int(bool(wrong or answer.found or (strict and unchecked)))


def _tell_pins(listed: list[Pinned], wrong: list[str]) -> None:
    lines = sum(len(pinned.pins) for pinned in listed)
    print(f"pins: {lines} lines in {len(listed)} lists, {len(wrong) or 'nothing'} wrong; looked at for")
    print("      one version each, sha256 hashes, no index, no duplicate;")
    print("      agreement of the lists with each other, with pyproject.toml and with what is installed;")
    print(f"      licences ({', '.join(sorted(offline.ALLOWED))}); Requires-Python")
    for fault in wrong:
        print(f"WRONG {fault}")


def _tell_known(answer: known.Known, asked: int, unchecked: list[str]) -> None:
    for line in answer.found:
        print(f"FOUND {line}")
    if not unchecked:
        print(f"vulnerabilities: all {asked} distributions checked, {len(answer.found)} found")
        return
    which = "all" if len(unchecked) == asked else ", ".join(unchecked)
    print(f"NOT CHECKED for known vulnerabilities: {len(unchecked)} of {asked} distributions ({which})")
    for line in answer.silent:
        print(f"  asked {line}")
    print("  to check: run `make audit` where PyPI's or OSV's vulnerability service can be reached,")
    print("  or with AUDIT_OSV_URL=https://.../v1/query, a copy of OSV; AUDIT_STRICT=1 fails until it was checked;")
    print("  or look the versions of dist/sbom.cdx.json (`make sbom`) up with any scanner that reads CycloneDX")


def _verdict(wrong: list[str], answer: known.Known, asked: int, unchecked: list[str]) -> str:
    """The last line, for whoever reads no other."""
    pins = "pins WRONG" if wrong else "pins ok"
    if answer.found:
        rest = f"; {len(unchecked)} of {asked} NOT checked" if unchecked else ""
        return f"audit: {pins}; {len(answer.found)} known vulnerabilities{rest}"
    if not unchecked:
        return f"audit: {pins}; no known vulnerabilities in {asked} distributions"
    why = answer.silent[0] if answer.silent else "no service answered for them"
    return f"audit: {pins}; vulnerabilities NOT checked: {len(unchecked)} of {asked} distributions; {why}"
