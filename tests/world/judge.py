"""What every scenario is judged by: the simulated cloud's own book-keeping, never the operator's.

Duplicates are two resources that ever lived at once with one owner tag; leftovers are what still lives when nothing
should. Scenarios, the campaign and the bench share it.
"""

from __future__ import annotations

import re
from itertools import combinations
from typing import Any

from tests.world.house import House

Object = dict[str, Any]
OWNER_TAG = re.compile(r"k8s-[a-z0-9]{16}")
FOREVER = "9999"


def owner_tags(row: Object) -> set[str]:
    return {tag for tag in row["tags"] if OWNER_TAG.fullmatch(tag)}


def twins(rows: list[Object]) -> list[tuple[Object, Object]]:
    """Pairs that lived at the same time with one owner tag; times are ISO 8601 in UTC, so they compare as text."""
    return [(a, b) for a, b in combinations(rows, 2) if owner_tags(a) & owner_tags(b) and _overlap(a, b)]


def _overlap(a: Object, b: Object) -> bool:
    return max(a["createdAt"], b["createdAt"]) < min(a["deletedAt"] or FOREVER, b["deletedAt"] or FOREVER)


async def no_duplicates(house: House) -> None:
    rows = await house.resources(everything=True)
    assert not twins(rows), twins(rows)


async def no_leftovers(house: House) -> None:
    left = await house.resources()
    assert not left, left


async def refused(house: House) -> list[Object]:
    """Writes that the cloud did not accept."""
    return [row for row in await house.writes() if row["status"] is None or row["status"] >= 400]


async def no_refusals(house: House) -> None:
    found = [(row["method"], row["path"], row["status"]) for row in await refused(house)]
    assert not found, found


def phases(item: Object) -> dict[str, Object]:
    """The conditions that stand for phases, by type."""
    conditions = item.get("status", {}).get("conditions", [])
    return {c["type"]: c for c in conditions if c["type"] not in ("Ready", "Stalled")}


def condition(item: Object, name: str) -> Object:
    conditions = item.get("status", {}).get("conditions", [])
    return next((c for c in conditions if c["type"] == name), {})


def settled(item: Object) -> bool:
    """Active and Synchronized, the one phase that is True, and Ready."""
    standing = {name: c["reason"] for name, c in phases(item).items() if c["status"] == "True"}
    active = item.get("status", {}).get("phase") == "Active" and standing == {"Active": "Synchronized"}
    return active and condition(item, "Ready")["status"] == "True" and condition(item, "Stalled")["status"] == "False"
