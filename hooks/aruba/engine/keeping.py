"""Verdicts while the resource is wanted: one small function for each step that can be said something about."""

from __future__ import annotations

from typing import Any

from hooks.aruba.engine import schedule
from hooks.aruba.engine.findings import Refused
from hooks.aruba.engine.notes import ADOPTION_POLICY, DRIFT_POLICY, RESOURCE_ID, RESOURCE_NAME, adoptee
from hooks.aruba.engine.recall import REFUSED, TAKEN
from hooks.aruba.engine.setbacks import failed
from hooks.aruba.engine.sides import actual, wanted
from hooks.aruba.engine.story import Done, Outcome, Story
from hooks.aruba.engine.values import Origin, Step
from hooks.aruba.engine.verdict import Verdict
from hooks.aruba.engine.waiting import held, waiting
from hooks.aruba.model.failure import Failure
from hooks.aruba.model.phases import Phase, Reason
from hooks.aruba.model.states import States
from hooks.contract.replies import Busy
from hooks.meta.text import one_line


def keeping(step: Step, story: Story, outcome: Outcome) -> Verdict | Busy:
    """What to say of an object whose resource is wanted."""
    verdict = _told(step, story, outcome)
    if step is Step.CHANGE and isinstance(verdict, Verdict):
        word = REFUSED if isinstance(outcome, Failure) else TAKEN
        return verdict._replace(change=f"{story.comparison.calls[0].digest} {word}")
    return verdict


def _told(step: Step, story: Story, outcome: Outcome) -> Verdict | Busy:
    if isinstance(outcome, Failure):
        return failed(story, outcome)
    if step is Step.REMARK:
        return Busy(2, "the mark of an earlier attempt was lost: waiting until its outcome can be known")
    if step is Step.CLAIM and story.past.phase == Phase.ACTIVE:
        return Busy(1, "its references were marked; the rest follows in the next pass")
    if step in (Step.CLAIM, Step.WAIT):
        return waiting(story)
    if step is Step.HOLD:
        return held(story)
    told = {
        Step.ANNOUNCE: _announced,
        Step.CREATE: _created,
        Step.ADOPT: _adopted,
        Step.CHANGE: _changing,
        Step.SETTLE: _settled,
    }
    return told[step](story, outcome)


def _announced(story: Story, outcome: Outcome) -> Verdict:
    text = "The resource is gone from the cloud and is made again" if story.past.resource_id else "About to be created"
    return Verdict(Phase.CREATING, Reason.SHALL_SYNCHRONIZE, text, "Creating", restart=True, forget=True, after=1.0)


def _adopted(story: Story, outcome: Outcome) -> Verdict | Busy:
    """It stands for the resource from now on, unless another object does."""
    live = story.observed.live
    assert live is not None, "only what was seen is adopted"
    if isinstance(outcome, Done) and outcome.patient:
        text = f"{outcome.rival} wants {live.id} too, and is to step back first, being younger. It goes on by itself"
        return Verdict(_not_yet(story), Reason.SYNCHRONIZED, text, "NameTaken", after=2.0)
    if isinstance(outcome, Done) and outcome.rival:
        way_out = f"set the annotation {RESOURCE_NAME} to another name, or {ADOPTION_POLICY}: never"
        if story.named:
            way_out = f"remove the annotation {RESOURCE_ID} from one of the two"
            if story.policies.adoption in ("if-unowned", "always"):
                way_out += f", and set another {RESOURCE_NAME} there, as it would be found by its name again"
        if outcome.stranger:
            way_out = f"if nobody manages it any more, set the annotation {ADOPTION_POLICY}: always"
        told = f"the resource {live.id} belongs to {outcome.rival}. Nothing was touched; {way_out}"
        return Verdict(Phase.FAILED, Reason.INTENTION_FAILED, told, "AlreadyExists", stalled=True, error=told)
    reason = Reason.SYNCHRONIZING if story.past.announced else Reason.SYNCHRONIZED
    text = f"Adopted {live.id}; looking whether it is as the spec asks"
    return Verdict(_not_yet(story), reason, text, "Adopted", resource_id=live.id, after=0.05, restart=True)


def _not_yet(story: Story) -> Phase:
    return Phase.CREATING if story.past.announced else Phase.PENDING


def _created(story: Story, outcome: Outcome) -> Verdict:
    new = outcome.live.id if isinstance(outcome, Done) and outcome.live is not None else ""
    text = "Created; waiting until the cloud shows it" if new else "Asked to create; looking for the outcome"
    at_once = story.kind.states is States.EXISTS
    after = 0.0 if at_once and new else schedule.EARLY[0]
    return Verdict(
        Phase.CREATING,
        Reason.SYNCHRONIZING,
        text,
        "Created" if new else "CreateOutcomeUnknown",
        restart=True,
        resource_id=new,
        after=after,
    )


def _changing(story: Story, outcome: Outcome) -> Verdict:
    """It is not sent again before it could show. A cloud that takes it and never applies it meets the time-out."""
    what = ", ".join(f"spec.{name}" for name in story.comparison.calls[0].fields)
    elapsed = (story.now - (story.past.started or story.now)).total_seconds() if story.repeating else 0.0
    phase = Phase.UPDATING if story.past.was_active else Phase.WAITING
    return Verdict(
        phase,
        Reason.SYNCHRONIZING,
        f"Waiting until the cloud has applied {what}",
        str(phase),
        restart=not story.repeating,
        confirmed=True,
        after=schedule.EARLY[0],
        pause=max(schedule.CHANGE_SHOWS, min(elapsed / 2, 5 * schedule.CHANGE_SHOWS)),
    )


def _settled(story: Story, outcome: Outcome) -> Verdict:
    """The cloud has it as wanted; what nothing can change is told, and what is not there yet is waited for."""
    refused, drift = story.comparison.refused, story.comparison.calls
    if refused or drift:
        told = [_cannot(story, refused)] if refused else []
        told += [_drifted(story)] if drift else []
        reason = "ChangeRefused" if refused else "Drifted"
        settled = _active(story, ". ".join(told), reason, ready="False", stalled=bool(refused))
        first = story.origin is Origin.TAKEN and not story.past.applied
        return settled._replace(applied=story.comparison.asked) if first or not drift else settled
    lacking = tuple(dict.fromkeys((*story.resolved.late_waits, *story.resolved.lacking, *story.comparison.awaited)))
    if lacking:
        text = story.resolved.waiting_for(lacking)
        if story.past.was_active:
            return _active(story, text, "WaitingForReferences", ready="False")
        return Verdict(Phase.WAITING, Reason.SYNCHRONIZING, text, "WaitingForReferences", confirmed=True)
    notes = [*_also(story), *_elsewhere(story), *_twins(story)]
    settled = _active(story, "; ".join(notes), "Available", ready="True")
    return settled._replace(applied=story.comparison.asked)


def _cannot(story: Story, refused: tuple[Refused, ...]) -> str:
    """Each field with both values, and the way out."""
    told = "; ".join(f"spec.{r.field}: wanted {_shown(r.wanted)}, the cloud has {_shown(r.actual)}" for r in refused)
    way_out = "Set the old value again, or delete and create anew"
    if story.origin is Origin.ADOPTED:
        way_out = "Set the cloud's value in the spec, or delete this object, which leaves the resource"
    return f"Cannot be changed once created: {told}. {way_out}"


def _drifted(story: Story) -> str:
    """What somebody changed in the cloud, where it is only to be told."""
    live = story.observed.live
    asked = wanted(story.kind, story.resolved)
    has = actual(story.kind, live) if live is not None else {}
    names = [name for needed in story.comparison.calls for name in needed.fields]
    told = "; ".join(f"spec.{n}: wanted {_shown(asked[n])}, the cloud has {_shown(has.get(n))}" for n in names)
    lead, left = "Changed in the cloud by somebody else", f"It stays so, as {DRIFT_POLICY}: report asks"
    if story.origin is Origin.TAKEN and not story.policies.drift:
        lead, left = "Not as the spec asks", "It stays so, as the Go operator left it or somebody changed it"
        left += f", until {DRIFT_POLICY}: correct is set"
    return f"{lead}: {told}. {left}; change the spec or the policy"


def _also(story: Story) -> list[str]:
    """What is attached beyond the spec: left alone, but not hidden (cases 64)."""
    return [
        f"the cloud also has {', '.join(sorted(extra.ids))} at spec.{extra.field}, not by us; it is left alone: "
        f"name it in the spec, or detach it in the cloud"
        for extra in story.comparison.extra
    ]


def _elsewhere(story: Story) -> list[str]:
    """The annotations name another resource than the one that the object has, or another name than it got."""
    meta, has = story.parent.metadata, story.past.resource_id
    named, told = adoptee(meta), []
    if named and named.lower() != has.lower():
        told.append(f"the annotation {RESOURCE_ID} names {named[:64]}, but this one has {has}: correct or remove it")
    name, live = meta.annotations.get(RESOURCE_NAME, ""), story.observed.live
    if name and live is not None and live.name and name != live.name:
        told.append(f"the annotation {RESOURCE_NAME} says {name[:64]!r}, but a name is for good: it is {live.name!r}")
    return told


def _twins(story: Story) -> list[str]:
    """Two objects of one name made one each at the same time: both keep theirs, and each names the other."""
    if not story.namesakes:
        return []
    named = one_line(", ".join(story.namesakes), 400)
    return [f"the cloud also has {named} of the same name; each keeps its own: delete the one that is not wanted"]


def _active(story: Story, text: str, ready_reason: str, ready: str, stalled: bool = False) -> Verdict:
    age, uid = story.policy.listing_age, story.parent.metadata.uid
    after = (schedule.at_rest(age, story.path or "", uid, story.now)[1] - story.now).total_seconds() + 0.1
    if story.resolved.parting:
        after = min(after, schedule.STEADY)
    return Verdict(
        Phase.ACTIVE, Reason.SYNCHRONIZED, text, ready_reason, ready, stalled=stalled, confirmed=True, after=after
    )


def _shown(value: Any) -> str:
    if isinstance(value, frozenset) and value:
        return one_line("[" + ", ".join(sorted(map(str, value))) + "]", 400)
    return "nothing" if value in (None, frozenset()) else one_line(str(value), 200)
