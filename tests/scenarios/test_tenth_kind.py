"""A tenth kind is one new file: a snapshot kind from a scratch folder lives a whole life on the same engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from hooks.aruba import kinds
from tests.world.house import PLURALS, living
from tests.world.manifests import make, project, ref

SNAPSHOT = '''
"""Snapshot: a copy of a volume (api §11)."""

from __future__ import annotations

from typing import Annotated

from hooks.aruba.model.kind import Collection, Kind, Names, Put
from hooks.aruba.model.marks import At, To
from hooks.aruba.model.schema import CommonStatus, Ref, RegionalSpec


class SnapshotSpec(RegionalSpec):
    """A snapshot of a volume."""

    billingPeriod: Annotated[str, At("billingPeriod")] = "Hour"
    """How it is billed."""
    volumeReference: Annotated[Ref, To("BlockStorage"), At("volume")]
    """The volume that it is a copy of."""


class SnapshotStatus(CommonStatus):
    """What is known of a Snapshot."""


SNAPSHOT = Kind(
    names=Names("Snapshot", "snapshots", "snap", "arusnap"),
    spec=SnapshotSpec,
    status=SnapshotStatus,
    collection=Collection("/projects/{project}/providers/Aruba.Storage/snapshots"),
    changes=(Put(("tags",)),),
    sample={},
)
'''


@pytest.fixture
def snapshot_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "snapshot_for_a_test.py").write_text(SNAPSHOT)
    monkeypatch.setattr(kinds, "__path__", [*kinds.__path__, str(tmp_path)])
    monkeypatch.setitem(PLURALS, "Snapshot", "snapshots")


@pytest.mark.usefixtures("snapshot_kind")
async def test_a_tenth_kind_goes_from_apply_to_active_and_gone() -> None:
    async with living() as house:
        volume = make("BlockStorage", "vol-a", {"tenant": "t-100", "sizeGB": 20, "projectReference": ref("prj-a")})
        spec = {"tenant": "t-100", "projectReference": ref("prj-a"), "volumeReference": ref("vol-a")}
        await house.apply(make("Snapshot", "snap-a", spec), volume, project())
        await house.until(house.all_active)
        status = await house.status("Snapshot", "snap-a")
        assert status["volumeID"] == (await house.status("BlockStorage", "vol-a"))["resourceID"]
        assert len(await house.resources("BlockStorage")) == 1

        await house.delete("Project", "prj-a")
        await house.until(house.all_gone)
        assert await house.resources() == []
        order = [call["path"].rsplit("/", 2)[-2] for call in await house.calls(method="DELETE")]
        assert order == ["snapshots", "blockStorages", "projects"]
