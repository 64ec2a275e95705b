"""The one thing that a pass does: at most one cloud write, never near the deadline, never without its fence."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from types import MappingProxyType

from hooks.aruba.engine import notes, plan
from hooks.aruba.engine.story import Done, Outcome, Story
from hooks.aruba.engine.values import Mark, Memory, Ports, Raw, Step
from hooks.aruba.model.failure import Cause, Failure
from hooks.aruba.model.phases import Phase
from hooks.aruba.model.states import Standing, standing
from hooks.aruba.model.wire import Call
from hooks.meta.deadline import Deadline
from hooks.meta.outcomes import Patched, Stale, Trouble

REFUSALS = frozenset({Cause.NOT_READY, Cause.SEMANTIC, Cause.CONFLICT})
NAMED = 5
"""How many things a message names."""
WRITE_NEEDS = 3.0
"""Seconds that a pass must have left for a cloud write to be started."""


Act = Callable[[Story, Ports, Deadline], Awaitable[Outcome]]


async def act(step: Step, story: Story, ports: Ports, deadline: Deadline) -> Outcome:
    """Carry out a step. A step that only waits or reports makes sure that it speaks of the object as it is now."""
    if step in _CLOUD_WRITES:
        return await _write(_CLOUD_WRITES[step], story, ports, deadline)
    if step in _OTHERS:
        return await _OTHERS[step](story, ports, deadline)
    return Done() if at_rest(step, story) else await _as_it_is(story, ports, deadline)


async def _write(write: Act, story: Story, ports: Ports, deadline: Deadline) -> Outcome:
    if deadline.remaining(ports.clock.monotonic()) < WRITE_NEEDS:
        return Failure(Cause.BUSY, "no time left in this pass for a call", sent=False, retry_after=1)
    try:
        return await write(story, ports, deadline)
    except ValueError as fault:  # an ID that can be no part of a URL: nothing was sent
        return Failure(Cause.SEMANTIC, str(fault), sent=False)


async def _as_it_is(story: Story, ports: Ports, deadline: Deadline) -> Outcome:
    return await _unless_stale(story, ports, deadline) or Done()


def at_rest(step: Step, story: Story) -> bool:
    """Settled as before and nothing new in the spec: the answer repeats what is shown, and no read is spent on it.

    Everywhere else a view from before our own last answer would take that answer back; the write would wake the next
    pass, whose view lags again, and so on for ever (mc §3.5, cases 17).
    """
    ready = story.past.condition("Ready")
    same = ready.get("status") == "True" and ready.get("observedGeneration") == story.parent.metadata.generation
    return step is Step.SETTLE and story.past.phase == Phase.ACTIVE and same


async def _annotate(
    story: Story,
    ports: Ports,
    deadline: Deadline,
    annotations: dict[str, str | None],
    labels: dict[str, str | None],
    resource_version: str | None = None,
) -> Outcome:
    patched = await _patch(story, ports, deadline, annotations, labels, resource_version)
    return Done() if isinstance(patched, Patched) else patched


async def _patch(
    story: Story,
    ports: Ports,
    deadline: Deadline,
    annotations: dict[str, str | None],
    labels: dict[str, str | None],
    resource_version: str | None = None,
) -> Patched | Stale | Trouble:
    """Merge annotations and labels, fenced by UID and the version that the hook was shown (or a later reply's)."""
    meta = story.parent.metadata
    return await ports.kube.annotate(
        story.kind.names.plural,
        meta.namespace or "",
        meta.name,
        uid=meta.uid,
        resource_version=resource_version or meta.resourceVersion,
        annotations=annotations,
        labels=labels,
        deadline=deadline,
    )


async def _claim(story: Story, ports: Ports, deadline: Deadline) -> Outcome:
    return await _annotate(story, ports, deadline, story.claim.annotations, story.claim.labels)


async def _remark(story: Story, ports: Ports, deadline: Deadline) -> Outcome:
    return await _annotate(story, ports, deadline, notes.remark(story.parent.metadata, ports.clock.now()), {})


async def _announce(story: Story, ports: Ports, deadline: Deadline) -> Outcome:
    """Record the intent, once; a mark of an earlier attempt is never written over."""
    s = story.situation
    if s.memory is not Memory.NEW or s.mark is not Mark.MISSING:
        return await _as_it_is(story, ports, deadline)
    return await _annotate(story, ports, deadline, notes.intent(story.parent.metadata, story.tenant), {})


async def _create(story: Story, ports: Ports, deadline: Deadline) -> Outcome:
    """Token, limiter slot and body first; then the fence; then the POST, at once or not at all (design §5.3)."""
    ids = story.resolved.parents(story.kind)
    assert ids is not None, "decide creates only when every reference is Active"
    path, meta = story.kind.collection.at(ids), story.parent.metadata
    call = plan.creation(story.kind, story.catalog, meta, story.resolved, path)
    held = await ports.cloud.ready(story.tenant, deadline)
    if held is not None:
        return await _unless_stale(story, ports, deadline) or held
    fenced_at = ports.clock.monotonic()
    mark = notes.attempt(meta, ports.clock.now(), story.tenant, path)
    fence = await _patch(story, ports, deadline, mark, {})
    if not isinstance(fence, Patched):
        return fence
    if not _as_shown(story, fence.raw) or ports.clock.monotonic() - fenced_at > story.policy.act_within.total_seconds():
        await _untry(story, ports, deadline, fence)
        return Stale("the object changed, or the fence took too long: nothing was sent")
    answer = await ports.cloud.send(story.tenant, call, deadline)
    if not isinstance(answer, Failure):
        return Done(answer)
    if not answer.sent:
        await _untry(story, ports, deadline, fence)
    return answer


def _as_shown(story: Story, live: Raw) -> bool:
    """The POST must say what the live object says, not what the caller of the hook said."""
    meta = live.get("metadata", {})
    same = meta.get("uid") == story.parent.metadata.uid and not meta.get("deletionTimestamp")
    return bool(same and live.get("spec", {}) == story.parent.spec)


async def _untry(story: Story, ports: Ports, deadline: Deadline, fence: Patched) -> None:
    """Take the mark back after an attempt that provably made nothing, fenced by the version that the fence returned."""
    version = str(fence.raw.get("metadata", {}).get("resourceVersion", ""))
    await _patch(story, ports, deadline, notes.untried(story.parent.metadata), {}, version)


async def _change(story: Story, ports: Ports, deadline: Deadline) -> Outcome:
    live = story.observed.live
    assert live is not None, "decide changes only what is settled"
    stale = await _unless_stale(story, ports, deadline)
    if stale is not None:
        return stale
    needed = story.comparison.calls[0]
    call = plan.change(story.kind, story.catalog, needed, story.resolved, story.past, live, story.item)
    return await _send(story, ports, deadline, call)


async def _unless_stale(story: Story, ports: Ports, deadline: Deadline) -> Stale | Trouble | None:
    """A live read, so that a view from before our own last answer does not repeat the call that it led to."""
    meta = story.parent.metadata
    raw = await ports.kube.read(story.kind.names.plural, meta.namespace or "", meta.name, deadline)
    if isinstance(raw, Trouble):
        return raw
    live = (raw or {}).get("metadata", {})
    if live.get("uid") != meta.uid or bool(live.get("deletionTimestamp")) != meta.deleting:
        return Stale("the live object is another one, or its deletion is seen otherwise")
    return None if live.get("resourceVersion") == meta.resourceVersion else Stale("the object has changed since")


async def _delete(story: Story, ports: Ports, deadline: Deadline) -> Outcome:
    """DELETE, once a live read has shown this very object, as we know it, being deleted (design §5.6)."""
    stale = await _unless_stale(story, ports, deadline)
    if stale is not None:
        return stale
    answer = await _send(story, ports, deadline, plan.deletion(story.item))
    if not isinstance(answer, Failure):
        return answer
    if answer.cause is Cause.GONE:
        return Done()
    return await _looked_at(answer, story, ports, deadline) or await _explained(answer, story, ports, deadline)


async def _looked_at(refusal: Failure, story: Story, ports: Ports, deadline: Deadline) -> Done | None:
    """A refused DELETE is looked at, not believed: a second one may be refused, and so what is gone (cases 6)."""
    if refusal.cause not in REFUSALS:
        return None
    path, _, resource_id = story.item.rpartition("/")
    seen = await ports.cloud.item(story.tenant, path, resource_id, ports.clock.now(), deadline, proof=True)
    if isinstance(seen, Failure):
        return None
    if seen.live is None:
        return Done(gone=True)
    leaving = standing(story.kind.states, seen.live.state) in (Standing.LEAVING, Standing.GONE)
    return Done() if leaving else None


async def _explained(refusal: Failure, story: Story, ports: Ports, deadline: Deadline) -> Failure:
    """A refusal with the names of what is still inside: nobody but a person can remove what has no object."""
    if not story.kind.inventory or refusal.cause not in REFUSALS:
        return refusal
    path = f"{story.item}/{story.kind.inventory}"
    inside = await ports.cloud.listing(story.tenant, path, ports.clock.now(), deadline, proof=False)
    if isinstance(inside, Failure) or not inside.rows:
        return refusal
    named = [f"{row.meta('category.typology.name') or 'resource'} {row.name!r} ({row.id})" for row in inside.rows]
    more = ", and more" if len(named) > NAMED else ""
    text = f"{refusal.text}. Still inside, without an object here: {', '.join(named[:NAMED])}{more}"
    return refusal._replace(cause=Cause.SEMANTIC, text=text)


async def _send(story: Story, ports: Ports, deadline: Deadline, call: Call) -> Outcome:
    answer = await ports.cloud.send(story.tenant, call, deadline)
    return answer if isinstance(answer, Failure) else Done(answer)


async def _cascade(story: Story, ports: Ports, deadline: Deadline) -> Outcome:
    """Ask Kubernetes to delete the children whose turn it is; each goes its own way from there."""
    stale = await _unless_stale(story, ports, deadline)
    if stale is not None:
        return stale
    for child in story.kin.next_children():
        meta = child.raw["metadata"]
        outcome = await ports.kube.delete(
            child.kind.names.plural, meta["namespace"], meta["name"], meta["uid"], deadline
        )
        if isinstance(outcome, Trouble):
            return outcome
    return Done()


_CLOUD_WRITES = MappingProxyType({Step.CREATE: _create, Step.CHANGE: _change, Step.DELETE: _delete})
_OTHERS = MappingProxyType({Step.CLAIM: _claim, Step.ANNOUNCE: _announce, Step.REMARK: _remark, Step.CASCADE: _cascade})
