"""Segments of a cloud path: the one guard against an ID that would lead a request elsewhere (cases 9).

Kinds build their collections' paths with it, the cloud client checks every path again before anything is sent.
"""

from __future__ import annotations

import re

_SEGMENT = re.compile(r"[A-Za-z0-9_~-][A-Za-z0-9._~-]*")


def segment(text: str) -> str:
    """The same text, if it may stand as one segment of a path; ValueError otherwise.

    Only characters that need no escaping may: no blank, slash, percent, query, fragment or dot segment gets through.
    """
    if not _SEGMENT.fullmatch(text):
        raise ValueError(f"{text!r} cannot stand in the path of a request")
    return text
