"""How an object comes to stand for a resource that it did not make (design §5.7).

First it says on itself that it wants the resource, then it lists its kind live. Two that want the same one see each
other, whichever comes first; the younger takes its word back, and the older records the resource once no other word is
up. Nothing is sent to the cloud.
"""

from __future__ import annotations

from collections.abc import Mapping

from hooks.aruba.engine import notes
from hooks.aruba.engine.ports import KubePort, Ports
from hooks.aruba.engine.story import Done, Known, Observed, Outcome, Story
from hooks.aruba.engine.touch import patch
from hooks.aruba.engine.values import Cloud, Raw
from hooks.aruba.model.live import Live
from hooks.aruba.model.phases import Phase
from hooks.meta.deadline import Deadline
from hooks.meta.outcomes import Patched, Stale, Trouble
from hooks.meta.times import format_time


async def adopt(story: Story, ports: Ports, deadline: Deadline) -> Outcome:
    """Look for others, say so, look again, and record it. Who is refused says nothing, or takes its word back."""
    live, meta = story.observed.live, story.parent.metadata
    assert live is not None, "only what was seen is adopted"
    wanted = notes.wanting(meta, live.id)
    said = meta.annotations.get(notes.ADOPTING) == wanted[notes.ADOPTING]
    judged, version = await _look(story, live, ports, deadline), meta.resourceVersion
    if isinstance(judged, Done) and not said and (not judged.rival or judged.patient):
        answer = await patch(story, ports, deadline, wanted, {})
        if not isinstance(answer, Patched):
            return answer
        version = str(answer.raw["metadata"].get("resourceVersion", ""))
        judged = await _look(story, live, ports, deadline)
    if isinstance(judged, Trouble) or judged.patient:
        return judged
    up = said or version != meta.resourceVersion
    after: Mapping[str, str | None] = {notes.ADOPTING: None} if up else {}
    if not judged.rival:
        after = notes.adopted(meta, live.id, story.tenant, story.path or "")
    return await _written(story, after, version, ports, deadline) or judged


async def _look(story: Story, live: Live, ports: Ports, deadline: Deadline) -> Done | Trouble:
    others = await ports.kube.labelled(story.kind.names.plural, "", deadline)
    if isinstance(others, Trouble):
        return others
    return _judged(story, live, [raw for raw in others if raw["metadata"].get("uid") != story.parent.metadata.uid])


async def _written(
    story: Story, after: Mapping[str, str | None], version: str, ports: Ports, deadline: Deadline
) -> Stale | Trouble | None:
    """Nothing is written where all of it stands already."""
    if version == story.parent.metadata.resourceVersion and not after:
        return None
    done = await patch(story, ports, deadline, dict(after), {}, version)
    return None if isinstance(done, Patched) else done


def _judged(story: Story, live: Live, others: list[Raw]) -> Done:
    """Whoever has it recorded, or whose tag it carries, keeps it. Of those that say they want it, the oldest."""
    kind = story.kind.names.kind
    for raw in others:
        if _has(raw, live):
            return Done(live, rival=_path(kind, raw))
    stranger = [tag for tag in live.tags if notes.is_owner_tag(tag) and tag != story.tag]
    if stranger and story.policies.adoption != "always":
        return Done(live, rival=f"an object that is not in this cluster (tag {stranger[0]})", stranger=True)
    wanting = sorted((raw for raw in others if _wants(raw) == live.id.lower()), key=_age)
    if not story.named:
        wanting = [*(raw for raw in others if _awaits(story, raw, live)), *wanting]
    if not wanting:
        return Done(live)
    first = wanting[0]
    return Done(live, rival=_path(kind, first), patient=_age(first) > _age(_as_raw(story)) and _wants(first) != "")


def _recorded(raw: Raw) -> str:
    """What an object stands for, by its status, or by its annotations where that was wiped; in lower case."""
    noted = raw["metadata"].get("annotations") or {}
    placed = str(noted.get(notes.RESOURCE_PATH, "")).endswith(f" {raw['metadata'].get('uid')}")
    adopted = str(noted.get(notes.RESOURCE_ID, "")).strip() if placed else ""
    return str((raw.get("status") or {}).get("resourceID") or adopted).lower()


def _wants(raw: Raw) -> str:
    value, _, uid = str((raw["metadata"].get("annotations") or {}).get(notes.ADOPTING, "")).rpartition(" ")
    return value.lower() if uid == raw["metadata"].get("uid") else ""


def _awaits(story: Story, raw: Raw, live: Live) -> bool:
    """The Go operator may have made it for this one, which does not know its ID yet."""
    meta, status = raw["metadata"], raw.get("status") or {}
    theirs = notes.predecessor(story.kind.names.singular) in (meta.get("finalizers") or ())
    begun = any(c.get("type") == Phase.CREATING for c in status.get("conditions") or ())
    name = (meta.get("annotations") or {}).get(notes.RESOURCE_NAME) or meta.get("name")
    return theirs and begun and not status.get("resourceID") and name == live.name


def _as_raw(story: Story) -> Raw:
    """This object, as the others are listed."""
    meta = story.parent.metadata
    made = format_time(meta.creationTimestamp) if meta.creationTimestamp is not None else ""
    noted = {"annotations": meta.annotations, "uid": meta.uid, "creationTimestamp": made}
    return {"metadata": noted, "status": story.past.raw}


def _age(raw: Raw) -> tuple[str, str]:
    return str(raw["metadata"].get("creationTimestamp")), str(raw["metadata"].get("uid"))


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
