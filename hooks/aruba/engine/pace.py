"""When the next pass is due, for verdicts that only wait: the object's own appointments and pauses."""

from __future__ import annotations

from datetime import datetime
from math import ceil

from hooks.aruba.engine import schedule
from hooks.aruba.engine.story import Story
from hooks.aruba.engine.verdict import Verdict
from hooks.aruba.model.phases import TIMED, Phase, Reason
from hooks.aruba.model.states import States
from hooks.contract.replies import Busy
from hooks.contract.requests import Parent
from hooks.meta.outcomes import Trouble
from hooks.meta.times import parse_time

CHANGING = (Phase.UPDATING, Phase.WAITING, Phase.FAILED)


def next_look(story: Story) -> float:
    """Seconds to the next look, or to the end of a pause after a refused call; never beyond the net.

    A change that the cloud took is looked for all the time that it is not sent again.
    """
    past, now = story.past, story.now
    taken = past.phase in CHANGING and past.change_taken
    if not taken and past.next_attempt is not None and past.next_attempt > now:
        return min((past.next_attempt - now).total_seconds() + 0.1, schedule.NET)
    timed = past.phase in TIMED or past.phase == Phase.FAILED
    start = past.started if timed and past.started is not None else now
    return (schedule.points(start, now, story.kind.states is States.EXISTS)[1] - now).total_seconds()


def again(story: Story, after: float | None = None) -> Verdict:
    """Nothing new is known: the status as it was, and the next appointment."""
    due = next_look(story) if after is None else after
    return Verdict(Phase.PENDING, Reason.SYNCHRONIZED, "", "", after=due, keep=story.past.raw)


def unheard(parent: Parent, trouble: Trouble, now: datetime, what: str = "") -> Busy:
    """Kubernetes could not be asked, so nothing is known and nothing said: again when it says, else soon.

    Soon for what has just begun; an object that has been in its phase for long asks a server in trouble less often.
    """
    own = schedule.pause(_in_phase(parent, now), parent.metadata.uid, cap=schedule.STEADY)
    wait = trouble.retry_after or min(own, schedule.STEADY)
    return Busy(max(1, ceil(wait)), f"{what}{trouble.text}")


def unstored(story: Story) -> float:
    """Seconds to a pass that a stored status would have woken by itself: longer, the longer it cannot be stored."""
    wait = schedule.pause(_in_phase(story.parent, story.now), story.parent.metadata.uid, cap=schedule.NET)
    return min(wait, schedule.NET)


def _in_phase(parent: Parent, now: datetime) -> float:
    """Seconds since its phase began; of an object without a status, since it was made."""
    began = parse_time((parent.status or {}).get("phaseStartTime")) or parent.metadata.creationTimestamp or now
    return (now - began).total_seconds()
