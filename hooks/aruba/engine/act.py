"""The one thing that a pass does: at most one cloud write, never near the deadline, never without its fence."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from types import MappingProxyType

from hooks.aruba.engine import notes, plan
from hooks.aruba.engine.creating import create
from hooks.aruba.engine.findings import NAMED, Needed
from hooks.aruba.engine.holding import keepers, taken
from hooks.aruba.engine.obstacles import doubted
from hooks.aruba.engine.story import Done, Outcome, Story
from hooks.aruba.engine.touch import annotate, unless_stale
from hooks.aruba.engine.values import Mark, Memory, Ports, Step
from hooks.aruba.model.failure import Cause, Failure
from hooks.aruba.model.kind import Action, Put
from hooks.aruba.model.live import Live
from hooks.aruba.model.phases import Phase
from hooks.aruba.model.states import Standing, States, standing
from hooks.aruba.model.wire import Call
from hooks.meta.deadline import Deadline
from hooks.meta.outcomes import Trouble

REFUSALS = frozenset({Cause.NOT_READY, Cause.SEMANTIC, Cause.CONFLICT})
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
    return await unless_stale(story, ports, deadline) or Done()


def at_rest(step: Step, story: Story) -> bool:
    """Settled as before and nothing new in the spec: the answer repeats what is shown, and no read is spent on it.

    Everywhere else a view from before our own last answer would take that answer back; the write would wake the next
    pass, whose view lags again, and so on for ever (mc §3.5, cases 17).
    """
    ready = story.past.condition("Ready")
    same = ready.get("status") == "True" and ready.get("observedGeneration") == story.parent.metadata.generation
    return step is Step.SETTLE and story.past.phase == Phase.ACTIVE and same


async def _claim(story: Story, ports: Ports, deadline: Deadline) -> Outcome:
    return await annotate(story, ports, deadline, story.claim.annotations, story.claim.labels)


async def _remark(story: Story, ports: Ports, deadline: Deadline) -> Outcome:
    return await annotate(
        story, ports, deadline, notes.remark(story.parent.metadata, ports.clock.now(), story.path), {}
    )


async def _announce(story: Story, ports: Ports, deadline: Deadline) -> Outcome:
    """Record the intent, once; a mark of an earlier attempt is never written over."""
    s = story.situation
    if s.memory is not Memory.NEW or s.mark is not Mark.MISSING:
        return await _as_it_is(story, ports, deadline)
    return await annotate(story, ports, deadline, notes.intent(story.parent.metadata, story.tenant), {})


async def _change(story: Story, ports: Ports, deadline: Deadline) -> Outcome:
    live = story.observed.live
    assert live is not None, "decide changes only what is settled"
    stale = await unless_stale(story, ports, deadline)
    if stale is not None:
        return stale
    needed = story.comparison.calls[0]
    if isinstance(needed.change, Put):  # it carries what others set, so it must be built from how things are now
        path, _, resource_id = story.item.rpartition("/")
        fresh = await ports.cloud.item(story.tenant, path, resource_id, ports.clock.now(), deadline, proof=True)
        if isinstance(fresh, Failure):
            return fresh
        live = fresh.live or live
        if standing(story.kind.states, live.state) is not Standing.READY:
            return Failure(Cause.NOT_READY, f"the cloud reports {live.state or 'no state'}", sent=False)
    held = await taken(story, needed.add, ports, deadline)
    if held is not None:
        return held
    return await _send(story, ports, deadline, _call(story, needed, live))


def _call(story: Story, needed: Needed, live: Live) -> Call:
    change, resolved = needed.change, story.resolved
    if isinstance(change, Action):
        return plan.action(story.kind, story.catalog, needed, change, resolved, story.past, story.item)
    meta, made_by_us = story.parent.metadata, story.pending.at is not None
    own = plan.Own(notes.cloud_name(meta), notes.owner_tag(meta.uid) if made_by_us else "")
    return plan.put(story.kind, story.catalog, needed, change, resolved, live, story.item, own)


async def _delete(story: Story, ports: Ports, deadline: Deadline) -> Outcome:
    """DELETE, once a live read has shown this very object, as we know it, being deleted (design §5.6)."""
    stale = await unless_stale(story, ports, deadline)
    if stale is not None:
        return stale
    kept = await keepers(story, ports, deadline)
    if kept is not None:
        return kept
    answer = await _send(story, ports, deadline, plan.deletion(story.item))
    if not isinstance(answer, Failure):
        return answer
    if answer.cause is Cause.GONE:
        return await _not_there(story, ports, deadline)
    return await _looked_at(answer, story, ports, deadline) or await _explained(answer, story, ports, deadline)


async def _not_there(story: Story, ports: Ports, deadline: Deadline) -> Done | Failure:
    """A 404 at a DELETE counts as taken, but the looks that follow must say the same: what is young may not
    be visible yet.
    """
    doubt = await doubted(story, ports.cloud, story.item.rpartition("/")[2], deadline, sent=ports.clock.now())
    return Done() if doubt is None else doubt._replace(sent=False)


async def _looked_at(refusal: Failure, story: Story, ports: Ports, deadline: Deadline) -> Done | Failure | None:
    """A refused DELETE is looked at, not believed: a second one may be refused, and so what is gone (cases 6)."""
    if refusal.cause not in REFUSALS:
        return None
    path, _, resource_id = story.item.rpartition("/")
    seen = await ports.cloud.item(story.tenant, path, resource_id, ports.clock.now(), deadline, proof=True)
    if isinstance(seen, Failure):
        return None
    if seen.live is None:
        doubt = await doubted(story, ports.cloud, resource_id, deadline, sent=ports.clock.now())
        return Done(gone=True) if doubt is None else doubt._replace(sent=False)
    leaving = standing(story.kind.states, seen.live.state) in (Standing.LEAVING, Standing.GONE)
    return Done() if leaving else None


async def _explained(refusal: Failure, story: Story, ports: Ports, deadline: Deadline) -> Failure:
    """A refusal with the names of what is still inside: nobody but a person can remove what has no object."""
    if refusal.cause not in REFUSALS:
        return refusal
    inside = [row async for row in _inside(story, ports, deadline)]
    if not inside:
        return refusal
    named = [f"{row.meta('category.typology.name') or 'resource'} {row.name!r} ({row.id})" for row in inside]
    more = ", and more" if len(named) > NAMED else ""
    text = f"{refusal.text}. Still inside, without an object here: {', '.join(named[:NAMED])}{more}"
    return refusal._replace(cause=Cause.SEMANTIC, text=text)


async def _inside(story: Story, ports: Ports, deadline: Deadline) -> AsyncIterator[Live]:
    """What the resource holds: all that its inventory lists, or else what the collections of its child kinds do."""
    children = [child.collection.name for child in story.catalog.children(story.kind)]
    for name in [story.kind.inventory] if story.kind.inventory else children:
        listing = await ports.cloud.listing(
            story.tenant, f"{story.item}/{name}", ports.clock.now(), deadline, proof=False
        )
        for row in () if isinstance(listing, Failure) else listing.rows:
            if standing(States.SHOWN, row.state) not in (Standing.LEAVING, Standing.GONE):
                yield row


async def _send(story: Story, ports: Ports, deadline: Deadline, call: Call) -> Outcome:
    answer = await ports.cloud.send(story.tenant, call, deadline)
    return answer if isinstance(answer, Failure) else Done(answer)


async def _cascade(story: Story, ports: Ports, deadline: Deadline) -> Outcome:
    """Ask Kubernetes to delete the children whose turn it is; each goes its own way from there."""
    stale = await unless_stale(story, ports, deadline)
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


_CLOUD_WRITES = MappingProxyType({Step.CREATE: create, Step.CHANGE: _change, Step.DELETE: _delete})
_OTHERS = MappingProxyType({Step.CLAIM: _claim, Step.ANNOUNCE: _announce, Step.REMARK: _remark, Step.CASCADE: _cascade})
