"""Objects of the Go operator, in every phase that it leaves them in (behaviour §2, §6), go on under these hooks.

Nothing is written to the cloud for it, and its finalizer leaves with ours.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import pytest

from tests.cases import nine
from tests.cases.estate import estate, foreign, key, noted
from tests.world.house import API, HOOKS, PLURALS, House, living
from tests.world.judge import condition

pytestmark = pytest.mark.every_kind("SecurityRule")
Object = dict[str, Any]
WHEN = "2026-06-01T08:00:00Z"


class Left(NamedTuple):
    """How the Go operator left an object: phases visited with their reasons, the present one last; whether it knew the
    resource's ID, and whether there is a resource.
    """

    visited: tuple[tuple[str, str], ...]
    known: bool = True
    there: bool = True

    @property
    def phase(self) -> str:
        return self.visited[-1][0]


MADE = (("Pending", "Synchronized"), ("Creating", "Synchronized"))
ACTIVE = Left((*MADE, ("Active", "Synchronized")))
GOING_ON = {
    "active": ACTIVE,
    **{
        f"updating, {reason}": Left((*MADE, ("Active", "Synchronized"), ("Updating", reason)))
        for reason in ("ShallSynchronize", "Synchronizing", "Synchronized", "Failed")
    },
    "failed in the cloud once": Left((*MADE, ("Active", "Synchronized"), ("Failed", "Synchronized"))),
    "timed out while updating": Left((*MADE, ("Active", "Synchronized"), ("Updating", "Failed"), ("Failed", "Failed"))),
    "strict about an empty tenant": Left((*MADE, ("Failed", "PostValidationFailed"))),
    "refused an update": Left((*MADE, ("Active", "Synchronized"), ("Failed", "ValidationFailed"))),
}
"""With the ID: simply taken over."""
FOUND = {
    f"creating, {reason}": Left((("Pending", "Synchronized"), ("Creating", reason)), known=False)
    for reason in ("ShallSynchronize", "Synchronizing", "Synchronized")
} | {
    "timed out while creating": Left((("Pending", "Synchronized"), ("Creating", "Failed"), ("Failed", "Failed")), False)
}
"""Without it, and the resource is there: found by its name."""


def status_of(left: Left, item: Object, ids: dict[tuple[str, str], str]) -> Object:
    """The status in upstream's form: no message, no phaseStartTime, no Ready."""
    conditions = [
        {
            "type": phase,
            "status": "True" if phase == left.phase else "False",
            "reason": reason,
            "message": f"{phase} {reason} - OK",
            "lastTransitionTime": WHEN,
            "observedGeneration": 1,
        }
        for phase, reason in left.visited
    ]
    known = {"resourceID": ids[key(item)]} if left.known else {}
    parents = {}
    for field in nine.KINDS[item["kind"]].references:
        value = item["spec"].get(field.name)
        if field.to is not None and value:
            found = [ids[field.to.kind, one["name"]] for one in (value if isinstance(value, list) else [value])]
            parents[field.id_field] = found if field.many else found[0]
    return {"phase": left.phase, "observedGeneration": 1, "conditions": conditions, **known, **parents}


async def leave(house: House, left: Left, item: Object, ids: dict[tuple[str, str], str]) -> None:
    """Put the object there as the Go operator left it."""
    kind = item["kind"]
    item["metadata"]["finalizers"] = [theirs(kind)]
    await house.apply(item)
    url = f"{API}/namespaces/default/{PLURALS[kind]}/{item['metadata']['name']}"
    live = (await house.kube.get(url)).json()
    answer = await house.kube.put(f"{url}/status", json={**live, "status": status_of(left, item, ids)})
    assert answer.status_code == 200, answer.text


def theirs(kind: str) -> str:
    return f"{kind.lower()}.arubacloud.com/finalizer"


@asynccontextmanager
async def left_by_go(kind: str, left: Left, **spec: Any) -> AsyncIterator[tuple[House, str, int]]:
    """The subject as it was left, everything that it needs Active; its resource, and the number of calls so far. The
    hooks are about to begin.
    """
    async with living() as house:
        items = [*nine.needs(kind), nine.subject(kind)]
        ids = await estate(house, *items)
        if not left.there:
            await house.admin("DELETE", f"resources/{ids[kind, nine.name(kind)]}")
        house.net.cut(HOOKS)
        for item in nine.needs(kind):
            await leave(house, ACTIVE, item, ids)
        await leave(house, left, nine.subject(kind, **spec), ids)
        since = int((await house.calls())[-1]["n"])
        yield house, ids[kind, nine.name(kind)], since


def begin(house: House) -> None:
    house.operator = house.start_hooks()


async def shown(house: House, kind: str) -> Object:
    return await house.get(kind, nine.name(kind)) or {}


@pytest.mark.parametrize("left", GOING_ON)
@pytest.mark.parametrize("kind", nine.ALL)
async def test_with_its_id_it_goes_on(kind: str, left: str) -> None:
    async with left_by_go(kind, GOING_ON[left]) as (house, resource, since):
        begin(house)
        await house.until(house.all_active)
        await asyncio.sleep(400)
        item = await shown(house, kind)
        assert condition(item, "Ready")["status"] == "True", item["status"]["message"]
        assert (item["status"]["resourceID"], item["status"]["origin"]) == (resource, "TakenOver")
        assert await house.writes(since) == []


@pytest.mark.parametrize("left", FOUND)
@pytest.mark.parametrize("kind", nine.ALL)
async def test_without_its_id_the_single_namesake_is_found(kind: str, left: str) -> None:
    async with left_by_go(kind, FOUND[left]) as (house, resource, since):
        begin(house)
        await house.until(house.all_active, within=30)
        item = await shown(house, kind)
        assert (item["status"]["resourceID"], item["status"]["origin"]) == (resource, "TakenOver")
        assert await house.writes(since) == []


@pytest.mark.parametrize("kind", nine.ALL)
async def test_without_its_id_and_with_two_of_its_name_nothing_is_chosen(kind: str) -> None:
    async with left_by_go(kind, FOUND["creating, Synchronizing"]) as (house, resource, since):
        begin(house)
        house.net.cut(HOOKS)
        twin = await foreign(house, kind, [])
        begin(house)
        await asyncio.sleep(60)
        status = (await shown(house, kind))["status"]
        assert (status["phase"], status.get("resourceID")) == ("Failed", None)
        assert resource in status["message"]
        assert twin in status["message"]
        assert await house.writes(since) == []


@pytest.mark.parametrize("kind", nine.ALL)
async def test_without_a_resource_it_is_made_once(kind: str) -> None:
    """The Go operator's POST may have been on its way when it was stopped: a window is waited for it."""
    async with left_by_go(kind, Left((("Pending", "Synchronized"), ("Creating", "Synchronizing")), False, False)) as (
        house,
        _,
        since,
    ):
        begin(house)
        await asyncio.sleep(50)
        assert await house.writes(since) == []
        await house.until(house.all_active, within=120)
        assert [row["method"] for row in await house.writes(since)] == ["POST"]


@pytest.mark.parametrize("kind", nine.TAGGED)
async def test_what_it_left_different_is_told_and_an_edit_is_carried_out(kind: str) -> None:
    """Drift stays until somebody says otherwise; the user's next edit is not drift."""
    async with left_by_go(kind, ACTIVE, tags=["left", "over"]) as (house, _, since):
        begin(house)
        await house.until(lambda: _reason(house, kind, "Drifted"))
        await asyncio.sleep(400)
        assert await house.writes(since) == []
        await house.patch(kind, nine.name(kind), {"spec": {"tags": ["edited"]}})
        await house.until(lambda: _reason(house, kind, "Available"))
        assert [row["method"] for row in await house.writes(since)] == ["PUT"]


@pytest.mark.parametrize("kind", ["Project", "VPC", "BlockStorage"])
async def test_what_it_left_different_is_put_right_where_a_policy_says_so(kind: str) -> None:
    async with left_by_go(kind, ACTIVE, tags=["left", "over"]) as (house, _, since):
        begin(house)
        await house.until(lambda: _reason(house, kind, "Drifted"))
        await house.patch(kind, nine.name(kind), noted(drift_policy="correct"))
        await house.until(lambda: _reason(house, kind, "Available"))
        assert [row["method"] for row in await house.writes(since)] == ["PUT"]


async def _reason(house: House, kind: str, reason: str) -> bool:
    return bool(condition(await shown(house, kind), "Ready").get("reason") == reason)


GOING = {
    "active": ACTIVE,
    **{
        f"deleting, {reason}": Left((*MADE, ("Active", "Synchronized"), ("Deleting", reason)))
        for reason in ("ShallSynchronize", "Synchronizing", "Synchronized")
    },
    "timed out while deleting": Left((*MADE, ("Active", "Synchronized"), ("Deleting", "Failed"), ("Failed", "Failed"))),
    **FOUND,
}


@pytest.mark.parametrize("left", GOING)
@pytest.mark.parametrize("kind", nine.ALL)
async def test_being_deleted_it_goes_with_its_resource_and_both_finalizers(kind: str, left: str) -> None:
    async with left_by_go(kind, GOING[left]) as (house, resource, since):
        await house.delete(kind, nine.name(kind))
        begin(house)
        await house.until(lambda: _gone(house, kind), within=400)
        assert [row["path"].rpartition("/")[2] for row in await house.writes(since)] == [resource]
        assert resource not in {row["id"] for row in await house.resources()}


@pytest.mark.parametrize("kind", nine.ALL)
async def test_being_deleted_without_a_resource_it_simply_goes(kind: str) -> None:
    for left in (
        Left((("Pending", "Synchronized"),), False, False),
        Left((*MADE, ("Deleted", "Synchronized")), True, False),
    ):
        async with left_by_go(kind, left) as (house, _, since):
            await house.delete(kind, nine.name(kind))
            begin(house)
            await house.until(lambda house=house: _gone(house, kind), within=200)  # type: ignore[misc]
            assert await house.writes(since) == []


async def _gone(house: House, kind: str) -> bool:
    return await house.get(kind, nine.name(kind)) is None


async def test_two_objects_that_it_mapped_to_one_resource() -> None:
    """Names were global (W10): the second never had an ID. The first keeps its resource, the second names the first."""
    async with left_by_go("VPC", ACTIVE) as (house, resource, since):
        ids = {("Project", "shop"): (await house.status("Project", "shop"))["resourceID"]}
        second = nine.subject("VPC")
        second["metadata"]["namespace"] = "team-b"
        second["metadata"]["finalizers"] = [theirs("VPC")]
        await house.apply(second)
        url = f"{API}/namespaces/team-b/vpcs/{nine.name('VPC')}"
        live = (await house.kube.get(url)).json()
        status = status_of(FOUND["creating, Synchronizing"], second, ids)
        assert (await house.kube.put(f"{url}/status", json={**live, "status": status})).status_code == 200
        begin(house)
        await asyncio.sleep(60)
        status = await house.status("VPC", nine.name("VPC"), "team-b")
        assert status["phase"] == "Failed"
        assert f"the resource {resource} belongs to VPC default/{nine.name('VPC')}" in status["message"]
        await house.delete("VPC", nine.name("VPC"), "team-b")
        await asyncio.sleep(120)
        assert await house.get("VPC", nine.name("VPC"), "team-b") is None
        assert (await house.status("VPC", nine.name("VPC")))["resourceID"] == resource
        assert await house.writes(since) == []


async def test_at_its_end_a_younger_one_that_is_about_to_adopt_is_named_and_waited_for() -> None:
    """It was suspended just after it had said so; once its word is taken back the resource goes with its own object."""
    async with left_by_go("VPC", FOUND["creating, Synchronizing"]) as (house, resource, _):
        await asyncio.sleep(2)
        younger = nine.subject("VPC")
        younger["metadata"] = {"name": "younger", "namespace": "default"}
        younger["metadata"]["annotations"] = noted(suspend="true")["metadata"]["annotations"]
        await house.apply(younger)
        uid = (await house.get("VPC", "younger") or {})["metadata"]["uid"]
        await house.patch("VPC", "younger", noted(adopting=f"{resource} {uid}"))
        await house.delete("VPC", nine.name("VPC"))
        begin(house)
        await asyncio.sleep(60)
        message = (await shown(house, "VPC"))["status"]["message"]
        assert message.startswith("VPC default/younger wants the same resource, and is to step back first")
        assert resource in {row["id"] for row in await house.resources()}
        await house.patch("VPC", "younger", noted(adopting=None))
        await house.until(lambda: _gone(house, "VPC"), within=60)
        assert resource not in {row["id"] for row in await house.resources()}
