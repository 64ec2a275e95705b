"""When to look again: pure functions of an object's own times, so that every replica keeps the same appointments.

Points lie a little after round times, because a platform's jobs tend to take them; they start close together and
spread (design §8). Nothing here remembers anything.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from datetime import UTC, datetime, timedelta
from math import floor

EARLY = (2.2, 5.5, 10.2, 15.3, 20.5, 31.0, 40.5, 50.5, 60.5)
"""Seconds after the start at which a change is first looked for."""
STEADY = 15.0
"""Seconds between looks later on."""
NET = 30.0
"""Longest time that any waiting phase goes without a pass, as a net under lost wake-ups."""


CHANGE_SHOWS = 60.0
"""Seconds that a change which the cloud took may need to show, before it is sent again."""


def points(start: datetime, now: datetime, at_once: bool = False) -> tuple[datetime | None, datetime]:
    """The last look that was due at or before `now` (None before the first) and the next one after it.

    `at_once` puts a first point at the very start, for kinds that are ready as soon as they exist.
    """
    elapsed = (now - start).total_seconds()
    early = (0.0, *EARLY) if at_once else EARLY
    at = bisect_right(early, elapsed)
    if at < len(early):
        last = None if at == 0 else start + timedelta(seconds=early[at - 1])
        return last, start + timedelta(seconds=early[at])
    beyond = int((elapsed - early[-1]) // STEADY)
    last = start + timedelta(seconds=early[-1] + beyond * STEADY)
    return last, last + timedelta(seconds=STEADY)


def spread(uid: str, turn: int = 0) -> float:
    """A number in [0, 1) that is the object's own: jitter without a source of chance."""
    digest = hashlib.sha256(f"{uid}/{turn}".encode()).digest()
    return int.from_bytes(digest[:4], "big") / 2**32


def pause(elapsed: float, uid: str, cap: float = 60.0) -> float:
    """Seconds to wait after a failed call: grows with the time already spent, with jitter, up to `cap`."""
    base = min(max(2.0, elapsed * 0.5), cap)
    return base * (0.8 + 0.4 * spread(uid, int(elapsed)))


def at_rest(period: timedelta, group: str, uid: str, now: datetime) -> tuple[datetime, datetime]:
    """The last and the next appointment of an object at rest; they are 0.95 periods apart, for ever.

    Objects of one group (a collection) meet within a tenth of a period, so that one listing serves them; groups are
    spread over the whole of it. With readings up to `SHARED` of a period older than an appointment allowed, a change
    is noticed within 1.05 periods.
    """
    step = period.total_seconds() * 0.95
    offset = spread(group) * step + spread(uid) * step * SHARED
    turn = floor((now.timestamp() - offset) / step)
    last = datetime.fromtimestamp(turn * step + offset, UTC)
    return last, last + timedelta(seconds=step)


SHARED = 0.1
