"""Field case 14: deletions while everything says 404: what is not found may be there, and would be left behind."""

from __future__ import annotations

import asyncio

import pytest

from tests.cases import nine
from tests.cases.blind import BLIND, NOT_FOUND, another_project, only_this_project, told
from tests.cases.console import last_call
from tests.cases.world import living
from tests.world.house import House

pytestmark = pytest.mark.every_kind

SOON = {"ARUBA_LISTING_AGE": "20s"}


async def absent(house: House, kind: str) -> bool:
    return await house.get(kind, nine.name(kind)) is None


async def taken(house: House, since: int) -> list[str]:
    """What was deleted by a DELETE that the cloud took."""
    rows = await house.calls(since, method="DELETE")
    return [row["path"].rpartition("/")[2] for row in rows if row["status"] < 300]


async def not_believed_yet(house: House, kind: str) -> None:
    assert (await told(house, kind))[:3] == ("Deleting", "False", "TenantUnreadable")


@pytest.mark.parametrize(("kind", "way"), [*((kind, "problem") for kind in nine.ALL), ("VPC", "bare")])
async def test_case_14_a_deletion_waits_two_windows(kind: str, way: str) -> None:
    """Case 14: deleted while its whole tenant looks empty: for two windows it is not believed gone, and says so; if the
    tenant is back by then the resource is deleted as it should be.
    """
    async with living(environ=SOON) as house:
        await house.apply(another_project())
        resource = await nine.active(house, kind)
        since = await last_call(house)
        await house.faults(*BLIND[way])
        await house.delete(kind, nine.name(kind))
        await asyncio.sleep(115)
        await not_believed_yet(house, kind)
        assert "nothing forgotten" in (await house.status(kind, nine.name(kind)))["message"]
        await house.admin("DELETE", "faults")
        await house.until(lambda: absent(house, kind), within=100)
        assert await taken(house, since) == [resource]


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_14_a_deletion_believes_after_two_windows(kind: str) -> None:
    """Case 14: after two windows of it the object may go; a project that is gone takes everything along."""
    async with living(environ=SOON) as house:
        await house.apply(another_project())
        await nine.active(house, kind)
        await house.faults(*BLIND["problem"])
        await house.delete(kind, nine.name(kind))
        took = await house.until(lambda: absent(house, kind), within=200)
        assert 120 <= took <= 160


@pytest.mark.parametrize("kind", nine.CHILDREN)
async def test_case_14_only_this_project_is_missing(kind: str) -> None:
    """Case 14: others answer, and only the object's own project does not: a deletion waits one window, not two."""
    async with living(environ=SOON) as house:
        await house.apply(another_project())
        await nine.active(house, kind)
        since = await last_call(house)
        await house.faults(*await only_this_project(house))
        await asyncio.sleep(1)
        await house.delete(kind, nine.name(kind))
        await asyncio.sleep(55)
        await not_believed_yet(house, kind)
        await house.until(lambda: absent(house, kind), within=45)
        assert await taken(house, since) == []


@pytest.mark.parametrize("kind", nine.CHILDREN)
async def test_case_14_nothing_is_proven_while_projects_are_not_listed(kind: str) -> None:
    """Case 14: all is 404 below the projects, and their list does not come: a deletion waits as long as that lasts."""
    async with living(environ=SOON) as house:
        resource = await nine.active(house, kind)
        since = await last_call(house)
        below, above = {"path": "/projects/"}, {"path": "/projects$"}
        await house.faults({"match": below, "then": NOT_FOUND}, {"match": above, "then": {"status": 503}})
        await house.delete(kind, nine.name(kind))
        await asyncio.sleep(300)
        assert (await told(house, kind))[:3] == ("Deleting", "False", "ApiUnreachable")
        await house.admin("DELETE", "faults")
        await house.until(lambda: absent(house, kind), within=100)
        assert await taken(house, since) == [resource]


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_14_a_page_of_html_is_never_believed(kind: str) -> None:
    """Case 14: a deletion in front of a wrong proxy waits for as long as that takes, and then finishes."""
    async with living(environ=SOON) as house:
        resource = await nine.active(house, kind)
        since = await last_call(house)
        await house.faults(*BLIND["html"])
        await house.delete(kind, nine.name(kind))
        await asyncio.sleep(300)
        assert (await told(house, kind))[:3] == ("Deleting", "False", "ApiUnreachable")
        await house.admin("DELETE", "faults")
        await house.until(lambda: absent(house, kind), within=60)
        assert await taken(house, since) == [resource]
