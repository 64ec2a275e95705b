"""How an object comes to stand for a resource that it did not make: the claim is written first, then rivals are looked
for. Two that want the same one see each other, whichever comes first (design §5.7).
"""

from __future__ import annotations

from hooks.aruba.engine import notes
from hooks.aruba.engine.findings import belongs
from hooks.aruba.engine.ports import KubePort, Ports
from hooks.aruba.engine.story import Done, Known, Observed, Outcome, Story
from hooks.aruba.engine.touch import annotate, unless_stale
from hooks.aruba.engine.values import Cloud, Raw
from hooks.aruba.model.live import Live
from hooks.meta.deadline import Deadline
from hooks.meta.outcomes import Trouble
from hooks.meta.times import format_time


async def adopt(story: Story, ports: Ports, deadline: Deadline) -> Outcome:
    """Claim by annotations, fenced; then a live list of the kind decides. Nothing is sent to the cloud."""
    live, meta = story.observed.live, story.parent.metadata
    assert live is not None, "only what was seen is adopted"
    wanted = notes.adopting(meta, live.id, story.tenant, story.path or "")
    claimed = all(meta.annotations.get(key) == value for key, value in wanted.items())
    refused = await (unless_stale(story, ports, deadline) if claimed else _claim(story, ports, deadline, wanted))
    if refused is not None:
        return refused
    others = await ports.kube.labelled(story.kind.names.plural, "", deadline)
    if isinstance(others, Trouble):
        return others
    return _judged(story, live, [raw for raw in others if raw["metadata"].get("uid") != meta.uid])


async def _claim(story: Story, ports: Ports, deadline: Deadline, wanted: dict[str, str | None]) -> Outcome | None:
    outcome = await annotate(story, ports, deadline, wanted, {})
    return None if isinstance(outcome, Done) else outcome


def _judged(story: Story, live: Live, others: list[Raw]) -> Done:
    """Whoever has it recorded, or whose tag it carries, keeps it. Of those that only want it, the oldest; it waits
    until the others have seen it and stepped back, since one of them may have been sure a moment ago.
    """
    for raw in others:
        if _has(raw, live):
            return Done(live, rival=_path(story.kind.names.kind, raw))
    stranger = [tag for tag in live.tags if notes.is_owner_tag(tag) and tag != story.tag]
    if stranger and story.policies.adoption != "always":
        return Done(live, rival=f"an object that is not in this cluster (tag {stranger[0]})", stranger=True)
    wanting = [raw for raw in others if _wants(raw) == live.id.lower()]
    for raw in sorted(wanting, key=_age):
        if _age(raw) < _own_age(story) or not _stepped_back(raw, story, live):
            return Done(live, rival=_path(story.kind.names.kind, raw), patient=_age(raw) > _own_age(story))
    return Done(live)


def _recorded(raw: Raw) -> str:
    return str((raw.get("status") or {}).get("resourceID") or "").lower()


def _wants(raw: Raw) -> str:
    return str((raw["metadata"].get("annotations") or {}).get(notes.RESOURCE_ID, "")).strip().lower()


def _stepped_back(raw: Raw, story: Story, live: Live) -> bool:
    """It says that this very object is why it may not have this very resource: then it has seen our claim, and cannot
    have been sure a moment before.
    """
    conditions = (raw.get("status") or {}).get("conditions") or ()
    told = [
        str(c.get("message")) for c in conditions if c.get("type") == "Ready" and c.get("reason") == "AlreadyExists"
    ]
    meta = story.parent.metadata
    return any(text.startswith(belongs(live.id, f"{story.kind} {meta.namespace}/{meta.name}")) for text in told)


def _age(raw: Raw) -> tuple[str, str]:
    return str(raw["metadata"].get("creationTimestamp")), str(raw["metadata"].get("uid"))


def _own_age(story: Story) -> tuple[str, str]:
    made = story.parent.metadata.creationTimestamp
    return format_time(made) if made is not None else "", story.parent.metadata.uid


def _path(kind: str, raw: Raw) -> str:
    return f"{kind} {raw['metadata'].get('namespace')}/{raw['metadata'].get('name')}"


async def rivals(known: Known, observed: Observed, kube: KubePort, deadline: Deadline) -> dict[str, str]:
    """The objects of this cluster that other resources belong to, by ID: of one that stands in the way, and of
    namesakes that were not there before.
    """
    rows = [row for row in observed.namesakes or () if not any(row.id in text for text in known.past.namesakes)]
    if observed.cloud is Cloud.FOREIGN and observed.live is not None:
        rows.append(observed.live)
    others = await kube.labelled(known.kind.names.plural, "", deadline) if rows else []
    if isinstance(others, Trouble):
        return {}
    others = [raw for raw in others if raw["metadata"].get("uid") != known.parent.metadata.uid]
    return {row.id.lower(): _path(known.kind.names.kind, raw) for row in rows for raw in others if _has(raw, row)}


def _has(raw: Raw, row: Live) -> bool:
    tagged = notes.owner_tag(str(raw["metadata"].get("uid"))) in row.tags
    return tagged or _recorded(raw) == row.id.lower()
