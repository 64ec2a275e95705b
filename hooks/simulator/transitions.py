"""States change by declared transitions; how a transition advances is a setting.

A resource has at most one transition under way. It ends at once, when simulated time has passed, or after it was read
so many times. Nothing runs in the background: due ones are carried out, in the order of their due times, when the next
request arrives. The lifecycle starts them; `World.settle` calls here at each request.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hooks.simulator.resource import Resource

Done = Callable[[datetime], None]


@dataclass(frozen=True)
class AtOnce:
    """The transition is over before the request that started it is answered."""


@dataclass(frozen=True)
class AfterSeconds:
    """The transition takes so many simulated seconds."""

    seconds: float


@dataclass(frozen=True)
class AfterReads:
    """The transition ends when the resource has been read so many times: step by step, without a clock."""

    count: int


Progress = AtOnce | AfterSeconds | AfterReads


@dataclass(eq=False)
class Transition:
    """One under way: `done` is called with the moment at which it ended."""

    done: Done
    reads_left: int | None = None


class Timeline:
    """All transitions under way. `stuck` names the kind that never settles (quirk `neverSettle`)."""

    def __init__(self) -> None:
        self.stuck: str | None = None
        self._due: list[tuple[datetime, int, Resource, Transition]] = []
        self._count = 0

    def start(self, resource: Resource, progress: Progress, done: Done, now: datetime) -> None:
        """Replace the resource's transition by a new one."""
        transition = resource.transition = Transition(done)
        match progress:
            case AfterSeconds(seconds):
                self._push(now + timedelta(seconds=seconds), resource, transition)
            case AfterReads(count):
                transition.reads_left = count
            case AtOnce():
                self._push(now, resource, transition)
                self.settle(now)

    def settle(self, now: datetime) -> None:
        """Carry out all that is due by `now`."""
        held = []
        while self._due and self._due[0][0] <= now:
            due, _, resource, transition = heapq.heappop(self._due)
            if resource.transition is not transition:
                continue
            if resource.kind.name == self.stuck:
                held.append((due, resource, transition))
                continue
            self._finish(resource, transition, due)
        for due, resource, transition in held:
            self._push(due, resource, transition)

    def read(self, resource: Resource, now: datetime) -> None:
        """Count one read; it may be the step that ends the transition."""
        transition = resource.transition
        if transition is None or transition.reads_left is None or resource.kind.name == self.stuck:
            return
        transition.reads_left -= 1
        if transition.reads_left < 0:
            self._finish(resource, transition, now)

    def _push(self, due: datetime, resource: Resource, transition: Transition) -> None:
        self._count += 1
        heapq.heappush(self._due, (due, self._count, resource, transition))

    def _finish(self, resource: Resource, transition: Transition, when: datetime) -> None:
        resource.transition = None
        transition.done(when)
