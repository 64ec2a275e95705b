"""What is peculiar to the cloud's texts: pages of HTML."""

from __future__ import annotations

import re
from html import unescape

from hooks.meta.text import LIMIT

_HIDDEN = re.compile(r"<(script|style)\b[^<>]*>.*?</\1\s*>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^<>]*>")
_READ = 16 * LIMIT


def readable(page: str) -> str:
    """What a person would read of a page of HTML."""
    return unescape(_TAG.sub(" ", _HIDDEN.sub(" ", page[:_READ])))
