"""Ways in which a whole tenant can look empty though nothing is lost (field case 14): a proxy that has lost its way."""

from __future__ import annotations

from typing import Any

from hooks.simulator import token_path
from tests.cases import nine
from tests.cases.console import FORM
from tests.world.house import House
from tests.world.judge import condition
from tests.world.manifests import make

Object = dict[str, Any]
PROBLEM = {"type": "https://tools.ietf.org/html/rfc9110#section-15.5.5", "title": "Not Found", "status": 404}
NOT_FOUND = {"status": 404, "body": PROBLEM, "headers": {"content-type": "application/problem+json"}}
HTML = {"status": 404, "text": "<html><body><h1>404 page not found</h1></body></html>"}
EMPTY = {"status": 200, "body": {"total": 0, "values": []}}
ITEM = "/[0-9a-f]{24}$"
BLIND: dict[str, list[Object]] = {
    "html": [{"match": {"path": "/projects"}, "then": HTML}],
    "problem": [{"match": {"path": "/projects"}, "then": NOT_FOUND}],
    "bare": [{"match": {"path": "/projects"}, "then": {"status": 404}}],
    "empty lists": [
        {"match": {"method": "GET", "path": ITEM}, "then": NOT_FOUND},
        {"match": {"method": "GET", "path": "/projects"}, "then": EMPTY},
    ],
}
"""Faults for each way; writes would go through where only lists are empty."""
REASON = {"html": "ApiUnreachable", "problem": "TenantUnreadable", "bare": "TenantUnreadable"}


def reason(way: str) -> str:
    return REASON.get(way, "TenantUnreadable")


async def only_this_project(house: House) -> list[Object]:
    """Faults by which the project `shop` is not there, with all that is in it, and others are."""
    project = (await house.status("Project", "shop"))["resourceID"]
    token = (await house.cloud.post(token_path(), data=FORM)).json()["access_token"]
    listed = (await house.cloud.get("/projects", headers={"authorization": f"Bearer {token}"})).json()
    others = [row for row in listed["values"] if row["metadata"]["id"] != project]
    assert others != []
    body = {"total": len(others), "values": others}
    return [
        {"match": {"path": f"/projects/{project}"}, "then": NOT_FOUND},
        {"match": {"method": "GET", "path": "/projects$"}, "then": {"status": 200, "body": body}},
    ]


async def furnished(house: House, kind: str, *more: Object) -> Object:
    """The subject is Active, and its project holds something: an empty one might really be gone."""
    item = await nine.prepared(house, kind)
    vpc = [nine.subject("VPC")] if kind == "Project" else []
    await house.apply(item, *vpc, *more)
    await house.until(house.all_active)
    return await house.get(kind, nine.name(kind)) or {}


def another_project() -> Object:
    return make("Project", "other-shop", {"tenant": "ARU-000001"})


async def told(house: House, kind: str) -> tuple[str, str, str, str]:
    """Phase of the subject, Ready with its reason, and Stalled."""
    item = await house.get(kind, nine.name(kind)) or {}
    ready, stalled = condition(item, "Ready"), condition(item, "Stalled")
    return item["status"]["phase"], ready["status"], ready["reason"], stalled["status"]
