"""The admin API: names and meanings as outsiders rely on them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from hooks.simulator import ADMIN, token_path
from tests.unit.simulator.caller import DISK, PLACE, Site, furnished, opened, with_server


async def test_state_lists_the_living_and_on_demand_the_dead() -> None:
    session = await opened()
    uri = await session.make("/projects", "demo", {}, placed=False)
    row = {
        "kind": "Project",
        "id": uri[-24:],
        "projectId": uri[-24:],
        "name": "demo",
        "tags": ["demo-tag"],
        "state": "Active",
        "uri": uri,
        "createdAt": "2026-07-01T08:00:00.000000Z",
        "deletedAt": None,
    }
    assert await session.admin("GET", "/state") == {"now": "2026-07-01T08:00:01.000000Z", "resources": [row]}
    await session.call("DELETE", uri)
    assert (await session.admin("GET", "/state"))["resources"] == []
    dead = row | {"state": "Deleted", "deletedAt": "2026-07-01T08:00:01.000000Z"}
    assert (await session.admin("GET", "/state?all=1"))["resources"] == [dead]


async def test_calls_are_logged_without_secrets() -> None:
    session = await opened()
    body = {"metadata": {"name": "web-1"}, "properties": {"userData": "x", "deep": [{"password": "y"}]}}
    await session.call("POST", "/Projects/x", body, api_version="1.1")
    calls = await session.admin("GET", "/calls")
    assert [call["n"] for call in calls] == [1, 2]
    form = {"grant_type": "client_credentials", "client_id": "one", "client_secret": "***"}
    assert calls[0] == {
        "n": 1,
        "time": "2026-07-01T08:00:00.000000Z",
        "method": "POST",
        "path": token_path(),
        "query": {},
        "status": 200,
        "ms": 0.0,
        "clientId": "one",
        "requestBody": form,
    }
    assert (calls[1]["path"], calls[1]["query"]) == ("/Projects/x", {"api-version": "1.1"})
    assert (calls[1]["status"], calls[1]["clientId"]) == (405, "one")
    assert calls[1]["requestBody"]["properties"] == {"userData": "***", "deep": [{"password": "***"}]}
    assert await session.admin("GET", "/calls?since=1") == calls[1:]
    assert await session.admin("GET", "/calls?since=2") == []


async def test_secrets_in_odd_places_are_blanked_too() -> None:
    session = await opened()
    await session.client.post(f"{token_path()}?client_secret=s", content="client_id=one&client_secret=s")
    [call] = await session.admin("GET", "/calls?since=1")
    assert (call["query"], call["requestBody"]) == ({"client_secret": "***"}, "***")


async def test_a_reset_makes_it_new_again() -> None:
    session = await opened(seed=5)
    first = await session.make("/projects", "demo", {}, placed=False)
    await session.admin("POST", "/quirks", {"listLag": 100})
    await session.admin("POST", "/faults", [{"then": {"status": 500}}])
    await session.admin("POST", "/tokens", {"clients": {"late": "x"}})
    await session.admin("POST", "/reset", {"seed": 5})
    assert await session.admin("GET", "/state?all=1") == {"now": "2026-07-01T08:00:01.000000Z", "resources": []}
    assert await session.admin("GET", "/calls") == []
    assert await session.admin("GET", "/faults") == []
    assert (await session.admin("GET", "/quirks"))["listLag"] == 0
    assert (await session.client.get("/projects")).status_code == 401
    await session.admin("POST", "/reset", {"seed": 5})
    await session.login("one", "secret-1")
    assert await session.make("/projects", "demo", {}, placed=False) == first, "ids follow from the seed"


async def test_the_platform_changes_a_resource() -> None:
    session = await opened()
    site = await furnished(session)
    body = {
        "state": "Failed",
        "failureReason": "Operator",
        "properties": {"sizeGb": None, "linkedResources": None},
        "metadata": {"tags": None, "name": "by-hand", "location": None},
    }
    row = await session.admin("POST", f"/resources/{site['data'][-24:]}", body)
    assert (row["state"], row["name"], row["tags"]) == ("Failed", "by-hand", [])
    shown = await session.get(site["data"])
    assert (shown["status"]["state"], shown["status"]["failureReason"]) == ("Failed", "Operator")
    assert (shown["properties"]["sizeGb"], shown["properties"]["linkedResources"]) == (None, None)
    assert [shown["metadata"][name] for name in ("tags", "name", "location")] == [None, "by-hand", None]


async def test_a_state_set_by_hand_cancels_the_transition() -> None:
    session = await opened()
    site = await furnished(session)
    await session.call("DELETE", site["ip"])
    await session.admin("POST", f"/resources/{site['ip'][-24:]}", {"properties": {"address": "192.0.2.9"}})
    await session.admin("POST", f"/resources/{site['ip'][-24:]}", {"state": "Disabled", "reasons": ["NoCredit"]})
    await asyncio.sleep(10)
    shown = await session.get(site["ip"])
    assert (shown["status"]["state"], shown["properties"]["address"]) == ("Disabled", "192.0.2.9")
    disabled = shown["status"]["disableStatusInfo"]
    assert (disabled["isDisabled"], disabled["reasons"]) == (True, ["NoCredit"])
    assert disabled["previousStatus"]["state"] == "Deleting"


async def test_something_vanishes_as_from_the_console() -> None:
    session = await opened()
    site = await with_server(session)
    row = await session.admin("DELETE", f"/resources/{site['server'][-24:]}")
    assert (row["state"], row["deletedAt"] is not None) == ("Deleted", True)
    assert (await session.call("GET", site["server"])).status_code == 404
    assert (await session.get(site["boot"]))["status"]["state"] == "NotUsed"
    await session.admin("DELETE", f"/resources/{site['vpc'][-24:]}")
    assert (await session.call("GET", site["subnet"])).status_code == 404
    kinds = {row["kind"] for row in (await session.admin("GET", "/state"))["resources"]}
    assert kinds == {"Project", "ElasticIP", "KeyPair", "BlockStorage"}


async def test_somebody_else_makes_things() -> None:
    session = await opened()
    site = Site(session, await session.make("/projects", "demo", {}, placed=False))

    async def foreign(kind: str, **properties: Any) -> Any:
        body = {"kind": kind, "projectId": site.project[-24:], "name": "theirs", "tags": ["their-tag"]}
        return await session.admin("POST", "/resources", body | {"properties": properties})

    vpc = await foreign("VPC")
    disk = await foreign("BlockStorage", sizeGb=7, bootable=True, image="LU24-001", dataCenter="ITBG-1")
    subnet, group = await foreign("Subnet", vpc={"uri": vpc["uri"]}), await foreign("SecurityGroup")
    rows = [
        vpc,
        disk,
        subnet,
        group,
        await foreign("SecurityRule"),
        await foreign("KeyPair"),
        await foreign("ElasticIP"),
    ]
    states = [row["state"] for row in rows]
    assert states == ["Active", "NotUsed", "Active", "Active", "Active", "Active", "NotUsed"]
    shown = await session.get(disk["uri"])
    assert (shown["properties"]["sizeGb"], shown["metadata"]["tags"]) == (7, ["their-tag"])
    refs = {"vpc": {"uri": vpc["uri"]}, "bootVolume": {"uri": disk["uri"]}}
    server = await foreign(
        "CloudServer", subnets=[{"uri": subnet["uri"]}], securityGroups=[{"uri": group["uri"]}], **refs
    )
    assert server["state"] == "Active"


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "named"),
    [
        ("POST", "/resources", {"kind": "Castle", "name": "x"}, 404, "Castle"),
        ("POST", "/resources", {"kind": "VPC", "name": "x", "projectId": "none"}, 404, "none"),
        ("POST", "/resources", {"kind": "Project", "name": "x", "tags": ["a"]}, 400, "Tag"),
        ("POST", "/resources/none", {"state": "Failed"}, 404, "none"),
        ("DELETE", "/resources/none", None, 404, "none"),
        ("POST", "/quirks", {"listLagg": 1}, 400, "listLagg"),
        ("POST", "/quirks", {"errorShape": 5}, 400, "errorShape"),
        ("POST", "/clock", {"mode": "lunar"}, 400, "mode"),
        ("POST", "/clock", {"advance": -1}, 400, "advance"),
        ("POST", "/reset", "now", 400, ""),
        ("GET", "/calls?since=x", None, 400, "x"),
    ],
)
async def test_a_wrong_order_is_named(method: str, path: str, body: Any, status: int, named: str) -> None:
    session = await opened()
    answer = await session.client.request(method, ADMIN + path, json=body)
    assert answer.status_code == status
    assert named in answer.json()["error"]


async def test_things_made_by_hand_obey_the_same_rules() -> None:
    session = await opened()
    site = await furnished(session)
    row = await session.admin(
        "POST", "/resources", {"kind": "BlockStorage", "projectId": site.project[-24:], "name": "x", "properties": DISK}
    )
    assert (await session.call("DELETE", row["uri"])).status_code == 202
    assert PLACE["location"]["value"] == (await session.get(row["uri"]))["metadata"]["location"]["value"]
