"""What must be the same before and after: kinds, objects and IDs, as kubectl shows them to the tests."""

from __future__ import annotations

import json
from typing import Any

from tests.cases.estate import Key, key
from tests.e2e.gooperator.left import One, estate, leave, tree
from tests.e2e.site import Site
from tests.world.house import GROUP, PLURALS

Object = dict[str, Any]
KINDS = [f"{plural}.{GROUP}" for plural in PLURALS.values()]


class Before:
    """A cluster that the Go operator has run, and what must be the same ever after."""

    def __init__(self, here: Site, ones: list[One], ids: dict[Key, str]) -> None:
        self.here = here
        self.ones = ones
        self.ids = ids
        self.uids: dict[Key, str] = {}
        self.kinds = ""

    async def note(self) -> None:
        self.uids = {key(item): item["metadata"]["uid"] for item in await objects(self.here)}
        self.kinds = await kinds(self.here)

    async def unchanged(self, *, gone: bool = False) -> None:
        """Kinds, objects and IDs are those of the beginning; `gone`: what was being deleted is not there any more."""
        assert await kinds(self.here) == self.kinds
        now = {key(item): item for item in await objects(self.here)}
        left = [one for one in self.ones if not (gone and one.going)]
        assert {name: item["metadata"]["uid"] for name, item in now.items()} == {
            key(one.item): self.uids[key(one.item)] for one in left
        }
        for one in left:
            shown = now[key(one.item)]["status"].get("resourceID")
            assert shown == self.ids.get(key(one.item)) or not one.left.known, now[key(one.item)]["status"]


async def objects(here: Site) -> list[Object]:
    return list(json.loads(await here.sh(f"kubectl get {','.join(KINDS)} -A -o json"))["items"])


async def kinds(here: Site) -> str:
    """Their UIDs; a kind that is being deleted, or gone, is missed."""
    found = await here.sh(f"kubectl get crd {' '.join(KINDS)} -o json")
    items = json.loads(found)["items"]
    assert not [item for item in items if item["metadata"].get("deletionTimestamp")], found
    return " ".join(item["metadata"]["uid"] for item in items)


async def left_by_go(here: Site) -> Before:
    """Its objects, in all phases, and their resources; the operator is there already."""
    ones = tree()
    before = Before(here, ones, await estate(here, ones))
    await leave(here, ones, before.ids)
    await before.note()
    return before


def conditions(item: Object) -> dict[str, Object]:
    return {one["type"]: one for one in item.get("status", {}).get("conditions", [])}


async def told(here: Site) -> dict[Key, tuple[str, str, str]]:
    """Phase, reason of Ready and message of each object; empty where nobody has said so yet."""
    now = {}
    for item in await objects(here):
        status, ready = item["status"], conditions(item).get("Ready", {})
        now[key(item)] = (status.get("phase", ""), ready.get("reason", ""), status.get("message", ""))
    return now
