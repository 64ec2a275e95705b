"""The conditions of a status: one per phase visited, exactly one of them True, then those that tools go by."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from hooks.aruba.engine.recall import Past
from hooks.aruba.engine.story import Story
from hooks.aruba.engine.values import Raw
from hooks.aruba.engine.verdict import Verdict, line
from hooks.aruba.model.phases import TIMED, Phase, Reason
from hooks.meta.conditions import Condition, carry
from hooks.meta.times import format_time

ORDER = (*map(str, Phase), "Ready", "Stalled", "ChangeRefused", "Suspended")


def conditions(story: Story, verdict: Verdict, ended: datetime) -> list[Raw]:
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
    if verdict.ready_reason == "ChangeRefused" or "ChangeRefused" in past.conditions:
        wanted["ChangeRefused"] = _change_refused(verdict, generation)
    if verdict.ready_reason == "Suspended" or "Suspended" in past.conditions:
        wanted["Suspended"] = _suspended(verdict.text if verdict.ready_reason == "Suspended" else "", generation)
    others = [dict(item) for name, item in past.conditions.items() if name not in wanted]
    written = [carry(wanted[name], _as_dict(past, name), now) for name in ORDER if name in wanted]
    return [*written, *others]


def _change_refused(verdict: Verdict, generation: int) -> Condition:
    """There from the first refusal on."""
    if verdict.ready_reason == "ChangeRefused":
        return Condition("ChangeRefused", "True", "FieldsFixed", verdict.text, generation)
    return Condition("ChangeRefused", "False", "NothingRefused", "", generation)


def _suspended(text: str, generation: int) -> Condition:
    """True with words, False without any."""
    status, reason = ("True", "AskedFor") if text else ("False", "NotSuspended")
    return Condition("Suspended", status, reason, text, generation)


def _retold(story: Story, text: str, ended: datetime) -> dict[str, Any]:
    told = _suspended(text, story.parent.metadata.generation)
    return carry(told, _as_dict(story.past, "Suspended"), format_time(ended))


def shelved(story: Story, verdict: Verdict, ended: datetime) -> Raw:
    """The status as it was, phase and Ready too, but for the word that it is suspended."""
    told = _retold(story, verdict.text, ended)
    kept = [dict(item) for name, item in story.past.conditions.items() if name != "Suspended"]
    return {**story.past.raw, "message": verdict.text, "conditions": [*kept, told]}


def resumed(status: Raw, story: Story, ended: datetime) -> Raw:
    """A status that is kept, without the word that it is suspended: what Ready says is the message again."""
    if story.past.condition("Suspended").get("status") != "True":
        return status
    told = _retold(story, "", ended)
    kept = [told if item.get("type") == "Suspended" else dict(item) for item in status.get("conditions", ())]
    return {**status, "message": story.past.condition("Ready").get("message", ""), "conditions": kept}


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
