"""Field case 105: what the real `kubectl get` shows of a server with an address, and of the address."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import looptime
import pytest

from hooks.aruba.kinds import discover
from hooks.manifests import crds
from tests.cases import nine
from tests.cases.world import living
from tests.local.kubernetes.real_kubectl import Kubectl, kubectl

Object = dict[str, Any]
SHOWN = ("CloudServer", "ElasticIP")


@pytest.fixture(scope="module")
def ready() -> dict[str, Object]:
    """A Ready server and its address, as a whole life has brought them about, by kind."""
    with asyncio.Runner(loop_factory=looptime.new_event_loop) as runner:
        return runner.run(_life())


async def _life() -> dict[str, Object]:
    async with living(environ={"ARUBA_LISTING_AGE": "10s"}) as house:
        await nine.active(house, "CloudServer")
        await asyncio.sleep(30)
        return {kind: await house.get(kind, nine.name(kind)) or {} for kind in SHOWN}


async def put(tool: Kubectl, item: Object) -> None:
    """The definition, the object and its status into an API that knows nothing of an operator."""
    definition = next(one for one in crds(discover()) if one["spec"]["names"]["kind"] == item["kind"])
    await tool.ok("create", "-f", "-", stdin=definition)
    bare = {**item, "metadata": {"name": item["metadata"]["name"]}}
    await tool.ok("create", "-f", "-", stdin=bare)
    status = json.dumps({"status": item["status"]})
    plural = definition["spec"]["names"]["plural"]
    await tool.ok("patch", plural, bare["metadata"]["name"], "--subresource=status", "--type=merge", "-p", status)


async def columns(tool: Kubectl, *words: str) -> dict[str, str]:
    """The one row of a table, by its headings."""
    head, row = (await tool.ok("get", *words)).splitlines()
    titles = [(found.group(), found.start()) for found in re.finditer(r"\S+( \S+)*", head)]
    ends = [start for _, start in titles[1:]] + [None]
    return {title: row[start:end].strip() for (title, start), end in zip(titles, ends, strict=True)}


@pytest.mark.real_time
async def test_case_105_a_server_with_its_addresses(tmp_path: Path, ready: dict[str, Object]) -> None:
    """Case 105: `-o wide` shows whether it is ready and why, the cloud's own state, the public and the private address
    and the ID; without it the table stays narrow.
    """
    server, address = ready["CloudServer"]["status"], ready["ElasticIP"]["status"]
    async with kubectl(tmp_path) as tool:
        await put(tool, ready["CloudServer"])
        wide = await columns(tool, "cloudserver", "-o", "wide")
        assert wide.pop("AGE") != ""
        private = "192.168.1.10"
        assert wide == {
            "NAME": "shop",
            "PHASE": "Active",
            "READY": "True",
            "REASON": "Available",
            "STATE": "Active",
            "ADDRESSES": f"{private}, {address['address']}",
            "PUBLIC IP": address["address"],
            "RESOURCE ID": server["resourceID"],
            "MESSAGE": "",
        }
        narrow = await columns(tool, "cs")
        assert (narrow["PHASE"], narrow["READY"], narrow["RESOURCE ID"]) == ("Active", "True", server["resourceID"])
        assert narrow.keys().isdisjoint({"REASON", "STATE", "PUBLIC IP"})


@pytest.mark.real_time
async def test_case_105_an_address_with_its_holder(tmp_path: Path, ready: dict[str, Object]) -> None:
    """Case 105: the address itself, always; with `-o wide` also what holds it."""
    server, address = ready["CloudServer"]["status"], ready["ElasticIP"]["status"]
    async with kubectl(tmp_path) as tool:
        await put(tool, ready["ElasticIP"])
        wide = await columns(tool, "elasticip", "-o", "wide")
        assert re.fullmatch(r"\d+\.\d+\.\d+\.\d+", wide["ADDRESS"])
        assert (wide["ADDRESS"], wide["USED BY"]) == (address["address"], f"cloudServers/{server['resourceID']}")
        assert (wide["READY"], wide["REASON"], wide["STATE"]) == ("True", "Available", "Used")
        narrow = await columns(tool, "eip")
        assert narrow["ADDRESS"] == address["address"]
        assert narrow.keys().isdisjoint({"REASON", "STATE", "USED BY"})
