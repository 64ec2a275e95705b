"""What holds a deletion before anything is touched: protections, what is to stay, users outside (design §6)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from starlette.responses import JSONResponse

from tests.cases import nine
from tests.cases.estate import noted
from tests.world.house import KUBE, House, living
from tests.world.judge import condition
from tests.world.manifests import fixture_set

Object = dict[str, Any]
BELOW = {
    "Project": ("VPC", "Subnet", "SecurityRule", "BlockStorage", "CloudServer"),
    "VPC": ("Subnet", "SecurityRule"),
    "SecurityGroup": ("SecurityRule",),
}
LIKE_NONE = [("Project", "SecurityRule"), ("SecurityGroup", "SecurityRule")]
"""The deepest and the shallowest; others are left to the sweep."""
OWNED = [
    pytest.param(parent, child, marks=[] if (parent, child) in LIKE_NONE else [pytest.mark.sweep])
    for parent, children in BELOW.items()
    for child in children
]
"""What is deleted, and what belongs to it at whatever depth."""


async def shown(house: House, kind: str) -> Object:
    return await house.get(kind, nine.name(kind)) or {}


async def gone(house: House, kind: str) -> bool:
    return await shown(house, kind) == {}


async def reason_is(house: House, kind: str, reason: str) -> bool:
    return bool(condition(await shown(house, kind), "Ready").get("reason") == reason)


async def set_of(house: House, *without: str) -> int:
    """Everything Active, but for some kinds; the number of calls so far."""
    items = [item for item in fixture_set("Test9") if item["kind"] not in without]
    await house.apply(*items)
    await house.until(house.all_active)
    return int((await house.calls())[-1]["n"])


async def held(house: House, parent: str, since: int, *words: str) -> None:
    """The deletion waits, names its reason, asks for a person, and nothing at all was touched."""
    before = {item["metadata"]["uid"] for item in await house.objects()}
    await house.delete(parent, nine.name(parent))
    await house.until(lambda: reason_is(house, parent, "DeletionBlocked"), within=10)
    await asyncio.sleep(700)
    item = await shown(house, parent)
    assert (item["status"]["phase"], condition(item, "Stalled")["status"]) == ("Deleting", "True")
    for word in words:
        assert word in item["status"]["message"]
    assert {item["metadata"]["uid"] for item in await house.objects()} == before
    assert [i for i in await house.objects() if i["metadata"].get("deletionTimestamp") and i["kind"] != parent] == []
    assert await house.writes(since) == []


@pytest.mark.parametrize("kind", nine.ALL)
async def test_a_protected_object_is_not_deleted(kind: str) -> None:
    async with living() as house:
        await nine.active(house, kind)
        since = int((await house.calls())[-1]["n"])
        await house.patch(kind, nine.name(kind), noted(deletion_protection="true"))
        await held(house, kind, since, "arubacloud.com/deletion-protection", "delete-policy: orphan")
        await house.patch(kind, nine.name(kind), noted(deletion_protection=None))
        await house.until(lambda: gone(house, kind), within=60)


@pytest.mark.parametrize(("parent", "child"), OWNED)
async def test_a_protection_in_the_subtree_holds_the_whole_deletion(parent: str, child: str) -> None:
    async with living() as house:
        since = await set_of(house, *(() if child == "CloudServer" else ("CloudServer",)))
        await house.patch(child, nine.name(child), noted(deletion_protection="true"))
        await held(house, parent, since, f"{child} default/{nine.name(child)} is protected")
        await house.patch(child, nine.name(child), noted(deletion_protection=None))
        await house.until(lambda: gone(house, parent), within=200)


@pytest.mark.parametrize("where", ["namespace", "everywhere"])
async def test_a_protection_of_the_childs_namespace_or_of_all(where: str) -> None:
    async with living(environ={"ARUBA_DELETION_PROTECTION": "true"} if where == "everywhere" else {}) as house:
        await house.apply(*nine.needs("VPC"))
        vpc = nine.subject("VPC")
        vpc["metadata"]["namespace"] = "team-b"
        await house.apply(vpc)
        await house.until(house.all_active)
        since = int((await house.calls())[-1]["n"])
        merge = {"Content-Type": "application/merge-patch+json"}
        if where == "namespace":
            body = noted(deletion_protection="true")
            await house.kube.patch("/api/v1/namespaces/team-b", json=body, headers=merge)
        else:
            await house.patch("Project", "shop", noted(deletion_protection="false"))
        await held(house, "Project", since, f"VPC team-b/{nine.name('VPC')} is protected")


@pytest.mark.parametrize(("parent", "child"), OWNED)
async def test_what_is_to_stay_blocks_the_parent_that_is_to_go(parent: str, child: str) -> None:
    async with living() as house:
        since = await set_of(house, *(() if child == "CloudServer" else ("CloudServer",)))
        await house.patch(child, nine.name(child), noted(delete_policy="orphan"))
        await held(house, parent, since, f"{child} default/{nine.name(child)} is to stay")
        await house.patch(child, nine.name(child), noted(delete_policy="delete"))
        await house.until(lambda: gone(house, parent), within=200)


@pytest.mark.parametrize("parent", ["Project", "VPC", "SecurityGroup"])
async def test_orphan_is_inherited_downwards(parent: str) -> None:
    """The objects go, all that belongs to it stays in the cloud; children that say delete are kept too."""
    async with living() as house:
        since = await set_of(house, *(() if parent == "Project" else ("CloudServer",)))
        below = {"Project": 9, "VPC": 5, "SecurityGroup": 3}[parent]
        await house.patch("SecurityRule", nine.name("SecurityRule"), noted(delete_policy="delete"))
        resources = {row["id"] for row in await house.resources()}
        objects = len(await house.objects())
        await house.patch(parent, nine.name(parent), noted(delete_policy="orphan"))
        await house.delete(parent, nine.name(parent))
        await house.until(lambda: gone(house, parent), within=120)
        assert await house.writes(since) == []
        assert {row["id"] for row in await house.resources()} == resources
        assert objects - len(await house.objects()) >= below - 1


@pytest.mark.parametrize("kind", nine.ALL)
async def test_orphan_set_on_a_terminating_object_needs_no_credentials(kind: str) -> None:
    """Deleted while no token is to be had: it waits and names the way out, which works."""
    async with living() as house:
        resource = await nine.active(house, kind)
        await house.faults({"match": {"path": "openid-connect/token"}, "then": {"status": 401, "body": {}}})
        await house.admin("POST", "tokens", {"revoke": "all"})
        await house.delete(kind, nine.name(kind))
        await asyncio.sleep(120)
        assert "delete-policy: orphan" in (await shown(house, kind))["status"]["message"]
        await house.patch(kind, nine.name(kind), noted(delete_policy="orphan"))
        await house.until(lambda: gone(house, kind), within=10)
        assert resource in {row["id"] for row in await house.resources()}


@pytest.mark.parametrize("network", ["VPC", "Subnet", "SecurityGroup"])
async def test_a_live_server_outside_the_cascade_blocks_its_network(network: str) -> None:
    """It is named before the first child is touched; once it is gone the network follows."""
    async with living() as house:
        since = await set_of(house)
        await house.delete(network, nine.name(network))
        await house.until(lambda: reason_is(house, network, "InUse"), within=10)
        await asyncio.sleep(60)
        assert f"CloudServer default/{nine.name('CloudServer')}" in (await shown(house, network))["status"]["message"]
        leaving = [i["kind"] for i in await house.objects() if i["metadata"].get("deletionTimestamp")]
        assert leaving == [network]
        assert await house.writes(since) == []
        await house.delete("CloudServer", nine.name("CloudServer"))
        await house.until(lambda: gone(house, network), within=120)


@pytest.mark.parametrize("forbidden", ["namespaces", "customresourcedefinitions"])
async def test_a_role_that_may_not_look_holds_a_deletion_and_orphan_is_still_a_way_out(forbidden: str) -> None:
    """An older role lacks the right: nothing is deleted unseen, the message says what is refused, `orphan` lets go."""
    async with living() as house:
        resource = await nine.active(house, "VPC")
        since = int((await house.calls())[-1]["n"])
        refuse(house, forbidden)
        await house.delete("VPC", nine.name("VPC"))
        await asyncio.sleep(120)
        message = (await shown(house, "VPC"))["status"]["message"]
        assert message.startswith("Kubernetes refused a call of the operator")
        assert await house.writes(since) == []
        await house.patch("VPC", nine.name("VPC"), noted(delete_policy="orphan"))
        await house.until(lambda: gone(house, "VPC"), within=60)
        assert resource in {row["id"] for row in await house.resources()}


def refuse(house: House, plural: str) -> None:
    """GETs of single objects of this kind by the hooks are answered 403 from now on."""
    app = house.net.hosts[KUBE]

    async def guarded(scope: Any, receive: Any, send: Any) -> None:
        asked = scope["path"].rpartition("/")[0].endswith(f"/{plural}") if scope["type"] == "http" else False
        if asked and scope["method"] == "GET":
            body = {"kind": "Status", "status": "Failure", "code": 403, "reason": "Forbidden", "message": "no"}
            await JSONResponse(body, 403)(scope, receive, send)
        else:
            await app(scope, receive, send)

    house.net.hosts[KUBE] = guarded
