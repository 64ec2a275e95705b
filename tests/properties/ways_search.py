"""The search: breadth first from every station of a life, everything that can happen tried in every state.

States are compared by what the engine can go by: texts are left out, times are taken as classes of age, IDs by order.
The first state of each outline (what a user would tell apart) comes before all further ones, so that a search which
ends at its limit has been everywhere once.
"""

from __future__ import annotations

import json
import pickle
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tests.properties import ways_moves, ways_out
from tests.properties.ways_ports import FINE, step
from tests.properties.ways_stations import stations
from tests.properties.ways_world import Object, World
from tests.world.time import EPOCH

FARES = {
    "post": "semantic, not ready, account, odd, forbidden, conflict, throttled, away, lost, late, thin, not found",
    "put": "semantic, not ready, account, forbidden, conflict, throttled, away, lost, not found",
    "delete": "semantic, not ready, forbidden, conflict, away, lost, lingers, not found",
    "read": "away, forbidden, unauthorized, throttled, nothing, project gone, incomplete",
    "patch": "stale, forbidden",
    "look": "away, forbidden",
    "family": "away, forbidden",
    "answer": "lost",
}
"""How each sort of call of a pass may fare, besides well."""
AGES = (-1800.0, -300.0, -30.0, 0.0, 2.2, 10.0, 60.0, 600.0, 3600.0)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")
_ID = re.compile(r"\bid\d+\b")


@dataclass
class Found:
    """What a search came to. `ends` are the dead ends, each with its trace; `pairs` every phase with its reason."""

    kind: str
    states: int = 0
    walked: int = 0
    pairs: set[tuple[str, str]] = field(default_factory=set)
    ends: dict[str, str] = field(default_factory=dict)


def key(world: World) -> str:
    """One text for all worlds that the engine cannot tell apart, and that go on alike."""
    names: dict[str, str] = {}

    def age(match: re.Match[str]) -> str:
        seconds = world.now - (datetime.fromisoformat(match[0]) - EPOCH).total_seconds()
        return f"<{sum(seconds >= edge for edge in AGES)}>"

    def numbered(match: re.Match[str]) -> str:
        return names.setdefault(match[0], f"#{len(names)}")

    rows = [row | {"shows": world.shown(row), "made": None} for row in world.rows if not row["id"].startswith("of-")]
    relatives = [row["properties"] for row in world.rows if row["id"].startswith("of-")]
    whole = [_subject(world), [_relative(o) for o in world.others.values()], rows, relatives]
    return _ID.sub(numbered, _TIME.sub(age, json.dumps(whole, sort_keys=True)))


def _subject(world: World) -> Any:
    if world.subject is None:
        return None
    meta, status = world.subject["metadata"], dict(world.status)
    status.pop("message", None)
    newest = meta["generation"]
    conditions = [
        [c["type"], c["status"], c["reason"], c["observedGeneration"] == newest] for c in status.pop("conditions", ())
    ]
    status["observedGeneration"] = status.get("observedGeneration") == newest
    kept = [meta["annotations"], sorted(meta["labels"]), bool(meta["finalizers"]), meta.get("deletionTimestamp")]
    return [world.subject["spec"], kept, status, conditions]


def _relative(item: Object) -> Any:
    meta, status = item["metadata"], item["status"]
    said = [meta.get("annotations"), status.get("origin")]
    return [meta["name"], status.get("phase"), meta.get("deletionTimestamp"), *(one for one in said if one)]


def _outline(world: World) -> tuple[Any, ...]:
    """What a user would tell apart."""
    row, status, ready = world.known(), world.status, world.ready()
    newest = world.subject is not None and ready.get("observedGeneration") == world.subject["metadata"]["generation"]
    told = (status.get("phase"), ready.get("reason"), world.stalled(), newest, world.deleting)
    return (*told, "resourceID" in status, "nextAttemptTime" in status, row and row["state"])


class Search:
    """Of one kind, until `limit` states are known."""

    def __init__(self, kind: str, limit: int) -> None:
        self.found = Found(kind)
        self._limit = limit
        self._came: dict[str, tuple[str, str]] = {}
        self._first: deque[tuple[bytes, str]] = deque()
        self._further: deque[tuple[bytes, str]] = deque()
        self._outlines: set[tuple[Any, ...]] = set()
        self._good: dict[bool, set[str]] = {False: set(), True: set()}
        self._moves = list(ways_moves.moves(kind))
        self._bare = {move.label for move in self._moves}

    def run(self) -> Found:
        for label, world in stations(self.found.kind):
            self._arrive(world, "", label)
        while (queue := self._first or self._further) and len(self._came) < self._limit:
            packed, here = queue.popleft()
            for label, world in self._next(packed):
                self._arrive(world, here, label)
        self.found.states = len(self._came)
        return self.found

    def _next(self, packed: bytes) -> Iterator[tuple[str, World]]:
        world: World = pickle.loads(packed)  # noqa: S301 - what was packed here
        used = {"answer"}
        if world.subject is not None:
            used |= step(world)
            yield "pass", world
        for sort, fares in FARES.items():
            for weather in fares.split(", ") if sort in used and len(used) > 1 else ():
                world = pickle.loads(packed)  # noqa: S301 - likewise
                step(world, FINE._replace(**{sort: weather}))
                yield f"pass, {sort}: {weather}", world
        for move in self._moves:
            world = pickle.loads(packed)  # noqa: S301 - likewise
            if world.subject is not None and move.do(world):
                yield move.label, pickle.loads(pickle.dumps(world))  # noqa: S301 - likewise
                step(world)
                yield f"{move.label}, pass", world

    def _arrive(self, world: World, before: str, label: str) -> None:
        here = key(world)
        if here in self._came:
            return
        self._came[here] = (before, label)
        self._note(world)
        self._judge(world, here)
        if world.subject is not None:
            packed, known = pickle.dumps(world), len(self._outlines)
            self._outlines.add(_outline(world))
            queue = self._first if len(self._outlines) > known else self._further
            (self._further if label in self._bare else queue).append((packed, here))
            if not world.deleting:
                self._walk(pickle.loads(packed), here, gone=False)  # noqa: S301 - likewise
            self._walk(pickle.loads(packed), here, gone=True)  # noqa: S301 - likewise

    def _walk(self, world: World, here: str, gone: bool) -> None:
        passed: list[str] = []

        def seen(now: World) -> bool:
            self._note(now)
            self._judge(now, here)
            at = key(now)
            known = at in self._good[gone] and bool(passed)
            passed.append(at)
            return known

        way = ways_out.to_gone if gone else ways_out.to_active
        fault = way(world, seen)
        self.found.walked += len(passed)
        if fault:
            self._tell(fault, here)
        else:
            self._good[gone].update(passed)

    def _judge(self, world: World, here: str) -> None:
        ours = [row["id"] for row in world.mine() if not row.get("twin") and row["state"] != "Deleting"]
        if len(ours) > 1:
            self._tell(f"two resources for one object: {ours}", here)
        if any(item.get("harmed") for item in world.others.values()):
            self._tell("a protected child was deleted", here)

    def _tell(self, fault: str, here: str) -> None:
        """One example, the first and so a shortest one, for each place that it ends in."""
        outline = re.sub(r"\d+", "N", fault)[:160]
        if outline not in self.found.ends:
            trace = [fault]
            while here:
                here, label = self._came[here]
                trace.append(label)
            self.found.ends[outline] = " <- ".join(trace)

    def _note(self, world: World) -> None:
        if world.status:
            self.found.pairs.add((str(world.status.get("phase")), str(world.ready().get("reason"))))
