"""From a verdict to a reply: the status to show, byte-identical while nothing changes (design §6)."""

from __future__ import annotations

from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any

from hooks.aruba.engine.conditions import conditions, resumed, shelved
from hooks.aruba.engine.facts import facts
from hooks.aruba.engine.keeping import keeping
from hooks.aruba.engine.leaving import leaving
from hooks.aruba.engine.notes import reconcile_at
from hooks.aruba.engine.pace import unheard
from hooks.aruba.engine.setbacks import refused_by_kubernetes
from hooks.aruba.engine.story import Outcome, Story
from hooks.aruba.engine.values import NOT_OURS, Raw, Step, Wish
from hooks.aruba.engine.verdict import Verdict
from hooks.aruba.engine.withheld import proposed, suspended
from hooks.aruba.model.failure import Cause
from hooks.aruba.model.phases import TIMED, Phase, Reason
from hooks.aruba.model.states import Standing, standing
from hooks.contract.replies import Busy, FinalizeReply, Reply, SyncReply
from hooks.meta.outcomes import Stale, Trouble
from hooks.meta.text import one_line
from hooks.meta.times import format_duration, format_precise, format_time

LONGEST = 4096
"""Characters of a message."""
TICK = timedelta(milliseconds=1)
"""Written times are cut to milliseconds."""


_WITHHELD = MappingProxyType({Step.PROPOSE: proposed, Step.SUSPEND: suspended})
_AFTER_A_CHANGE = (Phase.UPDATING, Phase.WAITING, Phase.FAILED)


def report(step: Step, story: Story, outcome: Outcome, ended: datetime) -> Reply:
    """The answer to a hook call. A stale view, and trouble with Kubernetes, say nothing and ask again.

    `ended` is when the step was done.
    """
    if isinstance(outcome, Stale):
        return Busy(1, outcome.text)
    keep = story.situation.wish is Wish.KEEP
    if isinstance(outcome, Trouble):
        if not outcome.lasting:
            return unheard(story.parent, outcome, story.now)
        verdict: Verdict | Busy = refused_by_kubernetes(story, outcome)
    elif step in _WITHHELD:
        verdict = _WITHHELD[step](story)
    else:
        verdict = keeping(step, story, outcome) if keep else leaving(step, story, outcome)
    if isinstance(verdict, Busy):
        return verdict
    seen = story.observed.live is not None and story.situation.cloud not in NOT_OURS
    verdict = legible(noted(story, in_time(story, verdict._replace(confirmed=verdict.confirmed or seen))))
    kept = None if verdict.keep is None else resumed(dict(verdict.keep), story, ended)
    status = compose(story, verdict, ended) if kept is None else kept
    if step is Step.SUSPEND and keep and story.past.phase:
        status = shelved(story, verdict, ended)
    if verdict.failure is not None or story.observed.failure is not None:
        status = same_words(status, story.past.raw)
    if story.asked_anew and story.observed.failure is None and step is not Step.SUSPEND:
        status["lastHandledReconcileAt"] = reconcile_at(story.parent.metadata)
    after = 0.0 if verdict.finalized else max(0.05, 30.0 if verdict.after is None else verdict.after)
    if keep:
        return SyncReply(status=status, resyncAfterSeconds=round(after, 3))
    return FinalizeReply(status=status, resyncAfterSeconds=round(after, 3), finalized=verdict.finalized)


def noted(story: Story, verdict: Verdict) -> Verdict:
    """Words of policies that nobody can read are told with whatever else is said."""
    return verdict._replace(text="; ".join(filter(None, (verdict.text, *story.policies.unreadable))))


def legible(verdict: Verdict) -> Verdict:
    """Words of the cloud and of users may be anything: long, in many lines, with escapes in them (cases 85)."""
    return verdict._replace(text=one_line(verdict.text, LONGEST), error=one_line(verdict.error, LONGEST))


def in_time(story: Story, verdict: Verdict) -> Verdict:
    """A transitory phase without progress for the time-out is shown Failed; looking and acting go on (design §6)."""
    past = story.past
    phase = verdict.phase if verdict.keep is None else past.phase
    if phase not in TIMED or verdict.restart or verdict.untimed or progressed(story) or past.started is None:
        return verdict
    if story.now - past.started <= story.timeout:
        return verdict
    told = f"phase timeout exceeded ({format_duration(story.timeout)})"
    waiting = verdict.text or str(past.raw.get("message") or "")
    text = f"{phase} took longer than {format_duration(story.timeout)} without progress. {waiting}".strip()
    return verdict._replace(
        phase=Phase.FAILED,
        reason=Reason.FAILED,
        text=text,
        ready_reason="Timeout",
        ready="False",
        keep=None,
        failure=None,
        error=f"{phase} Failed - {told}",
    )


def progressed(story: Story) -> bool:
    """The cloud's state moved on from one that is not settled. That it went through one without applying the change
    that it took is no progress.
    """
    live, before = story.observed.live, story.past.cloud_state
    if story.repeating or live is None or not before or live.state == before:
        return False
    return standing(story.kind.states, before) is not Standing.READY


def same_words(status: Raw, before: Raw) -> Raw:
    """A failure that goes on keeps the words that it was first told in.

    Each attempt brings a new trace ID, often another text; told anew each time, every pass would write, and every
    write wake the next pass.
    """
    if outline(before) != outline(status):
        return status
    return {**status, "message": before.get("message", ""), "conditions": _worded(status, before)}


def outline(status: Raw) -> tuple[Any, ...]:
    """Phase and conditions without words and times."""
    parts = ("type", "status", "reason", "observedGeneration")
    conditions = [tuple(item.get(part) for part in parts) for item in status.get("conditions", ())]
    return status.get("phase"), conditions


def _worded(status: Raw, words: Raw) -> list[Raw]:
    pairs = zip(status["conditions"], words["conditions"], strict=True)
    return [{**new, "message": old.get("message", "")} for new, old in pairs]


def compose(story: Story, verdict: Verdict, ended: datetime) -> Raw:
    """The whole status: what was there and is not ours to change stays."""
    status = dict(story.past.raw)
    status.update(facts(story, verdict))
    status.update(_times(story, verdict, ended))
    status["phase"] = str(verdict.phase)
    status["message"] = verdict.text
    status["observedGeneration"] = story.parent.metadata.generation
    status["conditions"] = conditions(story, verdict, ended)
    return {key: value for key, value in status.items() if value not in (None, [], "")}


def _times(story: Story, verdict: Verdict, ended: datetime) -> Raw:
    """A phase starts when its call was answered: no reading from before that counts for it."""
    started = story.past.started
    if verdict.phase in TIMED:
        anew = verdict.restart or started is None or progressed(story)
        start = format_precise(ended + TICK) if anew else story.past.raw.get("phaseStartTime")
    elif verdict.phase is Phase.FAILED:
        start = story.past.raw.get("phaseStartTime")
    else:
        start = None
    pause = None if verdict.pause is None else format_time(ended + timedelta(seconds=verdict.pause))
    if pause is None and verdict.failure is not None and not story.due:
        pause = story.past.raw.get("nextAttemptTime")  # a look that failed does not end the pause
    sent = story.past.last_change and verdict.phase in _AFTER_A_CHANGE and verdict.change is None
    if pause is None and (sent or verdict.reason is Reason.FAILED):
        pause = story.past.raw.get("nextAttemptTime")  # until it shows, or is sent again
    return {"phaseStartTime": start, "nextAttemptTime": pause, "missingSince": _missing(story, verdict, ended)}


def _missing(story: Story, verdict: Verdict, ended: datetime) -> str | None:
    """The first doubt about the loss of a whole project; the second look, a window later, counts from it."""
    doubts = (verdict.failure, story.observed.failure)
    if story.situation.wish is Wish.DELETE and any(f is not None and f.cause is Cause.BLIND for f in doubts):
        return story.past.raw.get("missingSince") or format_precise(ended)
    return None if story.observed.live is not None else story.past.raw.get("missingSince")
