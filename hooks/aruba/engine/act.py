"""The one thing that a pass does: at most one cloud write, never near the deadline, never without its fence."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from types import MappingProxyType

from hooks.aruba.engine import notes, plan
from hooks.aruba.engine.adopting import adopt
from hooks.aruba.engine.creating import create
from hooks.aruba.engine.deleting import delete
from hooks.aruba.engine.holding import taken
from hooks.aruba.engine.parting import cascade, leftover, let_go
from hooks.aruba.engine.ports import Ports
from hooks.aruba.engine.story import Done, Otherwise, Outcome, Story
from hooks.aruba.engine.touch import annotate, unless_moved, unless_stale
from hooks.aruba.engine.values import Mark, Memory, Origin, Step
from hooks.aruba.model.failure import Cause, Failure
from hooks.aruba.model.kind import Put
from hooks.aruba.model.phases import Phase
from hooks.aruba.model.states import Standing, standing
from hooks.meta.deadline import Deadline
from hooks.meta.outcomes import Stale, Trouble

WRITE_NEEDS = 3.0
"""Seconds that a pass must have left for a cloud write to be started."""


Act = Callable[[Story, Ports, Deadline], Awaitable[Outcome]]


async def act(step: Step, story: Story, ports: Ports, deadline: Deadline) -> Outcome | Otherwise:
    """Carry out a step, of the object as it is now. What is only said must not come from a view of before; what is
    done must not rest on the word of the hook's caller alone (cases 19).
    """
    if at_rest(step, story) or (step is Step.LET_GO and not leftover(story)):
        return Done()
    writes = step in _CLOUD_WRITES or step in _OTHERS
    stale: Stale | Trouble | Otherwise | None = await unless_stale(story, ports, deadline, whole=writes)
    if stale is None and step in _BY_REFERENCE:
        stale = await unless_moved(story, ports, deadline)
    if stale is not None:
        return stale
    if step in _CLOUD_WRITES:
        return await _write(_CLOUD_WRITES[step], story, ports, deadline)
    return await _OTHERS[step](story, ports, deadline) if step in _OTHERS else Done()


async def _write(write: Act, story: Story, ports: Ports, deadline: Deadline) -> Outcome:
    if deadline.remaining(ports.clock.monotonic()) < WRITE_NEEDS:
        return Failure(Cause.BUSY, "no time left in this pass for a call", sent=False, retry_after=1)
    try:
        return await write(story, ports, deadline)
    except ValueError as fault:  # an ID that can be no part of a URL: nothing was sent
        return Failure(Cause.SEMANTIC, str(fault), sent=False)


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
    s, meta = story.situation, story.parent.metadata
    if story.origin in (Origin.ADOPTED, Origin.TAKEN) and story.past.resource_id:
        # The lost one is named no more: the next one is ours.
        anew = {**notes.intent(meta, story.tenant), notes.RESOURCE_ID: None, notes.RESOURCE_PATH: None}
        return await annotate(story, ports, deadline, anew, {})
    if s.memory is not Memory.NEW or s.mark is not Mark.MISSING:
        return Done()
    return await annotate(story, ports, deadline, notes.intent(meta, story.tenant), {})


async def _change(story: Story, ports: Ports, deadline: Deadline) -> Outcome:
    live = story.observed.live
    assert live is not None, "decide changes only what is settled"
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
    answer = await ports.cloud.send(story.tenant, plan.change(story, needed, live), deadline)
    return answer if isinstance(answer, Failure) else Done(answer)


_BY_REFERENCE = frozenset({Step.CREATE, Step.CHANGE, Step.ADOPT})
"""What goes by the IDs of the objects referred to."""
_CLOUD_WRITES = MappingProxyType({Step.CREATE: create, Step.CHANGE: _change, Step.DELETE: delete})
_OTHERS = MappingProxyType(
    {
        Step.CLAIM: _claim,
        Step.ANNOUNCE: _announce,
        Step.REMARK: _remark,
        Step.ADOPT: adopt,
        Step.CASCADE: cascade,
        Step.LET_GO: let_go,
    }
)
