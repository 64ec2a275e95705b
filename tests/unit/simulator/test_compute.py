"""Servers: what a create demands, binds and gives back; actions; deletion (api §8.9, §9, §13.3)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.unit.simulator.caller import BOOT, DISK, PLACE, Session, Site, furnished, opened, with_server


def state(body: Any) -> str:
    return str(body["status"]["state"])


def linked(body: Any) -> list[str]:
    return [one["uri"] for one in body["properties"]["linkedResources"]]


async def create(session: Session, site: Site, **changes: Any) -> Any:
    body = {"metadata": {"name": "web-1", **PLACE}, "properties": site.server(**changes)}
    return await session.call("POST", f"{site.compute}/cloudServers", body, api_version="1.1")


async def test_a_server_binds_what_it_is_made_from_at_once() -> None:
    session = await opened()
    site = await furnished(session)
    answer = await create(session, site)
    assert answer.status_code == 201
    uri = answer.json()["metadata"]["uri"]
    assert state(answer.json()) == "InCreation"
    assert answer.json()["properties"]["networkInterfaces"][0]["ips"] == ["203.0.113.1"]
    for name in ("boot", "ip"):
        held = await session.get(site[name])
        assert (state(held), linked(held)) == ("Used", [uri])
    await asyncio.sleep(1)
    server = await session.get(uri)
    assert state(server) == "Active"
    assert linked(server) == [site["group"], site["ip"], site["boot"]]
    assert server["properties"]["flavor"] | {"id": ""} == {
        "id": "",
        "name": "CSO2A4",
        "category": "cloudServer",
        "cpu": 2,
        "ram": 4,
        "hd": 0,
    }
    assert server["properties"]["networkInterfaces"] == [
        {
            "subnet": site["subnet"],
            "macAddress": "fa:16:3e:00:00:01",
            "ips": ["10.0.1.10", "203.0.113.1"],
            "properties": {},
        }
    ]
    assert not {"elasticIp", "securityGroups", "subnets", "userData", "flavorName"} & set(server["properties"])


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ({"flavorName": "CSO3A3"}, {"FlavorName"}),
        ({"dataCenter": "ITBG-9"}, {"DataCenter"}),
        ({"vpc": None, "bootVolume": None}, {"Vpc", "BootVolume"}),
        ({"subnets": [], "securityGroups": None}, {"Subnets", "SecurityGroups"}),
        ({"dataCenter": "ITBG-2"}, {"BootVolume"}),
    ],
)
async def test_a_wrong_server_is_refused_for_good(changes: dict[str, Any], fields: set[str]) -> None:
    session = await opened()
    answer = await create(session, await furnished(session), **changes)
    assert answer.status_code == 400
    assert {error["field"] for error in answer.json()["errors"]} == fields


async def test_a_create_needs_version_1_1() -> None:
    session = await opened()
    site = await furnished(session)
    body = {"metadata": {"name": "web-1", **PLACE}, "properties": site.server()}
    answer = await session.call("POST", f"{site.compute}/cloudServers", body, api_version="1.0")
    assert answer.status_code == 400
    assert answer.json()["errors"] == [{"field": "api-version", "message": "api-version 1.1 is required"}]


@pytest.mark.parametrize(
    ("name", "detail"),
    [
        ("vpc", "vpc not in valid status"),
        ("subnet", "subnet not in valid status"),
        ("group", "securityGroup not in valid status"),
        ("key", "keyPair not in valid status"),
        ("ip", "elasticIp not in valid status"),
        ("boot", "bootVolume not in valid status"),
    ],
)
async def test_every_dependency_must_be_settled(name: str, detail: str) -> None:
    session = await opened()
    site = await furnished(session)
    await session.admin("POST", f"/resources/{site[name][-24:]}", {"state": "InCreation"})
    answer = await create(session, site)
    assert answer.status_code == 400
    assert (answer.json()["title"], answer.json()["detail"]) == ("Bad Request", detail)
    assert "errors" not in answer.json()


async def test_a_boot_disk_must_be_free_and_bootable() -> None:
    session = await opened()
    site = await with_server(session)
    assert (await create(session, site)).json()["detail"] == "BootVolume in use"
    refused = await create(session, site, bootVolume=site.ref("data"), elasticIp=None)
    assert refused.json()["errors"] == [{"field": "BootVolume", "message": "volume is not bootable"}]
    other = await session.make(f"{site.storage}/blockStorages", "other", BOOT)
    refused = await create(session, site, bootVolume={"uri": other})
    assert refused.json()["detail"] == "elasticIp not in valid status"


async def test_windows_needs_two_cpus_or_more_memory() -> None:
    session = await opened()
    site = await furnished(session)
    windows = BOOT | {"image": "WS22-001_W2K22_1_0"}
    site.made["boot"] = await session.make(f"{site.storage}/blockStorages", "win", windows)
    assert (await create(session, site, flavorName="CSO1A2")).json()["errors"][0]["field"] == "FlavorName"
    assert (await create(session, site, flavorName="CSO1A4")).status_code == 201


async def test_attaching_a_volume_takes_the_server_through_updating() -> None:
    session = await opened()
    site = await with_server(session)
    action = f"{site['server']}/attachDetachDataVolumes"
    answer = await session.call("POST", action, {"volumesToAttach": [site.ref("data")]})
    assert (answer.status_code, state(answer.json())) == (202, "Updating")
    assert state(await session.get(site["data"])) == "Updating"
    again = await session.call("POST", action, {"volumesToAttach": [site.ref("data")]})
    assert again.json()["errors"] == [{"fieldName": "Status", "errorMessage": "Invalid status"}]
    await asyncio.sleep(0.5)
    server, volume = await session.get(site["server"]), await session.get(site["data"])
    assert (state(server), state(volume)) == ("Active", "Used")
    assert site["data"] in linked(server)
    assert linked(volume) == [site["server"]]
    assert (await session.call("DELETE", site["data"])).json()["detail"] == "used by another resource"
    await session.call("POST", action, {"volumesToDetach": [site.ref("data")]})
    await asyncio.sleep(0.5)
    volume = await session.get(site["data"])
    assert (state(volume), linked(volume)) == ("NotUsed", [])


async def test_a_volume_of_another_zone_cannot_be_attached() -> None:
    session = await opened()
    site = await with_server(session)
    far = await session.make(f"{site.storage}/blockStorages", "far", DISK | {"dataCenter": "ITBG-2"})
    action = f"{site['server']}/attachDetachDataVolumes"
    answer = await session.call("POST", action, {"volumesToAttach": [{"uri": far}]})
    assert answer.json()["errors"] == [{"field": "VolumesToAttach", "message": "volume is in another dataCenter"}]
    boot = await session.call("POST", action, {"volumesToDetach": [site.ref("boot")]})
    assert boot.json()["detail"] == "boot volume can't be detached"


async def test_subnets_groups_and_addresses_change_by_actions() -> None:
    session = await opened()
    site = await with_server(session)
    back = await session.make(f"{site['vpc']}/subnets", "back", {"type": "Basic"}, placed=False)
    extra = await session.make(f"{site['vpc']}/securityGroups", "extra", {}, placed=False)
    ip = await session.make(f"{site.network}/elasticIps", "mask", {})
    for action, body in (
        (
            "associateDisassociateSubnets",
            {"subnetsToAssociate": [{"uri": back}], "subnetsToDisassociate": [site.ref("subnet")]},
        ),
        ("associateDisassociateSecurityGroups", {"securityGroupsToAssociate": [{"uri": extra}]}),
        (
            "associateDisassociateElasticIPs",
            {"elasticIPsToAssociate": [{"uri": ip}], "elasticIPsToDisassociate": [site.ref("ip")]},
        ),
    ):
        answer = await session.call("POST", f"{site['server']}/{action}", body)
        assert answer.status_code == 202, answer.text
        await asyncio.sleep(1)
    server = await session.get(site["server"])
    assert server["properties"]["networkInterfaces"][0]["subnet"] == back
    assert server["properties"]["networkInterfaces"][0]["ips"] == ["192.168.0.10", "203.0.113.2"]
    assert linked(server) == [site["group"], extra, ip, site["boot"]]
    assert [state(await session.get(one)) for one in (ip, site["ip"])] == ["Used", "NotUsed"]
    last = await session.call(
        "POST", f"{site['server']}/associateDisassociateSubnets", {"subnetsToDisassociate": [{"uri": back}]}
    )
    assert last.json()["detail"] == "at least one subnet must remain"


async def test_power_goes_off_and_on() -> None:
    session = await opened()
    site = await with_server(session)
    assert (await session.call("POST", f"{site['server']}/poweron")).status_code == 400
    for action, end in (("poweroff", "Stopped"), ("poweron", "Active")):
        assert state((await session.call("POST", f"{site['server']}/{action}")).json()) == "Updating"
        await asyncio.sleep(1)
        assert state(await session.get(site["server"])) == end


async def test_holders_are_released_when_the_server_is_really_gone() -> None:
    session = await opened()
    site = await with_server(session)
    answer = await session.call("DELETE", site["server"])
    assert (answer.status_code, state(answer.json())) == (202, "Deleting")
    for name in ("boot", "ip", "subnet", "group", "key"):
        assert (await session.call("DELETE", site[name])).json()["detail"] == "used by another resource"
    await asyncio.sleep(0.7)
    assert (await session.call("GET", site["server"])).status_code == 404
    for name in ("boot", "ip"):
        held = await session.get(site[name])
        assert (state(held), linked(held)) == ("NotUsed", [])
    assert (await session.call("DELETE", site["subnet"])).status_code == 202


async def test_the_boot_disk_follows_if_asked() -> None:
    session = await opened()
    site = await with_server(session)
    await session.call("DELETE", site["server"], deleteBootVolumeOnCascade="true")
    await asyncio.sleep(0.7)
    assert state(await session.get(site["boot"])) == "Deleting"
    await asyncio.sleep(0.5)
    assert (await session.call("GET", site["boot"])).status_code == 404


async def test_neither_servers_nor_keys_can_be_put() -> None:
    session = await opened()
    site = await with_server(session)
    body = {"metadata": {"name": "web-2", "tags": []}, "properties": {}}
    answer = await session.call("PUT", site["server"], body)
    assert (answer.status_code, answer.json()["detail"]) == (400, "BootVolume in use")
    assert (await session.call("PUT", site["key"], body)).status_code == 405


async def test_a_key_pair_is_there_at_once_and_shows_its_value() -> None:
    session = await opened()
    site = await furnished(session)
    body: dict[str, Any] = {"metadata": {"name": "key-2", **PLACE}, "properties": {"value": "ssh-rsa AAAA you"}}
    answer = await session.call("POST", f"{site.compute}/keyPairs", body)
    assert (state(answer.json()), answer.json()["properties"]["value"]) == ("Active", "ssh-rsa AAAA you")
    assert "ownerId" not in answer.json()["metadata"]
    body["properties"]["value"] = "my key"
    assert (await session.call("POST", f"{site.compute}/keyPairs", body)).json()["errors"][0]["field"] == "Value"
