"""Volumes, snapshots and projects (api §8.1, §8.8, §13.3)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.unit.simulator.caller import BOOT, DISK, PLACE, Site, furnished, opened, with_server


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"sizeGb": None}, "SizeGb"),
        ({"sizeGb": 0}, "SizeGb"),
        ({"sizeGb": "50"}, "SizeGb"),
        ({"billingPeriod": "Hourly"}, "BillingPeriod"),
        ({"dataCenter": "ITBG-7"}, "DataCenter"),
        ({"type": "Floppy"}, "Type"),
        ({"bootable": True, "image": "BEOS"}, "Image"),
        ({"image": "LU24-001"}, "Image"),
    ],
)
async def test_a_wrong_volume_is_refused(changes: Any, field: str) -> None:
    session = await opened()
    site = Site(session, await session.make("/projects", "demo", {}, placed=False))
    body = {"metadata": {"name": "disk", **PLACE}, "properties": DISK | changes}
    answer = await session.call("POST", f"{site.storage}/blockStorages", body)
    assert answer.status_code == 400
    assert [error["field"] for error in answer.json()["errors"]] == [field]


async def test_a_volume_grows_but_changes_nothing_else() -> None:
    session = await opened()
    site = await furnished(session)

    async def put(**properties: Any) -> Any:
        await asyncio.sleep(1)
        return await session.call("PUT", site["data"], {"metadata": {"name": "data"}, "properties": properties})

    assert (await put(sizeGb=40)).json()["errors"] == [{"field": "SizeGb", "message": "size cannot be decreased"}]
    assert (await put(type="Performance")).json()["errors"][0]["message"] == "type cannot be modified"
    assert (await put(dataCenter="ITBG-2")).json()["errors"][0]["message"] == "dataCenter cannot be modified"
    answer = await put(sizeGb=80, billingPeriod="Month", bootable=True, image="LU24-001")
    assert (answer.status_code, answer.json()["status"]["state"]) == (202, "Updating")
    again = await session.call("PUT", site["data"], {"metadata": {"name": "data"}, "properties": {}})
    assert again.json()["errors"] == [{"fieldName": "Status", "errorMessage": "Invalid status"}]
    await asyncio.sleep(1)
    shown = await session.get(site["data"])
    assert shown["status"]["state"] == "NotUsed"
    wanted = {"sizeGb": 80, "billingPeriod": "Month", "dataCenter": "ITBG-1", "type": "Standard", "bootable": False}
    assert shown["properties"] == wanted | {"image": None, "linkedResources": []}


async def test_a_used_volume_goes_back_to_used() -> None:
    session = await opened()
    site = await with_server(session)
    await session.call("PUT", site["boot"], {"metadata": {"name": "boot"}, "properties": {"sizeGb": 60}})
    await asyncio.sleep(1)
    assert (await session.get(site["boot"]))["status"]["state"] == "Used"


async def test_snapshots_hold_their_volume() -> None:
    session = await opened()
    site = await furnished(session)
    properties = {"billingPeriod": "Hour", "volume": site.ref("data")}
    snapshot = await session.make(f"{site.storage}/snapshots", "snap", properties)
    shown = (await session.get(snapshot))["properties"]
    assert (shown["sizeGb"], shown["volume"]) == (50, {"uri": site["data"], "name": "data"})
    refused = await session.call("DELETE", site["data"])
    assert refused.json()["detail"] == "volume can't be deleted due to the presence of snapshots"
    copy = await session.make(f"{site.storage}/blockStorages", "copy", BOOT | {"snapshot": {"uri": snapshot}})
    assert (await session.get(copy))["status"]["state"] == "NotUsed"
    assert (await session.call("DELETE", snapshot)).status_code == 202
    await asyncio.sleep(1)
    assert (await session.call("DELETE", site["data"])).status_code == 202


async def test_a_project_is_there_at_once_without_a_state() -> None:
    session = await opened()
    body = {"metadata": {"name": "demo", "tags": ["demo-tag"]}, "properties": {"description": "text"}}
    answer = await session.call("POST", "/projects", body)
    shown = answer.json()
    assert answer.status_code == 201
    assert set(shown) == {"metadata", "properties"}
    assert set(shown["metadata"]) == {"id", "name", "tags", "createdBy", "creationDate", "ownerId"}
    assert shown["metadata"]["creationDate"] == "2026-07-01T08:00:00.000000Z"
    folder = {"folderId": "5f0000000000000000000001"}
    assert shown["properties"] == {"description": "text", "default": False, "resourcesNumber": 0, **folder}
    uri = f"/projects/{shown['metadata']['id']}"
    await session.call("PUT", uri, {"metadata": {"name": "new"}, "properties": {"default": True}})
    changed = await session.get(uri)
    assert (changed["metadata"]["name"], changed["metadata"]["tags"]) == ("new", None)
    assert (changed["properties"]["default"], changed["properties"]["description"]) == (True, None)
    assert (await session.call("DELETE", uri)).status_code == 204
    assert (await session.call("GET", uri)).status_code == 404


async def test_a_project_stays_while_anything_is_in_it() -> None:
    session = await opened()
    site = Site(session, await session.make("/projects", "demo", {}, placed=False))
    disk = await session.make(f"{site.storage}/blockStorages", "disk", DISK)
    assert (await session.get(site.project))["properties"]["resourcesNumber"] == 1
    [row] = (await session.get(f"{site.project}/resources"))["values"]
    assert (row["metadata"]["name"], row["status"]["state"]) == ("disk", "NotUsed")
    assert row["properties"] == {"linkedResources": [], "billingPlan": {"billingPeriod": "Hour"}}
    assert (await session.get("/projects/resources"))["total"] == 1
    await session.call("DELETE", disk)
    refused = await session.call("DELETE", site.project)
    assert refused.json()["detail"] == "project can't be deleted due to the presence of resources"
    assert "errors" not in refused.json()
    await asyncio.sleep(1)
    assert (await session.call("DELETE", site.project)).status_code == 204


async def test_deleted_ones_show_when_asked_for() -> None:
    session = await opened()
    site = await furnished(session)
    for name, flag in (("data", "includeDeleted"), ("ip", "ignoreDeletedStatus")):
        await session.call("DELETE", site[name])
        await asyncio.sleep(1)
        gone = await session.call("GET", site[name])
        assert (gone.status_code, gone.json()["title"]) == (404, "Not Found")
        assert len(gone.json()["traceId"]) == 55
        assert (await session.get(site[name], **{flag: "true"}))["status"]["state"] == "Deleted"
