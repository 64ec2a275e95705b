"""Field case 83: no secret in anything that the stack emits, whatever the other sides do with what they were sent."""

from __future__ import annotations

import asyncio
import base64
import json
import traceback
from typing import Any

import pytest

from hooks.aruba.cloud.endpoint import Token
from hooks.aruba.cloud.wire import Message
from hooks.aruba.credentials.access import Access, Lease
from hooks.aruba.credentials.credential import Credential
from hooks.http import AsyncClient
from hooks.settings import Settings
from tests.cases import nine
from tests.world.house import HOOKS, House, living
from tests.world.vault import FakeVault, of_vault

Object = dict[str, Any]
CLIENT, SECRET = "client-of-the-canary", "canary-client-secret+/=%&"
ROLE, ROLE_SECRET, VAULT_TOKEN = "canary-role-id", "canary-role-secret", "canary-vault-token"
HOOK_TOKEN = "canary-hook-token-0001"
TENANT = "ARU-000001"
BASIC = base64.b64encode(f"{CLIENT}:canary-client-secret%2B%2F%3D%25%26".encode()).decode()
PLANTED = (SECRET, "canary-client-secret", ROLE, ROLE_SECRET, VAULT_TOKEN, HOOK_TOKEN, BASIC)
ENVIRON = {
    "ARUBA_ROLE_ID": ROLE,
    "ARUBA_ROLE_SECRET": ROLE_SECRET,
    "ARUBA_HOOK_TOKEN": HOOK_TOKEN,
    "ARUBA_LOG_LEVEL": "trace",
}


class Blabbing(FakeVault):
    """Repeats what it was sent, wherever it says anything."""

    def login(self, access: Access) -> Lease:
        lease = super().login(access)
        return lease._replace(token=VAULT_TOKEN)


def echo(status: int, tokens: set[str], html: bool = False) -> Object:
    """An answer that repeats everything that could have been in the request."""
    bearers = [f"Bearer {token}" for token in tokens]
    said = " ".join([f"client_secret={SECRET}", f"Authorization: Basic {BASIC}", SECRET, *bearers])
    if html:
        return {"status": status, "text": f"<html><p>{said}</p></html>", "headers": {"content-type": "text/html"}}
    return {"status": status, "body": {"title": said, "detail": said, "errors": [{"field": "x", "message": said}]}}


async def emitted(house: House) -> str:
    """All that leaves the stack: log, objects, Events, metrics, readiness, the cloud's own list of calls."""
    http = AsyncClient(transport=house.net, base_url=f"http://{HOOKS}")
    pages = [(await http.get(path)).text for path in ("/metrics", "/readyz")]
    calls = json.dumps(await house.admin("GET", "calls"))
    return "\n".join(
        [house.log.getvalue(), json.dumps(await house.objects()), json.dumps(await house.events()), *pages, calls]
    )


def tokens(house: House) -> set[str]:
    """The access tokens that were given out, as far as they are good."""
    return set(house.simulator.world.tokens._tokens)


def found(text: str, more: set[str]) -> set[str]:
    return {canary for canary in (*PLANTED, *more) if canary in text}


@pytest.mark.parametrize("place", ["token", "cloud"])
@pytest.mark.parametrize(
    "status", [400, 401, 500, *(pytest.param(one, marks=pytest.mark.sweep) for one in (403, 404, 409, 422, 429, 503))]
)
@pytest.mark.parametrize("html", [False, True], ids=["json", "html"])
async def test_case_83_what_the_other_side_repeats_is_blotted_out(place: str, status: int, html: bool) -> None:
    """Case 83: token endpoint and API answer with all that they were sent; looks, creations and deletions meet it."""
    vault = Blabbing(**{TENANT: (CLIENT, SECRET)})
    async with living(**of_vault(vault, **ENVIRON)) as house:
        await house.admin("POST", "tokens", {"clients": {CLIENT: SECRET}})
        await nine.active(house, "VPC")
        given = tokens(house)
        assert given, "tokens were given out"
        if place == "token":
            await house.admin("POST", "tokens", {"revoke": "all"})
        path = "openid-connect/token" if place == "token" else "^/projects"
        sent = set() if place == "token" or status == 401 else given  # after a 401 other tokens are sent than these
        await house.faults({"match": {"path": path}, "then": echo(status, sent, html)})
        await house.apply(nine.subject("SecurityGroup"))
        await house.patch("VPC", "shop", {"metadata": {"annotations": {"arubacloud.com/reconcile-at": "now"}}})
        await house.delete("VPC", "shop")
        await house.until(lambda: _told(house), within=60)
        assert found(await emitted(house), given) == set()


async def _told(house: House) -> bool:
    return "***" in json.dumps(await house.objects()) + house.log.getvalue() or house.clock.monotonic() > 30


async def test_case_83_vault_that_repeats_everything() -> None:
    """Case 83: every way in which Vault can fail, each repeating role and secret_id and its own token."""
    for trouble in ("down", "refuses"):
        vault = Blabbing(**{TENANT: (CLIENT, SECRET)})
        setattr(vault, trouble, f"secret_id={ROLE_SECRET} role_id {ROLE}")
        async with living(**of_vault(vault, **ENVIRON)) as house:
            await house.admin("POST", "tokens", {"clients": {CLIENT: SECRET}})
            await house.apply(*nine.needs("VPC"), nine.subject("VPC"))
            await house.until(lambda: _says(house, "Vault at"), within=30)
            vault.down = vault.refuses = ""
            await nine_active(house)
            vault.down = f"secret_id={ROLE_SECRET} role_id {ROLE} token {VAULT_TOKEN}"
            await asyncio.sleep(4000)  # past what a pair is kept for
            await house.until(lambda: _says(house, "cannot be used"), within=600)
            assert found(await emitted(house), tokens(house)) == set()


async def _says(house: House, text: str) -> bool:
    return text in json.dumps(await house.objects())


async def nine_active(house: House) -> None:
    await house.until(house.all_active, within=120)


async def test_case_83_a_fault_of_ours_in_the_middle_of_a_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 83: an exception that nobody expected, with the request in its arguments and the secrets in its text."""
    vault = Blabbing(**{TENANT: (CLIENT, SECRET)})
    async with living(**of_vault(vault, **ENVIRON)) as house:
        await house.admin("POST", "tokens", {"clients": {CLIENT: SECRET}})
        await nine.active(house, "Project")
        token = next(iter(house.simulator.world.tokens._tokens))

        async def broken(*args: object, **more: object) -> object:
            headers = {"authorization": f"Bearer {token}", "client_secret": SECRET}
            raise RuntimeError(f"unexpected: {headers} client_secret={SECRET} {args!r}")

        monkeypatch.setattr("hooks.aruba.cloud.session.Session._attempt", broken)
        await house.patch("Project", "shop", {"metadata": {"annotations": {"arubacloud.com/reconcile-at": "now"}}})
        await house.until(lambda: _logged(house, "RuntimeError"), within=30)
        text = await emitted(house)
        assert "a hook failed" in text
        assert found(text, {token}) == set()


async def _logged(house: House, text: str) -> bool:
    return text in house.log.getvalue()


def secretive() -> list[object]:
    """Every value that carries a secret about."""
    files = {"client-id": "id", "client-secret": SECRET, "hook-token": HOOK_TOKEN}
    sent = Message("POST", "http://login", "token", {"authorization": f"Bearer {VAULT_TOKEN}"}, data={"x": SECRET})
    return [
        Settings.load({}, files, ENVIRON).settings,
        Credential("id", SECRET),
        Access("http://vault", role_id=ROLE, role_secret=ROLE_SECRET),
        Lease(VAULT_TOKEN, 1.0, True),
        Token(VAULT_TOKEN, 0, 0),
        sent,
    ]


@pytest.mark.parametrize("value", secretive(), ids=lambda value: type(value).__name__)
def test_case_83_no_value_that_carries_a_secret_shows_it(value: object) -> None:
    """Case 83: in a repr, and in the traceback of whatever was raised with one at hand."""
    assert value is not None
    told = [repr(value), str(value), f"{value}", *traceback.format_exception(ValueError(value))]
    assert not [canary for canary in PLANTED for text in told if canary in text]
