"""When a reading was started, in time that never jumps, and how that compares with what an asker demands.

Askers speak of the API server's time, which moves when a `Date` is learned or the machine's clock is put right. A
reading must grow neither younger nor older by that, so `listings` and `items` stamp with this and `client` translates.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from hooks.clock import Clock


def stamp(clock: Clock) -> timedelta:
    """This moment, in whole microseconds of `Clock.monotonic`: as fine as a datetime, so that the two compare."""
    return timedelta(seconds=clock.monotonic())


def floor(clock: Clock, since: datetime) -> timedelta:
    """The stamp of what was started at `since`, as far as the clock knows now."""
    return stamp(clock) - (clock.now() - since)


def moment(clock: Clock, started: timedelta) -> datetime:
    """When something with this stamp was started, by the clock as it stands now."""
    return clock.now() - (stamp(clock) - started)
