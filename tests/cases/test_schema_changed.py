"""Field case 113: a kind's schema changes under stored objects, which no watch tells.

What is stored stays at its version, and reads otherwise from then on: with a new default, without a field that the new
schema does not know. Metacontroller shows what it has read before, and goes on with that.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from hooks.local.metacontroller import Delivery
from tests.cases import nine
from tests.cases.world import living
from tests.world.judge import settled

pytestmark = pytest.mark.every_kind("VPC")

Object = dict[str, Any]
TAGGED = [kind for kind in nine.ALL if "tags" in nine.KINDS[kind].mutable]


class ReadBefore(Delivery):
    """Objects of a kind as they were read when its schema did not know a field; `more`: when it knew one more."""

    def __init__(self, kind: str, *, more: bool) -> None:
        self._kind = kind
        self._more = more

    async def deliver(self, resource: Any, event: Object) -> None:
        item = event["object"]
        if resource.kind != self._kind:
            return
        if self._more:
            item["spec"]["colour"] = "blue"
            item.setdefault("status", {})["shade"] = "dark"
        else:
            item["spec"].pop("tags", None)
            item.get("status", {}).pop("cloudState", None)


@pytest.mark.parametrize("more", [True, False], ids=["a field is gone", "a field is new"])
@pytest.mark.parametrize("kind", TAGGED)
async def test_case_113_an_object_that_was_read_under_another_schema(kind: str, more: bool) -> None:
    """Case 113: it is created as Kubernetes has it, becomes Active, is changed and deleted: each exactly once."""
    async with living(delivery=ReadBefore(kind, more=more)) as house:
        await nine.prepared(house, kind)
        item = nine.subject(kind)
        item["spec"]["tags"] = ["as-it-is-stored"]
        await house.apply(item)

        async def active() -> bool:
            return settled(await house.get(kind, nine.name(kind)) or {})

        await house.until(active, within=180)
        posts = [call for call in await house.writes() if call["method"] == "POST" and _names(call, kind)]
        assert len(posts) == 1
        assert "as-it-is-stored" in posts[0]["requestBody"]["metadata"]["tags"]
        await house.patch(kind, nine.name(kind), {"spec": {"tags": ["changed-since"]}})
        await asyncio.sleep(90)
        assert "changed-since" in (await _row(house, kind))["tags"]
        await house.delete(kind, nine.name(kind))
        await house.until(lambda: _gone(house, kind), within=180)


def _names(call: Object, kind: str) -> bool:
    return bool(call["path"].endswith(f"/{nine.KINDS[kind].collection.name}") or kind == "Project")


async def _row(house: Any, kind: str) -> Object:
    (row,) = [row for row in await house.resources(kind) if row["name"] == nine.name(kind)]
    return row


async def _gone(house: Any, kind: str) -> bool:
    return await house.get(kind, nine.name(kind)) is None
