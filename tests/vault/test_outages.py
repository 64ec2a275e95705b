"""Vault sealed, down, slow, or hidden behind somebody else's page (cases 75, 93)."""

from __future__ import annotations

import asyncio
import time  # noqa: TID251  real seconds are what is judged here
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hooks.aruba.credentials import vault, vaulted
from hooks.aruba.credentials.aside import Threads
from hooks.aruba.credentials.credential import Credential
from hooks.aruba.credentials.tenants import Ages, Tenants
from hooks.aruba.credentials.vaulted import Found, Vaulted
from hooks.aruba.model.failure import Failure
from tests.vault.ahead import Ahead
from tests.vault.bao import Bao
from tests.vault.front import Front, Spoilt
from tests.vault.place import Place

PAIR = Credential("id-100", "secret-100")
PAGES = {
    "a proxy's 404": Spoilt(404, "<html>404 page not found</html>"),
    "a proxy's 403": Spoilt(403, "<html>blocked</html>"),
    "a page in place of Vault": Spoilt(200, "<html>welcome</html>"),
    "other JSON in place of Vault": Spoilt(200, '{"status": "ok"}', "application/json"),
    "other JSON with a 404": Spoilt(404, '{"message": "no such route"}', "application/json"),
    "a way to a login page": Spoilt(302, "", location="https://login.example/"),
    "a standby that sends elsewhere": Spoilt(307, "", location="https://active.example/v1/"),
    "a gateway": Spoilt(502, "<html>bad gateway</html>"),
    "a gateway out of time": Spoilt(504, "<html>timeout</html>"),
    "a standby": Spoilt(473, '{"errors": []}', "application/json"),
    "too many calls": Spoilt(429, '{"errors": ["request path: rate limit quota exceeded"]}', "application/json"),
    "a state that is not known here": Spoilt(412, '{"errors": ["required index state not present"]}'),
    "nothing": Spoilt(204, ""),
}


def furnished(bao: Bao) -> Place:
    place = Place(bao, "kv", "approle").furnish()
    place.put("t-100", "id-100", "secret-100")
    place.put("t-200", "id-200", "secret-200")
    return place


def test_case_75_sealed_and_unsealed_again(own: Bao) -> None:
    way = furnished(own).access()
    clock = Ahead()
    own.seal()
    held = Vaulted(vault, lambda: way, clock)
    look = held.look("t-100")
    assert look.found is Found.DOWN
    assert look.text == f"Vault at {own.url}: it cannot be used: Vault is sealed"
    own.unseal()
    clock.off += 3
    assert held.look("t-100").credential == PAIR
    own.seal()
    assert held.look("t-100").found is Found.DOWN
    own.unseal()
    assert held.look("t-100").credential == PAIR


def test_case_75_down_and_there_again_with_other_contents(own: Bao, tmp_path: Path) -> None:
    """What it comes back with is empty, so that the old token, role and secrets are all unknown to it."""
    way = furnished(own).access()
    clock = Ahead()
    held = Vaulted(vault, lambda: way, clock)
    assert held.look("t-100").credential == PAIR
    own.process.kill()
    own.process.wait()
    look = held.look("t-100")
    assert (look.found, look.text) == (Found.DOWN, f"Vault at {own.url}: it cannot be used: no connection")
    own.process = own.restart(tmp_path).process
    place = furnished(own)
    way = replace(place.access())
    assert held.look("t-100").credential == PAIR


@pytest.mark.parametrize("what", PAGES)
def test_what_is_not_vault_speaking_is_no_word_about_a_secret(place: Place, before: Front, what: str) -> None:
    """A pair goes on through it, as through any outage; neither login nor secret count as refused."""
    way = place.access(before.url)
    before.spoil = ("/login$", PAGES[what])
    clock = Ahead()
    held = Vaulted(vault, lambda: way, clock)
    assert held.look("t-100").found is Found.DOWN
    before.spoil = None
    clock.off += 3
    assert held.look("t-100").credential == PAIR
    before.spoil = ("/data/", PAGES[what])
    look = held.look("t-100")
    assert look.found is Found.DOWN
    assert look.text.startswith(f"Vault at {before.url}: it cannot be used: ")
    assert "\n" not in look.text
    before.spoil = None
    assert held.look("t-100").credential == PAIR


def test_no_call_follows_a_redirect(place: Place, before: Front) -> None:
    """It would carry the token or the secret_id to whoever is named."""
    way = place.access(before.url)
    before.spoil = ("/login$", Spoilt(307, "", location=f"{before.url}/v1/elsewhere"))
    look = Vaulted(vault, lambda: way, Ahead()).look("t-100")
    assert "answers 307 there is not Vault: check vault-address" in look.text
    assert before.paths("elsewhere") == []


def test_case_93_a_vault_that_never_answers_costs_one_wait_however_many_look(
    place: Place, before: Front, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vault, "CALL_TIME", 0.3)
    monkeypatch.setattr(vaulted, "AFTER_SILENCE", 0.2)  # shorter than the wait itself
    way = place.access(before.url)
    before.hold = "/login$"
    held = Vaulted(vault, lambda: way, Ahead())
    began = time.monotonic()
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(held.look, [f"t-{number}" for number in range(48)]))
    assert {look.found for look in found} == {Found.DOWN}
    assert "no answer in time" in found[0].text
    assert before.logins == 1
    assert time.monotonic() - began < 2


def test_case_93_a_renewal_that_is_never_answered_holds_up_one_look_up(
    place: Place, before: Front, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vault, "CALL_TIME", 0.3)
    way = place.access(before.url)
    clock = Ahead()
    held = Vaulted(vault, lambda: way, clock)
    held.look("t-100")
    clock.off = 0.9 * 32 * 24 * 3600
    before.hold = "renew-self"
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(held.look, ["t-100", "t-200"] * 8))
    assert {look.found for look in found} == {Found.OK}
    assert len([path for path in before.arrived if "renew-self" in path]) == 1


@pytest.mark.real_time
async def test_case_75_tenants_with_a_pair_go_on_for_a_bounded_time(own: Bao) -> None:
    way = furnished(own).access()
    clock, told = Ahead(), []
    looks = Vaulted(vault, lambda: way, clock).look
    tenants = Tenants(looks, lambda: Ages(10, 100), clock, Threads(), lambda *how: told.append(how[0]))
    assert await tenants.credential("t-100") == PAIR
    own.seal()
    for off in (11, 60, 99):
        clock.off = off
        assert await tenants.credential("t-100") == PAIR
        assert isinstance(await tenants.credential("t-200"), Failure)
    clock.off = 101
    failure = await tenants.credential("t-100")
    assert isinstance(failure, Failure)
    assert failure.text == f"tenant t-100: Vault at {own.url}: it cannot be used: Vault is sealed"
    own.unseal()
    clock.off = 200
    assert await tenants.credential("t-100") == PAIR
    assert set(told) == {Found.OK, Found.DOWN}


@pytest.mark.real_time
async def test_case_75_one_tenants_slow_secret_holds_up_nobody_else(
    place: Place, before: Front, monkeypatch: Any
) -> None:
    monkeypatch.setattr(vault, "CALL_TIME", 1.0)
    way = place.access(before.url)
    clock = Ahead()
    tenants = Tenants(Vaulted(vault, lambda: way, clock).look, Ages, clock, Threads())
    before.hold = "/data/t-100$"
    began = time.monotonic()
    slow = asyncio.gather(*(tenants.credential("t-100") for _ in range(50)))
    await asyncio.sleep(0)
    assert await tenants.credential("t-200") == Credential("id-200", "secret-200")
    assert time.monotonic() - began < 0.5
    assert not slow.done()
    assert {type(found) for found in await slow} == {Failure}
    assert len([path for path in before.arrived if path.endswith("/t-100")]) == 1
