"""Who may call the hooks: whoever sends a bearer token that they were given. `passes` asks before it reads a body.

Client certificates are the other way; the TLS handshake judges those (`tls`). With neither, nobody but this machine
can reach the hooks (`stack.serving`), unless the settings say that it does not matter (cases 19).
"""

from __future__ import annotations

from collections.abc import Callable
from hmac import compare_digest
from typing import NamedTuple

from starlette.datastructures import Headers

from hooks.edge.health import Reasons, nothing

Tokens = Callable[[], tuple[str, ...]]
Authorise = Callable[[Headers], str | None]
"""Why a caller is not let in, judged by the headers; None lets it in."""


def anybody(_headers: Headers) -> str | None:
    """Lets every caller in: local hooks need no authentication."""
    return None


class Front(NamedTuple):
    """What a process is to its callers: who is let in, why it should not be called, and what else is to be told."""

    authorise: Authorise = anybody
    own: Reasons = nothing
    notes: Reasons = nothing


OPEN = Front()


class Callers:
    """`tokens` are those that are good now; `trusted`: without any, callers are let in all the same."""

    def __init__(self, tokens: Tokens, trusted: bool) -> None:
        self._tokens = tokens
        self._trusted = trusted

    def __call__(self, headers: Headers) -> str | None:
        """Why a caller is not let in; None lets it in. The time that it takes tells nothing of the token."""
        good = self._tokens()
        if not good:
            return None if self._trusted else "no hook-token is set any more, so nobody is let in"
        scheme, _, sent = headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not sent:
            return "the caller sent no token"
        given = sent.strip().encode("latin-1", "replace")
        matches = [compare_digest(given, token.encode()) for token in good]
        return None if any(matches) else "the token that the caller sent is not known"
