"""One object of the lifecycle machine as it stands, with all that its words can be held against."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from hooks.simulator.resource import Resource
from tests.properties.lifecycle_fulfilled import differences
from tests.world.judge import condition
from tests.world.manifests import TARGETS

Object = dict[str, Any]
DETACHABLE = ("dataVolumeReferences", "elasticIPReference")
"""What a server lets go of when it is on its way out."""


class Case(NamedTuple):
    """One object as it stands, its resource if that lives, and all there is besides."""

    item: Object
    resource: Resource | None
    objects: dict[tuple[str, str], Object]
    living: dict[str, Resource]
    now: datetime
    refused: bool
    """The cloud's last word on a write about it was a 400."""

    @property
    def name(self) -> str:
        return str(self.item["metadata"]["name"])

    @property
    def kind(self) -> str:
        return str(self.item["kind"])

    @property
    def status(self) -> Object:
        return dict(self.item.get("status") or {})

    @property
    def message(self) -> str:
        return str(self.status.get("message") or "")

    @property
    def ready(self) -> Object:
        return condition(self.item, "Ready")

    def annotation(self, name: str) -> str | None:
        found = self.item["metadata"].get("annotations", {}).get(f"arubacloud.com/{name}")
        return None if found is None else str(found)

    def differences(self) -> dict[str, tuple[Any, Any]]:
        return {} if self.resource is None else differences(self.item, self.resource, self.ids)

    def ids(self, field: str, value: Any) -> set[str]:
        kind = TARGETS[field]
        refs = value if isinstance(value, list) else [value] if value else []
        found = [self.objects[kind, one["name"]] for one in refs if (kind, one["name"]) in self.objects]
        wanted = [o for o in found if field not in DETACHABLE or not leaving(o)]
        return {o["status"]["resourceID"] for o in wanted if o.get("status", {}).get("resourceID")}


def leaving(item: Object) -> bool:
    return "deletionTimestamp" in item["metadata"]
