"""A project that somebody else made, with a resource of every kind in it: what adoption and `import` begin with.

Made from behind, by the simulator's admin API, settled at once; only the data volume is attached by a call, as nobody
could make it otherwise.
"""

from __future__ import annotations

import asyncio
from typing import Any

from hooks.http import AsyncClient
from hooks.simulator import ADMIN, token_path

Object = dict[str, Any]
DISK = {"sizeGb": 30, "billingPeriod": "Hour", "dataCenter": "ITBG-2", "type": "Performance"}
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFOREIGNFOREIGNFOREIGNFOREIGNFOREIGNFOREIGN ops"
ANYWHERE = {"kind": "Ip", "value": "0.0.0.0/0"}


class Foreign:
    """`http` has the simulated cloud as its base URL. `made` holds the rows by kind and name."""

    def __init__(self, http: AsyncClient) -> None:
        self.http = http
        self.made: dict[tuple[str, str], Object] = {}
        self.project = ""

    async def admin(self, method: str, path: str, body: Any = None) -> Any:
        answer = await self.http.request(method, f"{ADMIN}/{path}", json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def make(self, kind: str, name: str, properties: Object | None = None, **more: Any) -> Object:
        body = {"kind": kind, "name": name, "properties": properties or {}, **more}
        if self.project:
            body["projectId"] = self.project
        row = self.made[kind, name] = await self.admin("POST", "resources", body)
        return row

    def uri(self, kind: str, name: str) -> Object:
        return {"uri": self.made[kind, name]["uri"]}

    def id(self, kind: str, name: str) -> str:
        return str(self.made[kind, name]["id"])

    async def call(self, path: str, body: Object) -> None:
        """A write through the API itself."""
        form = {
            "grant_type": "client_credentials",
            "client_id": "aruba-local",
            "client_secret": "aruba-local-secret",
        }
        token = (await self.http.post(token_path(), data=form)).json()["access_token"]
        answer = await self.http.post(path, json=body, headers={"authorization": f"Bearer {token}"})
        assert answer.status_code < 300, answer.text


async def furnished(http: AsyncClient, *, server: bool = True) -> Foreign:
    """The whole project; every cloud name has capitals, so that none will do as it is."""
    world = Foreign(http)
    row = await world.make("Project", "Shop-Prod", {"description": "Web shop, production"}, tags=["shop", "prod"])
    world.project = row["id"]
    await world.make("VPC", "Shop-Net", {"default": True, "preset": True}, tags=["shop"])
    vpc = {"parentId": world.id("VPC", "Shop-Net")}
    subnet = {"type": "Advanced", "network": {"address": "10.20.1.0/24"}, "dhcp": {"enabled": True}}
    await world.make("Subnet", "Shop-Front", subnet, tags=["shop"], **vpc)
    for name in ("Shop-Web", "Shop-Db"):
        await world.make("SecurityGroup", name, tags=["shop"], **vpc)
    await _rules(world)
    await world.make("KeyPair", "Ops-Laptop", {"value": KEY})
    await world.make("ElasticIP", "Shop-Ip", {"billingPlan": {"billingPeriod": "Hour"}})
    await world.make("ElasticIP", "Spare-Ip", {"billingPlan": {"billingPeriod": "Month"}})
    await world.make("BlockStorage", "Web1-Boot", DISK | {"bootable": True, "image": "LU24-001"})
    await world.make("BlockStorage", "Web1-Data", {"sizeGb": 50, "billingPeriod": "Hour"})
    if server:
        await _server(world)
    return world


async def _rules(world: Foreign) -> None:
    group = {"parentId": world.id("SecurityGroup", "Shop-Web")}
    target = {"kind": "SecurityGroup", "value": world.made["SecurityGroup", "Shop-Db"]["uri"]}
    rules: dict[str, Object] = {
        "Any-Out": {"direction": "Egress", "protocol": "ANY", "target": ANYWHERE},
        "Ping-In": {"direction": "Ingress", "protocol": "ICMP", "target": ANYWHERE},
        "Https-In": {"direction": "Ingress", "protocol": "TCP", "port": "443", "target": ANYWHERE},
        "Tcp-All": {"direction": "Ingress", "protocol": "TCP", "port": "*", "target": ANYWHERE},
        "Db-Range": {"direction": "Egress", "protocol": "UDP", "port": "5000-5100", "target": target},
    }
    for name, properties in rules.items():
        await world.make("SecurityRule", name, properties, **group)


async def _server(world: Foreign) -> None:
    properties = {
        "dataCenter": "ITBG-2",
        "flavorName": "CSO2A4",
        "vpc": world.uri("VPC", "Shop-Net"),
        "subnets": [world.uri("Subnet", "Shop-Front")],
        "securityGroups": [world.uri("SecurityGroup", "Shop-Web"), world.uri("SecurityGroup", "Shop-Db")],
        "keyPair": world.uri("KeyPair", "Ops-Laptop"),
        "elasticIp": world.uri("ElasticIP", "Shop-Ip"),
        "bootVolume": world.uri("BlockStorage", "Web1-Boot"),
    }
    row = await world.make("CloudServer", "Shop-Web1", properties, tags=["shop"])
    await world.call(
        f"{row['uri']}/attachDetachDataVolumes", {"volumesToAttach": [world.uri("BlockStorage", "Web1-Data")]}
    )
    await asyncio.sleep(5)
