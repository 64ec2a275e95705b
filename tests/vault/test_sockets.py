"""The operator on real sockets and in real time, with a real server of secrets (cases 4, 93)."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from hooks.aruba.credentials import vault
from hooks.clock import SystemClock
from hooks.http import AsyncClient
from hooks.stack.local import LocalOptions, local
from tests.vault.front import Front
from tests.vault.place import Place
from tests.world.house import API, PLURALS
from tests.world.manifests import Object, make, project, ref

pytestmark = pytest.mark.real_time


async def apply(kube: AsyncClient, *items: Object) -> None:
    for item in items:
        answer = await kube.post(f"{API}/namespaces/default/{PLURALS[item['kind']]}", json=item)
        assert answer.status_code == 201, answer.text


async def ready(kube: AsyncClient, kind: str, name: str) -> tuple[str, str]:
    """Reason of Ready, and the message."""
    item = (await kube.get(f"{API}/namespaces/default/{PLURALS[kind]}/{name}")).json()
    status = item.get("status", {})
    reasons = [one["reason"] for one in status.get("conditions", []) if one["type"] == "Ready"]
    return "".join(reasons), status.get("message", "")


async def until(kube: AsyncClient, kind: str, name: str, reason: str) -> str:
    async with asyncio.timeout(30):
        while True:
            found, message = await ready(kube, kind, name)
            if found == reason:
                return message
            await asyncio.sleep(0.1)


async def healthy(http: AsyncClient, hooks: str) -> float:
    """Ask `/healthz` until cancelled; the longest time between two answers. Hooks and test share one loop."""
    clock, slowest = SystemClock(), 0.0
    last = clock.monotonic()
    with suppress(asyncio.CancelledError):
        while True:
            assert (await http.get(f"{hooks}/healthz")).status_code == 200
            now = clock.monotonic()
            slowest, last = max(slowest, now - last), now
            await asyncio.sleep(0.02)
    return slowest


@pytest.mark.sweep
async def test_local_mode_serves_two_tenants_from_vault(place: Place, tmp_path: Path) -> None:
    async with local(LocalOptions(tmp_path), place.environ()) as ends, AsyncClient(timeout=10) as http:
        clients = {"clients": {"id-100": "secret-100", "id-200": "secret-200"}}
        await http.post(f"{ends['admin']}/tokens", json=clients)
        async with AsyncClient(base_url=ends["kubernetes"], timeout=10) as kube:
            for number in (100, 200):
                inside = {"tenant": f"t-{number}", "projectReference": ref(f"prj-{number}")}
                await apply(kube, project(f"prj-{number}", tenant=f"t-{number}"), make("VPC", f"net-{number}", inside))
            await apply(kube, project("prj-300", tenant="t-300"))
            for number in (100, 200):
                await until(kube, "VPC", f"net-{number}", "Available")
            told = await until(kube, "Project", "prj-300", "CredentialsUnavailable")
            assert f"there is no secret {place.mount}/t-300" in told
        calls: list[dict[str, Any]] = (await http.get(f"{ends['admin']}/calls")).json()
        made = [call for call in calls if call["method"] == "POST" and call["path"].endswith("/vpcs")]
        assert {(call["clientId"], call["requestBody"]["metadata"]["name"]) for call in made} == {
            ("id-100", "net-100"),
            ("id-200", "net-200"),
        }
        page = (await http.get(ends["metrics"])).text
        assert 'aruba_credentials_total{outcome="found",tenant_mode="vault"} 2.0' in page
        assert 'aruba_credentials_total{outcome="missing",tenant_mode="vault"}' in page


async def test_case_93_health_and_others_go_on_while_vault_holds_one_tenant(
    place: Place, before: Front, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fifty objects of a tenant whose secret never comes (the case waits 20 s for it); `/healthz` all the while."""
    monkeypatch.setattr(vault, "CALL_TIME", 2.0)
    before.hold = "/data/t-100$"
    async with local(LocalOptions(tmp_path), place.environ(before.url)) as ends, AsyncClient(timeout=10) as http:
        await http.post(f"{ends['admin']}/tokens", json={"clients": {"id-200": "secret-200"}})
        async with AsyncClient(base_url=ends["kubernetes"], timeout=10) as kube:
            asking = asyncio.ensure_future(healthy(http, ends["hooks"]))
            await apply(kube, project("prj-good", tenant="t-200"))
            await apply(kube, *(project(f"prj-held-{number}", tenant="t-100") for number in range(50)))
            told = await until(kube, "Project", "prj-held-49", "CredentialsUnavailable")
            assert "cannot be used: no answer in time" in told
            await until(kube, "Project", "prj-good", "Available")
            asking.cancel()
            [slowest] = await asyncio.gather(asking)
            assert slowest < 1.5  # hundredths of a second with a machine of one's own, and two if anything blocks
    assert len([path for path in before.arrived if path.endswith("/t-100")]) <= 3
