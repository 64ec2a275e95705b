"""What one pass knows, in two values: `Known` before it looks at the world, `Story` when it has looked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from hooks.aruba.engine.findings import Claim, Comparison, Kin, Resolved
from hooks.aruba.engine.notes import DRIFT_POLICY, ON_EXTERNAL_DELETE, Pending, policy
from hooks.aruba.engine.recall import Past
from hooks.aruba.engine.values import Cloud, Mark, Memory, Situation, Violation, Wish
from hooks.aruba.model.catalog import Catalog
from hooks.aruba.model.failure import Failure
from hooks.aruba.model.kind import Kind
from hooks.aruba.model.live import Live
from hooks.aruba.model.paths import segment
from hooks.contract.requests import Parent
from hooks.meta.outcomes import Stale, Trouble


class Policy(NamedTuple):
    """The settings that a pass goes by; defaults are those of interfaces.md."""

    phase_timeout: timedelta = timedelta(minutes=10)
    window: timedelta = timedelta(seconds=60)
    listing_age: timedelta = timedelta(seconds=300)
    act_within: timedelta = timedelta(seconds=5)
    hook_timeout: timedelta = timedelta(seconds=30)


class Observed(NamedTuple):
    """What a look showed. `live` is the resource, or the other one where it is FOREIGN; `failure` says why SILENT, and
    `obstacle` what makes a creation impossible although nothing of this name is there.
    """

    cloud: Cloud
    live: Live | None = None
    failure: Failure | None = None
    obstacle: Violation | None = None


class Done(NamedTuple):
    """The step was carried out; `live` is what a cloud write answered, `gone` that there was nothing left to delete."""

    live: Live | None = None
    gone: bool = False


Outcome = Done | Stale | Failure | Trouble


def drifted(past: Past, comparison: Comparison) -> bool:
    """Whether the cloud's side has moved, not the spec's. While a reference is not known, nobody can say otherwise."""
    return bool(past.applied and comparison.calls) and comparison.asked in ("", past.applied)


@dataclass(frozen=True)
class Known:
    """All that follows from the hook call and the time alone. `path` is the cloud path of the collection to look in,
    None while an ID on it is not known.
    """

    kind: Kind
    catalog: Catalog
    parent: Parent
    policy: Policy
    now: datetime
    wish: Wish
    past: Past
    memory: Memory
    pending: Pending
    mark: Mark
    resolved: Resolved
    violations: tuple[Violation, ...]
    """What spec and references break, whatever stands in the cloud."""
    unfit: tuple[Violation, ...]
    """What a creation would break; empty once there is a resource."""
    claim: Claim
    tenant: str
    path: str | None
    due: bool
    asked_anew: bool
    """The annotation reconcile-at was changed: look afresh, and try again what was paused."""
    timeout: timedelta

    @property
    def edited(self) -> bool:
        """Whether the spec, or the wish to keep it, is newer than what the status tells of."""
        return self.past.condition("Ready").get("observedGeneration") != self.parent.metadata.generation

    @property
    def corrects(self) -> bool:
        """Whether drift is put back, or only told."""
        return policy(self.parent.metadata, DRIFT_POLICY, "correct") == "correct"

    @property
    def recreates(self) -> bool:
        """Whether a resource that vanished is made again, or its loss only told."""
        default = "recreate" if self.kind.recreate else "report"
        return policy(self.parent.metadata, ON_EXTERNAL_DELETE, default) == "recreate"

    @property
    def overdue(self) -> bool:
        return self.past.started is not None and self.now - self.past.started > self.timeout


@dataclass(frozen=True)
class Story(Known):
    """One pass, told: what is known and what was seen, and what it amounts to."""

    observed: Observed
    comparison: Comparison
    wrong: tuple[Violation, ...]
    """All rules that stand against going on."""
    kin: Kin
    situation: Situation

    @property
    def drifted(self) -> bool:
        """What differs was as it should be before, and nothing else is asked for since: somebody else changed it."""
        return drifted(self.past, self.comparison)

    @property
    def repeating(self) -> bool:
        """The change that is needed is the one that the cloud took last, and does not show."""
        calls = self.comparison.calls
        return self.past.change_taken and bool(calls) and calls[0].digest == self.past.last_change

    @property
    def item(self) -> str:
        """The cloud path of the resource: the ID that was seen, or the recorded one. ValueError for a bad one."""
        seen = self.observed.live.id if self.observed.live is not None else ""
        return f"{self.path}/{segment(seen or self.past.resource_id)}"
