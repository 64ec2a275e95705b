"""Field case 67: somebody wants to know now: the annotation reconcile-at forces a fresh look at the cloud."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.cases import nine
from tests.cases.console import last_call, set_to
from tests.cases.world import living
from tests.scenarios.edits import cloud_has, present
from tests.world.house import CLOUD, House
from tests.world.judge import condition, no_duplicates, settled

pytestmark = pytest.mark.every_kind

Object = dict[str, Any]
RECONCILE_AT = "arubacloud.com/reconcile-at"
INVALID = {"title": "Bad Request", "status": 400, "errors": [{"field": "Name", "message": "is not liked"}]}
RETAGGED = [kind for kind in nine.ALL if "tags" in nine.KINDS[kind].mutable]


async def ask(house: House, kind: str, text: str) -> None:
    await house.patch(kind, nine.name(kind), {"metadata": {"annotations": {RECONCILE_AT: text}}})


async def status(house: House, kind: str) -> Object:
    return await house.status(kind, nine.name(kind))


async def handled(house: House, kind: str) -> Any:
    return (await status(house, kind)).get("lastHandledReconcileAt")


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_67_a_new_value_is_one_look(kind: str) -> None:
    """Case 67: at rest nothing is read for minutes; a new value of the annotation, whatever it is, means one read
    within a second, and is then recorded; the same one again means none. Nothing else in the status moves, and nothing
    is sent. Departs: what moves is the value itself, so that a status at rest stays the same to the byte (case 17).
    """
    async with living(environ={"ARUBA_LISTING_AGE": "1h"}) as house:
        await nine.active(house, kind)
        await asyncio.sleep(120)
        before, since = await status(house, kind), await last_call(house)
        assert "lastHandledReconcileAt" not in before
        for text in ("2026-07-01T10:00:00Z", "now, please", "x" * 300):
            since = await last_call(house)
            await ask(house, kind, text)
            await asyncio.sleep(1)
            reads = [row["method"] for row in await house.calls(since)]
            assert reads == ["GET"]
            assert await status(house, kind) == {**before, "lastHandledReconcileAt": text[:128]}
            await house.patch(kind, nine.name(kind), {"metadata": {"annotations": {"other": text[:20]}}})
            await asyncio.sleep(30)
            assert len(await house.calls(since)) == 1


@pytest.mark.parametrize("kind", RETAGGED)
async def test_case_67_what_changed_is_seen_at_once(kind: str) -> None:
    """Case 67: a change at the console would be noticed within the hour; asked for, it is put back in a few seconds."""
    async with living(environ={"ARUBA_LISTING_AGE": "1h"}) as house:
        resource = await nine.active(house, kind)
        await asyncio.sleep(60)
        since = await last_call(house)
        await set_to(house, kind, "tags", ["from-console"])
        await asyncio.sleep(300)
        assert await house.writes(since) == []
        await ask(house, kind, "incident-12")
        await asyncio.sleep(4)
        assert [row["method"] for row in await house.writes(since)] == ["PUT"]
        assert cloud_has(house, kind, resource, "tags") == sorted(present(kind, "tags") or [])
        await asyncio.sleep(5)
        assert settled(await house.get(kind, nine.name(kind)) or {})


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_67_it_ends_the_pause_after_a_refusal(kind: str) -> None:
    """Case 67: a request that the cloud found invalid is repeated hourly; asked for, it is at once, and once."""
    async with living() as house:
        item = await nine.prepared(house, kind)
        fault = {"method": "POST", "path": nine.collection(kind)}
        await house.faults({"match": fault, "then": {"status": 400, "body": INVALID}})
        await house.apply(item)
        await asyncio.sleep(300)
        assert len(await nine.posts(house, kind)) == 1
        await ask(house, kind, "try-again")
        await asyncio.sleep(300)
        assert (len(await nine.posts(house, kind)), await handled(house, kind)) == (2, "try-again")
        shown = await house.get(kind, nine.name(kind)) or {}
        assert condition(shown, "Ready")["reason"] == "ValidationFailed"
        await house.admin("DELETE", "faults")
        await ask(house, kind, "once-more")
        await house.until(house.all_active, within=10)
        assert len(await nine.posts(house, kind)) == 3
        await no_duplicates(house)


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_67_nothing_is_recorded_that_was_not_done(kind: str) -> None:
    """Case 67: while the cloud cannot be reached the value is not recorded; it is as soon as it was looked at."""
    async with living(environ={"ARUBA_LISTING_AGE": "1h"}) as house:
        await nine.active(house, kind)
        await asyncio.sleep(60)
        house.net.cut(CLOUD)
        await ask(house, kind, "incident-13")
        await asyncio.sleep(60)
        shown = await house.get(kind, nine.name(kind)) or {}
        assert await handled(house, kind) is None
        ready = condition(shown, "Ready")
        assert (shown["status"]["phase"], ready["status"], ready["reason"]) == ("Active", "Unknown", "ApiUnreachable")
        house.net.hosts[CLOUD] = house.simulator.app
        await house.until(lambda: _settled(house, kind), within=40)
        assert await handled(house, kind) == "incident-13"


async def _settled(house: House, kind: str) -> bool:
    return settled(await house.get(kind, nine.name(kind)) or {})
