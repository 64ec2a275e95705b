"""The half of the audit that needs a service: known vulnerabilities, asked for by pip-audit.

pip-audit takes a distribution that its service does not know for one without vulnerabilities, and ends well. An index
mirror that answers no such questions would so pass for a clean bill: here, what was skipped counts as not checked.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Run = Callable[[Sequence[str]], tuple[str, str]]
"""Runs a command line and returns its stdout and stderr."""


@dataclass
class Known:
    """`checked`: the names some service answered for; `found`: a line a vulnerability; `silent`: who said nothing."""

    checked: set[str] = field(default_factory=set)
    found: list[str] = field(default_factory=list)
    silent: list[str] = field(default_factory=list)


def services(environ: Mapping[str, str]) -> list[tuple[str, list[str]]]:
    """Whom to ask, in this order, each only while something is unanswered; AUDIT_OSV_URL names the only one to ask."""
    url = environ.get("AUDIT_OSV_URL", "")
    if url:
        return [(url, ["--vulnerability-service", "osv", "--osv-url", url])]
    return [("PyPI", ["--vulnerability-service", "pypi"]), ("OSV", ["--vulnerability-service", "osv"])]


def ask(names: Iterable[str], files: Sequence[Path], environ: Mapping[str, str], run: Run) -> Known:
    known, wanted = Known(), set(names)
    for service, words in services(environ):
        if wanted <= known.checked:
            break
        out, err = run([*COMMAND, *words, *(word for file in files for word in ("--requirement", str(file)))])
        _take(known, service, out, err)
    return known


COMMAND = (sys.executable, "-m", "pip_audit", "--disable-pip", "--format", "json", "--progress-spinner", "off")


def execute(words: Sequence[str]) -> tuple[str, str]:
    """Five minutes are plenty for a hundred questions; a service that hangs is one that does not answer."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    except subprocess.TimeoutExpired:
        return "", "no answer within five minutes"
    return done.stdout, done.stderr


def _take(known: Known, service: str, out: str, err: str) -> None:
    try:
        answers = json.loads(out)["dependencies"]
    except (ValueError, KeyError, TypeError):
        known.silent.append(f"{service}: {_reason(err)}")
        return
    skipped = [answer for answer in answers if "skip_reason" in answer]
    if skipped:
        known.silent.append(
            f"{service}: does not know {len(skipped)} of {len(answers)} (a mirror may not pass this on)"
        )
    for answer in answers:
        if "skip_reason" not in answer:
            known.checked.add(answer["name"])
            known.found += [_line(answer, entry) for entry in answer["vulns"]]


def _line(answer: dict[str, Any], entry: dict[str, Any]) -> str:
    fixed = ", ".join(entry["fix_versions"]) or "no release yet"
    aliases = "".join(f", {alias}" for alias in entry.get("aliases", ()))
    return f"{answer['name']} {answer['version']}: {entry['id']}{aliases}; fixed in {fixed}"


def _reason(err: str) -> str:
    """The last line of a traceback or of pip-audit's own complaint, which names host and cause."""
    lines = [line.strip() for line in err.splitlines() if line.strip()]
    return lines[-1][:300] if lines else "no answer, and no reason given"
