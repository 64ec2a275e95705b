"""Field case 27: address ranges of subnets that cannot be, alone or beside those that are there."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.cases import nine
from tests.cases.test_before_a_call import of_collection, told
from tests.cases.world import living
from tests.world.house import House
from tests.world.judge import condition

Object = dict[str, Any]
IMPOSSIBLE = {
    "not-an-address": ("999.168.1.0/24", "is not an IPv4 range"),
    "host-bits": ("10.0.0.5/24", "is not an IPv4 range: 10.0.0.5/24 has host bits set"),
    "public": ("8.8.8.0/24", "is not inside 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16"),
    "half-public": ("172.0.0.0/8", "is not inside 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16"),
    "longer-than-all": ("10.0.0.0/33", "is not an IPv4 range"),
}


def subnet(name: str, cidr: str) -> Object:
    item = nine.subject("Subnet", cidr=cidr)
    item["metadata"]["name"] = name
    return item


async def test_case_27_impossible_ranges_never_leave() -> None:
    """Case 27: a range that is none, has host bits, is public or too long is told before any call, and the same object
    goes on once it is corrected; what is no IPv4 range by its looks is refused by the schema. Departs: our spec has no
    routes, so there is none to be outside of the range.
    """
    async with living() as house:
        await nine.prepared(house, "Subnet")
        for cidr in ("fd00::/64", "10.0.0.0", "10.0.0.0/24,10.1.0.0/24"):
            answer = await house.kube.post(house.path(subnet("sixth", cidr)), json=subnet("sixth", cidr))
            assert (answer.status_code, "spec.cidr" in answer.json()["message"]) == (422, True)
        await house.apply(*(subnet(name, cidr) for name, (cidr, _) in IMPOSSIBLE.items()))
        await asyncio.sleep(40)
        assert await of_collection(house, "Subnet") == []
        for name, (cidr, words) in IMPOSSIBLE.items():
            message = await told(house, "Subnet", name)
            assert message.startswith(f"validation failed: [Possible] spec.cidr {cidr} ")
            assert words in message
        for number, name in enumerate(IMPOSSIBLE):
            await house.patch("Subnet", name, {"spec": {"cidr": f"10.0.{number}.0/24"}})
        await house.until(house.all_active, within=30)
        assert len(await house.calls(method="POST", path="/subnets")) == len(IMPOSSIBLE)


async def subnet_phase(house: House, name: str, phase: str) -> bool:
    return (await house.status("Subnet", name)).get("phase") == phase


@pytest.mark.parametrize("by_hand", [False, True], ids=["of an object", "made by hand"])
async def test_case_27_overlap_with_a_sibling(by_hand: bool) -> None:
    """Case 27: a range that overlaps a subnet of the same VPC is not sent; the message names the other one, and the
    object goes on by itself once that is gone. Departs: found before the call, since the cloud's words name nobody.
    """
    async with living() as house:
        await nine.prepared(house, "Subnet")
        if by_hand:
            project = (await house.status("Project", "shop"))["resourceID"]
            network = {"type": "Advanced", "network": {"address": "10.7.0.0/16"}}
            body = {"kind": "Subnet", "projectId": project, "name": "first-here", "properties": network}
            other = (await house.admin("POST", "resources", body))["id"]
        else:
            await house.apply(subnet("first-here", "10.7.0.0/16"))
            await house.until(house.all_active)
            other = (await house.status("Subnet", "first-here"))["resourceID"]
        posts = len(await house.calls(method="POST", path="/subnets"))
        await house.apply(subnet("second-here", "10.7.9.0/24"))
        await house.until(lambda: subnet_phase(house, "second-here", "Failed"), within=10)
        await asyncio.sleep(60)
        message = await told(house, "Subnet", "second-here")
        assert message.startswith("validation failed: [CidrMustNotOverlap] spec.cidr 10.7.9.0/24 overlaps 10.7.0.0/16 ")
        assert f"of subnet 'first-here' ({other}) in the same VPC" in message
        assert len(await house.calls(method="POST", path="/subnets")) == posts
        await (house.admin("DELETE", f"resources/{other}") if by_hand else house.delete("Subnet", "first-here"))
        await house.until(lambda: subnet_phase(house, "second-here", "Active"), within=60)
        assert len(await house.calls(method="POST", path="/subnets")) == posts + 1


async def test_case_27_two_at_once_are_for_the_cloud_to_judge() -> None:
    """Case 27: two that overlap are made at once, so that none is there when the other is looked for: the cloud takes
    one, its words on the other are shown, and that one is not repeated before its spec is another.
    """
    async with living() as house:
        await nine.prepared(house, "Subnet")
        await house.apply(subnet("one-half", "10.7.0.0/17"), subnet("the-whole", "10.7.0.0/16"))
        await asyncio.sleep(90)
        phases = {name: (await house.status("Subnet", name))["phase"] for name in ("one-half", "the-whole")}
        assert sorted(phases.values()) == ["Active", "Failed"]
        [loser] = [name for name, phase in phases.items() if phase == "Failed"]
        shown = await house.get("Subnet", loser) or {}
        assert condition(shown, "Failed")["reason"] == "ValidationFailed"
        assert "Network.Address: subnet.cidr overlaps with an existing subnet" in shown["status"]["message"]
        assert len(await house.calls(method="POST", path="/subnets")) == 2
        await house.patch("Subnet", loser, {"spec": {"cidr": "10.8.0.0/24"}})
        await house.until(house.all_active, within=20)
