"""Field case 112, on a real Deployment: the hooks are replaced under load, and no call is lost, no create doubled."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path

import pytest

from hooks.http import AsyncClient, HTTPError
from tests.e2e.site import Site, site
from tests.e2e.test_install import newcomer
from tests.world.manifests import make

pytestmark = pytest.mark.real_time

HOOK = "http://aruba-cloud-operator-hooks.aruba-system.svc:8080/v2/vpcs/customize"
CALLERS = 12
PROJECTS = 24
BODY = {
    "parent": {
        "apiVersion": "arubacloud.com/v1alpha1",
        "kind": "VPC",
        "metadata": {"name": "net", "namespace": "default", "uid": "u-1", "resourceVersion": "1"},
        "spec": {"projectReference": {"name": "shop", "namespace": "default"}},
    }
}


class Load:
    """Calls to the hooks' Service without a pause, over kept connections as Metacontroller keeps them, and new ones."""

    def __init__(self, proxy: str, token: str) -> None:
        self.seen: Counter[str] = Counter()
        self._proxy = proxy
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._over = asyncio.Event()

    async def run(self) -> None:
        await asyncio.gather(*(self._calls(kept=number % 3 != 0) for number in range(CALLERS)))

    def end(self) -> None:
        self._over.set()

    async def _calls(self, *, kept: bool) -> None:
        while not self._over.is_set():
            async with AsyncClient(proxy=self._proxy, headers=self._headers, timeout=10) as client:
                while not self._over.is_set():
                    self.seen[await self._call(client)] += 1
                    await asyncio.sleep(0.05)
                    if not kept:
                        break

    async def _call(self, client: AsyncClient) -> str:
        try:
            answer = await client.post(HOOK, content=json.dumps(BODY))
        except HTTPError as lost:
            return repr(lost)
        return f"{answer.status_code}"


async def test_case_112_hooks_are_replaced_under_load(tmp_path: Path) -> None:
    """Case 112: two replicas, restarted one after the other by the Deployment while objects are made and deleted."""
    async with site(tmp_path) as here:
        await newcomer(here)
        load = Load(here.node.proxy, await token(here))
        running = asyncio.ensure_future(load.run())
        names = [f"p-{number:02}" for number in range(PROJECTS)]
        making = asyncio.ensure_future(_made(here, names))
        restart = "kubectl -n aruba-system rollout restart deployment/aruba-cloud-operator-hooks"
        await here.sh(f"{restart} && {restart.replace('restart', 'status', 1)} --timeout=120s")
        await making
        await here.sh("kubectl wait --for=condition=Ready projects --all --timeout=120s")
        await here.until(lambda: _replaced(here))
        load.end()
        await running
        assert set(load.seen) == {"200"}, load.seen
        assert load.seen["200"] > 500
        await _nothing_lost(here, names)


async def token(here: Site) -> str:
    return await here.sh(
        "kubectl -n aruba-system get secret aruba-hook-token --template='{{.data.token | base64decode}}'"
    )


async def _made(here: Site, names: list[str]) -> None:
    """One after the other, over the whole time of the rollout."""
    for name in names:
        url = "/apis/arubacloud.com/v1alpha1/namespaces/default/projects"
        answer = await here.kube.post(url, json=make("Project", name, {"tenant": "ARU-000001"}))
        assert answer.status_code == 201, answer.text
        await asyncio.sleep(0.6)


async def _replaced(here: Site) -> bool:
    """Only the two new Pods are left."""
    pods = (await here.kube.get("/api/v1/namespaces/aruba-system/pods")).json()["items"]
    return len(pods) == 2 and not any(pod["metadata"].get("deletionTimestamp") for pod in pods)


async def _nothing_lost(here: Site, names: list[str]) -> None:
    """Each Project was asked for once, none of Metacontroller's calls failed, and every Pod ended in order."""
    assert sorted(one["name"] for one in await here.resources()) == names
    posts = [call for call in await here.writes() if call.startswith("POST")]
    assert len(posts) == PROJECTS
    events = (await here.kube.get("/api/v1/events")).json()["items"]
    failed = [
        f"{event['reason']}: {event['message']}"
        for event in events
        if event["reason"] in ("SyncError", "CustomizeError")
    ]
    assert failed == []
    assert "Traceback" not in here.node.logs("aruba-cloud-operator-hooks")
