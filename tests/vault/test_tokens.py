"""The operator's own token at Vault: renewed, replaced at the end of its life, never asked for twice (cases 72)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from hooks.aruba.credentials import vault
from hooks.aruba.credentials.aside import Threads
from hooks.aruba.credentials.tenants import Ages, Tenants
from hooks.aruba.credentials.vaulted import BELIEVED_FOR, Found, Vaulted
from tests.vault.ahead import Ahead
from tests.vault.front import Front
from tests.vault.place import Place

pytestmark = pytest.mark.real_time


def vaulted(place: Place, before: Front, clock: Ahead | None = None) -> Vaulted:
    way = place.access(before.url)
    return Vaulted(vault, lambda: way, clock or Ahead())


async def looks(held: Vaulted, seconds: float, every: float = 0.1) -> set[Found]:
    found = set()
    for _ in range(round(seconds / every)):
        found.add((await asyncio.to_thread(held.look, "t-100")).found)
        await asyncio.sleep(every)
    return found


async def test_case_72_a_token_at_its_longest_life_is_followed_by_another(place: Place, before: Front) -> None:
    """The case's 20 s are five here: twice its longest life, with tokens of 2 s that may grow to 3 s."""
    place.role(token_ttl="2s", token_max_ttl="3s")
    assert await looks(vaulted(place, before), 5) == {Found.OK}
    assert before.statuses(403) <= 1
    assert 2 <= before.logins <= 4
    assert len(before.paths("renew-self")) <= 5


@pytest.mark.sweep
async def test_case_72_a_token_is_renewed_rather_than_replaced(place: Place, before: Front) -> None:
    place.role(token_ttl="2s", token_max_ttl="1h")
    assert await looks(vaulted(place, before), 3.2) == {Found.OK}
    assert before.logins == 1
    assert 1 <= len(before.paths("renew-self")) <= 3
    assert before.statuses(403) == 0


@pytest.mark.sweep
async def test_case_72_a_token_that_cannot_be_renewed_is_replaced_in_time(place: Place, before: Front) -> None:
    """A batch token's life is counted in whole seconds, so it may be one shorter than told: hence four of them."""
    place.role(token_type="batch", token_ttl="4s")
    assert await looks(vaulted(place, before), 3.5) == {Found.OK}
    assert before.statuses(403) == 0
    assert before.logins == 2
    assert before.paths("renew-self") == []


def test_case_72_a_token_with_a_number_of_uses(place: Place, before: Front) -> None:
    place.role(token_num_uses=4)
    held = vaulted(place, before)
    assert {held.look("t-100").found for _ in range(12)} == {Found.OK}
    assert before.logins <= 4
    assert before.statuses(403) <= 2 * before.logins


def test_case_72_look_ups_side_by_side_cause_one_login(place: Place, before: Front) -> None:
    held = vaulted(place, before)
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(held.look, ["t-100", "t-200"] * 16))
    assert {look.found for look in found} == {Found.OK}
    assert before.logins == 1


def test_case_72_a_revoked_token_costs_one_refusal_however_many_look(place: Place, before: Front) -> None:
    held = vaulted(place, before)
    held.look("t-100")
    place.call("POST", "auth/token/revoke", {"token": before.seen[-1].token})
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(held.look, ["t-100", "t-200"] * 8))
    assert {look.found for look in found} == {Found.OK}
    assert before.logins == 2


async def test_case_72_hooks_side_by_side_cause_one_login_and_one_look_up_a_tenant(place: Place, before: Front) -> None:
    clock = Ahead()
    tenants = Tenants(vaulted(place, before, clock).look, Ages, clock, Threads())
    pairs = await asyncio.gather(*(tenants.credential(f"t-{number % 2 + 1}00") for number in range(50)))
    assert {pair.client_id for pair in pairs} == {"id-100", "id-200"}
    assert (before.logins, len(before.paths("/data/"))) == (1, 2)


async def test_case_72_a_policy_that_the_role_is_given_later_counts_after_a_while(place: Place, before: Front) -> None:
    """A token keeps the policies of its login. One that is a few minutes old is replaced when it may not read."""
    clock = Ahead()
    held = vaulted(place, before, clock)
    place.allow("t-200")
    assert held.look("t-100").found is Found.DENIED
    place.call("PUT", "sys/policies/acl/late", {"policy": f'path "{place.mount}/data/*" {{capabilities = ["read"]}}'})
    place.role(token_policies=[place.policy, "late"])
    assert held.look("t-100").found is Found.DENIED
    assert before.logins == 1
    clock.off = BELIEVED_FOR
    assert held.look("t-100").found is Found.OK
    assert before.logins == 2


@pytest.mark.parametrize("change", [lambda place: place.allow("t-100"), lambda place: place.allow("*")])
def test_a_policy_that_grows_counts_at_once(place: Place, before: Front, change: Callable[[Place], None]) -> None:
    place.allow("t-200")
    held = vaulted(place, before)
    denied = held.look("t-100")
    assert denied.found is Found.DENIED
    assert f"no permission to read {place.mount}/t-100: check the policy of the role" in denied.text
    change(place)
    assert held.look("t-100").found is Found.OK
    assert before.logins == 1
