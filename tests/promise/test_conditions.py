"""Chapter "Conditions" (EN-18 to EN-26)."""

from __future__ import annotations

import asyncio
import re
from datetime import datetime
from itertools import pairwise

from tests.promise.films import has_phase
from tests.world.film import Film, Frame, first, steps, when
from tests.world.house import House, living
from tests.world.judge import condition, phases
from tests.world.manifests import project, vpc

REASONS = {
    "ShallSynchronize",
    "Synchronizing",
    "Synchronized",
    "Failed",
    "ValidationFailed",
    "IntentionValidationFailed",
    "PostValidationFailed",
}
KUBERNETES_REASON = re.compile(r"[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def told(*films: Film) -> list[Frame]:
    return [frame for film in films for frame in film.told()]


def test_en_18_conditions_are_kubernetes_conditions(life: Film, stuck: Film) -> None:
    for frame in told(life, stuck):
        conditions = frame.status["conditions"]
        assert len({c["type"] for c in conditions}) == len(conditions)
        for one in conditions:
            assert set(one) == {"type", "status", "reason", "message", "lastTransitionTime", "observedGeneration"}
            assert one["status"] in ("True", "False", "Unknown")
            assert KUBERNETES_REASON.fullmatch(one["reason"])
            assert TIME.fullmatch(one["lastTransitionTime"])
            assert datetime.fromisoformat(one["lastTransitionTime"]) <= frame.at
            assert one["observedGeneration"] <= frame.meta["generation"]
        assert {"Ready", "Stalled"} <= {c["type"] for c in conditions}
    for frames in [*life.objects().values(), *stuck.objects().values()]:
        _moves_only_with_its_status([frame for frame in frames if frame.status.get("conditions")])


def _moves_only_with_its_status(frames: list[Frame]) -> None:
    for before, after in pairwise(frames):
        for one in after.status["conditions"]:
            old = condition(before.object, one["type"])
            if old and old["status"] == one["status"]:
                assert old["lastTransitionTime"] == one["lastTransitionTime"]
            elif old:
                assert old["lastTransitionTime"] <= one["lastTransitionTime"]


def test_en_19_the_condition_is_named_after_the_phase_and_its_reason_refines_it(life: Film, stuck: Film) -> None:
    for frame in told(life, stuck):
        standing = [c for c in phases(frame.object).values() if c["status"] == "True"]
        assert [c["type"] for c in standing] == [frame.phase]
        assert {c["reason"] for c in phases(frame.object).values()} <= REASONS
    assert steps(life.of("VPC")) == [
        "Pending/Synchronized",
        "Creating/ShallSynchronize",
        "Creating/Synchronizing",
        "Provisioning/Synchronizing",
        "Active/Synchronized",
        "Deleting/ShallSynchronize",
        "Deleting/Synchronizing",
        "Deleted/Synchronized",
    ]
    done = condition(first(life.of("VPC"), "Active").object, "Creating")
    assert (done["status"], done["reason"]) == ("False", "Synchronized")


def calls_of(life: Film, kind: str, name: str) -> tuple[datetime, datetime]:
    """When the POST that made an object's resource arrived, and when its DELETE did."""
    resource_id = first(life.of(kind, name), "Active").status["resourceID"]
    row = next(row for row in life.resources if row["id"] == resource_id)
    collection, _, _ = row["uri"].rpartition("/")
    posts = [c for c in life.sent("POST") if c["path"] == collection and c["requestBody"]["metadata"]["name"] == name]
    (delete,) = [c for c in life.sent("DELETE") if c["path"].endswith(f"/{resource_id}")]
    assert len(posts) == 1
    return when(posts[0]), when(delete)


def test_en_20_shall_synchronize_means_recorded_and_not_yet_sent(life: Film) -> None:
    recorded = 0
    for (kind, name), frames in life.objects().items():
        made, ended = calls_of(life, kind, name)
        for frame in [frame for frame in frames if frame.reason == "ShallSynchronize"]:
            assert frame.at < (made if frame.phase == "Creating" else ended)
        intent = first(frames, "Creating", "ShallSynchronize")
        assert intent.meta["annotations"]["arubacloud.com/create-pending"] == f"none {intent.meta['uid']}"
        recorded += 1
    assert recorded == 11


def test_en_21_synchronizing_means_sent_and_not_yet_confirmed(life: Film) -> None:
    for (kind, name), frames in life.objects().items():
        made, ended = calls_of(life, kind, name)
        sent = first(frames, "Creating", "Synchronizing")
        assert made <= sent.at < first(frames, "Active").at
        assert ended <= first(frames, "Deleting", "Synchronizing").at < first(frames, "Deleted").at
        assert condition(sent.object, "Ready")["status"] == "False"
        looks = [c for c in life.sent("GET") if sent.at <= when(c) <= first(frames, "Active").at]
        assert looks, f"{kind} {name} was believed without a look"


def test_en_22_synchronized_means_confirmed_and_stable(life: Film) -> None:
    """What is Active is settled in the cloud; at rest all that is noticed is what the server took."""
    ready = {"", "Active", "NotUsed", "Used", "InUse", "Reserved", "Running"}
    for frame in told(life):
        if frame.phase == "Active":
            assert frame.reason == "Synchronized"
            assert condition(frame.object, "Ready")["status"] == "True"
            assert frame.status.get("cloudState", "") in ready
            assert frame.status["resourceID"] in {row["id"] for row in life.resources}
    still = [f for f in life.frames if life.marks["active"] < f.at < life.marks["delete"]]
    assert {f.step for f in still} <= {"Active/Synchronized"}
    news = sorted((f.kind, f.name, f.status["cloudState"]) for f in still)
    taken = [("BlockStorage", "shop"), ("BlockStorage", "shop-data"), ("ElasticIP", "shop")]
    assert news == [(*one, "Used") for one in taken]
    quiet = [c for c in life.calls if life.marks["active"] < when(c) < life.marks["delete"]]
    assert {c["method"] for c in quiet} == {"GET"}


def test_en_23_failed_means_timed_out_or_refused_by_the_api(stuck: Film) -> None:
    timed_out = first(stuck.of("VPC", "net-a"), "Failed")
    refused = first(stuck.of("ElasticIP"), "Failed")
    for frame in (timed_out, refused):
        assert frame.reason == "Failed"
        assert condition(frame.object, "Ready")["reason"] == "Timeout"
        assert condition(frame.object, "Ready")["status"] == "False"
    assert "the storage of this service is down (HTTP 500)" in refused.status["message"]
    assert {c["status"] for c in stuck.sent("POST", "elasticIps") if when(c) < refused.at} == {500}


async def test_en_24_validation_failed_means_the_api_refused_the_request() -> None:
    """A 4xx with an error about a field of the request; a 4xx about the moment is waited for instead."""
    async with living() as house:
        body = {"title": "Bad Request", "status": 400, "detail": "the account is being checked"}
        match = {"method": "POST", "path": "vpcs$"}
        wrong = {"title": "Validation", "status": 400, "errors": [{"field": "Tag", "message": "must not be blue"}]}
        await house.faults({"match": match, "times": 1, "then": {"status": 400, "body": wrong}})
        await house.apply(project(), vpc(tags=["blue"]))
        await house.until(lambda: has_phase(house, "VPC", "net-a", "Failed"))
        item = await house.get("VPC", "net-a")
        assert item is not None
        failed = condition(item, "Failed")
        assert (failed["status"], failed["reason"]) == ("True", "ValidationFailed")
        assert failed["message"].startswith("Failed ValidationFailed - ERROR [semantic]: ")
        assert "(status: 400, detail: " in failed["message"]
        assert re.search(r"Validation: .*Tag", failed["message"]), failed["message"]
        assert condition(item, "Stalled")["status"] == "True"
        assert [c["status"] for c in await house.calls(method="POST", path="vpcs")] == [400]
        await house.faults({"match": match, "times": None, "then": {"status": 400, "body": body}})
        await house.apply(vpc("net-b"))
        await house.until(lambda: has_phase(house, "VPC", "net-b", "Creating"))
        await house.until(lambda: _tried(house, 2), within=60)
        assert await has_phase(house, "VPC", "net-b", "Creating")


async def _tried(house: House, times: int) -> bool:
    posts = await house.calls(method="POST", path="vpcs")
    return sum(call["requestBody"]["metadata"]["name"] == "net-b" for call in posts) >= times


async def test_en_25_intention_validation_failed_means_a_conflict_before_any_call() -> None:
    async with living() as house:
        await house.apply(project(tenant="t-100"), vpc(tenant="t-200"))
        await house.until(lambda: has_phase(house, "VPC", "net-a", "Failed"))
        item = await house.get("VPC", "net-a")
        assert item is not None
        failed = condition(item, "Failed")
        assert (failed["status"], failed["reason"]) == ("True", "IntentionValidationFailed")
        assert failed["message"] == (
            "Failed IntentionValidationFailed - ERROR: validation failed: "
            '[TenantMustMatchProject] tenant mismatch with Project: "t-200" != "t-100"'
        )
        await house.until(lambda: has_phase(house, "Project", "prj-a", "Active"))
        await asyncio.sleep(60)
        assert await house.calls(path="vpcs") == []


async def test_en_26_post_validation_failed_means_the_cloud_and_the_objects_disagree_about_parents() -> None:
    """Seen after the resource was created: the live resource names another project than its objects lead to."""
    async with living(environ={"ARUBA_LISTING_AGE": "20s"}) as house:
        await house.apply(project(), vpc())
        await house.until(house.all_active)
        own = (await house.status("Project", "prj-a"))["resourceID"]
        found = (await house.status("VPC", "net-a"))["resourceID"]
        await house.admin("POST", f"resources/{found}", {"metadata": {"project": {"id": "a" * 24}}})
        await house.until(lambda: has_phase(house, "VPC", "net-a", "Failed"))
        item = await house.get("VPC", "net-a")
        assert item is not None
        failed = condition(item, "Failed")
        assert (failed["status"], failed["reason"]) == ("True", "PostValidationFailed")
        assert failed["message"] == (
            "Failed PostValidationFailed - ERROR: validation failed: [ProjectMustMatchCloud] the cloud says that it "
            f"belongs to Project {'a' * 24}, but spec.projectReference leads to {own}"
        )
        assert item["status"]["resourceID"] == found
        await house.admin("POST", f"resources/{found}", {"metadata": {"project": {"id": own}}})
        await house.until(lambda: has_phase(house, "VPC", "net-a", "Active"))
        assert [c["method"] for c in await house.writes() if "vpcs" in c["path"]] == ["POST"]
