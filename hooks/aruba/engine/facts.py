"""What a status records of the resource: IDs, and what the cloud says. `report` lays it into the status."""

from __future__ import annotations

from typing import Any

from hooks.aruba.engine.recall import ADOPTED, CREATED, TAKEN_OVER
from hooks.aruba.engine.sides import as_set
from hooks.aruba.engine.story import Story
from hooks.aruba.engine.values import NOT_OURS, Cloud, Mark, Memory, Origin, Raw, Wish
from hooks.aruba.engine.verdict import Verdict
from hooks.aruba.model.live import Live
from hooks.aruba.model.marks import At, Of, Seen
from hooks.aruba.model.phases import Phase
from hooks.meta.text import one_line


def facts(story: Story, verdict: Verdict) -> Raw:
    """IDs and what the cloud says of the resource. An error path never drops an ID (cases 12)."""
    live = story.observed.live if story.situation.cloud not in NOT_OURS else None
    creating = verdict.phase is Phase.CREATING and verdict.restart
    known = _parents(story, creating) | _digests(story, verdict)
    if verdict.forget:
        return {"resourceID": None, "origin": None, "cloudState": None, "namesakes": None, **known}
    if live is not None:
        known |= {
            "resourceID": live.id or story.past.resource_id,
            "origin": _origin(story, live),
            "cloudState": one_line(live.state, 64),
            "namesakes": list(story.namesakes),
            **_shown(story, live),
        }
    if verdict.resource_id:
        known["resourceID"] = verdict.resource_id
        if story.situation.cloud is Cloud.ADOPTABLE:
            known["origin"] = TAKEN_OVER if story.origin is Origin.TAKEN else ADOPTED
    if verdict.phase is Phase.ACTIVE or (live is not None and verdict.confirmed):
        known |= _references(story, live)
    return known


def _origin(story: Story, live: Live) -> str:
    """Where it comes from, for people, and as a hint for a look after the metadata was replaced."""
    taken = story.origin is Origin.TAKEN or story.past.origin == TAKEN_OVER
    if taken and story.tag not in live.tags:
        return TAKEN_OVER
    if story.origin is Origin.ADOPTED and story.tag not in live.tags:
        return ADOPTED
    made_by_us = story.tag in live.tags or story.pending.at is not None
    return CREATED if made_by_us or story.past.origin == CREATED else ADOPTED


def _digests(story: Story, verdict: Verdict) -> Raw:
    """What was sent last, until it is seen to be applied, and what was asked for when it was."""
    if verdict.forget:
        return {"lastChange": None, "appliedSpec": None}
    sent = verdict.change or (None if verdict.phase is Phase.ACTIVE else story.past.raw.get("lastChange"))
    return {"lastChange": sent, "appliedSpec": verdict.applied or story.past.applied}


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
                facts[name] = _text(mark.read(live))
            elif isinstance(mark, At):
                facts[name] = _text(live.get(mark.path))
            elif isinstance(mark, Of):
                facts[name] = _text(_repeated(story, live, mark))
    return facts


def _text(value: Any) -> str | int | None:
    """What the cloud shows of itself is text or a number, or is not repeated: a status takes nothing else."""
    if isinstance(value, str):
        return one_line(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _repeated(story: Story, live: Live, mark: Of) -> Any:
    """A field of the referenced object, while the cloud shows the two bound to each other."""
    bound = as_set(story.kind.by_name[mark.reference].read(live))
    targets = [target for target in story.resolved.of(mark.reference) if target.id.lower() in bound]
    return targets[0].status.get(mark.field) if targets else None


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
        recorded = story.past.ids_of(field.id_field)
        if not story.past.confirmed and story.pending.at is not None and isinstance(has, frozenset):
            recorded |= has  # what the POST asked for, whatever the spec says by now
        facts[field.id_field] = _id_value(field.many, wanted, has, recorded)
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
