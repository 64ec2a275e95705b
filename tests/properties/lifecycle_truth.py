"""What must be true at rest: each object is as the cloud has it or says truly why not; nothing lives in the cloud
without an object but what somebody else made; and nothing was ever there twice.

For the lifecycle machine; `lifecycle_words` checks what an object says.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hooks.simulator.resource import Resource
from tests.properties.lifecycle import strange
from tests.properties.lifecycle_case import Case, leaving
from tests.properties.lifecycle_words import TRUTHS
from tests.world.house import House
from tests.world.judge import condition, twins


async def faults(house: House, foreign: set[str]) -> list[str]:
    """`foreign` are the IDs of what was made at the console."""
    now = house.simulator.world.settle()
    living = {one.id: one for one in house.simulator.world.store if one.alive}
    items = await house.objects()
    objects = {(item["kind"], item["metadata"]["name"]): item for item in items}
    invalid = any(condition(item, "Ready").get("reason") == "ValidationFailed" for item in items)
    refused = await _refused(house) if invalid else set()
    found: list[str] = []
    for item in items:
        resource = living.get(item.get("status", {}).get("resourceID", ""))
        case = Case(item, resource, objects, living, now, item["metadata"]["name"] in refused)
        said = f"{case.kind} {case.name} says {case.status.get('phase')}/{case.ready.get('reason')} ({case.message})"
        found += [f"{said}, but {fault}" for fault in untrue(case)]
    recorded = {item.get("status", {}).get("resourceID") for item in items}
    found += list(_left(living, foreign, recorded))
    rows = await house.resources(everything=True)
    return found + [f"two with one tag: {a['kind']} {a['id']} {b['id']}" for a, b in twins(rows)]


async def _refused(house: House) -> set[str]:
    """Names of the resources about which the last write was answered 400."""
    last: dict[str, int] = {}
    names = {row["id"]: row["name"] for row in await house.resources(everything=True)}
    for call in await house.writes():
        body = call["requestBody"] if isinstance(call["requestBody"], dict) else {}
        ids = [names[part] for part in call["path"].split("/") if part in names]
        made = (body.get("metadata") or {}).get("name") if call["method"] == "POST" else None
        name = made or (ids[-1] if ids else "")
        last[name] = call["status"] or 0
    return {name for name, status in last.items() if status == 400}


def _left(living: dict[str, Resource], foreign: set[str], recorded: set[Any]) -> Iterator[str]:
    for one in living.values():
        above = {one.id, one.project.id, *([one.parent.id] if one.parent is not None else [])}
        if not above & foreign and one.id not in recorded and not strange(one.tags):
            yield f"{one.kind.name} {one.name} {one.id} lives without an object"


def untrue(case: Case) -> list[str]:
    """What is wrong with what the object says."""
    if not case.ready:
        return [f"it has said nothing yet: {case.status}"]
    asked = case.annotation("reconcile-at")
    if asked and not leaving(case.item) and case.status.get("lastHandledReconcileAt") != asked:
        return ["it was asked to look again and has not"]
    told = condition(case.item, "Stalled")["status"], case.ready.get("status")
    if told == ("True", "True"):
        return ["it is both Ready and Stalled"]
    if case.ready.get("observedGeneration") != case.item["metadata"]["generation"]:
        return ["it speaks of another generation"]
    judge = TRUTHS.get(str(case.ready.get("reason")))
    return list(judge(case)) if judge is not None else ["that cannot last"]
