"""The fence: how a resource comes to be made at most once (design §5.3)."""

from __future__ import annotations

from datetime import datetime, timedelta

from hooks.aruba.engine import notes, plan
from hooks.aruba.engine.holding import taken
from hooks.aruba.engine.ports import Ports
from hooks.aruba.engine.story import Done, Outcome, Story
from hooks.aruba.engine.touch import patch
from hooks.aruba.engine.values import Mark, Raw
from hooks.aruba.model.failure import Failure
from hooks.meta.deadline import Deadline
from hooks.meta.outcomes import Patched, Stale

SKEW = timedelta(seconds=5)
"""How far our clock may be off while a fence is set: what the window allows for (design §5.4)."""


async def create(story: Story, ports: Ports, deadline: Deadline) -> Outcome:
    """Token, limiter slot and body first; then the fence; then the POST, at once or not at all (design §5.3)."""
    ids = story.resolved.parents(story.kind)
    assert ids is not None, "decide creates only when every reference is Active"
    path, meta = story.kind.collection.at(ids), story.parent.metadata
    call = plan.creation(story.kind, story.catalog, meta, story.resolved, path)
    mine = {t.id.lower() for t in story.resolved.targets if not story.kind.by_name[t.field].late}
    held = await taken(story, mine, ports, deadline) or await ports.cloud.ready(story.tenant, deadline)
    if held is not None:
        return held
    fenced_at, stamped = ports.clock.monotonic(), ports.clock.now()
    fence = await patch(story, ports, deadline, notes.attempt(meta, stamped, story.tenant, path), {})
    if not isinstance(fence, Patched):
        return fence
    if _misjudged(stamped, fenced_at, ports):
        return await _mark_again(story, ports, deadline, fence)
    leave_by = fenced_at + story.policy.act_within.total_seconds()
    if not _as_shown(story, fence.raw) or ports.clock.monotonic() > leave_by:
        await _untry(story, ports, deadline, fence)
        return Stale("the object changed, or the fence took too long: nothing was sent")
    answer = await ports.cloud.send(story.tenant, call, deadline, leave_by)
    if not isinstance(answer, Failure):
        return Done(answer)
    if not answer.sent:
        await _untry(story, ports, deadline, fence)
    return answer


def _misjudged(stamped: datetime, fenced_at: float, ports: Ports) -> bool:
    """The fence's reply taught us that our clock was wrong: the mark's time is too, and so is how old we took the last
    one to be.
    """
    passed = timedelta(seconds=ports.clock.monotonic() - fenced_at)
    return abs(ports.clock.now() - stamped - passed) > SKEW


async def _mark_again(story: Story, ports: Ports, deadline: Deadline, fence: Patched) -> Outcome:
    """Nothing was sent. An untried object stays so; an earlier attempt is waited for as if it had been made now."""
    meta = story.parent.metadata
    again = notes.untried(meta) if story.mark is Mark.INTENT else notes.remark(meta, ports.clock.now(), story.path)
    version = str(fence.raw.get("metadata", {}).get("resourceVersion", ""))
    await patch(story, ports, deadline, again, {}, version)
    return Stale("the clock was wrong: nothing was sent")


def _as_shown(story: Story, live: Raw) -> bool:
    """The POST must say what the live object says, not what the caller of the hook said."""
    meta = live.get("metadata", {})
    same = meta.get("uid") == story.parent.metadata.uid and not meta.get("deletionTimestamp")
    return bool(same and live.get("spec", {}) == story.parent.spec)


async def _untry(story: Story, ports: Ports, deadline: Deadline, fence: Patched) -> None:
    """Take the mark back after an attempt that provably made nothing, fenced by the version that the fence returned."""
    version = str(fence.raw.get("metadata", {}).get("resourceVersion", ""))
    await patch(story, ports, deadline, notes.untried(story.parent.metadata), {}, version)
