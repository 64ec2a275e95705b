"""The token endpoint and what a token opens (api §2, §13.3 point 16)."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

import pytest

from hooks.simulator import Simulator, token_path
from hooks.simulator.tokens import DEFAULT_CLIENTS
from tests.unit.simulator.caller import Session, opened
from tests.world.time import LoopClock


async def ask(session: Session, *, basic: str | None = None, realm: str = "any", **form: str) -> Any:
    headers = {"authorization": f"Basic {base64.b64encode(basic.encode()).decode()}"} if basic else {}
    return await session.client.post(token_path(realm), data=form, headers=headers)


async def test_both_ways_to_name_oneself() -> None:
    session = Session()
    form = await ask(session, grant_type="client_credentials", client_id="one", client_secret="secret-1")
    basic = await ask(session, basic="one:secret%2D1", grant_type="client_credentials")
    for answer in (form, basic):
        assert answer.status_code == 200
        assert answer.json() | {"access_token": ""} == {
            "access_token": "",
            "expires_in": 3600,
            "refresh_expires_in": 0,
            "token_type": "Bearer",
            "not-before-policy": 0,
            "scope": "profile email",
        }
        assert answer.json()["access_token"].count(".") == 2
    assert form.json()["access_token"] != basic.json()["access_token"]


@pytest.mark.parametrize(
    ("form", "status", "error"),
    [
        ({}, 400, "invalid_request"),
        ({"grant_type": "password"}, 400, "unsupported_grant_type"),
        ({"grant_type": "client_credentials"}, 401, "invalid_client"),
        ({"grant_type": "client_credentials", "client_id": "who", "client_secret": "x"}, 401, "invalid_client"),
        ({"grant_type": "client_credentials", "client_id": "one", "client_secret": "x"}, 401, "unauthorized_client"),
    ],
)
async def test_refusals_are_keycloaks(form: dict[str, str], status: int, error: str) -> None:
    answer = await ask(Session(), **form)
    assert (answer.status_code, answer.json()["error"]) == (status, error)
    assert answer.json()["error_description"]


async def test_a_token_opens_the_cloud_until_it_expires() -> None:
    session = await opened()
    assert (await session.call("GET", "/projects")).status_code == 200
    await asyncio.sleep(3599)
    assert (await session.call("GET", "/projects")).status_code == 200
    await asyncio.sleep(1)
    answer = await session.call("GET", "/projects")
    assert (answer.status_code, answer.json()["title"]) == (401, "Unauthorized")


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer nonsense", "Basic b25lOnNlY3JldC0x"])
async def test_nothing_else_opens_it(header: str) -> None:
    session = await opened()
    session.client.headers["authorization"] = header
    assert (await session.call("GET", "/projects")).status_code == 401


async def test_tokens_are_revoked_shortened_and_clients_added() -> None:
    session = await opened()
    assert await session.admin("POST", "/tokens", {"revoke": "two"}) == {"revoked": 0, "lifetime": 3600.0}
    assert (await session.call("GET", "/projects")).status_code == 200
    await session.admin("POST", "/tokens", {"revoke": "one", "lifetime": 10, "clients": {"new": "s"}})
    assert (await session.call("GET", "/projects")).status_code == 401
    await session.login("new", "s")
    await asyncio.sleep(9)
    assert (await session.call("GET", "/projects")).status_code == 200
    await asyncio.sleep(1)
    assert (await session.call("GET", "/projects")).status_code == 401


async def test_a_project_belongs_to_the_client_that_made_it() -> None:
    session = await opened()
    uri = await session.make("/projects", "mine", {}, placed=False)
    everybodys = await session.admin("POST", "/resources", {"kind": "Project", "name": "open"})
    await session.login("two", "secret-2")
    for path in (uri, f"{uri}/resources", f"{uri}/providers/Aruba.Network/vpcs"):
        answer = await session.call("GET", path)
        assert (answer.status_code, answer.json()["title"]) == (403, "Forbidden")
    assert [one["metadata"]["name"] for one in (await session.get("/projects"))["values"]] == ["open"]
    assert (await session.get(everybodys["uri"]))["metadata"]["name"] == "open"


def test_there_is_a_client_without_any_settings() -> None:
    assert DEFAULT_CLIENTS == {"aruba-local": "aruba-local-secret"}
    assert Simulator(LoopClock()).world.tokens.clients == DEFAULT_CLIENTS
