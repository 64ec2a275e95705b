"""Everything one simulated cloud is made of, in one place that can be emptied.

The app makes it, the admin API changes it, and every rule is handed it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from hooks.simulator.calls import Calls
from hooks.simulator.clock import SteeredClock
from hooks.simulator.faults import Faults
from hooks.simulator.ids import Ids
from hooks.simulator.quirks import Quirks
from hooks.simulator.resource import Resource, Store
from hooks.simulator.timings import Timings
from hooks.simulator.tokens import Tokens
from hooks.simulator.transitions import Timeline

# Asked when a create, update or action ends: (kind, id, state it should end in) -> another state to end in, or None.
Spontaneous = Callable[[str, str, str], str | None]


class World:
    """The cloud's whole state, and what it was made with."""

    def __init__(
        self,
        clock: SteeredClock,
        seed: int,
        timings: Timings,
        clients: Mapping[str, str],
        spontaneous: Spontaneous | None,
    ) -> None:
        self.clock = clock
        self.seed = seed
        self.timings = timings
        self.clients = clients
        self.spontaneous = spontaneous
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Empty, as new; only the clock goes on from where it is."""
        self.ids = Ids(seed)
        self.store = Store()
        self.timeline = Timeline()
        self.calls = Calls()
        self.faults = Faults()
        self.tokens = Tokens(self.clients, self.ids)
        self.set_quirks(Quirks())

    def set_quirks(self, quirks: Quirks) -> None:
        self.quirks = quirks
        self.timeline.stuck = quirks.never_settle

    def now(self) -> datetime:
        return self.clock.now()

    def settle(self) -> datetime:
        """Let everything that is due by now have happened; returns now."""
        now = self.now()
        self.timeline.settle(now)
        return now

    def readable(self, resource: Resource) -> bool:
        """It exists for one who asks by id."""
        return resource.alive and self._older(resource, self.quirks.read_lag)

    def listed(self, resource: Resource) -> bool:
        """It exists for one who reads a list."""
        return resource.alive and self._older(resource, self.quirks.list_lag)

    def _older(self, resource: Resource, lag: float) -> bool:
        return lag == 0 or resource.created + timedelta(seconds=lag) <= self.now()
