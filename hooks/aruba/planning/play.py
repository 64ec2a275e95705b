"""Passes over shadow objects, by Metacontroller's rules and in shadow time, until nothing more happens."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

from hooks.aruba.engine.ports import Ports
from hooks.aruba.engine.reconcile import reconcile
from hooks.aruba.engine.story import Policy
from hooks.aruba.model.catalog import Catalog
from hooks.aruba.model.wire import Call
from hooks.aruba.planning.objects import Key, Objects
from hooks.aruba.planning.resources import Resources
from hooks.contract.replies import Busy
from hooks.contract.requests import Parent, SyncCall
from hooks.meta.deadline import Deadline

QUIET = timedelta(minutes=5)
"""Nothing happened for so long: nothing will, unless somebody does something."""
LONGEST = timedelta(hours=2)
BUDGET = 22.0


class ShadowClock:
    """Time that passes only here."""

    def __init__(self, start: datetime) -> None:
        self._start = start
        self.at = start

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return (self.at - self._start).total_seconds()


class Planned(NamedTuple):
    """One thing that would happen to an object: a call, or one that needs none, such as an adoption."""

    kind: str
    path: str
    call: Call | None
    what: str


class Outcome(NamedTuple):
    """How an object would end: its phase, whether it is Ready, and its message."""

    kind: str
    path: str
    phase: str
    ready: bool
    message: str


class Player:
    """One play."""

    def __init__(
        self, catalog: Catalog, objects: Objects, resources: Resources, clock: ShadowClock, policy: Policy
    ) -> None:
        self._catalog = catalog
        self._kinds = {kind.names.plural: kind for kind in catalog}
        self._objects = objects
        self._resources = resources
        self._clock = clock
        self._policy = policy
        self._ports = Ports(resources, objects, clock)
        self.planned: list[Planned] = []

    async def run(self, keys: list[Key]) -> None:
        """Each pass that changes something wakes all: any of them may refer to it."""
        due = dict.fromkeys(keys, self._clock.at)
        last = start = self._clock.at
        while due and self._clock.at - last < QUIET and self._clock.at - start < LONGEST:
            key = min(due, key=lambda one: due[one])
            self._clock.at = max(self._clock.at, due[key])
            changed, after = await self._pass(key)
            due[key] = self._clock.at + timedelta(seconds=max(after, 0.05))
            if changed:
                last = self._clock.at
                due = {one: min(at, self._clock.at + timedelta(seconds=0.01)) for one, at in due.items()}

    async def _pass(self, key: Key) -> tuple[bool, float]:
        """Whether anything changed, and the seconds until the next pass."""
        kind, item = self._kinds[key[0]], self._objects.get(key)
        if item is None or item["metadata"].get("deletionTimestamp"):
            return False, QUIET.total_seconds()
        parent = Parent.model_validate(item)
        call = SyncCall(parent=parent, related=self._objects.related(kind, parent))
        calls, events = len(self._resources.sent), len(self._objects.told)
        deadline = Deadline(self._clock.monotonic() + BUDGET)
        reply = await reconcile(kind, self._catalog, call, self._ports, self._policy, deadline)
        self._note(key, self._resources.sent[calls:], self._objects.told[events:])
        if isinstance(reply, Busy):
            return self._objects.get(key) != item, float(reply.retry_after)
        changed = self._objects.answered(key, {**reply.status, "observedGeneration": parent.metadata.generation})
        return changed or self._objects.get(key) != item, reply.resyncAfterSeconds or 30.0

    def _note(self, key: Key, calls: list[Call], told: list[tuple[str, str]]) -> None:
        kind, path = self._kinds[key[0]].names.kind, f"{key[1]}/{key[2]}"
        said = dict(told)
        for call in calls:
            self.planned.append(Planned(kind, path, call, _what(call, said)))
        if not calls and "Adopted" in said:
            self.planned.append(Planned(kind, path, None, said["Adopted"]))


def _what(call: Call, said: dict[str, str]) -> str:
    if "DriftCorrected" in said:
        return said["DriftCorrected"]
    if "Changing" in said:
        return said["Changing"].removeprefix("The cloud took the request to ")
    if call.method == "POST":
        return f"create {(call.body or {}).get('metadata', {}).get('name', '')!r}"
    return ""


async def play(
    catalog: Catalog, objects: Objects, resources: Resources, clock: ShadowClock, policy: Policy, keys: Iterable[Key]
) -> tuple[list[Planned], list[Outcome]]:
    """What would happen to these objects, in order, and how each would end."""
    wanted = list(keys)
    player = Player(catalog, objects, resources, clock, policy)
    await player.run(wanted)
    return player.planned, [_outcome(player, key, objects) for key in wanted]


def _outcome(player: Player, key: Key, objects: Objects) -> Outcome:
    item = objects.get(key) or {}
    status = item.get("status") or {}
    ready = any(c["type"] == "Ready" and c["status"] == "True" for c in status.get("conditions") or ())
    message = str(status.get("message") or "")
    return Outcome(str(item.get("kind")), f"{key[1]}/{key[2]}", str(status.get("phase") or ""), ready, message)
