"""From a verdict to a reply: the status to show, byte-identical while nothing changes (design §6)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from hooks.aruba.engine.keeping import keeping
from hooks.aruba.engine.leaving import leaving
from hooks.aruba.engine.recall import Past
from hooks.aruba.engine.setbacks import refused_by_kubernetes
from hooks.aruba.engine.story import Outcome, Story
from hooks.aruba.engine.values import Cloud, Mark, Memory, Raw, Step, Wish
from hooks.aruba.engine.verdict import Verdict, line
from hooks.aruba.model.live import Live
from hooks.aruba.model.marks import At, Seen
from hooks.aruba.model.phases import TIMED, Phase, Reason
from hooks.aruba.model.states import Standing, standing
from hooks.contract.replies import Busy, FinalizeReply, Reply, SyncReply
from hooks.meta.conditions import Condition, carry
from hooks.meta.outcomes import Stale, Trouble
from hooks.meta.times import format_duration, format_precise, format_time

TICK = timedelta(milliseconds=1)
"""Written times are cut to milliseconds."""
ORDER = (*map(str, Phase), "Ready", "Stalled")


def report(step: Step, story: Story, outcome: Outcome, ended: datetime) -> Reply:
    """The answer to a hook call. A stale view, and trouble with Kubernetes, say nothing and ask again.

    `ended` is when the step was done.
    """
    if isinstance(outcome, Stale):
        return Busy(1, outcome.text)
    keep = story.situation.wish is Wish.KEEP
    if isinstance(outcome, Trouble):
        if not outcome.lasting:
            return Busy(max(1, int(outcome.retry_after or 2)), outcome.text)
        verdict: Verdict | Busy = refused_by_kubernetes(story, outcome)
    else:
        verdict = keeping(step, story, outcome) if keep else leaving(step, story, outcome)
    if isinstance(verdict, Busy):
        return verdict
    seen = story.observed.live is not None and story.situation.cloud not in (Cloud.FOREIGN, Cloud.AMBIGUOUS)
    verdict = in_time(story, verdict._replace(confirmed=verdict.confirmed or seen))
    status = dict(verdict.keep) if verdict.keep is not None else compose(story, verdict, ended)
    if verdict.failure is not None or story.observed.failure is not None:
        status = same_words(status, story.past.raw)
    after = 0.0 if verdict.finalized else max(0.05, 30.0 if verdict.after is None else verdict.after)
    if keep:
        return SyncReply(status=status, resyncAfterSeconds=round(after, 3))
    return FinalizeReply(status=status, resyncAfterSeconds=round(after, 3), finalized=verdict.finalized)


def in_time(story: Story, verdict: Verdict) -> Verdict:
    """A transitory phase without progress for the time-out is shown Failed; looking and acting go on (design §6)."""
    past = story.past
    phase = verdict.phase if verdict.keep is None else past.phase
    if phase not in TIMED or verdict.restart or progressed(story) or past.started is None:
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
    """The cloud's state moved on from one that is not settled."""
    live, before = story.observed.live, story.past.cloud_state
    if live is None or not before or live.state == before:
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
    status.update(_facts(story, verdict))
    status.update(_times(story, verdict, ended))
    status["phase"] = str(verdict.phase)
    status["message"] = verdict.text[:4096]
    status["observedGeneration"] = story.parent.metadata.generation
    status["conditions"] = _conditions(story, verdict, ended)
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
    return {"phaseStartTime": start, "nextAttemptTime": pause}


def _facts(story: Story, verdict: Verdict) -> Raw:
    """IDs and what the cloud says of the resource. An error path never drops an ID (cases 12)."""
    live = story.observed.live if story.situation.cloud not in (Cloud.FOREIGN, Cloud.AMBIGUOUS) else None
    creating = verdict.phase is Phase.CREATING and verdict.restart
    if verdict.forget:
        return {"resourceID": None, "cloudState": None, **_parents(story, creating)}
    facts = _parents(story, creating)
    if live is not None:
        facts |= {"resourceID": live.id or story.past.resource_id, "cloudState": live.state, **_shown(story, live)}
    if verdict.resource_id:
        facts["resourceID"] = verdict.resource_id
    if verdict.phase is Phase.ACTIVE or (live is not None and verdict.confirmed):
        facts |= _references(story, live)
    return facts


def _parents(story: Story, creating: bool) -> Raw:
    """IDs on the path, recorded as soon as they are known: they are needed when the references are gone.

    Where something is, or may be, they are those of the place where it was asked for, whatever the spec says by now.
    """
    if story.situation.wish is not Wish.KEEP or story.violations:
        return {}
    ids = story.kind.collection.ids(story.path or "")
    if creating or story.mark is Mark.INTENT or story.memory is Memory.NEW:
        ids = story.resolved.parents(story.kind) or ids
    return {story.kind.parent_field(name).id_field: value for name, value in ids.items()}


def _shown(story: Story, live: Live) -> Raw:
    """Status fields that are marked At or Seen, such as an address."""
    facts: Raw = {}
    for name, info in story.kind.status.model_fields.items():
        for mark in info.metadata:
            if isinstance(mark, Seen):
                facts[name] = mark.read(live)
            elif isinstance(mark, At):
                facts[name] = live.get(mark.path)
    return facts


def _references(story: Story, live: Live | None) -> Raw:
    """IDs of what is referenced, as the cloud has it where it says so; what was attached elsewhere is not listed."""
    if live is None:
        return {}
    facts: Raw = {}
    placed = {story.kind.parent_field(name).name for name in story.kind.collection.placeholders}
    for field in story.kind.references:
        if field.name in placed:
            continue  # where the resource is, its path says
        wanted, has = story.resolved.ids(field), field.read(live) if field.at or field.seen else None
        facts[field.id_field] = _id_value(field.many, wanted, has, story.past.ids_of(field.id_field))
    if "volumeIDs" in story.kind.status.model_fields:
        boot, data = facts.get("bootVolumeID"), facts.get("dataVolumeIDs") or []
        facts["volumeIDs"] = [*([boot] if boot else []), *data]
    return facts


def _id_value(many: bool, wanted: Any, has: Any, recorded: frozenset[str]) -> Any:
    ours = (wanted if isinstance(wanted, frozenset) else frozenset({wanted} if wanted else ())) | recorded
    if isinstance(has, frozenset):
        kept = sorted(has & ours)
    elif has:
        kept = [str(has)]
    else:
        kept = sorted(ours if many else [wanted] if wanted else recorded)
    if many:
        return kept
    return kept[0] if kept else None


def _conditions(story: Story, verdict: Verdict, ended: datetime) -> list[Raw]:
    """One condition per phase visited, exactly one of them True, then Ready and Stalled."""
    past, now = story.past, format_time(ended)
    wanted = {
        name: _left(story, verdict, past, name)
        for name in past.conditions
        if name in set(Phase) and name != verdict.phase
    }
    generation = story.parent.metadata.generation
    wanted[verdict.phase] = Condition(verdict.phase, "True", verdict.reason, _message(verdict), generation)
    ready = Condition("Ready", verdict.ready, verdict.ready_reason, verdict.text or line(verdict), generation)
    stalled = Condition(
        "Stalled",
        "True" if verdict.stalled else "False",
        verdict.ready_reason if verdict.stalled else "NotStalled",
        verdict.text if verdict.stalled else "",
        generation,
    )
    wanted |= {"Ready": ready, "Stalled": stalled}
    others = [dict(item) for name, item in past.conditions.items() if name not in wanted]
    written = [carry(wanted[name], _as_dict(past, name), now) for name in ORDER if name in wanted]
    return [*written, *others]


def _as_dict(past: Past, name: str) -> dict[str, Any] | None:
    found = past.conditions.get(name)
    return dict(found) if found is not None else None


def _message(verdict: Verdict) -> str:
    return verdict.error if verdict.reason is Reason.FAILED and verdict.error else line(verdict)


def _left(story: Story, verdict: Verdict, past: Past, name: str) -> Condition:
    """The condition of a phase that is not the present one. A creation that a read has seen is Synchronized."""
    before = past.condition(name)
    reason, message = str(before.get("reason") or Reason.SYNCHRONIZED), str(before.get("message") or "")
    open_still = reason in (Reason.SYNCHRONIZING, Reason.SHALL_SYNCHRONIZE)
    if (name == Phase.CREATING and verdict.confirmed) or (verdict.phase is Phase.ACTIVE and open_still):
        reason, message = Reason.SYNCHRONIZED, f"{name} {Reason.SYNCHRONIZED} - OK"
    timed_out = verdict.reason is Reason.FAILED and before.get("status") == "True"
    if timed_out and name in TIMED:
        reason, message = Reason.FAILED, verdict.error
    return Condition(name, "False", reason, message, int(before.get("observedGeneration") or 0))
