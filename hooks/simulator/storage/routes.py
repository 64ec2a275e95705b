"""The storage family's collections (api §8.8, §11)."""

from __future__ import annotations

from hooks.simulator.collection import Collection
from hooks.simulator.storage.snapshot import SnapshotRules
from hooks.simulator.storage.volume import VolumeRules
from hooks.simulator.world import World


def collections(world: World) -> list[Collection]:
    return [Collection(world, VolumeRules()), Collection(world, SnapshotRules())]
