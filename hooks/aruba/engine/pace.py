"""When the next pass is due, for verdicts that only wait: the object's own appointments and pauses."""

from __future__ import annotations

from hooks.aruba.engine import schedule
from hooks.aruba.engine.story import Story
from hooks.aruba.engine.verdict import Verdict
from hooks.aruba.model.phases import TIMED, Phase, Reason
from hooks.aruba.model.states import States

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
