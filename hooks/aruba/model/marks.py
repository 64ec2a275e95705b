"""Marks on the fields of a kind: where a value goes in the API's body, where it is seen, what it points at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from hooks.aruba.model.live import Live


class At(NamedTuple):
    """Written to, and read from, this dotted path under `properties`."""

    path: str


class AtMeta(NamedTuple):
    """Written to, and read from, this dotted path under `metadata`."""

    path: str


class Seen(NamedTuple):
    """Read by a function where the answer's shape differs from the request's (api §8.9); None means not returned.

    A reference that is Seen without At is never in the POST and no condition of it: it is attached later.
    """

    read: Callable[[Live], Any]


class To(NamedTuple):
    """A reference, or a list of references, to objects of this kind."""

    kind: str


class Column(NamedTuple):
    """A printer column of this name; priority 1 shows only with `-o wide`."""

    name: str
    priority: int = 0
    type: str = "string"


class Grows(NamedTuple):
    """A number that may grow and never shrink."""


class Ignored(NamedTuple):
    """Deliberately not compared with the cloud, and why."""

    why: str


class Word(NamedTuple):
    """A word of the platform's, such as a region: its case says nothing (cases 15). Literals are words anyway."""


class Absent(NamedTuple):
    """What a field that is left out asks for, where the cloud always shows one."""

    means: Any


class Exclusive(NamedTuple):
    """The referenced resource serves one holder at a time, shown in its `linkedResources` (cases 45)."""


class Of(NamedTuple):
    """A status field that repeats one of a referenced object's, such as the public address of a server."""

    reference: str
    field: str
