"""How the text of a setting is read: a value, or a ValueError that says what was expected. Used by `Settings` only."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from hooks.meta.times import parse_duration

Parse = Callable[[str], Any]


def text(raw: str) -> str:
    if any(ord(char) < 32 for char in raw):
        raise ValueError("expected one line of text")
    return raw


def url(raw: str) -> str:
    parts = urlsplit(raw)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment or parts.username:
        raise ValueError("expected a URL such as https://host.example/path")
    return raw.rstrip("/")


def path(raw: str) -> str:
    if not re.fullmatch(r"[\w.~-]+(/[\w.~-]+)*", raw.strip("/")) or ".." in raw:
        raise ValueError("expected a path such as name or name/name")
    return raw.strip("/")


def file(raw: str) -> str:
    if not raw.startswith("/") or "\0" in raw:
        raise ValueError("expected the whole path of a file, such as /var/run/secrets/vault/token")
    return raw


def tokens(raw: str) -> tuple[str, ...]:
    """One token a line: while one replaces another, both are good."""
    found = tuple(line.strip() for line in raw.splitlines() if line.strip())
    if any(len(token) < 16 or not re.fullmatch(r"[\x21-\x7e]+", token) for token in found):
        raise ValueError("expected one token a line, each of 16 or more visible ASCII characters")
    return found


def one_of(*words: str) -> Parse:
    def parse(raw: str) -> str:
        if raw not in words:
            raise ValueError(f"expected one of {', '.join(words)}")
        return raw

    return parse


def flag(raw: str) -> bool:
    return bool(one_of("true", "false")(raw) == "true")


def level(raw: str) -> str:
    return str(one_of("trace", "debug", "info", "warn", "error")(raw.lower()))


def span(least: float) -> Parse:
    def parse(raw: str) -> timedelta:
        span = parse_duration(raw)
        if span < timedelta(seconds=least):
            raise ValueError(f"expected a duration of {least:g}s or more")
        return span

    return parse


def rate(raw: str) -> float:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(/s)?", raw)
    if not found or not 0 < float(found[1]) <= 10_000:
        raise ValueError("expected requests per second above 0, such as 50 or 50/s")
    return float(found[1])


def count(most: int) -> Parse:
    def parse(raw: str) -> int:
        if not raw.isascii() or not raw.isdecimal() or not 1 <= int(raw) <= most:
            raise ValueError(f"expected a whole number from 1 to {most}")
        return int(raw)

    return parse
