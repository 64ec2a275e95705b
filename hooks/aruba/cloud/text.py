"""Foreign text made fit for a condition, an Event or a log line: one line, bounded, nothing hidden in it (cases 85)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from html import unescape

LIMIT = 1024

_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?")
_HIDDEN = re.compile(r"<(script|style)\b[^<>]*>.*?</\1\s*>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^<>]*>")
_READ = 16 * LIMIT


def one_line(text: str, limit: int = LIMIT) -> str:
    """At most `limit` characters without escapes, control or invisible ones, every run of blanks being one space."""
    seen = _ESCAPES.sub("", text[:_READ])
    kept = "".join(char for char in seen if char.isspace() or unicodedata.category(char)[0] != "C")
    line = " ".join(kept.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def readable(page: str) -> str:
    """What a person would read of a page of HTML."""
    return unescape(_TAG.sub(" ", _HIDDEN.sub(" ", page[:_READ])))


def hide(text: str, secrets: Iterable[str]) -> str:
    """The text without these secrets, should the other side have repeated one."""
    for secret in secrets:
        if secret:
            text = text.replace(secret, "***")
    return text
