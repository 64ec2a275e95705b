"""Kubernetes refuses the lists that a deletion rests on: nothing goes, the object says so, and goes on once it may."""

from __future__ import annotations

import asyncio
from typing import Any

from hooks.simulator import REALISTIC
from tests.world.house import KUBE, living
from tests.world.judge import condition
from tests.world.manifests import project, vpc

REFUSAL = b'{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","message":"may not","code":403}'


async def test_a_deletion_without_its_lists_is_not_taken_for_one_under_way() -> None:
    async with living(timings=REALISTIC) as house:
        await house.apply(project(), vpc())
        await asyncio.sleep(5.2)  # settled in the cloud before the object has seen it
        assert (await house.status("VPC", "net-a"))["phase"] == "Provisioning"
        api = house.net.hosts[KUBE]

        async def refusing(scope: Any, receive: Any, send: Any) -> None:
            if b"labelSelector" not in scope["query_string"]:
                await api(scope, receive, send)
                return
            headers = [(b"content-type", b"application/json")]
            await send({"type": "http.response.start", "status": 403, "headers": headers})
            await send({"type": "http.response.body", "body": REFUSAL})

        house.net.hosts[KUBE] = refusing
        await house.delete("VPC", "net-a")
        await asyncio.sleep(90)
        item = await house.get("VPC", "net-a")
        assert item is not None
        assert condition(item, "Deleting")["reason"] == "ShallSynchronize"
        assert (condition(item, "Ready")["reason"], condition(item, "Stalled")["status"]) == (
            "KubernetesRefused",
            "True",
        )
        assert "may not" in item["status"]["message"]
        assert not await house.calls(method="DELETE")

        house.net.hosts[KUBE] = api
        await house.until(lambda: _gone(house), within=60)
        assert len(await house.calls(method="DELETE")) == 1


async def _gone(house: Any) -> bool:
    return await house.get("VPC", "net-a") is None
