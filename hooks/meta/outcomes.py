"""What can come of a call to the Kubernetes API: plain values, so that the engine need not know who makes the call.

`kube` returns them, the engine reads them (design §5.2).
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Patched(NamedTuple):
    """The live object that a fenced PATCH returned."""

    raw: dict[str, Any]


class Stale(NamedTuple):
    """Our view of the object was old (409, 404, or 422 on the UID): nothing was done, ask again."""

    text: str


class Trouble(NamedTuple):
    """The call failed, or its outcome is not known. `text` is for people; `retry_after` is in seconds, as asked."""

    text: str
    retry_after: float | None = None
    lasting: bool = False
    """The server refused it for a reason that will not pass by itself: rights, admission, a schema."""
