"""Field case 4: no request ever carries the token of another tenant, however calls and tokens overlap."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs

import pytest

from hooks.aruba.cloud.session import Session
from hooks.clock import seeded
from hooks.http import AsyncClient, Request, Response
from hooks.simulator import token_path
from tests.cases.tenants import CLIENTS, OTHER, OWN, everything_since, last
from tests.world.house import CLOUD, HOOKS, PLURALS, House
from tests.world.manifests import make, project, ref
from tests.world.vault import FakeVault, of_vault

Object = dict[str, Any]
Trouble = Callable[[House], Awaitable[None]]
EACH = 25
LONGEST = 0.05
"""Seconds that a call is late by, each way."""
HOLD = 0.2
"""Seconds for which a call with its token in hand waits for one of the other tenant to be as far."""


class Barrier:
    """Between "token fetched" and "request sent": nobody passes before somebody with another token stands here too."""

    def __init__(self) -> None:
        self.met = 0
        self._waiting: dict[str, set[asyncio.Event]] = {}

    async def __call__(self, token: str) -> None:
        others = [event for other, events in self._waiting.items() if other != token for event in events]
        if others:
            self.met += 1
            for event in others:
                event.set()
            return
        mine = asyncio.Event()
        self._waiting.setdefault(token, set()).add(mine)
        try:
            async with asyncio.timeout(HOLD):
                await mine.wait()
        except TimeoutError:
            pass
        finally:
            self._waiting[token].discard(mine)


@pytest.fixture
def barrier(monkeypatch: pytest.MonkeyPatch) -> Barrier:
    made, original = Barrier(), Session._attempt

    async def attempt(self: Session, errand: Any, token: str) -> Any:
        await made(token)
        return await original(self, errand, token)

    monkeypatch.setattr(Session, "_attempt", attempt)
    return made


class Crowd:
    """Plays Metacontroller for all objects at once: no pass waits for another."""

    wire: Wire

    def __init__(self, house: House) -> None:
        self.house = house
        self._hooks = AsyncClient(transport=house.net, base_url=f"http://{HOOKS}", timeout=None)

    async def round(self, kind: str) -> None:
        """One `/sync` for each object; what is answered is stored as its status."""
        await asyncio.gather(*(self._pass(item) for item in await self.house.list(kind)))

    async def until_active(self, kind: str, most: int, gap: float = 2.0, trouble: Trouble | None = None) -> None:
        """Rounds with so many seconds between, every other with its trouble somewhere in it."""
        for number in range(most):
            await asyncio.gather(self.round(kind), *([trouble(self.house)] if trouble and number % 2 == 0 else []))
            if {(item.get("status") or {}).get("phase") for item in await self.house.list(kind)} == {"Active"}:
                return
            await asyncio.sleep(gap)
        raise AssertionError(await self.house.told())

    async def _pass(self, item: Object) -> None:
        kind, of = item["kind"], item["spec"].get("projectReference")
        shown = {"Project.arubacloud.com/v1alpha1": {f"default/{of['name']}": await self._project(of)}} if of else {}
        body = {"controller": {}, "parent": item, "children": {}, "related": shown, "finalizing": False}
        answer = await self._hooks.post(f"/v2/{PLURALS[kind]}/sync", json=body)
        if answer.status_code == 200:
            url = f"{self.house.path(item)}/{item['metadata']['name']}"
            live = (await self.house.kube.get(url)).json()
            kept = await self.house.kube.put(f"{url}/status", json={**live, "status": answer.json()["status"]})
            assert kept.status_code == 200, kept.text

    async def _project(self, of: Object) -> Object | None:
        return await self.house.get("Project", of["name"])


@asynccontextmanager
async def crowd(seed: int) -> AsyncIterator[Crowd]:
    """A Project for each tenant, and in each many networks that nobody has looked at yet; calls are late by chance."""
    house = House(**of_vault(FakeVault(**{OWN: ("one", "s1"), OTHER: ("two", "s2")})))
    await house.prepare()
    await house.admin("POST", "tokens", {"clients": {"one": "s1", "two": "s2"}})
    made = Crowd(house)
    try:
        await house.apply(project("prj-own", tenant=OWN), project("prj-other", tenant=OTHER))
        await made.until_active("Project", 6)
        for number in range(EACH):
            await house.apply(*(network(tenant, number) for tenant in (OWN, OTHER)))
        house.operator = house.start_hooks()  # a new replica, which has no token yet
        made.wire = Wire(house, seed)
        yield made
    finally:
        await house.kubernetes.aclose()
        house.operator.gate.cut_off()


def network(tenant: str, number: int) -> Object:
    of = ref("prj-own" if tenant == OWN else "prj-other")
    return make("VPC", f"{stem(tenant)}{number}", {"tenant": tenant, "projectReference": of})


def stem(tenant: str) -> str:
    return f"net-{tenant.lower()}-"


class Wire:
    """The way to the cloud: every call is late by chance, and whose token it carries is noted."""

    def __init__(self, house: House, seed: int) -> None:
        self.owner: dict[str, str] = {}
        """Each token that was given out, with the client that asked for it."""
        self.sent: list[tuple[str, str, str]] = []
        """Token, method and path of each call to the API."""
        self._pass_on, self._chance = house.net.handle_async_request, seeded(seed)
        house.net.handle_async_request = self  # type: ignore[method-assign]

    async def __call__(self, request: Request) -> Response:
        if request.url.host != CLOUD:
            return await self._pass_on(request)
        await asyncio.sleep(self._chance.uniform(0, LONGEST))
        if request.url.path != token_path():
            token = request.headers["authorization"].removeprefix("Bearer ")
            self.sent.append((token, request.method, request.url.path))
        answer = await self._pass_on(request)
        if request.url.path == token_path() and answer.status_code == 200:
            [client] = parse_qs((await request.aread()).decode())["client_id"]
            self.owner[json.loads(await answer.aread())["access_token"]] = client
        await asyncio.sleep(self._chance.uniform(0, LONGEST))
        return answer


async def nothing(house: House) -> None:
    """Tokens that live for an hour."""


async def expiry(house: House) -> None:
    """Tokens end every few seconds, at both sides: in the middle of a round."""
    await house.admin("POST", "tokens", {"lifetime": 5})


async def cut_short(house: House) -> None:
    """Tokens end before the operator takes them for ended, so the cloud refuses them."""
    await house.admin("POST", "tokens", {"lifetime": 3})


async def revocation(house: House) -> None:
    """Every token is revoked while calls are on their way."""
    await asyncio.sleep(0.15)
    await house.admin("POST", "tokens", {"revoke": "all"})


@pytest.mark.parametrize(("seed", "trouble"), list(enumerate([nothing, expiry, cut_short, revocation])))
async def test_case_04_every_call_carries_the_token_of_its_own_tenant(
    barrier: Barrier, seed: int, trouble: Trouble
) -> None:
    """Case 4: fifty passes side by side for two tenants, again and again, from the claim to Active."""
    async with crowd(seed) as both:
        house = both.house
        projects = {
            (await house.status("Project", name))["resourceID"]: tenant
            for name, tenant in (("prj-own", OWN), ("prj-other", OTHER))
        }
        since, barrier.met = await last(house), 0
        await both.until_active("VPC", 40, 4.8 if trouble is expiry else 3.0, trouble)
        carried(both.wire, projects)
        judged(await everything_since(house, since), projects, barrier, trouble)
        made = await house.resources("VPC")
        assert len(made) == 2 * EACH
        assert all(one["name"].startswith(stem(projects[one["projectId"]])) for one in made)


def carried(wire: Wire, projects: dict[str, str]) -> None:
    """Every call inside a project was sent with a token that this project's tenant had asked for."""
    inside = [(token, path) for token, _, path in wire.sent if "/providers/" in path]
    assert len(inside) > 2 * EACH
    for token, path in inside:
        assert wire.owner[token] == CLIENTS[projects[path.split("/")[2]]], path


def judged(calls: list[Object], projects: dict[str, str], barrier: Barrier, trouble: Trouble) -> None:
    """The cloud saw it likewise (it has forgotten whose a revoked token was), and it was a trial at all."""
    inside = [call for call in calls if "/providers/" in call["path"]]
    for call in inside:
        tenant = projects[call["path"].split("/")[2]]
        assert call["clientId"] in (CLIENTS[tenant], *([None] if call["status"] == 401 else [])), call
        if call["method"] == "POST":
            assert call["requestBody"]["metadata"]["name"].startswith(stem(tenant))
    assert sum(call["method"] == "POST" and call["status"] == 201 for call in inside) == 2 * EACH
    assert barrier.met > EACH
    asked = [call["clientId"] for call in calls if call["path"] == token_path()]
    for client in CLIENTS.values():
        assert (asked.count(client) > 1) == (trouble is not nothing)
    assert any(call["status"] == 401 for call in inside) == (trouble in (cut_short, revocation))
