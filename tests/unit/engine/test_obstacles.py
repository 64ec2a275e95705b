"""How far an absence is believed, and what stands against a creation although the name is free."""

from __future__ import annotations

from typing import Any

import pytest

from hooks.aruba.engine.obstacles import doubted, obstructed
from hooks.aruba.engine.values import Cloud, Violation
from hooks.aruba.model.failure import Cause, Failure
from hooks.aruba.model.live import Live
from hooks.aruba.model.wire import Around
from tests.unit.engine.scene import DEADLINE, UID, FakeCloud, Scene, ago, live, scene

PATH = "/projects/prj-a-id/providers/Aruba.Network/vpcs"
NOTHING = (
    "neither project prj-a-id nor any other project is found, as if the whole tenant were empty; nothing is made "
    "again and nothing forgotten"
)
ALONE = "project prj-a-id is not found, others are; looked for once more before that is believed"


def entry(name: str, reason: str) -> dict[str, Any]:
    return {"type": name, "status": "True", "reason": reason, "message": "", "observedGeneration": 1}


def kept() -> Scene:
    """An Active VPC."""
    status = {"phase": "Active", "resourceID": "thing-id", "projectID": "prj-a-id"}
    return scene("VPC", status=status | {"conditions": [entry("Active", "Synchronized")]})


def going(seconds: float | None, reason: str = "ShallSynchronize", **status: Any) -> Scene:
    """One being deleted for an hour, and not found for so long; None: that was not yet shown."""
    item = kept()
    item.deleting = True
    assert item.status is not None
    if seconds is None:
        item.status |= {"phaseStartTime": ago(3600)}  # of whatever went on before
    else:
        conditions = [*item.status["conditions"], entry("Deleting", reason)]
        times = {"phaseStartTime": ago(3600), "missingSince": ago(seconds)}
        item.status |= {"phase": "Deleting", **times, "conditions": conditions, **status}
    return item


async def said(item: Scene, around: Around | Failure, calls: int = 1) -> str | None:
    """Why an absence is not believed; exactly so many calls are made to know."""
    cloud = FakeCloud(surroundings=around)
    failure = await doubted(item.known(), cloud, "thing-id", DEADLINE)
    assert [(what, path, age.total_seconds()) for what, path, age, _ in cloud.asked] == [
        ("around", f"{PATH}/thing-id", 2.0)
    ] * calls
    assert failure is None or failure.cause is Cause.BLIND
    return None if failure is None else failure.text


DOUBTS = {
    "kept, its project answers": (kept(), Around.STANDS, None),
    "kept, its project is gone": (kept(), Around.GONE, None),
    "kept, nothing is visible": (kept(), Around.NOTHING, NOTHING),
    "going, its project answers": (going(0), Around.STANDS, None),
    "going, not yet shown, its project is gone": (going(None), Around.GONE, ALONE),
    "going, not yet shown, nothing is visible": (going(None), Around.NOTHING, NOTHING),
    "going for less than a window, its project is gone": (going(59), Around.GONE, ALONE),
    "going for a window, its project is gone": (going(60), Around.GONE, None),
    "going for a window, nothing is visible": (going(60), Around.NOTHING, NOTHING),
    "going for less than two, nothing is visible": (going(119), Around.NOTHING, NOTHING),
    "going for two, nothing is visible": (going(120), Around.NOTHING, None),
}


@pytest.mark.parametrize("word", DOUBTS)
async def test_case_14_what_is_around_says_how_far_absence_is_believed(word: str) -> None:
    item, around, expected = DOUBTS[word]
    assert await said(item, around) == expected


@pytest.mark.parametrize("around", Around)
async def test_what_we_asked_to_go_is_expected_to_be_gone(around: Around) -> None:
    """The cloud took our DELETE: no call is spent on what is around it."""
    assert await said(going(5, "Synchronizing"), around, calls=0) is None


async def test_what_we_asked_to_go_and_the_cloud_refused_is_not() -> None:
    refused = going(5, "Synchronizing", nextAttemptTime=ago(-20))
    assert await said(refused, Around.NOTHING) == NOTHING


async def test_a_status_from_a_deletion_does_not_make_a_wanted_object_expect_its_end() -> None:
    """As after a restore of an object together with its status."""
    item = going(3600, "Synchronizing")
    item.deleting = False
    assert await said(item, Around.NOTHING) == NOTHING


async def test_when_the_surroundings_cannot_be_asked_absence_is_not_believed_either() -> None:
    for item in (kept(), going(3600)):
        failure = Failure(Cause.FORBIDDEN, "Forbidden")
        assert await doubted(item.known(), FakeCloud(surroundings=failure), "thing-id", DEADLINE) is failure


async def test_a_project_itself_is_named_by_its_id() -> None:
    item = scene("Project", status={"phase": "Active", "resourceID": "prj-a-id"})
    cloud = FakeCloud(surroundings=Around.NOTHING)
    failure = await doubted(item.known(), cloud, "prj-a-id", DEADLINE)
    assert failure is not None
    assert (failure.text, failure.title) == (NOTHING, "Nothing is visible")
    assert [path for _, path, _, _ in cloud.asked] == ["/projects/prj-a-id"]


# What stands against a creation


VPC = "/projects/shop-prod-id/providers/Aruba.Network/vpcs/shop-net-id"


def new(kind: str, mark: str = "none", **spec: Any) -> Scene:
    """One whose intent is recorded, and that was not tried yet."""
    return scene(kind, spec=spec, noted={"create_pending": f"{mark} {UID}"})


def subnet(cidr: Any, name: str = "other-a", state: str = "Active") -> Live:
    return live({"network": {"address": cidr}}, state=state, id=f"{name}-id", name=name)


NEIGHBOURS = [
    ("10.20.1.0/24", "Active", True),
    ("10.20.0.0/16", "InCreation", True),
    ("10.20.1.128/25", "Failed", True),
    ("10.20.0.0/16", "Deleting", False),
    ("10.20.0.0/16", "Deleted", False),
    ("10.20.2.0/24", "Active", False),
    (None, "Active", False),
    ("odd", "Active", False),
    ("fd00::/8", "Active", False),
]


@pytest.mark.parametrize(("cidr", "state", "stands"), NEIGHBOURS)
async def test_case_27_a_subnet_that_overlaps_a_live_one(cidr: Any, state: str, stands: bool) -> None:
    known, other = new("Subnet").known(), subnet(cidr, state=state)
    found = await obstructed(known, f"{VPC}/subnets", [subnet("10.99.0.0/24"), other], FakeCloud(), DEADLINE)
    text = f"spec.cidr 10.20.1.0/24 overlaps {cidr} of subnet 'other-a' (other-a-id) in the same VPC"
    assert (found is not None) is stands
    if found is not None:
        assert (found.cloud, found.live, found.obstacle) == (
            Cloud.FOREIGN,
            other,
            Violation("CidrMustNotOverlap", text),
        )


async def test_only_a_first_creation_is_obstructed() -> None:
    """After an attempt the neighbour may be our own resource; at its end nothing will be made."""
    tried, ending = new("Subnet", mark=ago(300)), new("Subnet")
    ending.deleting = True
    for item in (tried, ending):
        found = await obstructed(item.known(), f"{VPC}/subnets", [subnet("10.20.1.0/24")], FakeCloud(), DEADLINE)
        assert found is None


GROUPS = f"{VPC}/securityGroups"
RULES = f"{GROUPS}/shop-web-id/securityRules"


async def pointed(value: str, cloud: FakeCloud, kind: str = "SecurityGroup") -> Any:
    item = new("SecurityRule", target={"type": kind, "value": value})
    return await obstructed(item.known(), RULES, [], cloud, DEADLINE)


@pytest.mark.parametrize("uri", [f"{GROUPS}/g-1", f"{GROUPS}/g-1/", f"{GROUPS.upper()}/g-1"])
async def test_a_group_that_a_rule_speaks_of_must_be_there(uri: str) -> None:
    there, gone = (FakeCloud(items={f"{GROUPS}/g-1": seen}) for seen in (live(), None))
    assert await pointed(uri, there) is None
    assert [(what, path, age.total_seconds(), proof) for what, path, age, proof in there.asked] == [
        ("item", f"{GROUPS}/g-1", 60.0, True)
    ]
    found = await pointed(uri, gone)
    assert found.cloud is Cloud.FOREIGN
    assert found.obstacle == Violation("TargetMustExist", f"spec.target.value {uri!r} is not there in the cloud")


@pytest.mark.parametrize(
    "uri",
    ["g-1", "", f"{GROUPS}/", f"{VPC}/subnets/g-1", f"{VPC.replace('shop-net', 'net-b')}/securityGroups/g-1", "/"],
)
async def test_a_group_of_another_vpc_or_no_group_at_all_costs_no_call(uri: str) -> None:
    cloud = FakeCloud()
    found = await pointed(uri, cloud)
    text = f"spec.target.value {uri!r} is not of the form {GROUPS}/<id>"
    assert (found.cloud, found.live, found.obstacle) == (Cloud.FOREIGN, None, Violation("TargetMustExist", text))
    assert cloud.asked == []


async def test_a_group_that_cannot_be_looked_for_is_no_fault_of_the_spec() -> None:
    failure = Failure(Cause.TECHNICAL, "down", 503)
    found = await pointed(f"{GROUPS}/g-1", FakeCloud(items={f"{GROUPS}/g-1": failure}))
    assert (found.cloud, found.failure, found.obstacle) == (Cloud.SILENT, failure, None)


async def test_a_range_points_at_nothing() -> None:
    cloud = FakeCloud()
    assert await pointed("10.0.0.0/8", cloud, "Ip") is None
    assert cloud.asked == []
