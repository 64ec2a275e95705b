"""The real `know`, `observe`, `situate` and `decide` in the place of the create protocol's `first_step`.

One tick of the model is 15 seconds, so that its window of 4 ticks is the real 60 seconds. Each distinct question is put
to the engine once and remembered: the search asks a few thousand different ones millions of times.
"""

from __future__ import annotations

from collections.abc import Coroutine, Iterator
from datetime import datetime, timedelta
from functools import cache
from typing import Any, NamedTuple

from hooks.aruba.engine import notes
from hooks.aruba.engine.decide import decide
from hooks.aruba.engine.findings import Comparison, Kin
from hooks.aruba.engine.know import know
from hooks.aruba.engine.observe import observe
from hooks.aruba.engine.situate import situate
from hooks.aruba.engine.story import Policy
from hooks.aruba.engine.values import Mark, Memory, Step
from hooks.aruba.kinds import discover
from hooks.aruba.model.live import Live
from hooks.aruba.model.wire import Around, Listing, Reading
from hooks.contract.requests import Parent, SyncCall
from hooks.meta.deadline import Deadline
from hooks.meta.objects import ObjectMeta
from tests.properties import create_protocol as model
from tests.properties.create_protocol import INTENT, Obj, Rules, World, answer, listed, patch, replace_call
from tests.world.time import EPOCH

TICK = timedelta(seconds=15)
UID = "0b6f6d0e-2f0a-4a58-9f27-3e3f1b1f0001"
CATALOG = discover()
KIND = CATALOG["VPC"]
PROJECT = {
    "metadata": {"name": "p", "namespace": "n", "uid": "p-uid"},
    "spec": {},
    "status": {"phase": "Active", "resourceID": "project-1"},
}


class Ruling(NamedTuple):
    """The engine's answer: the step, the resource that it saw, and how its past and mark looked to it."""

    step: Step
    seen: int | None
    memory: Memory
    mark: Mark


def at_tick(tick: int) -> datetime:
    return EPOCH + tick * TICK


class OneListing:
    """A cloud that hands out one listing, started at a given tick; `asked` is the freshness that was demanded first.

    A second, fresher look at an empty listing shows the same here: the search is harder on the engine than the world.
    """

    def __init__(self, found: frozenset[int], at: int) -> None:
        self.rows = tuple(_row(rid) for rid in sorted(found))
        self.started = at_tick(at)
        self.asked: datetime | None = None

    async def listing(self, tenant: str, path: str, since: datetime, deadline: Deadline, *, proof: bool) -> Listing:
        self.asked = self.asked or since
        return Listing(self.rows, True, self.started)

    async def item(
        self, tenant: str, path: str, resource_id: str, since: datetime, deadline: Deadline, *, proof: bool
    ) -> Reading:
        self.asked = since
        return Reading(next((row for row in self.rows if row.id == resource_id), None), self.started)

    async def around(self, tenant: str, path: str, resource_id: str, since: datetime, deadline: Deadline) -> Around:
        return Around.STANDS


def _row(rid: int) -> Live:
    metadata = {"id": str(rid), "name": "net-x", "tags": [notes.owner_tag(UID)]}
    return Live({"metadata": metadata, "status": {"state": "Active"}, "properties": {}})


def _run(coroutine: Coroutine[Any, Any, Any]) -> Any:
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError("the engine waited for something that this model does not have")


def _parent(obj: Obj) -> Parent:
    names = {"name": "net-x", "namespace": "n", "uid": UID}
    meta: dict[str, Any] = {**names, "generation": 1, "resourceVersion": str(obj.rv)}
    if obj.deleting:
        meta["deletionTimestamp"] = "2026-07-01T08:00:00Z"
    annotations: dict[str, str | None] = {}
    plain = ObjectMeta.model_validate(meta)
    if obj.mark is not None:
        path = KIND.collection.at({"project": "project-1"})
        tried = notes.attempt(plain, at_tick(obj.mark), "", path) if obj.mark != INTENT else notes.intent(plain, "")
        annotations |= tried
    meta["annotations"] = annotations
    meta["labels"] = {}
    return Parent.model_validate(
        {
            "apiVersion": "arubacloud.com/v1alpha1",
            "kind": "VPC",
            "metadata": meta,
            "spec": {"projectReference": {"name": "p", "namespace": "n"}},
            "status": _status(obj),
        }
    )


def _status(obj: Obj) -> dict[str, Any]:
    creating = {"Creating": ("True", "ShallSynchronize"), "Created": ("True", "Synchronizing")}
    status: dict[str, Any] = {"phase": "Creating" if obj.phase == "Created" else obj.phase, "conditions": []}
    if obj.phase == "Active":
        status["conditions"] = [
            {"type": "Creating", "status": "False", "reason": "Synchronized"},
            {"type": "Active", "status": "True", "reason": "Synchronized"},
        ]
    elif obj.phase in creating:
        value, reason = creating[obj.phase]
        status["conditions"] = [{"type": "Creating", "status": value, "reason": reason}]
    if obj.phase != "Pending":
        status["projectID"] = "project-1"
    if obj.rid is not None:
        status["resourceID"] = str(obj.rid)
    return status


@cache
def ruling(obj: Obj, now: int, found: frozenset[int], at: int) -> tuple[Ruling, int | None]:
    """The engine's ruling on one view, and the tick from which it wanted its listing (None: it did not look)."""
    call = SyncCall(
        parent=_parent(obj), related={"Project.arubacloud.com/v1alpha1": {"n/p": PROJECT}}, finalizing=obj.deleting
    )
    known = know(KIND, CATALOG, call, Policy(), at_tick(now))
    known = known.__class__(**{**vars(known), "claim": known.claim._replace(annotations={}, labels={})})
    cloud = OneListing(found, at)
    observed = _run(observe(known, cloud, Deadline(1e9)))
    step = decide(situate(known, observed, Comparison(), (), Kin()))
    seen = int(observed.live.id) if observed.live is not None else None
    asked = None if cloud.asked is None else -((EPOCH - cloud.asked) // TICK)
    return Ruling(step, seen, known.memory, known.mark), asked


def by_engine(w: World, i: int, rules: Rules) -> Iterator[World]:
    """Every outcome of what a call does before its fence: the listing it is handed may be as old as it allows."""
    view = w.calls[i].view._replace(rv=0)
    _, asked = ruling(view, w.now, frozenset(), w.now)
    for at in {w.now} if asked is None else {w.now, min(w.now, max(0, asked))}:
        found = frozenset(k for k in listed(w) if w.cloud[k].shows <= at)
        yield from effect(w, i, rules, ruling(view, w.now, found, at)[0])


def effect(w: World, i: int, rules: Rules, said: Ruling) -> Iterator[World]:
    """What the model's world becomes by a ruling."""
    v, step = w.calls[i].view, said.step
    hung_up = replace_call(w, i, None)
    if step is Step.REMARK:
        yield replace_call(patch(w, i, w.now, rules) or w, i, None)
    elif step is Step.CREATE:
        yield replace_call(w, i, w.calls[i]._replace(pc="fence"))
    elif step is Step.DELETE:
        cloud = tuple(r._replace(dead=True) if k == said.seen else r for k, r in enumerate(w.cloud))
        yield from answer(w._replace(cloud=cloud), i, v.phase, v.rid)
    elif step is Step.ANNOUNCE:
        first = said.memory is Memory.NEW and said.mark is Mark.MISSING
        after = patch(w, i, INTENT, rules) if first else w
        yield from answer(after, i, "Creating", None) if after else (hung_up,)
    elif step is Step.SETTLE and v.deleting:
        yield hung_up._replace(obj=None)
    elif step is Step.SETTLE:
        yield from answer(w, i, "Active", said.seen)
    elif step is Step.WAIT and v.rid is None and said.mark is Mark.YOUNG and not v.deleting:
        yield hung_up
    elif step is Step.WAIT:
        yield from answer(w, i, v.phase, v.rid)
    else:
        raise AssertionError(f"{step} has no place in this world")


__all__ = ["by_engine", "model"]
