"""The storage service's own refusals."""

from __future__ import annotations

from hooks.simulator.errors import Refusal, dependency


def has_snapshots() -> Refusal:
    return dependency("volume can't be deleted due to the presence of snapshots")


def orphan_snapshot() -> Refusal:
    """A platform bug that was seen: such a snapshot stays for ever (api §8.8)."""
    return dependency("source volume not found")


SHRINK = "size cannot be decreased"
FIXED_TYPE = "type cannot be modified"
FIXED_ZONE = "dataCenter cannot be modified"
