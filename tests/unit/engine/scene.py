"""One object as a pass knows it, made from a spec and a status: what the tests of the engine's modules begin with.

Every reference of the spec is shown as an Active object of the same namespace, unless the test says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from hooks.aruba.engine.findings import Comparison, Kin, Resolved
from hooks.aruba.engine.know import know
from hooks.aruba.engine.ports import Ports
from hooks.aruba.engine.recall import Past, recall
from hooks.aruba.engine.resolve import references, resolve
from hooks.aruba.engine.story import Known, Observed, Policy, Story
from hooks.aruba.engine.values import Cloud, Situation, Step
from hooks.aruba.kinds import discover
from hooks.aruba.model.failure import Failure
from hooks.aruba.model.kind import Kind
from hooks.aruba.model.live import Live
from hooks.aruba.model.wire import Around, Listing, Reading
from hooks.contract.requests import Parent, SyncCall
from hooks.meta.deadline import Deadline
from hooks.meta.times import format_time
from tests.world.time import EPOCH

Object = dict[str, Any]
CATALOG = discover()
UID = "0b6f6d0e-2f0a-4a58-9f27-3e3f1b1f0001"
NOW = EPOCH
DEADLINE = Deadline(60.0)
PREFIX = "arubacloud.com/"


def ref(name: str) -> Object:
    return {"name": name, "namespace": "default"}


def ago(seconds: float) -> str:
    return format_time(NOW - timedelta(seconds=seconds))


def shown(kind: str, name: str, **spec: Any) -> Object:
    """An Active object, whose resource has the ID `<name>-id` in the project prj-a and the VPC net-a."""
    status = {"phase": "Active", "resourceID": f"{name}-id", "projectID": "prj-a-id", "vpcID": "net-a-id"}
    meta = {"name": name, "namespace": "default", "uid": f"{name}-uid"}
    return {"kind": kind, "metadata": meta, "spec": spec, "status": status}


def absent(kind: str, name: str) -> Object:
    """In the place of one that does not exist."""
    return {"kind": kind, "metadata": {"name": name, "namespace": "default"}, "absent": True}


def unready(kind: str, name: str) -> Object:
    """One that is there and has no resource yet."""
    return shown(kind, name) | {"status": {"phase": "Creating"}}


@dataclass
class Scene:
    """`others` are shown in place of the ones made up; `noted` are our annotations, by the end of their names."""

    kind: Kind
    spec: Object
    status: Object | None = None
    others: list[Object] = field(default_factory=list)
    noted: dict[str, str] = field(default_factory=dict)
    name: str = "thing-a"
    deleting: bool = False

    @property
    def parent(self) -> Parent:
        meta: Object = {"name": self.name, "namespace": "default", "uid": UID, "generation": 1}
        meta["annotations"] = {PREFIX + key.replace("_", "-"): value for key, value in self.noted.items()}
        if self.deleting:
            meta["deletionTimestamp"] = ago(30)
        whole = {"apiVersion": "arubacloud.com/v1alpha1", "kind": str(self.kind), "metadata": meta}
        return Parent.model_validate(whole | {"spec": self.spec, "status": self.status})

    @property
    def related(self) -> dict[str, dict[str, Object]]:
        found = [shown(f.to.kind, one.name) for f, one in references(self.kind, self.spec) if f.to is not None]
        groups: dict[str, dict[str, Object]] = {}
        for item in [*found, *self.others]:
            group = groups.setdefault(f"{item['kind']}.arubacloud.com/v1alpha1", {})
            key = f"default/{item['metadata']['name']}"
            if item.get("absent"):
                del group[key]
            else:
                group[key] = item
        return groups

    @property
    def resolved(self) -> Resolved:
        return resolve(self.kind, self.parent, self.related, NOW)

    @property
    def past(self) -> Past:
        return recall(self.parent)

    def known(self, now: datetime = NOW) -> Known:
        call = SyncCall(parent=self.parent, related=self.related, finalizing=self.deleting)
        return know(self.kind, CATALOG, call, Policy(), now)

    def story(self, situation: Situation | None = None) -> Story:
        """A pass in which nothing was seen; for what looks at the cloud by itself."""
        observed, comparison = Observed(Cloud.UNASKED), Comparison()
        rest = {"observed": observed, "comparison": comparison, "wrong": (), "kin": Kin(), "situation": situation}
        return Story(**vars(self.known()), decided=Step.WAIT, **rest)  # type: ignore[arg-type]


def scene(kind: str, **more: Any) -> Scene:
    """An object of this kind with the spec of its sample; `spec` replaces parts of that, None takes one out."""
    found = CATALOG[kind]
    spec = dict(found.sample) | more.pop("spec", {})
    return Scene(found, {name: value for name, value in spec.items() if value is not None}, **more)


def live(properties: Object | None = None, *, state: str = "Active", **metadata: Any) -> Live:
    meta = {"id": "thing-id", "name": "thing-a", "tags": []} | metadata
    return Live({"metadata": meta, "status": {"state": state}, "properties": properties or {}})


def linked(*uris: str, **more: Any) -> Live:
    """A resource with these links."""
    return live({"linkedResources": [{"uri": uri} for uri in uris]}, **more)


@dataclass
class FakeCloud:
    """Answers by path; `asked` is what it was asked, in order."""

    items: dict[str, Live | Failure | None] = field(default_factory=dict)
    listings: dict[str, list[Live] | Failure] = field(default_factory=dict)
    surroundings: Around | Failure = Around.STANDS
    asked: list[tuple[str, str, timedelta, bool]] = field(default_factory=list)

    async def item(
        self, tenant: str, path: str, resource_id: str, since: datetime, deadline: Deadline, *, proof: bool
    ) -> Reading | Failure:
        self.asked.append(("item", f"{path}/{resource_id}", NOW - since, proof))
        found = self.items[f"{path}/{resource_id}"]
        return found if isinstance(found, Failure) else Reading(found, NOW)

    async def listing(
        self, tenant: str, path: str, since: datetime, deadline: Deadline, *, proof: bool
    ) -> Listing | Failure:
        self.asked.append(("listing", path, NOW - since, proof))
        found = self.listings[path]
        return found if isinstance(found, Failure) else Listing(tuple(found), True, NOW)

    async def around(
        self, tenant: str, path: str, resource_id: str, since: datetime, deadline: Deadline
    ) -> Around | Failure:
        self.asked.append(("around", f"{path}/{resource_id}", NOW - since, True))
        return self.surroundings


class Still:
    """A clock that shows the time of the scene."""

    def now(self) -> datetime:
        return NOW

    def monotonic(self) -> float:
        return 0.0


def ports(cloud: FakeCloud) -> Ports:
    return Ports(cloud, None, Still())  # type: ignore[arg-type]
