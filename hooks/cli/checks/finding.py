"""What a check found, as one line for a person."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from hooks.meta.outcomes import Trouble
from hooks.meta.text import one_line


class Level(StrEnum):
    """How bad it is; only the last makes the command fail."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


class Finding(NamedTuple):
    """What was found, and how to mend it."""

    level: Level
    what: str
    fix: str = ""

    def __str__(self) -> str:
        """The text comes from all over the cluster, so it is made fit for a terminal."""
        line = f"{self.level:<4}  {one_line(self.what)}"
        return f"{line}  — {one_line(self.fix)}" if self.fix else line


def ok(what: str) -> Finding:
    return Finding(Level.OK, what)


def warn(what: str, fix: str) -> Finding:
    return Finding(Level.WARN, what, fix)


def fail(what: str, fix: str) -> Finding:
    return Finding(Level.FAIL, what, fix)


def unseen(what: str, why: Trouble | None) -> Finding:
    """It could not be looked at: that proves nothing."""
    if why is None:
        return warn(f"{what}: not checked, this cluster does not serve that", "in local mode that is as it should be")
    return warn(f"{what}: not checked, {why.text}", "look as somebody who may")
