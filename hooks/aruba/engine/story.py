"""What one pass knows, in two values: `Known` before it looks at the world, `Story` when it has looked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import NamedTuple

from hooks.aruba.engine.findings import Claim, Comparison, Kin, Resolved
from hooks.aruba.engine.notes import Pending, adoptee, owner_tag
from hooks.aruba.engine.policies import Policies
from hooks.aruba.engine.recall import TAKEN_OVER, Past
from hooks.aruba.engine.values import Cloud, Mark, Memory, Origin, Raw, Situation, Step, Violation, Wish
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
    defaults: Mapping[str, str] = MappingProxyType({})
    """Words of policies that the settings say, by annotation."""
    vault: bool = False
    """Each tenant has credentials of its own."""
    tenants: str = "any"
    """Which tenants an object may name: `any`, or those that its `namespace` lists."""
    references: str = "any"
    """What an object may refer to: `any`, `same-tenant`, or what the other Namespace has `granted`."""
    act_within: timedelta = timedelta(seconds=5)
    hook_timeout: timedelta = timedelta(seconds=30)

    @property
    def allowing(self) -> bool:
        return self.tenants == "namespace"

    @property
    def granting(self) -> bool:
        return self.references == "granted"


class Observed(NamedTuple):
    """What a look showed. `live` is the resource, or the other one where it is FOREIGN; `failure` says why SILENT, and
    `obstacle` what makes a creation impossible although nothing of this name is there.
    """

    cloud: Cloud
    live: Live | None = None
    failure: Failure | None = None
    obstacle: Violation | None = None
    several: tuple[str, ...] = ()
    """IDs, where one was looked for and more were found."""
    namesakes: tuple[Live, ...] | None = None
    """Others of its name, made by other objects, beside the object's own; None where the look did not show them."""


class Done(NamedTuple):
    """The step was carried out; `live` is what a cloud write answered, `gone` that there was nothing left to delete."""

    live: Live | None = None
    gone: bool = False
    rival: str = ""
    """The object that stands for the resource, or wants to, and so keeps this one from adopting it."""
    patient: bool = False
    """The rival, which is younger, is to step back first."""
    stranger: bool = False
    """The rival is known by its tag alone: it is not in this cluster."""


class Otherwise(NamedTuple):
    """At the version that the call shows Kubernetes has more of the object, or less: the schema of its kind was changed
    since Metacontroller read it, which tells no watch. Nothing was done; `raw` is the object as it is.
    """

    raw: Raw


Outcome = Done | Stale | Failure | Trouble


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
    barred: tuple[Violation, ...]
    """What stands against every call, deletion included: no call may be made as this tenant."""
    unfit: tuple[Violation, ...]
    """What a creation would break; empty once there is a resource."""
    claim: Claim
    tenant: str
    path: str | None
    due: bool
    policies: Policies
    origin: Origin
    asked_anew: bool
    """The annotation reconcile-at was changed: look afresh, and try again what was paused."""
    timeout: timedelta

    def drifted(self, comparison: Comparison) -> bool:
        """Whether the cloud's side has moved, not the spec's. While a reference is not known, nobody can say otherwise.
        What the Go operator left different stays so too, until the spec is edited.
        """
        if self.origin is Origin.TAKEN and not self.past.applied:
            return bool(comparison.calls)
        return bool(self.past.applied and comparison.calls) and comparison.asked in ("", self.past.applied)

    @property
    def edited(self) -> bool:
        """Whether the spec, or the wish to keep it, is newer than what the status tells of."""
        return self.past.condition("Ready").get("observedGeneration") != self.parent.metadata.generation

    @property
    def corrects(self) -> bool:
        """Whether drift is put back, or only told."""
        theirs = self.origin is Origin.TAKEN or self.past.origin == TAKEN_OVER
        return (self.policies.drift or ("report" if theirs else "correct")) == "correct"

    @property
    def recreates(self) -> bool:
        """Whether a resource that vanished is made again, or its loss only told."""
        ours = self.kind.recreate and self.origin is not Origin.ADOPTED
        return (self.policies.loss or ("recreate" if ours else "report")) == "recreate"

    @property
    def named(self) -> str:
        """The ID that the annotation resource-id names."""
        return adoptee(self.parent.metadata)

    @property
    def adopts(self) -> str:
        """The ID that is to be adopted; empty once the object has a resource."""
        return "" if self.past.resource_id else self.named

    @property
    def tag(self) -> str:
        return owner_tag(self.parent.metadata.uid)

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
    decided: Step
    """What would be done if nothing restrained it."""
    rivals: Mapping[str, str] = field(default_factory=dict)
    """Objects of this cluster that other resources belong to, by the resource's ID in lower case."""

    @property
    def rival(self) -> str:
        """The object whose resource stands in the way; empty where none is known."""
        return self.rivals.get(self.observed.live.id.lower(), "") if self.observed.live is not None else ""

    @property
    def namesakes(self) -> tuple[str, ...]:
        """Others of the same name, with the object that each belongs to; as recorded while no look shows them."""
        recorded = self.past.namesakes
        if self.observed.namesakes is None:
            return recorded
        return tuple(self._named(row, recorded) for row in sorted(self.observed.namesakes, key=lambda row: row.id))

    def _named(self, row: Live, recorded: tuple[str, ...]) -> str:
        known = next((text for text in recorded if text.partition(" ")[0] == row.id), "")
        owner = self.rivals.get(row.id.lower())
        return f"{row.id} ({owner})" if owner else known or row.id

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
