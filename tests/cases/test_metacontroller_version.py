"""Field case 112: a Metacontroller that cannot serve these kinds is named, before it does harm."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from hooks.aruba.kinds import discover
from hooks.http import AsyncClient
from hooks.manifests import composite_controllers
from tests.cases import nine
from tests.world.house import HOOKS, House, living

pytestmark = pytest.mark.every_kind("VPC")

Object = dict[str, Any]


def declared(kind: str) -> Object:
    plural = nine.KINDS[kind].names.plural
    return next(one for one in composite_controllers(discover()) if one["metadata"]["name"].startswith(f"{plural}."))


async def asked(house: House, kind: str, hook: str, controller: Object) -> tuple[int, Object]:
    """A call about the stored object, as Metacontroller would make it."""
    parent = await house.get(kind, nine.name(kind))
    body = {"controller": controller, "parent": parent, "children": {}, "related": {}, "finalizing": False}
    url = f"http://{HOOKS}/v2/{nine.KINDS[kind].names.plural}/{hook}"
    async with AsyncClient(transport=house.net, timeout=30) as client:
        answer = await client.post(url, json=body)
        return answer.status_code, answer.json()


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_112_hooks_of_an_older_version_are_refused_by_name(kind: str) -> None:
    """Case 112: an older definition of a CompositeController has dropped `version`, and Metacontroller calls by v1,
    which shows nothing of other namespaces: everything would wait for ever for what it refers to.
    """
    async with living() as house:
        await nine.active(house, kind)
        since = int((await house.calls())[-1]["n"])
        old = copy.deepcopy(declared(kind))
        for hook in old["spec"]["hooks"].values():
            del hook["version"]
        for hook in ("sync", "finalize", "customize"):
            code, told = await asked(house, kind, hook, old)
            assert (code, told["error"]) == (400, "the CompositeController has hooks of version v1, not v2")
            assert "4.17.2" in told["hint"]
        assert await house.writes(since) == []
        lines = [json.loads(line) for line in house.log.getvalue().splitlines()]
        (line,) = {line["error"] for line in lines if line["message"] == "refused"}
        assert line == told["error"]
        assert (await asked(house, kind, "customize", declared(kind)))[0] == 200
