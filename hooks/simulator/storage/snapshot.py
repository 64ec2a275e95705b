"""Snapshots, as far as volumes depend on them: a volume with one cannot be deleted (api §8.8, §13.3 point 20)."""

from __future__ import annotations

from collections.abc import Mapping

from hooks.simulator.errors import not_settled
from hooks.simulator.resource import Json, Resource
from hooks.simulator.rules import Draft, Rules
from hooks.simulator.storage import responses
from hooks.simulator.storage.errors import orphan_snapshot
from hooks.simulator.storage.volume import SNAPSHOT, VOLUME
from hooks.simulator.validation import PERIODS, Reader, resolve
from hooks.simulator.world import World


class SnapshotRules(Rules):
    kind = SNAPSHOT
    regional = True
    deleted_flag = "includeDeleted"
    puts = 202
    delete_body = True

    def draft(self, world: World, draft: Draft) -> Json:
        period = draft.properties.choice("billingPeriod", PERIODS)
        uri = draft.properties.uri("volume", required=True)
        draft.check()
        volume = _volume(world, draft, uri)
        copied = {name: volume.properties[name] for name in ("sizeGb", "dataCenter", "type", "bootable")}
        return {"billingPeriod": period, **copied}

    def created(self, world: World, resource: Resource, draft: Draft) -> None:
        resource.hidden["volume"] = _volume(world, draft, draft.properties.uri("volume"))

    def replace(self, world: World, resource: Resource, metadata: Reader, properties: Reader) -> None:
        period = properties.choice("billingPeriod", PERIODS, resource.properties["billingPeriod"])
        properties.check()
        resource.properties["billingPeriod"] = period

    def removable(self, world: World, resource: Resource, query: Mapping[str, str]) -> None:
        if not resource.hidden["volume"].alive:
            raise orphan_snapshot()

    def properties(self, world: World, resource: Resource) -> Json:
        return responses.snapshot(world, resource)


def _volume(world: World, draft: Draft, uri: str | None) -> Resource:
    volume = resolve(world, draft.project, VOLUME, uri, "volume")
    if volume is None or not volume.settled:
        raise not_settled("volume")
    return volume
