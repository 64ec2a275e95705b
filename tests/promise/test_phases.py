"""Chapter "Resource Lifecycle (Phases)" (EN-10 to EN-17)."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from tests.promise.films import has_phase, set_state
from tests.world.film import Film, first, walk
from tests.world.house import House, living
from tests.world.judge import condition
from tests.world.manifests import make, project, ref, vpc

MADE = ["Pending", "Creating", "Provisioning", "Active", "Deleting", "Deleted"]
WALKS = {
    "Project": ["Creating", "Active", "Deleting", "Deleted"],
    "VPC": MADE,
    "Subnet": MADE,
    "SecurityGroup": MADE,
    "SecurityRule": [phase for phase in MADE if phase != "Provisioning"],
    "KeyPair": [phase for phase in MADE if phase != "Provisioning"],
    "ElasticIP": MADE,
    "BlockStorage": MADE,
    "CloudServer": ["Pending", "Creating", "Provisioning", "WaitingCondition", "Active", "Deleting", "Deleted"],
}
"""At the platform's pace. A Project waits for nobody; projects, keys and rules are ready by the first look."""
PHASES = {phase for walked in WALKS.values() for phase in walked} | {"Updating", "Failed"}
LIMIT = timedelta(minutes=10)
LOOK = timedelta(seconds=31)
WINDOW = timedelta(seconds=60)
"""The longest time between two looks at an object that waits."""


FAILED_NET = (
    "Waiting: VPC default/net-a has failed. "
    "The message of what has failed says why; this goes on by itself once that is Active"
)


def test_en_10_every_kind_goes_through_the_phases_in_order(life: Film) -> None:
    assert {kind for kind, _ in life.objects()} == set(WALKS)
    assert {key: walk(frames) for key, frames in life.objects().items()} == {
        (kind, name): WALKS[kind] for kind, name in life.objects()
    }


def test_en_11_the_phase_is_always_in_status(life: Film, stuck: Film) -> None:
    for film in (life, stuck):
        for frames in film.objects().values():
            told = [frame.phase for frame in frames if frame.status.get("conditions")]
            assert set(told) <= PHASES
            shown = [bool(frame.phase) for frame in frames]
            assert shown == sorted(shown), "once there is a phase, it never goes away"
            added, seen = frames[0].at, next(frame.at for frame in frames if frame.phase)
            assert seen - added < timedelta(seconds=1)


def test_en_12_transitory_phases_have_ten_minutes(stuck: Film) -> None:
    began = {
        "ElasticIP": first(stuck.of("ElasticIP"), "Creating").at,
        "VPC": first(stuck.of("VPC", "net-a"), "Creating").at,
        "KeyPair": first(stuck.of("KeyPair"), "Deleting").at,
    }
    failed = {
        "ElasticIP": first(stuck.of("ElasticIP"), "Failed").at,
        "VPC": first(stuck.of("VPC", "net-a"), "Failed").at,
        "KeyPair": first(stuck.of("KeyPair"), "Failed").at,
    }
    for kind, at in failed.items():
        assert LIMIT <= at - began[kind] <= LIMIT + LOOK, f"{kind}: {at - began[kind]}"


async def test_en_12_an_update_that_never_shows_has_ten_minutes_too() -> None:
    """A cloud that takes a change again and again without applying it makes no progress."""
    async with living() as house:
        await house.apply(project(), vpc())
        await house.until(house.all_active)
        taken = {"match": {"method": "PUT", "path": "vpcs/"}, "times": None, "then": {"status": 200, "body": {}}}
        await house.faults(taken)
        await house.patch("VPC", "net-a", {"spec": {"tags": ["blue"]}})
        began = house.clock.now()
        await house.until(lambda: has_phase(house, "VPC", "net-a", "Updating"))
        await house.until(lambda: has_phase(house, "VPC", "net-a", "Failed"), within=700)
        assert LIMIT <= house.clock.now() - began <= LIMIT + LOOK
        item = await house.get("VPC", "net-a")
        assert item is not None
        assert condition(item, "Updating")["reason"] == "Failed"
        assert condition(item, "Ready")["reason"] == "Timeout"
        await house.admin("DELETE", "faults")
        await house.until(lambda: has_phase(house, "VPC", "net-a", "Active"), within=310)


def test_en_13_without_progress_the_object_fails(stuck: Film) -> None:
    """Failed/Failed with the phase that took too long; one step of progress gives another ten minutes."""
    for kind, phase in {"VPC": "Provisioning", "ElasticIP": "Creating", "KeyPair": "Deleting"}.items():
        frame = first(stuck.of(kind, {"VPC": "net-a"}.get(kind, "")), "Failed", "Failed")
        told = f"{phase} Failed - phase timeout exceeded (10m0s)"
        assert condition(frame.object, "Failed")["message"] == told
        old = condition(frame.object, phase)
        assert (old["status"], old["reason"], old["message"]) == ("False", "Failed", told)
        assert f"{phase} took longer than 10m0s without progress" in frame.status["message"]
    moved = stuck.of("VPC", "net-b")
    assert "Failed" not in walk(moved)
    assert first(moved, "Active").at - first(moved, "Creating").at > LIMIT + LOOK


def test_en_14_provisioning_and_waiting_condition_are_shown(life: Film) -> None:
    server = life.of("CloudServer")
    provisioning, waiting = first(server, "Provisioning"), first(server, "WaitingCondition")
    assert provisioning.status["message"] == "The cloud reports InCreation; waiting until it is done"
    assert waiting.status["message"] == "Waiting until the cloud has applied spec.dataVolumeReferences"
    assert condition(waiting.object, "Ready")["status"] == "False"
    (attach,) = life.sent("POST", "attachDetachDataVolumes")
    assert attach["time"] <= waiting.at.isoformat().replace("+00:00", "Z")


def test_en_15_the_pipeline_advances_without_the_user(life: Film) -> None:
    """From the first frame to Active nobody but us touches anything: the spec stays at its first generation."""
    through = [frames for frames in life.objects().values() if "Provisioning" in walk(frames)]
    assert len(through) == 7
    for frames in through:
        active = first(frames, "Active")
        before = [frame for frame in frames if frame.at <= active.at]
        assert {frame.meta["generation"] for frame in before} == {1}
        assert walk(before)[-2:] in (["Provisioning", "Active"], ["WaitingCondition", "Active"])


async def test_en_16_failed_is_recoverable(stuck: Film) -> None:
    """From a time-out, and from a failure that the platform reports, as soon as the cloud is well again."""
    for kind, name, end in [
        ("VPC", "net-a", "Active"),
        ("ElasticIP", "ip-a", "Active"),
        ("KeyPair", "key-a", "Deleted"),
    ]:
        frames = stuck.of(kind, name)
        assert "Failed" in walk(frames)
        assert walk(frames)[-1] == end
        # A 500 leaves the outcome of a POST unknown, and a window is waited before the next.
        within = LOOK + WINDOW if kind == "ElasticIP" else LOOK
        assert first([f for f in frames if f.at > stuck.marks["healed"]], end).at - stuck.marks["healed"] < within
    async with living() as house:
        await house.quirks(neverSettle="VPC")
        await house.apply(project(), vpc())
        await house.until(lambda: has_phase(house, "VPC", "net-a", "Provisioning"))
        await set_state(house, "VPC", "net-a", "Failed", failureReason="no capacity")
        await house.until(lambda: has_phase(house, "VPC", "net-a", "Failed"))
        assert "no capacity" in (await house.status("VPC", "net-a"))["message"]
        await set_state(house, "VPC", "net-a", "Active")
        await house.until(house.all_active, within=LOOK.total_seconds())


async def test_en_17_a_corrected_cause_is_retried_without_being_asked() -> None:
    """An invalid field corrected, and a dependency resolved: what waits for it goes on by itself."""
    async with living() as house:
        wrong = {"title": "Validation", "status": 400, "errors": [{"field": "Tag", "message": "must not be blue"}]}
        match = {"method": "POST", "path": "vpcs$"}
        await house.faults({"match": match, "times": 1, "then": {"status": 400, "body": wrong}})
        await house.apply(project(), vpc(tags=["blue"]), _group())
        await house.until(lambda: has_phase(house, "VPC", "net-a", "Failed"))
        await house.until(lambda: _told(house, "SecurityGroup", "sg-a", FAILED_NET))
        refused = len(await house.calls(method="POST", path="vpcs"))
        await asyncio.sleep(120)
        assert len(await house.calls(method="POST", path="vpcs")) == refused == 1
        await house.patch("VPC", "net-a", {"spec": {"tags": ["abcd"]}})
        await house.until(house.all_active, within=10)
        assert len(await house.calls(method="POST", path="vpcs")) == 2 + 1, "the VPC once more, then its group"


def _group() -> dict[str, object]:
    spec = {"tenant": "t-100", "projectReference": ref("prj-a"), "vpcReference": ref("net-a")}
    return make("SecurityGroup", "sg-a", spec)


async def _told(house: House, kind: str, name: str, text: str) -> bool:
    return (await house.status(kind, name)).get("message") == text
