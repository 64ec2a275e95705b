"""Paths below the gateway: put together from guarded segments, so that no ID can lead a request elsewhere (cases 9).

The sessions build every URL here before anything is sent.
"""

from __future__ import annotations

import re

from hooks.aruba.model.paths import segment

PROJECTS = "/projects"

_WORD = re.compile(r"[A-Za-z]{1,40}")


def checked(path: str) -> str:
    """The same path, if each of its segments may stand; ValueError otherwise."""
    root, *segments = path.split("/")
    if root or not segments:
        raise ValueError(f"{path!r} is not a path below the gateway")
    for part in segments:
        segment(part)
    return path


def item(collection: str, resource_id: str) -> str:
    """The path of one resource."""
    return f"{checked(collection)}/{segment(resource_id)}"


def project(path: str) -> str:
    """The ID of the project that a path lies in; empty for the projects themselves."""
    _, root, *rest = path.split("/")
    return rest[0] if f"/{root}" == PROJECTS and rest else ""


def label(path: str) -> str:
    """The last collection (or action) that a path names: few words, never an ID, fit for a metric."""
    words = path.split("/")[1:]
    tail = words[4:] if "providers" in words[2:3] else words
    name = tail[(len(tail) - 1) // 2 * 2] if tail else ""
    return name if _WORD.fullmatch(name) else "other"
