"""What the tests of upstream's behaviours S1 to S24 share: the subject of a kind, where it stands, faults for it."""

from __future__ import annotations

from typing import Any

from tests.cases import nine
from tests.world.house import House
from tests.world.judge import phases

Object = dict[str, Any]
SOON = {"ARUBA_LISTING_AGE": "10s"}
REFUSAL = {
    "title": "One or more validation errors occurred.",
    "status": 400,
    "errors": [{"field": "Tag", "message": "length must be at least 4"}],
}


async def shown(house: House, kind: str) -> Object:
    """The subject as it is now; empty when it is gone."""
    return await house.get(kind, nine.name(kind)) or {}


async def standing(house: House, kind: str) -> str:
    """`<phase>/<reason>` of the subject, from whichever conditions of phases are True."""
    true = [one for one in phases(await shown(house, kind)).values() if one["status"] == "True"]
    return ", ".join(f"{one['type']}/{one['reason']}" for one in true if one["type"] != "ChangeRefused")


async def until_standing(house: House, kind: str, wanted: str, within: float = 30) -> None:
    async def reached() -> bool:
        return await standing(house, kind) == wanted

    await house.until(reached, within)


async def gone(house: House, kind: str) -> bool:
    return await shown(house, kind) == {}


async def calls_so_far(house: House) -> int:
    """For `since`: everything up to now."""
    return max((call["n"] for call in await house.calls()), default=0)


def post_of(kind: str) -> Object:
    """Matches the creates of a kind, for faults."""
    return {"method": "POST", "path": nine.collection(kind)}


def item_of(kind: str, method: str) -> Object:
    """Matches a method on single resources of a kind, for faults."""
    return {"method": method, "path": f"/{nine.KINDS[kind].collection.name}/[^/]+$"}


def creates(call: Object, kind: str) -> bool:
    """Whether a call is an attempt to create the subject."""
    collection = call["method"] == "POST" and call["path"].endswith(f"/{nine.KINDS[kind].collection.name}")
    return collection and call["requestBody"]["metadata"]["name"] == nine.name(kind)


async def refused_create(house: House, kind: str) -> None:
    """The subject's first POST was refused with field errors, and it says so."""
    item = await nine.prepared(house, kind)
    await house.faults({"match": post_of(kind), "times": 1, "then": {"status": 400, "body": REFUSAL}})
    await house.apply(item)
    await until_standing(house, kind, "Failed/ValidationFailed")
