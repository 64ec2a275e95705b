"""Who holds what: named before a call that would be refused, or would leave something behind (cases 31, 45)."""

from __future__ import annotations

from typing import Any

import pytest

from hooks.aruba.engine.holding import keepers, taken
from hooks.aruba.model.failure import Cause, Failure
from hooks.aruba.model.live import Live
from hooks.aruba.model.wire import Listing
from tests.unit.engine.scene import DEADLINE, NOW, FakeCloud, Scene, ago, linked, live, ports, ref, scene

ROOT = "/projects/prj-a-id/providers"
VOLUMES, ADDRESSES = f"{ROOT}/Aruba.Storage/blockStorages", f"{ROOT}/Aruba.Network/elasticIps"
SERVERS, SNAPSHOTS = f"{ROOT}/Aruba.Compute/cloudServers", f"{ROOT}/Aruba.Storage/snapshots"
DISK, ADDRESS, BOOT = f"{VOLUMES}/disk-a-id", f"{ADDRESSES}/addr-a-id", f"{VOLUMES}/shop-web1-boot-id"
EVERYTHING = ("disk-a-id", "addr-a-id", "shop-web1-boot-id", "shop-front-id", "shop-web-id")


def server(**status: Any) -> Scene:
    spec = {"dataVolumeReferences": [ref("disk-a")], "elasticIPReference": ref("addr-a")}
    return scene("CloudServer", spec=spec, status={"resourceID": "me-id", "projectID": "prj-a-id", **status})


async def held(cloud: FakeCloud, *ids: str, item: Scene | None = None) -> Failure | None:
    return await taken((item or server()).story(), ids, ports(cloud), DEADLINE)


def in_use(text: str) -> Failure:
    return Failure(Cause.HELD, text, title="In use", detail=text, sent=False)


async def test_what_is_free_costs_a_look_each_and_only_what_serves_one_holder_is_looked_at() -> None:
    cloud = FakeCloud(items={DISK: live(), ADDRESS: linked(), BOOT: linked()})
    assert await held(cloud, *EVERYTHING) is None
    assert [(what, path, age.total_seconds(), proof) for what, path, age, proof in cloud.asked] == [
        ("item", path, 15.0, False) for path in (BOOT, DISK, ADDRESS)
    ]


async def test_after_a_refusal_a_look_from_before_it_is_not_enough() -> None:
    cloud = FakeCloud(items={DISK: live()})
    assert await held(cloud, "disk-a-id", item=server(nextAttemptTime=ago(0))) is None
    assert [age.total_seconds() for _, _, age, _ in cloud.asked] == [1.0]


async def test_only_what_the_call_takes_is_looked_at() -> None:
    cloud = FakeCloud(items={ADDRESS: live()})
    assert await held(cloud, "addr-a-id") is None
    assert await held(cloud) is None
    assert [path for _, path, _, _ in cloud.asked] == [ADDRESS]


@pytest.mark.parametrize(
    ("path", "what"), [(DISK, "BlockStorage default/disk-a"), (ADDRESS, "ElasticIP default/addr-a")]
)
async def test_case_45_the_holder_is_named(path: str, what: str) -> None:
    cloud = FakeCloud(items={path: linked(f"{SERVERS}/Other-Id"), f"{SERVERS}/Other-Id": live(name="srv-b")})
    text = f"{what} is held by cloudServers 'srv-b' (other-id)"
    assert await held(cloud, path.rsplit("/", 1)[1]) == in_use(text)
    assert [path for _, path, _, _ in cloud.asked] == [path, f"{SERVERS}/Other-Id"]


@pytest.mark.parametrize("seen", [None, Failure(Cause.FORBIDDEN, "Forbidden", 403)])
async def test_a_holder_that_cannot_be_read_is_named_by_its_id(seen: Any) -> None:
    cloud = FakeCloud(items={DISK: linked(f"{SERVERS}/other-id/"), f"{SERVERS}/other-id": seen})
    assert await held(cloud, "disk-a-id") == in_use("BlockStorage default/disk-a is held by cloudServers (other-id)")


@pytest.mark.parametrize("uri", [f"{SERVERS}/me-id", f"{SERVERS}/ME-ID/", f"{SNAPSHOTS}/snap-id", "odd", ""])
async def test_what_is_no_other_holder(uri: str) -> None:
    """The server itself, under any spelling; a snapshot, which keeps a volume but does not use it; and nonsense."""
    cloud = FakeCloud(items={DISK: linked(uri)})
    assert await held(cloud, "disk-a-id") is None
    assert len(cloud.asked) == 1


async def test_a_snapshot_beside_a_holder_hides_nothing() -> None:
    seen = linked(f"{SNAPSHOTS}/snap-id", f"{SERVERS}/me-id", f"{SERVERS}/other-id")
    cloud = FakeCloud(items={DISK: seen, f"{SERVERS}/other-id": live(name="srv-b")})
    failure = await held(cloud, "disk-a-id")
    assert failure is not None
    assert failure.text.endswith("is held by cloudServers 'srv-b' (other-id)")


async def test_before_a_creation_every_holder_is_another() -> None:
    new = server(resourceID="")
    cloud = FakeCloud(items={BOOT: linked(f"{SERVERS}/me-id"), f"{SERVERS}/me-id": live(name="srv-b")})
    text = "BlockStorage default/shop-web1-boot is held by cloudServers 'srv-b' (me-id)"
    assert await held(cloud, "shop-web1-boot-id", item=new) == in_use(text)


@pytest.mark.parametrize("seen", [None, Failure(Cause.TECHNICAL, "down", 503)])
async def test_what_cannot_be_looked_at_is_left_to_the_call_itself(seen: Any) -> None:
    assert await held(FakeCloud(items={DISK: seen}), "disk-a-id") is None


# Before a DELETE


def volume() -> Scene:
    return scene("BlockStorage", status={"resourceID": "Disk-A", "projectID": "prj-a-id"})


def snapshot(name: str, of: str = "disk-a", state: str = "Active") -> Live:
    return live({"volume": {"uri": f"{VOLUMES}/{of}"}}, state=state, id=f"{name}-id", name=name)


async def kept(*rows: Live) -> Failure | None:
    return await keepers(volume().story(), ports(FakeCloud(listings={SNAPSHOTS: list(rows)})), DEADLINE)


async def test_a_volume_without_snapshots_may_go_after_one_fresh_and_complete_list() -> None:
    cloud = FakeCloud(listings={SNAPSHOTS: [snapshot("snap-x", of="disk-x"), snapshot("snap-y", state="Deleted")]})
    assert await keepers(volume().story(), ports(cloud), DEADLINE) is None
    assert [(what, path, age.total_seconds(), proof) for what, path, age, proof in cloud.asked] == [
        ("listing", SNAPSHOTS, 15.0, True)
    ]


@pytest.mark.parametrize("state", ["Active", "InCreation", "Deleting", "Failed", ""])
async def test_case_31_a_snapshot_keeps_its_volume_in_whatever_state(state: str) -> None:
    text = "snapshots of it exist: 'snap-a' (snap-a-id)"
    expected = Failure(Cause.HELD, text, title="Still needed", detail=text, sent=False, reason="SnapshotsExist")
    assert await kept(snapshot("snap-x", of="disk-x"), snapshot("snap-a", of="DISK-A/", state=state)) == expected


async def test_up_to_five_are_named() -> None:
    five = [snapshot(f"snap-{n}") for n in range(5)]
    named = ", ".join(f"'snap-{n}' (snap-{n}-id)" for n in range(5))
    for rows, more in ((five, ""), ([*five, snapshot("snap-5")], ", and more")):
        failure = await kept(*rows)
        assert failure is not None
        assert failure.text == f"snapshots of it exist: {named}{more}"


async def test_a_list_that_fails_keeps_the_volume() -> None:
    down = Failure(Cause.TECHNICAL, "down", 503)
    failure = await keepers(volume().story(), ports(FakeCloud(listings={SNAPSHOTS: down})), DEADLINE)
    assert failure == down._replace(sent=False)


async def test_a_list_that_is_not_complete_keeps_the_volume() -> None:
    """Absence is proven only by a list in which nothing can have slipped between pages."""

    class Unreliable(FakeCloud):
        async def listing(self, *args: Any, **more: Any) -> Listing:
            return Listing((snapshot("snap-x", of="disk-x"),), False, NOW)

    failure = await keepers(volume().story(), ports(Unreliable()), DEADLINE)
    assert failure is not None
    assert not failure.sent


@pytest.mark.parametrize("kind", ["Project", "VPC", "Subnet", "KeyPair", "ElasticIP", "CloudServer"])
async def test_other_kinds_are_kept_by_nothing_that_must_be_listed(kind: str) -> None:
    cloud = FakeCloud()
    item = scene(kind, status={"resourceID": "thing-id", "projectID": "prj-a-id"})
    assert await keepers(item.story(), ports(cloud), DEADLINE) is None
    assert cloud.asked == []
