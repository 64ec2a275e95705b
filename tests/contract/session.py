"""A broad session with the simulated cloud: every kind, every verb, every way of being refused."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.unit.simulator.caller import NOBODY, PLACE, Session


async def play() -> Session:
    session = Session()
    await session.login("one", "secret-1")
    made = await build(session)
    await _look(session, made)
    await _change(session, made)
    await _be_refused(session, made)
    await _tear_down(session, made)
    await _stand_outside(session)
    return session


async def build(session: Session) -> dict[str, str]:
    project = await session.make("/projects", "demo", {"description": "d", "default": True}, placed=False)
    network, compute = f"{project}/providers/Aruba.Network", f"{project}/providers/Aruba.Compute"
    storage = f"{project}/providers/Aruba.Storage"
    disk = {"sizeGb": 50, "billingPeriod": "Hour", "dataCenter": "ITBG-1"}
    vpc = await session.make(f"{network}/vpcs", "main", {"default": False, "preset": True})
    subnet = {"type": "Advanced", "network": {"address": "10.0.1.0/24"}, "dhcp": {"enabled": True}}
    made = {
        "project": project,
        "vpc": vpc,
        "subnet": await session.make(f"{vpc}/subnets", "front", subnet, placed=False),
        "basic": await session.make(f"{vpc}/subnets", "back", {"type": "Basic"}),
        "group": await session.make(f"{vpc}/securityGroups", "web", {"default": False}),
        "ip": await session.make(f"{network}/elasticIps", "face", {"billingPlan": {"billingPeriod": "Hour"}}),
        "ip2": await session.make(f"{network}/elasticIps", "mask", {}),
        "key": await session.make(f"{compute}/keyPairs", "key-1", {"value": "ssh-ed25519 AAAA me"}),
        "boot": await session.make(f"{storage}/blockStorages", "boot", disk | {"bootable": True, "image": "LU24-001"}),
        "data": await session.make(f"{storage}/blockStorages", "data", disk),
    }
    made["snapshot"] = await session.make(
        f"{storage}/snapshots", "snap", {"billingPeriod": "Hour", "volume": {"uri": made["data"]}}
    )
    rule = {"direction": "Ingress", "protocol": "TCP", "port": "22"}
    for number, target in enumerate(({"kind": "Ip", "value": "0.0.0.0/0"}, _to(made["group"]))):
        made[f"rule{number}"] = await session.make(
            f"{made['group']}/securityRules", "ssh-in", rule | {"target": target}, placed=False
        )
    server = _server(made)
    made["server"] = await session.make(f"{compute}/cloudServers", "web-1", server, api_version="1.1")
    return made


def _to(group: str) -> dict[str, str]:
    return {"kind": "SecurityGroup", "value": group}


def _server(made: dict[str, str]) -> dict[str, Any]:
    return {
        "dataCenter": "ITBG-1",
        "flavorName": "CSO2A4",
        "vpc": {"uri": made["vpc"]},
        "bootVolume": {"uri": made["boot"]},
        "keyPair": {"uri": made["key"]},
        "elasticIp": {"uri": made["ip"]},
        "subnets": [{"uri": made["subnet"]}],
        "securityGroups": [{"uri": made["group"]}],
        "userData": "I2Nsb3VkLWNvbmZpZw==",
    }


def _collection(uri: str) -> str:
    return uri.rpartition("/")[0]


async def _look(session: Session, made: dict[str, str]) -> None:
    for uri in made.values():
        await session.call("GET", uri)
        await session.call("GET", _collection(uri), limit="many")
        await session.call("GET", _collection(uri), filter='name:eq("demo")', limit=1)
        await session.call("GET", _collection(uri), limit=1, offset=1)
    await session.call("GET", "/projects/resources")
    await session.call("GET", f"{made['project']}/resources")
    await session.call("GET", made["vpc"].upper().replace(made["vpc"][-24:].upper(), made["vpc"][-24:]))


async def _change(session: Session, made: dict[str, str]) -> None:
    new = {"metadata": {"name": "other-name", "tags": ["other-tag"]}}
    for name in ("project", "vpc", "subnet", "group", "rule0", "ip2"):
        await session.call("PUT", made[name], new | {"properties": {}})
    await session.call("PUT", made["data"], new | {"properties": {"sizeGb": 60, "dataCenter": "ITBG-1"}})
    await session.call("PUT", made["vpc"], new)
    await asyncio.sleep(1)
    for action, body in _actions(made):
        await session.call("POST", f"{made['server']}/{action}", body)
        await session.call("GET", made["server"])
        await asyncio.sleep(1)
        await session.call("GET", made["server"])
    await session.call("POST", f"{made['server']}/password", {"password": "hush"})
    identity = made["server"][-24:]
    await session.admin("POST", f"/resources/{identity}", {"state": "Disabled", "reasons": ["NoCredit"]})
    await session.call("GET", made["server"])
    await session.admin("POST", f"/resources/{identity}", {"state": "Active"})


def _actions(made: dict[str, str]) -> list[tuple[str, Any]]:
    def one(name: str) -> list[dict[str, str]]:
        return [{"uri": made[name]}]

    return [
        ("attachDetachDataVolumes", {"volumesToAttach": one("data"), "volumesToDetach": []}),
        (
            "associateDisassociateElasticIPs",
            {"elasticIPsToAssociate": one("ip2"), "elasticIPsToDisassociate": one("ip")},
        ),
        ("associateDisassociateSubnets", {"subnetsToAssociate": one("basic")}),
        ("associateDisassociateSecurityGroups", {"securityGroupsToAssociate": one("group")}),
        ("attachDetachDataVolumes", {"volumesToDetach": one("data")}),
        ("poweroff", None),
        ("poweron", None),
        ("restore", {"volumeToRestore": {"uri": made["data"]}}),
    ]


async def _be_refused(session: Session, made: dict[str, str]) -> None:
    for shape in (1, 2, 3, 4):
        await session.admin("POST", "/quirks", {"errorShape": shape})
        for uri in made.values():
            await session.call("POST", _collection(uri), {"metadata": {"tags": ["no"]}})
    await session.admin("POST", "/quirks", {"errorShape": None})
    for name, uri in made.items():
        await session.call("PUT", uri, {"metadata": {"tags": ["no"]}})
        await session.call("PUT", uri, {"metadata": {"name": "x", **PLACE}})
        await session.call("GET", uri.replace(uri[-24:], NOBODY))
        await session.call("DELETE", uri.replace(uri[-24:], NOBODY))
        await session.call("PUT", uri.replace(uri[-24:], NOBODY), {"metadata": {"name": "x"}})
        if name not in ("project", "vpc", "group"):
            await session.call("POST", _collection(uri).replace(made["project"][-24:], NOBODY), {})
    for action, body in _actions(made):
        await session.call("POST", f"{made['server']}/{action}".replace(made["server"][-24:], NOBODY), body)
        await session.call("POST", f"{made['server']}/{action}", {"volumeToRestore": 1})
    for name in ("project", "vpc", "subnet", "group", "ip2", "boot", "data", "key"):
        await session.call("DELETE", made[name])


async def _tear_down(session: Session, made: dict[str, str]) -> None:
    await session.call("DELETE", made["server"], deleteBootVolumeOnCascade="true")
    await session.call("DELETE", made["server"])
    await asyncio.sleep(2)
    preset = await session.admin("GET", "/state")
    rules = [row["uri"] for row in preset["resources"] if row["kind"] == "SecurityRule"]
    groups = [row["uri"] for row in preset["resources"] if row["kind"] == "SecurityGroup"]
    subnets = [row["uri"] for row in preset["resources"] if row["kind"] == "Subnet"]
    others = [made[name] for name in ("snapshot", "data", "ip", "ip2", "key", "vpc", "project")]
    for uri in (*rules, *groups, *subnets, *others):
        await session.call("DELETE", uri)
        await asyncio.sleep(1)
        await session.call("GET", uri)
        await session.call("GET", uri, ignoreDeletedStatus="true", includeDeleted="true")


async def _stand_outside(session: Session) -> None:
    project = await session.make("/projects", "mine", {}, placed=False)
    await session.login("two", "secret-2")
    for path in ("resources", "providers/Aruba.Network/vpcs", "providers/Aruba.Compute/keyPairs"):
        await session.call("GET", f"{project}/{path}")
    await session.call("GET", project)
    session.client.headers["authorization"] = "Bearer nobody"
    await session.call("GET", "/projects")
