"""Errors, lists, routing and quirks: what all kinds have in common (api §5, §13.3)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.unit.simulator.caller import DISK, NOBODY, PLACE, Session, Site, furnished, opened, with_server


async def disks(session: Session, count: int) -> Site:
    site = Site(session, await session.make("/projects", "demo", {}, placed=False))
    for number in range(count):
        await session.make(f"{site.storage}/blockStorages", f"disk-{number}", DISK)
    return site


def names(body: Any) -> list[str]:
    return [one["metadata"]["name"] for one in body["values"]]


@pytest.mark.parametrize(
    ("shape", "errors"),
    [
        (None, [{"field": "Tag", "message": "length must be at least 4"}]),
        (1, [{"field": "Tag", "message": "length must be at least 4"}]),
        (2, [{"fieldName": "Tag", "errorMessage": "length must be at least 4"}]),
        (3, [{"propertyName": "Tag", "errorMessage": "length must be at least 4"}]),
        (4, {"Tag": ["length must be at least 4"]}),
    ],
)
async def test_errors_in_four_shapes(shape: int | None, errors: Any) -> None:
    session = await opened()
    await session.admin("POST", "/quirks", {"errorShape": shape})
    answer = await session.call("POST", "/projects", {"metadata": {"name": "demo", "tags": ["abc"]}})
    body = answer.json()
    assert (answer.status_code, body["status"], body["instance"]) == (400, 400, "projects")
    assert body["title"] == "One or more validation errors occurred."
    assert body["errors"] == errors


@pytest.mark.parametrize(
    ("metadata", "error"),
    [
        ({"name": "x", "tags": ["a" * 31], **PLACE}, ("Tag", "length must be at most 30")),
        ({"name": "x", "tags": ["a_bc"], **PLACE}, ("Tag", "only letters, digits and hyphens are allowed")),
        ({"name": "x", "location": {"value": "ITMI"}}, ("Name", "Location Value: ITMI not found.")),
        ({"name": "x"}, ("Value", "value must not be empty")),
        ({**PLACE}, ("Name", "name must not be empty")),
    ],
)
async def test_wrong_metadata_is_refused(metadata: Any, error: tuple[str, str]) -> None:
    session = await opened()
    site = await disks(session, 0)
    answer = await session.call("POST", f"{site.storage}/blockStorages", {"metadata": metadata, "properties": DISK})
    assert [(one["field"], one["message"]) for one in answer.json()["errors"]] == [error]


async def test_pages_and_their_links() -> None:
    session = await opened()
    site = await disks(session, 5)
    path = f"{site.storage}/blockStorages"
    page = await session.get(path, offset=2, limit=2)
    assert (page["total"], names(page)) == (5, ["disk-2", "disk-3"])
    links = {name: page[name].removeprefix(path) for name in ("self", "prev", "next", "first", "last")}
    assert links == {
        "self": "?offset=2&limit=2",
        "prev": "?offset=0&limit=2",
        "next": "?offset=4&limit=2",
        "first": "?offset=0&limit=2",
        "last": "?offset=4&limit=2",
    }
    assert names(await session.get(page["next"])) == ["disk-4"]
    whole = await session.get(path)
    assert (len(whole["values"]), whole["prev"], whole["next"]) == (5, None, None)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('name:eq("disk-1")', ["disk-1"]),
        ('metadata.name:ne("disk-1");properties.sizeGb:gte(50)', ["disk-0", "disk-2"]),
        ('name:in(["disk-0","disk-2"])', ["disk-0", "disk-2"]),
        ('name:eq("disk-1"),filter=name:eq("disk-2")', []),
        ("properties.image:exists(true)", []),
        ("properties.sizeGb:between([1,49])", []),
    ],
)
async def test_filters(text: str, found: list[str]) -> None:
    session = await opened()
    site = await disks(session, 3)
    answer = await session.get(f"{site.storage}/blockStorages", filter=text)
    assert (names(answer), answer["total"]) == (found, len(found))


async def test_an_unreadable_filter_is_refused() -> None:
    session = await opened()
    for text in ("name:eq:foo", "name:like(1)", "name:eq(", "name:in(1)", "name:eq(x)"):
        assert (await session.call("GET", "/projects", filter=text)).status_code == 400


async def test_network_lists_ignore_filters_unless_told() -> None:
    session = await opened()
    site = await furnished(session)
    assert names(await session.get(f"{site.network}/elasticIps", filter='name:eq("no")')) == ["face"]
    await session.admin("POST", "/quirks", {"networkFilter": True})
    assert names(await session.get(f"{site.network}/elasticIps", filter='name:eq("no")')) == []


async def test_routing_ignores_case_and_knows_what_it_does_not_have() -> None:
    session = await opened()
    site = await disks(session, 1)
    upper = f"/PROJECTS/{site.project[-24:]}/PROVIDERS/aruba.STORAGE/BLOCKSTORAGES"
    assert (await session.get(upper))["total"] == 1
    for path in ("/nothing", "/projects/", f"{site.project}/providers/Aruba.Storage/castles", f"/projects/{NOBODY}"):
        answer = await session.call("GET", path)
        assert (answer.status_code, answer.json()["title"]) == (404, "Not Found")
    for method in ("PATCH", "DELETE"):
        assert (await session.call(method, f"{site.storage}/blockStorages")).status_code == 405
    stranger = f"{site.storage}/blockStorages/{site.project[-24:]}"
    assert (await session.call("GET", stranger)).status_code == 404


async def test_names_are_not_unique() -> None:
    session = await opened()
    one, other = [await session.make("/projects", "same", {}, placed=False) for _ in range(2)]
    assert one != other
    assert names(await session.get("/projects", filter='name:eq("same")')) == ["same", "same"]


async def test_changing_or_broken_ones_take_no_change() -> None:
    session = await opened()
    site = await disks(session, 1)
    uri = (await session.get(f"{site.storage}/blockStorages"))["values"][0]["metadata"]["uri"]
    for state, deletable in (("Creating", 400), ("Updating", 400), ("Failed", 202)):
        await session.admin("POST", f"/resources/{uri[-24:]}", {"state": state})
        put = await session.call("PUT", uri, {"metadata": {"name": "x"}, "properties": {}})
        assert put.json()["errors"] == [{"fieldName": "Status", "errorMessage": "Invalid status"}]
        assert (await session.call("DELETE", uri)).status_code == deletable


async def test_lag_hides_what_is_new() -> None:
    session = await opened()
    await session.admin("POST", "/quirks", {"listLag": 3, "readLag": 2})
    answer = await session.call("POST", "/projects", {"metadata": {"name": "demo"}})
    uri = f"/projects/{answer.json()['metadata']['id']}"
    for method in ("GET", "PUT", "DELETE"):
        assert (await session.call(method, uri, {"metadata": {"name": "demo"}})).status_code == 404
    assert (await session.call("GET", f"{uri}/resources")).status_code == 404
    await asyncio.sleep(2)
    assert (await session.call("GET", uri)).status_code == 200
    assert (await session.get("/projects"))["total"] == 0
    await asyncio.sleep(1)
    assert (await session.get("/projects"))["total"] == 1


async def test_a_dependency_that_is_not_seen_yet() -> None:
    session = await opened()
    site = await furnished(session)
    await asyncio.sleep(1000)
    await session.admin("POST", "/quirks", {"readLag": 1000})
    site.made["ip"] = await session.make(f"{site.network}/elasticIps", "new", {})
    body = {"metadata": {"name": "web-1", **PLACE}, "properties": site.server()}
    answer = await session.call("POST", f"{site.compute}/cloudServers", body, api_version="1.1")
    assert (answer.status_code, answer.json()["detail"]) == (400, "elasticIp not found")


@pytest.mark.parametrize(
    ("thin", "status", "members"),
    [("noUri", 201, {"metadata", "status", "properties"}), ("noStatus", 201, {"metadata", "properties"})],
)
async def test_thin_answers_to_a_create(thin: str, status: int, members: set[str]) -> None:
    session = await opened()
    site = await disks(session, 0)
    await session.admin("POST", "/quirks", {"thinCreate": thin})
    body = {"metadata": {"name": "disk", **PLACE}, "properties": DISK}
    answer = await session.call("POST", f"{site.storage}/blockStorages", body)
    assert (answer.status_code, set(answer.json())) == (status, members)
    assert ("uri" in answer.json()["metadata"]) == (thin != "noUri")


@pytest.mark.parametrize(("thin", "status"), [("noBody", 201), ("204", 204)])
async def test_answers_without_a_body(thin: str, status: int) -> None:
    session = await opened()
    await session.admin("POST", "/quirks", {"thinCreate": thin})
    answer = await session.call("POST", "/projects", {"metadata": {"name": "demo"}})
    assert (answer.status_code, answer.content) == (status, b"")
    assert (await session.get("/projects"))["total"] == 1


@pytest.mark.parametrize(
    ("again", "early", "late"), [(None, 400, 404), (202, 202, 404), (400, 400, 400), (404, 404, 404)]
)
async def test_a_second_delete(again: int | None, early: int, late: int) -> None:
    session = await opened()
    site = await furnished(session)
    await session.admin("POST", "/quirks", {"secondDelete": again})
    assert (await session.call("DELETE", site["ip"])).status_code == 202
    assert (await session.call("DELETE", site["ip"])).status_code == early
    await asyncio.sleep(1)
    assert (await session.call("DELETE", site["ip"])).status_code == late


async def test_uris_in_another_spelling() -> None:
    session = await opened()
    site = await with_server(session)
    await session.admin("POST", "/quirks", {"uriCasing": True})
    shown = await session.get(site["server"])
    spelt = [one["uri"].split("/")[-2] for one in shown["properties"]["linkedResources"]]
    assert spelt == ["securitygroups", "elasticIPs", "blockstorages"]
    assert (await session.get(shown["properties"]["linkedResources"][1]["uri"]))["metadata"]["name"] == "face"


async def test_paging_that_skips() -> None:
    session = await opened()
    await disks(session, 0)
    for number in range(4):
        await session.make("/projects", f"more-{number}", {}, placed=False)
    await session.admin("POST", "/quirks", {"skipOnPaging": True, "pageLimit": 2})
    pages = [await session.get("/projects", offset=offset, limit=50) for offset in (0, 2, 4)]
    assert [page["total"] for page in pages] == [5, 5, 5]
    assert [names(page) for page in pages] == [["demo", "more-0"], ["more-0", "more-2"], ["more-2"]]


async def test_an_empty_list_may_be_404() -> None:
    session = await opened()
    assert (await session.get("/projects"))["values"] == []
    await session.admin("POST", "/quirks", {"emptyListIs404": True})
    assert (await session.call("GET", "/projects")).status_code == 404


async def test_a_kind_that_never_settles() -> None:
    session = await opened()
    await session.admin("POST", "/quirks", {"neverSettle": "BlockStorage"})
    site = await disks(session, 1)
    await asyncio.sleep(100)
    [disk] = (await session.get(f"{site.storage}/blockStorages"))["values"]
    assert disk["status"]["state"] == "InCreation"
    await session.admin("POST", "/quirks", {"neverSettle": None})
    assert (await session.get(disk["metadata"]["uri"]))["status"]["state"] == "NotUsed"


async def test_tags_and_names_may_be_refused() -> None:
    session = await opened()
    await session.admin("POST", "/quirks", {"rejectTags": True, "strictNames": True})
    tagged = await session.call("POST", "/projects", {"metadata": {"name": "demo", "tags": ["demo-tag"]}})
    assert tagged.json()["errors"] == [{"field": "Tag", "message": "tags are not allowed"}]
    for name in ("abc", "-abcd", "abcd-", "ab.cd", "a" * 51):
        assert (await session.call("POST", "/projects", {"metadata": {"name": name}})).status_code == 400
    for name in ("abcd", "a" * 50):
        assert (await session.call("POST", "/projects", {"metadata": {"name": name}})).status_code == 201


async def test_the_first_vpc_may_become_the_default_one() -> None:
    session = await opened()
    await session.admin("POST", "/quirks", {"firstVpcDefault": True})
    site = await disks(session, 0)
    vpcs = [await session.make(f"{site.network}/vpcs", "vpc-x", {"default": False}) for _ in range(2)]
    assert [(await session.get(one))["properties"]["default"] for one in vpcs] == [True, False]


async def test_a_project_may_come_furnished() -> None:
    session = await opened()
    await session.admin("POST", "/quirks", {"projectPreset": True})
    site = await disks(session, 0)
    kinds = [row["kind"] for row in (await session.admin("GET", "/state"))["resources"]]
    assert kinds == ["Project", "VPC", "Subnet", "SecurityGroup", "SecurityRule", "SecurityRule"]
    assert (await session.call("DELETE", site.project)).status_code == 400


async def test_a_deleted_rule_may_be_shown_for_a_while() -> None:
    session = await opened()
    site = await furnished(session)
    await session.admin("POST", "/quirks", {"deletedRuleLag": 60})
    rule = {"direction": "Egress", "protocol": "ANY", "target": {"kind": "Ip", "value": "0.0.0.0/0"}}
    uri = await session.make(f"{site['group']}/securityRules", "out", rule, placed=False)
    await session.call("DELETE", uri)
    await asyncio.sleep(1)
    assert (await session.get(uri))["status"]["state"] == "Deleted"
    assert names(await session.get(f"{site['group']}/securityRules")) == []
    await asyncio.sleep(60)
    assert (await session.call("GET", uri)).status_code == 404


async def test_resources_may_end_elsewhere_by_themselves() -> None:
    def moods(kind: str, identity: str, state: str) -> str | None:
        return "Failed" if kind == "BlockStorage" else None

    session = await opened(spontaneous=moods)
    site = await disks(session, 1)
    [disk] = (await session.get(f"{site.storage}/blockStorages"))["values"]
    assert disk["status"]["state"] == "Failed"


@pytest.mark.parametrize(
    "body", ["{", "[1]", '"text"', '{"metadata": 1}', '{"metadata": {"name": "\\ud800"}}', "[" * 100_000]
)
async def test_what_is_no_request_is_refused(body: str) -> None:
    session = await opened()
    answer = await session.client.post("/projects", content=body)
    assert answer.status_code == 400
    assert answer.json()["errors"]
