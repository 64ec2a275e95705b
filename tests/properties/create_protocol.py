"""Exhaustive check of the no-duplicate protocol of design section 5, for one object.

The search itself is run by test_create_protocol.py: over this file, and over the engine in place of `first_step`.

The world: one custom resource, a cache that may show any earlier version of it, up to two hook calls at once (a
timed-out call keeps running and its answer is thrown away; a crash ends a call anywhere), a cloud without idempotency
key whose accepted POST lands up to POST_DELAY ticks later and shows up in listings up to LIST_LAG ticks after that.
A call may be delayed at every step. Status writes are not fenced, as in Metacontroller. A user may delete the object,
replace its metadata (which drops our annotation, as `kubectl replace` does), and delete the resource in the console.
Listings are shared between calls, so a call may be handed one that was started earlier, as early as the freshness rule
allows. The cloud may refuse a POST. Not modelled: clock skew between replicas (add it to the window), two objects.

Safety, checked in every reachable state: never two live cloud resources; and once the object is gone and nothing is in
flight, no live resource is left. Then each protection is taken away in turn, and the search must find the fault: so the
check can fail, and every rule earns its keep.

Times are ticks. WINDOW must exceed ACT_WITHIN + POST_DELAY + LIST_LAG.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import NamedTuple

POST_DELAY, LIST_LAG, ACT_WITHIN, WINDOW, HORIZON, VERSIONS, CALLS = 1, 1, 1, 4, 8, 3, 4
INTENT = -1  # the mark `none`: intent recorded, nothing tried yet


class Obj(NamedTuple):
    """One version of the custom resource. `mark`: the create-pending annotation, absent, INTENT, or a tick."""

    rv: int
    mark: int | None
    deleting: bool
    phase: str  # Pending | Creating | Created (ID from the reply, not yet seen by a read) | Active (seen)
    rid: int | None


class Call(NamedTuple):
    """A running hook call: program counter, the version it was shown, the tick of its fence, if its answer counts."""

    pc: str
    view: Obj
    fenced: int | None
    answered: bool
    made: int | None = None
    fence_rv: int | None = None


class Res(NamedTuple):
    """A cloud resource: when the POST lands, when listings show it, and if it was deleted."""

    lands: int
    shows: int
    dead: bool


class World(NamedTuple):
    now: int
    obj: Obj | None
    history: tuple[Obj, ...]
    calls: tuple[Call, ...]
    cloud: tuple[Res, ...]
    started: int
    asked_delete: bool
    replaces: int
    losses: int


class Rules(NamedTuple):
    fence: bool = True
    window: bool = True
    act_within: bool = True
    finalize_waits: bool = True
    lookup: bool = True
    lost_mark_waits: bool = True
    seen_first: bool = True
    fresh_absence: bool = True


def live(w: World) -> list[int]:
    return [i for i, r in enumerate(w.cloud) if r.lands <= w.now and not r.dead]


def listed(w: World) -> list[int]:
    return [i for i in live(w) if w.cloud[i].shows <= w.now]


def write(w: World, new: Obj) -> World:
    new = new._replace(rv=w.obj.rv + 1)
    return w._replace(obj=new, history=(*w.history, new)[-VERSIONS:])


def replace_call(w: World, i: int, call: Call | None) -> World:
    calls = w.calls[:i] + ((call,) if call else ()) + w.calls[i + 1 :]
    return w._replace(calls=tuple(sorted(calls, key=repr)))


def answer(w: World, i: int, phase: str, rid: int | None) -> Iterator[World]:
    """The call ends; unless its caller hung up, the status is written, over whatever is there."""
    call = w.calls[i]
    w = replace_call(w, i, None)
    if call.answered and w.obj is not None and (w.obj.phase, w.obj.rid) != (phase, rid):
        w = write(w, w.obj._replace(phase=phase, rid=rid))
    yield w


def patch(w: World, i: int, mark: int, rules: Rules) -> World | None:
    """The fenced PATCH of the mark; None is a 409 or 404: the call answers 429 and nothing is written."""
    if w.obj is None or (rules.fence and w.obj.rv != w.calls[i].view.rv):
        return None
    return write(w, w.obj._replace(mark=mark))


def readings(w: World, v: Obj, rules: Rules) -> set[int]:
    """When the listing that this call is handed may have been started: absence needs one past mark + window."""
    if v.mark is None or v.mark == INTENT:
        return {w.now}
    floor = v.mark + (WINDOW if rules.fresh_absence else 1)
    return {w.now, min(w.now, floor)}


def first_step(  # noqa: C901 - the protocol's rules in their order, to be read as one list
    w: World, i: int, rules: Rules, at: int
) -> Iterator[World]:
    """All that a call does before its fence, given a listing started at `at`."""
    call = w.calls[i]
    v = call.view
    found = [k for k in listed(w) if w.cloud[k].shows <= at]
    rid = v.rid if v.rid in found else (found[0] if found and rules.lookup else None)
    lost = v.mark is None and v.phase != "Pending" and rules.lost_mark_waits
    young = v.mark is not None and v.mark != INTENT and w.now - v.mark < WINDOW
    # A read that finds nothing is believed once the resource had been seen, or the window has passed.
    known_dead = v.rid is not None and (v.phase == "Active" or not rules.seen_first or not (young or lost))
    if v.deleting:
        if rid is not None:
            cloud = tuple(r._replace(dead=True) if k == rid else r for k, r in enumerate(w.cloud))
            yield from answer(w._replace(cloud=cloud), i, v.phase, v.rid)
        elif known_dead or not rules.finalize_waits or not (lost or young):
            yield replace_call(w, i, None)._replace(obj=None)  # finalized
        elif lost:
            after = patch(w, i, w.now, rules)
            yield replace_call(after or w, i, None)
        else:
            yield from answer(w, i, v.phase, v.rid)
    elif rid is not None:
        yield from answer(w, i, "Active", rid)
    elif known_dead:
        yield from answer(w, i, "Creating", None)
    elif v.rid is not None and young:
        yield from answer(w, i, v.phase, v.rid)
    elif v.phase == "Pending" and not (young and rules.window):
        after = w if v.mark is not None else patch(w, i, INTENT, rules)
        yield from answer(after, i, "Creating", None) if after else (replace_call(w, i, None),)
    elif lost:
        after = patch(w, i, w.now, rules)
        yield replace_call(after or w, i, None)
    elif rules.window and young:
        yield replace_call(w, i, None)  # 429: a status without the ID must not be written over one that may have it
    else:
        yield replace_call(w, i, call._replace(pc="fence"))


First = Callable[[World, int, Rules], Iterator[World]]


def by_model(w: World, i: int, rules: Rules) -> Iterator[World]:
    """What a call does before its fence, as this file states it."""
    for at in readings(w, w.calls[i].view, rules):
        yield from first_step(w, i, rules, at)


def step_call(w: World, i: int, rules: Rules, first: First) -> Iterator[World]:
    call = w.calls[i]
    if call.pc == "start":
        yield from first(w, i, rules)
    elif call.pc == "fence":
        after = patch(w, i, w.now, rules)
        if after is None:
            yield replace_call(w, i, None)
        else:
            yield replace_call(after, i, call._replace(pc="post", fenced=w.now, fence_rv=after.obj.rv))
    elif call.pc == "post":
        if rules.act_within and w.now - call.fenced > ACT_WITHIN:
            yield replace_call(w, i, None)
            return
        if w.obj is not None and w.obj.rv == call.fence_rv:  # refused: nothing was made
            yield replace_call(write(w, w.obj._replace(mark=INTENT)), i, None)
        for delay in range(POST_DELAY + 1):
            for lag in range(LIST_LAG + 1):
                res = Res(w.now + delay, w.now + delay + lag, False)
                w2 = w._replace(cloud=(*w.cloud, res))
                yield replace_call(w2, i, call._replace(pc="reply", made=len(w.cloud)))
                yield replace_call(w2, i, None)  # reply lost or process killed
    elif call.pc == "reply" and w.cloud[call.made].lands <= w.now:
        yield from answer(w, i, "Created", call.made)


def successors(  # noqa: C901 - all that can happen next, one branch each
    w: World, rules: Rules, first: First
) -> Iterator[World]:
    if w.now < HORIZON:
        yield w._replace(now=w.now + 1)
    if w.obj is not None and not w.asked_delete:
        yield write(w, w.obj._replace(deleting=True))._replace(asked_delete=True)
    if w.obj is not None and w.replaces < 1 and w.obj.mark is not None:
        yield write(w, w.obj._replace(mark=None))._replace(replaces=w.replaces + 1)
    if w.losses < 1:
        for k in live(w):
            yield w._replace(
                cloud=tuple(r._replace(dead=True) if j == k else r for j, r in enumerate(w.cloud)), losses=w.losses + 1
            )
    if w.obj is not None and w.started < CALLS and len(w.calls) < 2:
        for view in {*w.history}:
            if not any(c.answered for c in w.calls):
                yield w._replace(
                    calls=tuple(sorted((*w.calls, Call("start", view, None, True)), key=repr)), started=w.started + 1
                )
    for i, call in enumerate(w.calls):
        if call.answered:  # the caller times out; the call runs on
            yield replace_call(w, i, call._replace(answered=False))
        yield replace_call(w, i, None)  # crash
        yield from step_call(w, i, rules, first)


def fault(w: World) -> str | None:
    if len(live(w)) > 1:
        return "two live resources for one object"
    if w.obj is None and not w.calls and all(r.lands <= w.now for r in w.cloud) and live(w):
        return "object gone, resource left behind"
    return None


def search(rules: Rules, limit: int, first: First = by_model) -> tuple[int, str | None, list[World]]:
    """Breadth first, so the path to a fault is a shortest one."""
    new = Obj(1, None, False, "Pending", None)
    start = World(0, new, (new,), (), (), 0, False, 0, 0)
    came: dict[World, World | None] = {start: None}
    queue = deque([start])
    while queue and len(came) < limit:
        w = queue.popleft()
        for n in successors(w, rules, first):
            if n in came:
                continue
            came[n] = w
            if bad := fault(n):
                path, at = [], n
                while at is not None:
                    path.append(at)
                    at = came[at]
                return len(came), bad, path[::-1]
            queue.append(n)
    return len(came), None if not queue else "stopped at the limit, no fault so far", []
