"""What crosses the port between engine and cloud: the engine asks with these words, `hooks.aruba.cloud` answers."""

from __future__ import annotations

from datetime import datetime
from enum import Enum
from typing import Any, NamedTuple

from hooks.aruba.model.live import Live


class Call(NamedTuple):
    """One write: method, path below the gateway, body, and the `api-version` of the operation (api §3.1)."""

    method: str
    path: str
    body: dict[str, Any] | None = None
    version: str = "1.0"


Around = Enum("Around", "STANDS GONE LAST NOTHING")
"""What is around something that is not found: its project answers; the project is gone too, others are there; it was a
project, no other is there, and nothing was seen in it lately; or no project at all is visible to these credentials, as
behind a proxy that has lost its way (cases 14)."""


class Listing(NamedTuple):
    """A collection as it was when its read was started. Absence is proven by it only when it is `complete`."""

    rows: tuple[Live, ...]
    complete: bool
    started: datetime


class Reading(NamedTuple):
    """One resource by its ID: `live` is None when the API itself said that it is gone. `namesakes` are others of its
    name in the same collection, None where the read did not show them.
    """

    live: Live | None
    started: datetime
    namesakes: tuple[Live, ...] | None = None
