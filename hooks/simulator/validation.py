"""Reading what a client sent: unknown members are ignored, wrong ones are collected into one refusal.

Used by the families' rules when they turn a request body into properties.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from hooks.simulator.errors import Finding, dependency, invalid
from hooks.simulator.resource import Kind, Resource
from hooks.simulator.world import World

REGION = "ITBG-Bergamo"
ZONES = frozenset({"ITBG-1", "ITBG-2", "ITBG-3"})
PERIODS = frozenset({"Hour", "Month", "Year"})
_TAG = re.compile(r"[A-Za-z0-9-]+")
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{2,48})[A-Za-z0-9]")


class Reader:
    """One object of a request body. Getters note what is wrong; `check` refuses if anything was."""

    def __init__(self, body: Any, findings: list[Finding] | None = None) -> None:
        self.findings: list[Finding] = [] if findings is None else findings
        if body is not None and not isinstance(body, dict):
            self.note("Body", "an object is expected")
        self._body: dict[str, Any] = body if isinstance(body, dict) else {}

    def __contains__(self, name: str) -> bool:
        return self._body.get(name) is not None

    def note(self, field: str, message: str) -> None:
        self.findings.append((field[:1].upper() + field[1:], message))

    def check(self) -> None:
        if self.findings:
            raise invalid(*self.findings)

    def inner(self, name: str) -> Reader:
        """A nested object; what is wrong in it is noted here."""
        value = self._body.get(name)
        if value is not None and not isinstance(value, dict):
            self.note(name, "an object is expected")
            value = None
        return Reader(value, self.findings)

    def text(self, name: str, *, required: bool = False) -> str | None:
        value: str | None = self._typed(name, str, "a string is expected")
        if required and (name not in self or value == ""):
            self._missing(name)
        return value

    def flag(self, name: str) -> bool | None:
        value: bool | None = self._typed(name, bool, "true or false is expected")
        return value

    def number(self, name: str, *, required: bool = False) -> int | None:
        value: int | None = self._typed(name, int, "an integer is expected")
        if required and name not in self:
            self._missing(name)
        return value

    def choice(self, name: str, allowed: Collection[str], default: str | None = None) -> str | None:
        """One of the allowed words, in any case; `default` when absent, which is an error if there is none."""
        value = self.text(name, required=default is None)
        if not value:
            return default
        for word in allowed:
            if word.lower() == value.lower():
                return word
        self.note(name, f"'{value}' is not one of {', '.join(sorted(allowed))}")
        return default

    def items(self, name: str) -> list[Any]:
        return self._typed(name, list, "a list is expected") or []

    def uri(self, name: str, *, required: bool = False) -> str | None:
        """The URI of a reference object."""
        if required and name not in self:
            self._missing(name)
        return self.inner(name).text("uri", required=name in self) or None

    def uris(self, name: str, *, required: bool = False) -> list[str]:
        values = [Reader(item, self.findings).text("uri", required=True) for item in self.items(name)]
        if required and not self._body.get(name):
            self._missing(name)
        return [value for value in values if value]

    def _missing(self, name: str) -> None:
        self.note(name, f"{name} must not be empty")

    def _typed(self, name: str, wanted: type, message: str) -> Any:
        value = self._body.get(name)
        if value is None:
            return None
        if not isinstance(value, wanted) or (wanted is int and isinstance(value, bool)):
            self.note(name, message)
            return None
        return value


def read_name(world: World, metadata: Reader) -> str:
    name = metadata.text("name", required=True) or ""
    if name and world.quirks.strict_names and not _NAME.fullmatch(name):
        metadata.note("name", "4 to 50 letters, digits and hyphens, no hyphen first or last")
    return name


def read_tags(metadata: Reader) -> list[str] | None:
    """4 to 30 letters, digits and hyphens each; absent is none."""
    if "tags" not in metadata:
        return None
    tags = metadata.items("tags")
    for tag in tags:
        if not isinstance(tag, str) or len(tag) < 4:
            metadata.note("Tag", "length must be at least 4")
        elif len(tag) > 30:
            metadata.note("Tag", "length must be at most 30")
        elif not _TAG.fullmatch(tag):
            metadata.note("Tag", "only letters, digits and hyphens are allowed")
    return tags


def read_region(metadata: Reader, *, required: bool) -> str | None:
    """The only region there is; an unknown one is refused in the words of the documentation."""
    value = metadata.inner("location").text("value", required=required)
    if value and value != REGION:
        metadata.note("Name", f"Location Value: {value} not found.")
    return value or None


def last_segment(uri: str) -> str:
    return uri.rstrip("/").rpartition("/")[2].lower()


def resolve(world: World, project: Resource, kind: Kind, uri: str | None, what: str) -> Resource | None:
    """The resource that a URI refers to by its last segment; absent stays None, unknown is a dependency error."""
    if uri is None:
        return None
    found = world.store.find(last_segment(uri))
    if found is None or found.kind is not kind or found.project is not project or not world.readable(found):
        raise dependency(f"{what} not found")
    return found
