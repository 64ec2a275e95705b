"""Field case 99: what GitOps tools make of real lives: kstatus, and the health check that we give for Argo CD."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from copy import deepcopy
from typing import Any

import pytest

from tests.cases import nine
from tests.cases.argo import Health, health
from tests.cases.console import move, set_to
from tests.cases.test_interface import filmed, kstatus
from tests.cases.world import living
from tests.scenarios.edits import spares, up_to_date
from tests.world.film import Film, filming
from tests.world.house import CLOUD, House
from tests.world.judge import condition

pytestmark = pytest.mark.every_kind

Object = dict[str, Any]
SOON = {"ARUBA_LISTING_AGE": "10s"}
ARGO = {"InProgress": "Progressing", "Failed": "Degraded", "Current": "Healthy", "Terminating": "Progressing"}
"""The two judge alike, in their own words."""
INVALID = {"title": "Bad Request", "status": 400, "errors": [{"field": "Name", "message": "is not liked"}]}
RETAGGED = [kind for kind in nine.ALL if "tags" in nine.KINDS[kind].mutable]


async def shown(house: House, kind: str) -> Object:
    return await house.get(kind, nine.name(kind)) or {}


def judged(item: Object) -> tuple[str, str]:
    return kstatus(item), health(item).status


def agree(film: Film, kind: str) -> None:
    """At every write of a life the two said the same, and Argo CD repeated our message."""
    frames = film.of(kind, nine.name(kind))
    assert len(frames) > 2
    for frame in frames:
        found = health(frame.object)
        assert found.status == ARGO[kstatus(frame.object)], frame.step
        assert found.message == frame.status.get("message", "") or found.message.startswith("Waiting ")


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_99_created(kind: str) -> None:
    """Case 99: from the first write on Progressing, and Healthy only once the cloud is ready: a wave of one Project
    holds the next one until then.
    """
    samples = await filmed(kind)
    found = [(health(sample.item).status, sample.settled) for sample in samples]
    assert {status for status, settled in found if not settled} == {"Progressing"}
    assert found[0][0] == "Progressing"
    assert found[-1] == ("Healthy", True)
    assert health(samples[0].item).message == "Waiting for the operator"


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_99_deleted(kind: str) -> None:
    """Case 99: Progressing from the moment it is deleted to its end, also while the cloud refuses."""
    async with living() as house:
        resource = await nine.active(house, kind)
        match = {"method": "DELETE", "path": f"/{resource}$"}
        await house.faults({"match": match, "then": {"status": 400, "body": INVALID}})
        async with filming(house) as film:
            await house.delete(kind, nine.name(kind))
            await house.until(lambda: reason_is(house, kind, "DeleteRefused"), within=20)
            stalled = await shown(house, kind)
            assert condition(stalled, "Stalled")["status"] == "True"
            assert health(stalled) == Health("Progressing", stalled["status"]["message"])
            await house.admin("DELETE", "faults")
            await house.until(lambda: absent(house, kind), within=100)
        agree(film, kind)
        last = film.of(kind, nine.name(kind))[-1]
        assert (last.verb, judged(last.object)) == ("DELETED", ("Terminating", "Progressing"))


async def reason_is(house: House, kind: str, reason: str) -> bool:
    return condition(await shown(house, kind), "Ready").get("reason") == reason


async def absent(house: House, kind: str) -> bool:
    return await house.get(kind, nine.name(kind)) is None


@pytest.mark.parametrize("kind", RETAGGED)
async def test_case_99_an_update_that_fails(kind: str) -> None:
    """Case 99: an edit is Progressing, Degraded when the cloud refuses it for good, Healthy when it is put right."""
    async with living() as house:
        resource = await nine.active(house, kind)
        match = {"method": "PUT", "path": f"/{resource}$"}
        await house.faults({"match": match, "then": {"status": 400, "body": INVALID}})
        async with filming(house) as film:
            await house.patch(kind, nine.name(kind), {"spec": {"tags": ["from-owner"]}})
            await house.until(lambda: reason_is(house, kind, "ValidationFailed"), within=20)
            refused = await shown(house, kind)
            assert (judged(refused), health(refused).message) == (("Failed", "Degraded"), refused["status"]["message"])
            await house.admin("DELETE", "faults")
            await house.patch(kind, nine.name(kind), {"spec": {"tags": ["from-another"]}})
            assert judged(await shown(house, kind)) == ("InProgress", "Progressing")
            await house.until(lambda: up_to_date(house, kind), within=20)
        assert judged(await shown(house, kind)) == ("Current", "Healthy")
        agree(film, kind)


Story = Callable[[House], Awaitable[str]]
"""Brings an object to a standing, and tells its kind."""


async def change_refused(house: House) -> str:
    """A server's flavor is another one in the cloud: no call could change it."""
    await nine.active(house, "CloudServer")
    found = (await house.status("CloudServer", "shop"))["resourceID"]
    await house.admin("POST", f"resources/{found}", {"properties": {"flavorName": "CSO1A2"}})
    await house.until(lambda: reason_is(house, "CloudServer", "ChangeRefused"), within=30)
    return "CloudServer"


async def failed_in_the_cloud(house: House) -> str:
    resource = await nine.active(house, "VPC")
    await house.admin("POST", f"resources/{resource}", {"state": "Failed", "failureReason": "no capacity"})
    await house.until(lambda: reason_is(house, "VPC", "CloudFailed"), within=30)
    return "VPC"


async def wrong_from_the_start(house: House) -> str:
    await nine.prepared(house, "Subnet")
    await house.apply(nine.subject("Subnet", cidr="8.8.8.0/24"))
    await house.until(lambda: reason_is(house, "Subnet", "IntentionValidationFailed"), within=30)
    return "Subnet"


async def lost_in_the_cloud(house: House) -> str:
    resource = await nine.active(house, "BlockStorage")
    await house.admin("DELETE", f"resources/{resource}")
    await house.until(lambda: reason_is(house, "BlockStorage", "ExternallyDeleted"), within=60)
    return "BlockStorage"


async def waits(house: House) -> str:
    await house.apply(nine.subject("VPC"))
    await house.until(lambda: reason_is(house, "VPC", "WaitingForReferences"), within=10)
    return "VPC"


async def cannot_be_asked(house: House) -> str:
    await nine.active(house, "ElasticIP")
    await asyncio.sleep(20)
    house.net.cut(CLOUD)
    await house.until(lambda: reason_is(house, "ElasticIP", "ApiUnreachable"), within=60)
    return "ElasticIP"


async def drift_is_only_told(house: House) -> str:
    await nine.active(house, "Project")
    policy = {"arubacloud.com/drift-policy": "report"}
    await house.patch("Project", "shop", {"metadata": {"annotations": policy}})
    await set_to(house, "Project", "tags", ["from-console"])
    await house.until(lambda: reason_is(house, "Project", "Drifted"), within=60)
    return "Project"


async def takes_too_long(house: House) -> str:
    await nine.prepared(house, "SecurityGroup")
    await house.quirks(neverSettle="SecurityGroup")
    await house.apply(nine.subject("SecurityGroup"))
    await house.until(lambda: reason_is(house, "SecurityGroup", "Timeout"), within=700, every=5)
    return "SecurityGroup"


async def has_something_extra(house: House) -> str:
    await nine.active(house, "CloudServer")
    await house.apply(*spares("CloudServer", "securityGroupReferences"))
    await house.until(house.all_active)
    await move(house, "securityGroupReferences", add=("next",))
    await house.until(lambda: says_so(house), within=30)
    return "CloudServer"


async def says_so(house: House) -> bool:
    return "the cloud also has" in (await shown(house, "CloudServer"))["status"].get("message", "")


STANDINGS: list[tuple[Story, str]] = [
    (change_refused, "Degraded"),
    (failed_in_the_cloud, "Degraded"),
    (wrong_from_the_start, "Degraded"),
    (lost_in_the_cloud, "Degraded"),
    (waits, "Progressing"),
    (cannot_be_asked, "Progressing"),
    (drift_is_only_told, "Progressing"),
    (takes_too_long, "Progressing"),
    (has_something_extra, "Healthy"),
]


@pytest.mark.parametrize(("story", "wanted"), STANDINGS, ids=[story.__name__ for story, _ in STANDINGS])
async def test_case_99_standings(story: Story, wanted: str) -> None:
    """Case 99: Degraded exactly where a person must act, with our message; the two judge alike all along."""
    async with living(environ=SOON) as house:
        async with filming(house) as film:
            kind = await story(house)
        item = await shown(house, kind)
        assert health(item) == Health(wanted, item["status"].get("message", ""))
        assert ARGO[kstatus(item)] == wanted
        agree(film, kind)


async def test_case_99_suspended_and_stale() -> None:
    """Case 99: an object on hold is Suspended, and an old status stands for nothing. Departs: no recorded status, since
    nothing can be put on hold yet; the condition is as the interfaces fix it.
    """
    async with living() as house:
        await nine.active(house, "VPC")
        item = await shown(house, "VPC")
    held = deepcopy(item)
    held["status"]["conditions"].append({"type": "Suspended", "status": "True"})
    assert health(held).status == "Suspended"
    held["status"]["conditions"][-1]["status"] = "False"
    assert health(held).status == "Healthy"
    item["metadata"]["generation"] += 1
    assert health(item) == Health("Progressing", "Waiting until the operator has seen the change")
    assert health({"metadata": {"generation": 1}}) == Health("Progressing", "Waiting for the operator")
