"""How the API server's answers are read: one classification for all calls. Used by `client` and `events`."""

from __future__ import annotations

from typing import Any

from hooks.http import Response
from hooks.meta import text as meta_text
from hooks.meta.outcomes import Stale, Trouble

Raw = dict[str, Any]
LONGEST = 1024


def one_line(text: str, limit: int = LONGEST) -> str:
    """The text on one line, cut to so many bytes, as Events count: it may be anybody's (cases 85)."""
    clean = meta_text.one_line(text, limit)
    raw = clean.encode("utf-8", "replace")
    return clean if len(raw) <= limit else raw[: limit - 3].decode("utf-8", "ignore") + "..."


def body(response: Response) -> Raw:
    """The JSON object of an answer; empty for anything else."""
    try:
        read = response.json()
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}


def found_nothing(response: Response) -> bool:
    """The API server itself says, naming it, that there is no such object.

    A proxy's 404 proves nothing, nor does one about a kind that is not served.
    """
    status = body(response) if response.status_code == 404 else {}
    return status.get("kind") == "Status" and bool((status.get("details") or {}).get("name"))


def refused_precondition(response: Response) -> bool:
    """The object is not the one that the caller was shown, by version or by UID (design §5.2)."""
    if response.status_code != 422:
        return response.status_code == 409
    status = body(response)
    causes = (status.get("details") or {}).get("causes") or []
    fields = {cause.get("field") for cause in causes if isinstance(cause, dict)}
    return "metadata.uid" in fields or "metadata.uid" in str(status.get("message", ""))


def stale(response: Response) -> Stale:
    return Stale(_said(response))


PASSING = frozenset({401, 404, 408, 409, 410, 429})
"""Refusals that a later call may not meet: tokens rotate, kinds appear, views age, loads fall."""


def trouble(response: Response) -> Trouble:
    """Any other refusal, in the server's words, with the pause that it asked for."""
    status = response.status_code
    lasting = 400 <= status < 500 and status not in PASSING
    return Trouble(one_line(f"the Kubernetes API answered {status}: {_said(response)}"), _pause(response), lasting)


def _said(response: Response) -> str:
    status = body(response)
    text = status.get("message") or status.get("reason") or response.reason_phrase or "no explanation"
    return one_line(str(text))


def _pause(response: Response) -> float | None:
    asked = response.headers.get("Retry-After", "")
    return float(asked) if asked.isascii() and asked.isdecimal() else None
