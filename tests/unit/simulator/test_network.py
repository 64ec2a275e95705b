"""VPCs, subnets, groups, rules and addresses (api §8.2 to §8.5, §8.7, §13.3)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.unit.simulator.caller import PLACE, Session, Site, furnished, opened, with_server

RULE = {"direction": "Ingress", "protocol": "TCP", "port": "22", "target": {"kind": "Ip", "value": "0.0.0.0/0"}}


async def post(session: Session, path: str, properties: Any, **metadata: Any) -> Any:
    return await session.call("POST", path, {"metadata": {"name": "thing", **metadata}, "properties": properties})


def errors(answer: Any) -> list[str]:
    return [error["field"] for error in answer.json()["errors"]]


async def test_a_vpc_settles_and_shows_its_parts() -> None:
    session = await opened()
    site = Site(session, await session.make("/projects", "demo", {}, placed=False))
    answer = await post(session, f"{site.network}/vpcs", {"properties": {"default": True, "preset": True}}, **PLACE)
    uri = answer.json()["metadata"]["uri"]
    assert answer.json()["status"]["state"] == "InCreation"
    assert answer.json()["properties"] == {"linkedResources": [], "default": False}, "nested flags have no effect"
    early = await post(session, f"{uri}/subnets", {"type": "Basic"})
    assert (early.json()["title"], early.json()["detail"]) == ("Bad Request", "vpc not in valid status")
    await asyncio.sleep(0.4)
    subnet = await session.make(f"{uri}/subnets", "front", {"type": "Basic"}, placed=False)
    assert [one["uri"] for one in (await session.get(uri))["properties"]["linkedResources"]] == [subnet]


async def test_children_block_their_parent_until_they_are_gone() -> None:
    session = await opened()
    site = await furnished(session)
    assert (await session.call("DELETE", site["vpc"])).json()["detail"] == "used by another resource"
    await session.call("DELETE", site["group"])
    await session.call("DELETE", site["subnet"])
    assert (await session.call("DELETE", site["vpc"])).status_code == 400, "the children are still Deleting"
    await asyncio.sleep(0.5)
    answer = await session.call("DELETE", site["vpc"])
    assert (answer.status_code, answer.content) == (202, b"")


async def test_a_preset_vpc_comes_furnished_and_its_default_cannot_go() -> None:
    session = await opened()
    site = Site(session, await session.make("/projects", "demo", {}, placed=False))
    vpc = await session.make(f"{site.network}/vpcs", "main", {"default": True, "preset": True})
    [subnet] = (await session.get(f"{vpc}/subnets"))["values"]
    [group] = (await session.get(f"{vpc}/securityGroups"))["values"]
    assert (subnet["properties"]["type"], subnet["properties"]["default"]) == ("Basic", True)
    rules = (await session.get(f"{group['metadata']['uri']}/securityRules"))["values"]
    assert [rule["data"]["private"]["unremovable"] for rule in rules] == [True, False]
    assert (await session.call("DELETE", rules[0]["metadata"]["uri"])).json()[
        "detail"
    ] == "security rule is unremovable"
    for one in (rules[1], group, subnet):
        assert (await session.call("DELETE", one["metadata"]["uri"])).status_code == 202
        await asyncio.sleep(1)
    assert (await session.call("DELETE", vpc)).json()["detail"] == "cannot delete default VPC"
    other = await session.make(f"{site.network}/vpcs", "other", {"default": False})
    assert (await session.call("DELETE", vpc, newDefaultVpc=other)).status_code == 202
    assert (await session.get(other))["properties"]["default"] is True


async def test_one_default_at_a_time() -> None:
    session = await opened()
    site = await furnished(session)
    other = await session.make(f"{site['vpc']}/subnets", "back", {"type": "Basic", "default": True}, placed=False)
    await session.call("PUT", site["subnet"], {"metadata": {"name": "front"}, "properties": {"default": True}})
    assert (await session.get(other))["properties"]["default"] is False
    await asyncio.sleep(1)
    assert (await session.call("DELETE", site["subnet"])).json()["detail"] == "cannot delete default subnet"
    assert (await session.call("DELETE", site["subnet"], newDefaultSubnet=other)).status_code == 202


@pytest.mark.parametrize(
    ("network", "message"),
    [
        ("8.8.8.0/24", "a CIDR inside"),
        ("10.0.0.1/24", "a CIDR inside"),
        ("10.0.0.0", "a CIDR inside"),
        ("rubbish", "a CIDR inside"),
        ("10.0.1.128/25", "subnet.cidr overlaps with an existing subnet"),
    ],
)
async def test_a_subnet_needs_a_private_network_of_its_own(network: str, message: str) -> None:
    session = await opened()
    site = await furnished(session)
    answer = await post(session, f"{site['vpc']}/subnets", {"type": "Advanced", "network": {"address": network}})
    assert errors(answer) == ["Network.Address"]
    assert answer.json()["errors"][0]["message"].startswith(message)


async def test_the_platform_completes_a_basic_subnet() -> None:
    session = await opened()
    site = await furnished(session)
    for network in ("192.168.0", "192.168.1"):
        uri = await session.make(f"{site['vpc']}/subnets", "back", {"type": "Basic"}, placed=False)
        shown = (await session.get(uri))["properties"]
        assert shown["network"] == {"address": f"{network}.0/24", "gateway": f"{network}.1"}
        span = {"start": f"{network}.10", "count": 245, "last": f"{network}.254"}
        assert shown["dhcp"] == {"enabled": True, "range": span, "routes": [], "dns": []}


async def test_a_subnet_put_changes_dhcp_as_a_whole_and_ignores_the_network() -> None:
    session = await opened()
    site = await furnished(session)
    body = {
        "metadata": {"name": "front"},
        "properties": {"network": {"address": "10.9.0.0/24"}, "type": "Basic", "dhcp": {"enabled": False}},
    }
    answer = await session.call("PUT", site["subnet"], body)
    assert (answer.status_code, answer.json()["status"]["state"]) == (200, "Updating")
    shown = (await session.get(site["subnet"]))["properties"]
    assert (shown["type"], shown["network"]["address"]) == ("Advanced", "10.0.1.0/24")
    assert shown["dhcp"] == {"enabled": False, "routes": [], "dns": []}
    assert (await session.get(site["subnet"]))["metadata"]["tags"] is None, "a PUT without tags clears them"


@pytest.mark.parametrize(
    "dhcp",
    [
        {"range": {"start": "10.0.2.5", "count": 2}},
        {"range": {"start": "10.1.0.5", "count": 0}},
        {"dns": ["nowhere"]},
        {"routes": [{"address": "10.9.0.0/24", "gateway": "10.1.0.1"}]},
    ],
)
async def test_dhcp_must_fit_the_network(dhcp: Any) -> None:
    session = await opened()
    site = await furnished(session)
    sent = {"type": "Advanced", "network": {"address": "10.1.0.0/24"}, "dhcp": {"enabled": True, **dhcp}}
    assert errors(await post(session, f"{site['vpc']}/subnets", sent))[0].startswith("Dhcp.")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"protocol": "ALL"}, "Protocol"),
        ({"protocol": "ANY"}, "Port"),
        ({"protocol": "ICMP", "port": "*"}, "Port"),
        ({"port": None}, "Port"),
        ({"port": "90-80"}, "Port"),
        ({"port": "70000"}, "Port"),
        ({"direction": "Sideways"}, "Direction"),
        ({"target": {"kind": "Ip", "value": "10.0.0.1"}}, "Target.Value"),
        ({"target": {"kind": "SecurityGroup", "value": "/x/y"}}, "Target.Value"),
    ],
)
async def test_a_wrong_rule_is_refused(changes: Any, field: str) -> None:
    session = await opened()
    site = await furnished(session)
    assert errors(await post(session, f"{site['group']}/securityRules", RULE | changes)) == [field]


@pytest.mark.parametrize("port", ["22", "80-90", "*"])
async def test_a_rule_comes_back_in_the_platforms_spelling(port: str) -> None:
    session = await opened()
    site = await furnished(session)
    answer = await post(session, f"{site['group']}/securityRules", RULE | {"protocol": "tcp", "port": port})
    shown = answer.json()["properties"]
    assert (shown["protocol"], shown["port"]) == ("TCP", port)
    assert shown["target"] == {"kind": "IP", "value": "0.0.0.0/0"}


async def test_a_rule_put_takes_no_location_and_answers_with_the_port_as_an_object() -> None:
    session = await opened()
    site = await furnished(session)
    rule = await session.make(f"{site['group']}/securityRules", "ssh-in", RULE, placed=False)
    refused = await session.call("PUT", rule, {"metadata": {"name": "ssh-in", **PLACE}})
    assert refused.json()["errors"] == [{"field": "Location", "message": "Location Invalid"}]
    empty = await session.call("PUT", rule, {"metadata": {"name": "ssh-in", "location": {"value": ""}}})
    assert empty.status_code == 400
    body = {"metadata": {"name": "ssh", "tags": ["new-tag"]}, "properties": {"port": "23"}}
    answer = await session.call("PUT", rule, body)
    assert answer.json()["properties"]["port"] == {"value": "22"}
    shown = await session.get(rule)
    assert (shown["metadata"]["name"], shown["metadata"]["tags"]) == ("ssh", ["new-tag"])
    assert shown["properties"]["port"] == "22"


async def test_a_group_with_rules_or_servers_cannot_go() -> None:
    session = await opened()
    site = await with_server(session)
    rule = await session.make(f"{site['group']}/securityRules", "ssh-in", RULE, placed=False)
    assert (await session.call("DELETE", site["group"])).json()["detail"] == "used by another resource"
    shown = (await session.get(site["group"]))["properties"]["linkedResources"]
    assert [one["uri"] for one in shown] == [rule, site["server"]]


async def test_an_elastic_ip_gets_its_address_when_it_is_ready() -> None:
    session = await opened()
    site = Site(session, await session.make("/projects", "demo", {}, placed=False))
    answer = await post(session, f"{site.network}/elasticIps", {"billingPlan": {"billingPeriod": "Month"}}, **PLACE)
    assert answer.json()["properties"]["address"] is None
    await asyncio.sleep(0.3)
    shown = await session.get(answer.json()["metadata"]["uri"])
    assert (shown["status"]["state"], shown["properties"]["address"]) == ("NotUsed", "203.0.113.1")
    body = {"metadata": {"name": "thing"}, "properties": {"billingPlan": {"billingPeriod": "Year"}}}
    assert (await session.call("PUT", shown["metadata"]["uri"], body)).status_code == 200
    assert (await session.get(shown["metadata"]["uri"]))["properties"]["billingPlan"] == {"billingPeriod": "Year"}
