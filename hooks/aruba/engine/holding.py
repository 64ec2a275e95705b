"""Who holds what: before a call that takes something for itself alone, and before a DELETE that would leave holders.

The cloud refuses both, often in words that help nobody; a look beforehand names the holder (cases 31, 45).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from hooks.aruba.engine.findings import NAMED
from hooks.aruba.engine.plan import uri
from hooks.aruba.engine.ports import Ports
from hooks.aruba.engine.story import Story
from hooks.aruba.engine.values import Target
from hooks.aruba.model.failure import Cause, Failure
from hooks.aruba.model.kind import Holder
from hooks.aruba.model.live import Live, last_segment, linked
from hooks.meta.deadline import Deadline

LATELY = timedelta(seconds=15)
"""How old a look may be that shows something to be free; the cloud itself judges what happens within that time."""

AFTER_A_REFUSAL = timedelta(seconds=1)
"""How old it may be once a call was refused."""


async def taken(story: Story, ids: Iterable[str], ports: Ports, deadline: Deadline) -> Failure | None:
    """Why the resources of these IDs, referred to for exclusive use, cannot be had: somebody else holds one."""
    wanted = frozenset(ids)
    exclusive = {field.name for field in story.kind.references if field.exclusive}
    for target in story.resolved.targets:
        if target.field in exclusive and target.id.lower() in wanted:
            failure = await _held(story, target, ports, deadline)
            if failure is not None:
                return failure
    return None


async def _held(story: Story, target: Target, ports: Ports, deadline: Deadline) -> Failure | None:
    path, _, resource_id = uri(story.catalog, target).rpartition("/")
    age = LATELY if story.past.next_attempt is None else AFTER_A_REFUSAL
    seen = await ports.cloud.item(story.tenant, path, resource_id, ports.clock.now() - age, deadline, proof=False)
    if isinstance(seen, Failure) or seen.live is None:
        return None  # the call itself will tell
    holds = {holder.collection.rpartition("/")[2].lower() for holder in story.catalog[target.kind].held_by}
    for holder in linked(seen.live):
        above, _, holder_id = holder.rstrip("/").rpartition("/")
        if above.rpartition("/")[2].lower() not in holds and holder_id.lower() != story.past.resource_id.lower():
            who = await _named(story, holder, ports, deadline)
            text = f"{target.kind} {target.path} is held by {who}"
            return Failure(Cause.HELD, text, title="In use", detail=text, sent=False)
    return None


async def _named(story: Story, holder: str, ports: Ports, deadline: Deadline) -> str:
    """The holder by name and ID, by its ID alone where it cannot be read."""
    path, _, resource_id = holder.rstrip("/").rpartition("/")
    seen = await ports.cloud.item(
        story.tenant, path, resource_id, ports.clock.now() - timedelta(seconds=60), deadline, proof=False
    )
    name = "" if isinstance(seen, Failure) or seen.live is None else f"{seen.live.name!r} "
    return f"{path.rpartition('/')[2]} {name}({last_segment(holder)})"


async def keepers(story: Story, ports: Ports, deadline: Deadline) -> Failure | None:
    """Why this resource may not go yet: others that would be left behind, or a list of them that cannot be read."""
    for holder in story.kind.held_by:
        project = story.kind.collection.ids(story.path or "").get("project", "")
        path = f"/projects/{project}/providers/{holder.collection}"
        listing = await ports.cloud.listing(story.tenant, path, ports.clock.now() - LATELY, deadline, proof=True)
        if isinstance(listing, Failure):
            return listing._replace(sent=False)
        held = [row for row in listing.rows if _holds(row, holder, story.item)]
        if held:
            return _kept(held, holder)
        if not listing.complete:
            return Failure(Cause.TECHNICAL, f"the list at {path} is not complete, so nothing is risked", sent=False)
    return None


def _holds(row: Live, holder: Holder, item: str) -> bool:
    return last_segment(row.get(f"{holder.by}.uri")) == last_segment(item) and row.state.lower() != "deleted"


def _kept(held: list[Live], holder: Holder) -> Failure:
    word = holder.collection.rpartition("/")[2]
    named = ", ".join(f"{row.name!r} ({row.id})" for row in held[:NAMED])
    text = f"{word} of it exist: {named}{', and more' if len(held) > NAMED else ''}"
    return Failure(Cause.HELD, text, title="Still needed", detail=text, sent=False, reason=f"{word.capitalize()}Exist")
