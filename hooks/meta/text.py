"""Foreign text made fit for a condition, an Event or a log line: one line, bounded, nothing hidden in it (cases 85)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

LIMIT = 1024

_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?")
_READ = 16


def one_line(text: str, limit: int = LIMIT) -> str:
    """At most `limit` characters without escapes, control or invisible ones, every run of blanks being one space."""
    seen = _ESCAPES.sub("", text[: _READ * limit])
    line = " ".join("".join(map(_visible, seen)).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def _visible(char: str) -> str:
    """A control character separates, one that only steers the display is left out."""
    if char.isspace():
        return char
    category = unicodedata.category(char)
    return " " if category == "Cc" else "" if category[0] == "C" else char


def hide(text: str, secrets: Iterable[str]) -> str:
    """The text without these secrets, should the other side have repeated one."""
    for secret in secrets:
        if secret:
            text = text.replace(secret, "***")
    return text
