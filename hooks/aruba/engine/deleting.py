"""The end of a resource: its DELETE, once a live read allows it, and what a refusal or a 404 is worth (design §5.6)."""

from __future__ import annotations

from collections.abc import AsyncIterator

from hooks.aruba.engine import plan
from hooks.aruba.engine.findings import NAMED
from hooks.aruba.engine.holding import keepers
from hooks.aruba.engine.obstacles import doubted
from hooks.aruba.engine.ports import Ports
from hooks.aruba.engine.story import Done, Outcome, Story
from hooks.aruba.model.failure import Cause, Failure
from hooks.aruba.model.live import Live
from hooks.aruba.model.states import Standing, States, standing
from hooks.meta.deadline import Deadline

REFUSALS = frozenset({Cause.NOT_READY, Cause.SEMANTIC, Cause.CONFLICT})


async def delete(story: Story, ports: Ports, deadline: Deadline) -> Outcome:
    """DELETE: `act` has just read this very object live, as we know it, being deleted (design §5.6)."""
    kept = await keepers(story, ports, deadline)
    if kept is not None:
        return kept
    answer = await ports.cloud.send(story.tenant, plan.deletion(story.item), deadline)
    if not isinstance(answer, Failure):
        return Done(answer)
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
