"""Field cases 24, 32, 39, 40, 44, 47: what the cloud's API means by what it says."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from hooks.aruba.kinds.cloudserver import data_volumes
from hooks.aruba.model.live import Live, last_segment
from hooks.simulator import FAST, Timings
from hooks.simulator.resource import unlink
from hooks.simulator.transitions import AfterSeconds
from tests.cases import nine
from tests.cases.byhand import kill, restart
from tests.cases.world import living
from tests.world.house import House
from tests.world.judge import condition
from tests.world.manifests import fixture_set, make, ref

pytestmark = pytest.mark.every_kind

Object = dict[str, Any]
ANYBODY = {"type": "Ip", "value": "0.0.0.0/0"}


def rule(name: str, protocol: str, port: str | None = None, **target: str) -> Object:
    spec = {**nine.subject("SecurityRule")["spec"], "protocol": protocol, "target": target or ANYBODY}
    spec.pop("port")
    return make("SecurityRule", name, spec if port is None else {**spec, "port": port})


SENT = {
    "everything": (rule("everything", "ALL", "ALL"), "ANY", None),
    "any-bare": (rule("any-bare", "ALL", type="Ip", value="10.1.0.0/16"), "ANY", None),
    "ping": (rule("ping", "ICMP"), "ICMP", None),
    "ping-all": (rule("ping-all", "ICMP", "ALL", type="Ip", value="10.2.0.0/16"), "ICMP", None),
    "open": (rule("open", "TCP", "ALL"), "TCP", "*"),
    "range": (rule("range", "UDP", "80-90"), "UDP", "80-90"),
}


async def test_case_24_all_is_any_and_carries_no_port() -> None:
    """Case 24: ALL is sent as ANY, and ICMP and ANY carry no port. Departs: port ALL is also taken with ICMP and ALL,
    and not sent, since upstream's schema demands a port there (drop-in); what the cloud then shows is no drift.
    """
    async with living(environ={"ARUBA_LISTING_AGE": "20s"}) as house:
        await nine.prepared(house, "SecurityRule")
        await house.apply(*(item for item, _, _ in SENT.values()))
        await house.until(house.all_active)
        bodies = {
            row["requestBody"]["metadata"]["name"]: row["requestBody"]["properties"]
            for row in await house.calls(method="POST", path="/securityRules")
        }
        sent = {name: (body["protocol"], body.get("port")) for name, body in bodies.items()}
        assert sent == {name: (protocol, port) for name, (_, protocol, port) in SENT.items()}
        assert ["port" in bodies[name] for name in ("everything", "any-bare", "ping", "ping-all")] == [False] * 4
        since = (await house.calls())[-1]["n"]
        await asyncio.sleep(60)
        assert await house.all_active()
        assert len(await house.calls(since)) > 0
        assert await house.writes(since) == []


REFUSED = [
    ("ICMP", "80"),
    ("ALL", "443"),
    ("TCP", "80-"),
    ("TCP", "90-80"),
    ("UDP", "70000"),
    ("TCP", "0"),
    ("TCP", ""),
]


async def test_case_24_impossible_ports_never_leave() -> None:
    """Case 24: a port that means nothing is said to, and no call is made. Departs: the schema takes what upstream's
    takes, so the refusal is intention validation (design §4).
    """
    async with living() as house:
        await nine.prepared(house, "SecurityRule")
        wrong = {f"rule-{at}": rule(f"rule-{at}", *pair) for at, pair in enumerate(REFUSED)}
        await house.apply(*wrong.values())
        await asyncio.sleep(5)
        for name, item in wrong.items():
            shown = await house.get("SecurityRule", name) or {}
            assert shown["status"]["phase"] == "Failed", item["spec"]
            assert condition(shown, "Failed")["reason"] == "IntentionValidationFailed"
            assert f"spec.port {item['spec']['port']!r}" in shown["status"]["message"]
        assert await house.calls(path="/securityRules") == []


MISSING = {"title": "Not Found", "status": 404, "detail": "volume not found"}
UNREADY = {"title": "CloudServer.Create.InvalidStatus", "status": 400, "detail": "bootVolume not found"}


@pytest.mark.parametrize("body", [MISSING, UNREADY], ids=["404", "400"])
async def test_case_32_volume_not_visible_to_the_other_service(body: Object) -> None:
    """Case 32: an Active volume is "not found" for the compute service for 90 s: retried with growing pauses."""
    async with living() as house:
        item = await nine.prepared(house, "CloudServer")
        await house.faults(
            {"match": {"method": "POST", "path": "cloudServers$"}, "then": {"status": body["status"], "body": body}}
        )
        await house.apply(item)
        await asyncio.sleep(90)
        shown = await house.get("CloudServer", nine.name("CloudServer")) or {}
        assert condition(shown, "Ready")["reason"] == "DependencyNotReady"
        assert condition(shown, "Stalled")["status"] == "False"
        assert body["detail"] in shown["status"]["message"]
        attempts = await nine.posts(house, "CloudServer")
        assert 4 <= len(attempts) <= 15
        await house.admin("DELETE", "faults")
        await house.until(house.all_active, within=60)
        assert len(await nine.ever(house, "CloudServer")) == 1


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_32_own_resource_not_visible_yet(kind: str) -> None:
    """Case 32: our own 201 is followed by 404s and by listings without it for 30 s: no second POST."""
    async with living() as house:
        item = await nine.prepared(house, kind)
        await asyncio.sleep(40)
        await house.quirks(readLag=30, listLag=30)
        await house.apply(item)
        await house.until(house.all_active, within=60)
        assert len(await nine.posts(house, kind)) == 1
        assert [row["deletedAt"] for row in await nine.ever(house, kind)] == [None]


async def posted_and_lost(house: House, kind: str) -> None:
    """The subject's POST worked; the process that sent it is dead."""
    await house.faults({"match": {"method": "POST", "path": nine.collection(kind)}, "times": 1, "then": {"delay": 1}})
    await house.apply(nine.subject(kind))
    await house.until(lambda: nine.posts(house, kind))
    kill(house)
    await asyncio.sleep(3)


async def crowd(house: House, kind: str, number: int) -> None:
    """Resources of somebody else, made before ours."""
    project = (await house.status("Project", "shop"))["resourceID"]
    for at in range(number):
        await house.admin("POST", "resources", {"kind": kind, "projectId": project, "name": f"other-{at:03}"})


@pytest.mark.parametrize(("number", "limit"), [(250, 100), (25, 10)], ids=["our pages", "pages cut by the cloud"])
async def test_case_39_found_on_the_last_page(number: int, limit: int) -> None:
    """Case 39: 250 VPCs of others and ours behind them: found by its tag on the last page; few reads."""
    async with living() as house:
        await nine.prepared(house, "VPC")
        await crowd(house, "VPC", number)
        await house.quirks(pageLimit=limit)
        await posted_and_lost(house, "VPC")
        since = (await house.calls())[-1]["n"]
        restart(house)
        await house.until(house.all_active)
        assert len(await nine.posts(house, "VPC")) == 1
        offsets = [int(row["query"]["offset"]) for row in await house.calls(since, method="GET", path="/vpcs")]
        assert max(offsets) == number // limit * limit
        assert len(offsets) <= 4 * (number // limit + 1)


async def test_case_39_pages_that_change_while_read_prove_nothing() -> None:
    """Case 39: an item slips between two pages, ours: as long as readings do not agree there is no second POST."""
    async with living() as house:
        await nine.prepared(house, "VPC")
        await crowd(house, "VPC", 10)
        await house.quirks(pageLimit=10, skipOnPaging=True)
        await posted_and_lost(house, "VPC")
        restart(house)
        await asyncio.sleep(200)
        assert len(await nine.posts(house, "VPC")) == 1
        assert "resourceID" not in await house.status("VPC", "shop")
        await house.quirks(skipOnPaging=False)
        await house.until(house.all_active, within=60)
        assert len(await nine.posts(house, "VPC")) == 1


LINKS = {
    "absolute": "http://cloud.test/projects/p/providers/Aruba.Network/vpcs?offset=2&limit=2",
    "relative": "/projects/p/providers/Aruba.Network/vpcs?offset=2&limit=2",
    "empty": "",
    "null": None,
    "itself": "?offset=0&limit=2",
    "another host": "http://elsewhere.test/collect",
}


@pytest.mark.parametrize("total", [3, None], ids=["total", "no total"])
@pytest.mark.parametrize("link", sorted(LINKS))
async def test_case_39_links_are_never_followed(link: str, total: int | None) -> None:
    """Case 39: the same page comes whatever is asked, with any `next`: few reads, none elsewhere, nothing created."""
    strangers: list[str] = []

    async def elsewhere(scope: Any, receive: Any, send: Any) -> None:
        strangers.append(scope["path"])

    async with living() as house:
        house.net.hosts["elsewhere.test"] = elsewhere
        await nine.prepared(house, "VPC")
        rows = [{"metadata": {"id": f"{at:024}", "name": f"other-{at}", "tags": []}} for at in range(2)]
        page = {"values": rows, "next": LINKS[link]} | ({} if total is None else {"total": total})
        await house.faults({"match": {"method": "GET", "path": "/vpcs$"}, "then": {"status": 200, "body": page}})
        await house.apply(nine.subject("VPC"))
        await asyncio.sleep(30)
        assert strangers == []
        assert 1 <= len(await house.calls(method="GET", path="/vpcs")) <= 50
        assert await nine.posts(house, "VPC") == []


SPELLINGS = ["elasticIPs", "elasticIps", "ELASTICIPS"]
ADDRESS = "0123456789abcdef01234567"


@pytest.mark.parametrize("collection", SPELLINGS)
@pytest.mark.parametrize("identity", [ADDRESS, ADDRESS.upper()])
@pytest.mark.parametrize(
    "head", ["/projects/p/providers/Aruba.Network/", "/projects/p/", "https://api.test/projects/p/"]
)
@pytest.mark.parametrize("tail", ["", "/"])
def test_case_40_uris_compare_by_kind_and_id(head: str, collection: str, identity: str, tail: str) -> None:
    """Case 40: capitals, a trailing slash, a missing provider: the same address."""
    uri = f"{head}{collection}/{identity}{tail}"
    live = Live({"properties": {"linkedResources": [{"uri": uri}, {"uri": ""}, {"uri": None}, {}]}})
    assert live.linked("elasticIps") == {ADDRESS}
    assert live.linked("securityGroups") == frozenset()
    assert last_segment(uri) == ADDRESS


def test_case_40_an_empty_reference_is_none() -> None:
    """Case 40: `""` refers to nothing, and an answer without links says nothing."""
    assert last_segment("") == ""
    assert Live({"properties": {}}).linked("elasticIps") is None
    assert data_volumes(Live({"properties": {"linkedResources": None}})) is None


async def test_case_40_other_spelling_is_no_drift() -> None:
    """Case 40: the cloud spells its URIs another way: no change is sent, and ours go out in one canonical form."""
    async with living(environ={"ARUBA_LISTING_AGE": "20s"}) as house:
        await house.quirks(uriCasing=True)
        await house.apply(*fixture_set("Test10"))
        await house.until(house.all_active)
        [create] = await nine.posts(house, "CloudServer")
        [attach] = await house.calls(method="POST", path="/attachDetachDataVolumes")
        sent = str(create["requestBody"]) + str(attach["requestBody"])
        for part in ("/elasticIps/", "Aruba.Storage/blockStorages/", "/securityGroups/", "Aruba.Compute/keyPairs/"):
            assert part in sent
        assert not any(other in sent for other in ("elasticIPs", "blockstorages", "securitygroups"))
        since = (await house.calls())[-1]["n"]
        await asyncio.sleep(60)
        assert len(await house.calls(since)) > 0
        assert await house.writes(since) == []
        assert await house.all_active()


def two_volumes() -> list[Object]:
    """Set Test9 with two data volumes wanted by its server."""
    objects = fixture_set("Test9")
    server = next(item for item in objects if item["kind"] == "CloudServer")
    server["spec"]["dataVolumeReferences"] = [ref("vol-a"), ref("vol-b")]
    spec = {**nine.subject("BlockStorage")["spec"], "bootable": False}
    spec.pop("image")
    return [*objects, make("BlockStorage", "vol-a", spec), make("BlockStorage", "vol-b", dict(spec))]


SLOW_ATTACH = Timings({**FAST.paces, "CloudServer": {**FAST.paces["CloudServer"], "attach": AfterSeconds(8)}})
ATTACH = "/attachDetachDataVolumes"


async def _attaching(house: House) -> bool:
    return bool(await house.calls(method="POST", path=ATTACH))


async def test_case_44_accepted_is_not_attached() -> None:
    """Case 44: the attach of two volumes is accepted, then comes to nothing: the status never claims it, and it is
    tried again once the server has settled, never while it is `Updating`.
    """
    async with living(timings=SLOW_ATTACH) as house:
        await house.apply(*two_volumes())
        await house.until(lambda: _attaching(house))
        await asyncio.sleep(3)
        status = await house.status("CloudServer", "shop")
        assert (status["phase"], status.get("dataVolumeIDs")) == ("WaitingCondition", None)
        assert len(await house.calls(method="POST", path=ATTACH)) == 1
        for kind, name, state in (
            ("CloudServer", "shop", "Active"),
            ("BlockStorage", "vol-a", "NotUsed"),
            ("BlockStorage", "vol-b", "NotUsed"),
        ):
            await house.admin("POST", f"resources/{(await house.status(kind, name))['resourceID']}", {"state": state})
        await house.until(house.all_active)
        first, second = await house.calls(method="POST", path=ATTACH)
        assert (first["status"], second["status"]) == (202, 202)
        volumes = {(await house.status("BlockStorage", name))["resourceID"] for name in ("vol-a", "vol-b")}
        assert set((await house.status("CloudServer", "shop"))["dataVolumeIDs"]) == volumes


async def test_case_44_one_of_two_volumes_falls_back() -> None:
    """Case 44: one volume is attached, the other fell off: the status names only the first, and only the other is
    asked for again.
    """
    async with living(environ={"ARUBA_LISTING_AGE": "10s"}) as house:
        await house.apply(*two_volumes())
        await house.until(house.all_active)
        ids = {name: (await house.status("BlockStorage", name))["resourceID"] for name in ("vol-a", "vol-b")}
        server = (await house.status("CloudServer", "shop"))["resourceID"]
        await _fall_off(house, server, ids["vol-b"])
        await house.until(lambda: _attached_are(house, [ids["vol-a"]]), within=60)
        await house.admin("POST", f"resources/{server}", {"state": "Active"})
        await house.until(lambda: _attached_are(house, sorted(ids.values())), within=90)
        _, again = [
            row for row in await house.calls(method="POST", path=ATTACH) if row["requestBody"]["volumesToAttach"]
        ]
        assert [last_segment(volume["uri"]) for volume in again["requestBody"]["volumesToAttach"]] == [ids["vol-b"]]


async def _attached_are(house: House, wanted: list[str]) -> bool:
    return sorted((await house.status("CloudServer", "shop")).get("dataVolumeIDs") or []) == wanted


async def _fall_off(house: House, server_id: str, volume_id: str) -> None:
    """The cloud lost the volume from the server, which is busy for a while."""
    store = house.simulator.world.store
    server, volume = store.find(server_id), store.find(volume_id)
    assert server is not None
    assert volume is not None
    unlink(server, volume)
    await house.admin("POST", f"resources/{volume_id}", {"state": "NotUsed"})
    await house.admin("POST", f"resources/{server_id}", {"state": "Updating"})


async def test_case_44_detached_before_the_volume_is_deleted() -> None:
    """Case 44: the object of a volume that a server still lists is deleted: detached first, then deleted."""
    async with living() as house:
        await house.apply(*two_volumes())
        await house.until(house.all_active)
        volume = (await house.status("BlockStorage", "vol-b"))["resourceID"]
        since = (await house.calls())[-1]["n"]
        await house.delete("BlockStorage", "vol-b")
        await house.until(lambda: _gone(house, "BlockStorage", "vol-b"), within=90)
        detach, delete = await house.writes(since)
        assert (detach["path"].endswith(ATTACH), detach["status"]) == (True, 202)
        assert [last_segment(one["uri"]) for one in detach["requestBody"]["volumesToDetach"]] == [volume]
        assert (delete["method"], delete["status"]) == ("DELETE", 202)
        assert delete["path"].endswith(f"/{volume}")
        assert len((await house.status("CloudServer", "shop"))["dataVolumeIDs"]) == 1


async def _gone(house: House, kind: str, name: str) -> bool:
    return await house.get(kind, name) is None


PARENTS = {
    "Subnet": "VPC",
    "SecurityGroup": "VPC",
    "SecurityRule": "SecurityGroup",
    "CloudServer": "BlockStorage",
}


@pytest.mark.parametrize("kind", sorted(PARENTS))
async def test_case_47_parent_exists_but_is_not_ready(kind: str) -> None:
    """Case 47: nothing is created under a parent in `InCreation`; its failure is told; once it is Active the child goes
    on by itself. Departs: the child stays Pending; `Ready.reason` says DependencyFailed (design §6).
    """
    parent = PARENTS[kind]
    async with living() as house:
        await house.quirks(neverSettle=parent)
        await house.apply(*nine.needs(kind), nine.subject(kind))
        await asyncio.sleep(60)
        assert await nine.posts(house, kind) == []
        shown = await house.get(kind, nine.name(kind)) or {}
        assert (shown["status"]["phase"], condition(shown, "Ready")["reason"]) == ("Pending", "WaitingForReferences")
        assert f"{parent} default/{nine.name(parent)} is Provisioning" in shown["status"]["message"]
        resource = (await house.status(parent, nine.name(parent)))["resourceID"]
        await house.admin("POST", f"resources/{resource}", {"state": "Failed"})
        await house.until(lambda: _ready_reason(house, kind, "DependencyFailed"), within=20)
        assert await nine.posts(house, kind) == []
        await house.quirks(neverSettle=None)
        await house.admin("POST", f"resources/{resource}", {"state": nine.rest(parent)})
        await house.until(house.all_active, within=40)
        assert [row["status"] for row in await house.writes() if row["status"] >= 400] == []


async def _ready_reason(house: House, kind: str, reason: str) -> bool:
    return condition(await house.get(kind, nine.name(kind)) or {}, "Ready").get("reason") == reason
