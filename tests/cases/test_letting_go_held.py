"""Field case 60: Kubernetes has ways of deleting, and finalizers, of its own; the cloud resource goes once in all."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.cases import nine
from tests.cases.byhand import HAND, Hand
from tests.cases.test_letting_go import absent, last, shown
from tests.cases.world import living
from tests.world.house import House

pytestmark = pytest.mark.every_kind

Object = dict[str, Any]
CHILD = "/api/v1/namespaces/default/secrets"


async def with_a_child(house: House, kind: str) -> None:
    """A Secret that belongs to the object, as Kubernetes understands it."""
    owner = await shown(house, kind)
    reference = {
        "apiVersion": owner["apiVersion"],
        "kind": kind,
        "name": nine.name(kind),
        "uid": owner["metadata"]["uid"],
        "blockOwnerDeletion": True,
    }
    body = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "child", "ownerReferences": [reference]}}
    answer = await house.kube.post(CHILD, json=body)
    assert answer.status_code == 201, answer.text


@pytest.mark.parametrize("policy", ["Foreground", "Orphan"])
@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_60_the_way_of_deleting_is_about_kubernetes(kind: str, policy: str) -> None:
    """Case 60: `kubectl delete --cascade=foreground` and `=orphan`: the cloud resource goes with one DELETE and the
    object with it; the Secret that it owns goes or stays, as Kubernetes has it.
    """
    async with living() as house:
        resource = await nine.active(house, kind)
        await with_a_child(house, kind)
        url = f"{house.path(await shown(house, kind))}/{nine.name(kind)}"
        answer = await house.kube.request("DELETE", url, json={"propagationPolicy": policy})
        assert answer.status_code == 200, answer.text
        await house.until(lambda: absent(house, kind), within=30)
        await asyncio.sleep(60)
        assert [path.rpartition("/")[2] for path in await nine.deletes(house)] == [resource]
        assert len(await nine.posts(house, kind)) == 1
        child = await house.kube.get(f"{CHILD}/child")
        assert child.status_code == (200 if policy == "Orphan" else 404)
        assert "ownerReferences" not in child.json().get("metadata", {})


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_60_held_by_somebody_else_for_an_hour(kind: str) -> None:
    """Case 60: a foreign finalizer keeps the object an hour longer than ours, and it is edited meanwhile: one DELETE,
    nothing made again; every later finalize call, of this process or another, says `finalized: true` for at most one
    GET; and the object goes with the foreign finalizer.
    """
    async with living() as house:
        item = await nine.prepared(house, kind)
        item["metadata"]["finalizers"] = ["example.com/hold"]
        await house.apply(item)
        await house.until(house.all_active)
        await house.delete(kind, nine.name(kind))
        await house.until(lambda: _ours_is_off(house, kind), within=60)
        since = await last(house)
        for minute in range(60):
            await asyncio.sleep(60)
            if minute % 10 == 5:
                labels = {"touched": str(minute)}
                await house.patch(kind, nine.name(kind), {"metadata": {"labels": labels}})
        calls = _finalizes(house, kind)
        assert len(calls) >= 6
        assert await house.writes(since) == []
        assert len([row for row in await house.calls(since) if _about(row, kind)]) <= len(calls)
        await _asked_again(house, kind)
        assert len(await nine.deletes(house)) == 1
        assert len(await nine.posts(house, kind)) == 1
        await house.patch(kind, nine.name(kind), {"metadata": {"finalizers": None}})
        await house.until(lambda: absent(house, kind), within=5)


async def _ours_is_off(house: House, kind: str) -> bool:
    return (await shown(house, kind))["metadata"]["finalizers"] == ["example.com/hold"]


def _finalizes(house: House, kind: str) -> list[Object]:
    lines = [json.loads(line) for line in house.log.getvalue().splitlines()]
    return [
        line for line in lines if line.get("finalizing") and (line["kind"], line["name"]) == (kind, nine.name(kind))
    ]


def _about(row: Object, kind: str) -> bool:
    return nine.KINDS[kind].collection.name in row["path"].split("/")[-2:]


async def _asked_again(house: House, kind: str) -> None:
    """Finalize calls to a replica that knows nothing, with the object as it is and as it was before its status came."""
    house.start_hooks(HAND)
    hand = Hand(house, kind, nine.name(kind))
    parent = await hand.parent()
    for _ in range(3):
        since = await last(house)
        answer = await hand.call("finalize", parent)
        assert (answer.code, answer.body["finalized"]) == (200, True)
        assert len(await house.calls(since)) <= 1
