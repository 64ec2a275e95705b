"""Finds what looks like a real secret in a text. A table of shapes, since the shapes here are few.

The test of field case 87 runs it over every tracked file. A library of such tables, detect-secrets, was tried: half a
minute for this repository, and it does not know Vault's tokens.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from types import MappingProxyType

WORDS = r"(?:secret|token|passwo?r?d|credential|(?:api|access|private)[-_ ]?key|(?:client|role)[-_ ]?id)"

SHAPES = MappingProxyType(
    {
        "private key": re.compile(r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"),
        "JSON web token": re.compile(r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}"),
        "AWS access key": re.compile(r"\b(?:AKIA|ASIA|AROA)[A-Z0-9]{16}\b"),
        "Vault token": re.compile(r"\b(?:hv[sbr]\.[\w-]{20,}|[sbr]\.(?=\w*\d)(?=\w*[A-Z])[A-Za-z0-9]{24,}\b)"),
        "token of a code host": re.compile(
            r"\b(?:gh[pousr]_\w{36,}|github_pat_\w{30,}|glpat-[\w-]{20,}|xox[abps]-[\w-]{10,})"
        ),
        "password in a URL": re.compile(r"\b[a-z][a-z0-9+]*://[^\s/:@'\"{}<>$]+:(?P<value>[^\s/:@'\"{}<>$]{3,})@"),
    }
)
"""Shapes that are secrets wherever they stand; `value` is the part that is one, if not all of it."""

NAMED = re.compile(
    WORDS
    + r"""[\w.\-]*["'`\])]*(?:[ \t]*(?:=>|[:=]+|,?\s*["']?value["']?\s*[:=])[ \t]*|[ \t]+)["'`(]*"""
    + r"(?P<value>[A-Za-z0-9+/=_.\-]{16,})",
    re.IGNORECASE,
)
"""A long value beside a word for it: `client-secret: …`, `TOKEN=…`, `--role-id …`, `name: …, value: …`."""

UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z", re.IGNORECASE)
HEX = re.compile(r"(?:0x)?[0-9a-f]{16,}\Z", re.IGNORECASE)
MIXED = re.compile(r"(?=.*[0-9])(?=.*[A-Za-z])[A-Za-z0-9+/=_-]+\Z")


MADE_UP = re.compile(
    r"example|canary|made[-_]?up|dummy|fake|placeholder|changeme|not[-_]?(?:a[-_]?)?(?:real|secret)", re.IGNORECASE
)
"""A value that says of itself that it is none. Tests that plant secrets spell them so."""


@dataclass(frozen=True)
class Finding:
    """Where it is, what it looks like, and the value itself, of which a report shows the beginning only."""

    file: str
    line: int
    shape: str
    value: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: looks like a {self.shape}: {self.value[:6]}… ({len(self.value)} characters)"


def scan(file: str, text: str) -> Iterator[Finding]:
    """Every look-alike of a text, each value once."""
    seen: set[str] = set()
    for shape, value, start in _values(text):
        if value not in seen and not MADE_UP.search(value):
            seen.add(value)
            yield Finding(file, text.count("\n", 0, start) + 1, shape, value)


def _values(text: str) -> Iterator[tuple[str, str, int]]:
    for shape, pattern in SHAPES.items():
        for match in pattern.finditer(text):
            yield shape, match.groupdict().get("value") or match.group(), match.start()
    for match in NAMED.finditer(text):
        value = match.group("value").strip(".=")
        if random_looking(value):
            yield "secret by its name", value, match.start("value")


def random_looking(value: str) -> bool:
    """Whether chance made it rather than a person: identifiers, words and paths repeat letters, and have few digits."""
    if UUID.match(value):
        return entropy(value) > 2.5
    if HEX.match(value):
        return entropy(value) > 3.0
    if not MIXED.match(value):
        return False
    kinds = ["d" if letter.isdigit() else "u" if letter.isupper() else "l" for letter in value if letter.isalnum()]
    changes = sum(one != other for one, other in itertools.pairwise(kinds))
    return entropy(value) > 3.5 and changes >= len(kinds) / 4


def entropy(value: str) -> float:
    """Bits a character: 4 at most for hex, 6 for base64; English text comes to about 3 in words of this length."""
    return -sum(count / len(value) * math.log2(count / len(value)) for count in Counter(value).values())
