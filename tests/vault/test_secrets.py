"""What may be wrong with one tenant's secret, and what is said about it; the others go on (cases 3, 75, 80)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hooks.aruba.credentials import vault
from hooks.aruba.credentials.aside import Threads
from hooks.aruba.credentials.credential import Credential
from hooks.aruba.credentials.tenants import Ages, Tenants
from hooks.aruba.credentials.vaulted import Found, Look, Vaulted
from hooks.aruba.model.failure import Cause, Failure
from tests.vault.ahead import Ahead
from tests.vault.front import Front
from tests.vault.place import Place


def vaulted(place: Place, **other: Any) -> Vaulted:
    way = replace(place.access(), **other)
    return Vaulted(vault, lambda: way, Ahead())


def fine(held: Vaulted) -> bool:
    """Whether the other tenant goes on."""
    return held.look("t-200").credential == Credential("id-200", "secret-200")


def test_case_75_one_tenant_is_denied_and_another_goes_on(place: Place) -> None:
    place.allow("t-200")
    held = vaulted(place)
    look = held.look("t-100")
    assert look.found is Found.DENIED
    assert f"no permission to read {place.mount}/t-100" in look.text
    assert "check the policy of the role, kv-mount and kv-prefix" in look.text
    assert fine(held)


def test_a_deleted_version_is_told_as_such_and_serves_again_when_it_is_back(place: Place) -> None:
    held = vaulted(place)
    place.delete("t-100")
    look = held.look("t-100")
    assert look.found is Found.MISSING
    assert f"the latest version of {place.mount}/t-100 is deleted" in look.text
    assert fine(held)
    place.undelete("t-100", 1)
    assert held.look("t-100").found is Found.OK


def test_a_destroyed_version_does_not_bring_an_older_one_back(place: Place) -> None:
    place.put("t-100", "id-101", "secret-101")
    place.destroy("t-100", 2)
    held = vaulted(place)
    look = held.look("t-100")
    assert (look.found, look.credential) == (Found.MISSING, None)
    assert f"{place.mount}/t-100" in look.text
    assert "destroyed" in look.text
    assert fine(held)


def test_a_secret_that_is_not_there(place: Place) -> None:
    held = vaulted(place)
    look = held.look("t-300")
    assert look.found is Found.MISSING
    assert f"there is no secret {place.mount}/t-300" in look.text
    assert fine(held)


@pytest.mark.parametrize(
    ("values", "lacking"),
    [
        ({"client-id": "id"}, "client-secret"),
        ({"client-secret": "canary"}, "client-id"),
        ({"client_id": "id", "client_secret": "canary"}, "client-id and client-secret"),
        ({}, "client-id and client-secret"),
        ({"client-id": "id", "client-secret": ""}, "client-secret"),
        ({"client-id": " \n", "client-secret": "canary"}, "client-id"),
        ({"client-id": "id", "client-secret": None}, "client-secret"),
        ({"client-id": "id", "client-secret": ["canary"]}, "client-secret"),
    ],
)
def test_case_80_what_is_missing_or_empty_is_named_and_nothing_is_shown(
    place: Place, values: dict[str, Any], lacking: str
) -> None:
    place.write("t-100", values)
    held = vaulted(place)
    look = held.look("t-100")
    assert look.found is Found.MISSING
    assert look.text == f"Vault at {place.bao.url}: the secret {place.mount}/t-100 lacks {lacking}"
    assert "canary" not in repr(look)
    assert fine(held)


def test_a_newline_at_the_end_of_a_value_is_not_part_of_it(place: Place) -> None:
    place.put("t-100", "id-100\n", " secret-100\n")
    assert vaulted(place).look("t-100").credential == Credential("id-100", "secret-100")


def test_a_mount_that_is_not_there(place: Place) -> None:
    """With rights on it, Vault says that nothing is mounted; without, it says no more than that they are missing."""
    elsewhere = f"{place.mount}-elsewhere"
    denied = vaulted(place, kv_mount=elsewhere).look("t-100")
    assert denied.found is Found.DENIED
    assert f"no permission to read {elsewhere}/t-100: check the policy of the role, kv-mount" in denied.text
    place.call("PUT", f"sys/policies/acl/{place.policy}", {"policy": 'path "*" {capabilities = ["read"]}'})
    missing = vaulted(place, kv_mount=elsewhere).look("t-100")
    assert missing.found is Found.MISSING
    assert f"kv-mount: no secrets engine is mounted at {elsewhere}" in missing.text


def test_a_mount_of_version_1(place: Place) -> None:
    """Its paths have no `data/`, so the secret is not found there; one that somebody put there is no version of one."""
    old = f"{place.mount}-old"
    place.call("POST", f"sys/mounts/{old}", {"type": "kv", "options": {"version": "1"}})
    place.call("PUT", f"sys/policies/acl/{place.policy}", {"policy": f'path "{old}/*" {{capabilities = ["read"]}}'})
    place.call("POST", f"{old}/t-100", {"client-id": "id-100", "client-secret": "canary"})
    look = vaulted(place, kv_mount=old).look("t-100")
    assert look.found is Found.MISSING
    assert "version 2" in look.text
    place.call("POST", f"{old}/data/t-100", {"client-id": "id-100", "client-secret": "canary"})
    look = vaulted(place, kv_mount=old).look("t-100")
    assert look.found is Found.MISSING
    assert "kv-mount is no KV secrets engine of version 2" in look.text
    assert "canary" not in repr(look)


@pytest.mark.parametrize(
    "tenant",
    [
        "t-200/../t-300",
        "../sys/mounts",
        "t-100%2f..",
        "T-100 ",
        "t" * 300,
        "t-100\n",
        "t-100\nX-Vault-Token: root",
        "",
        "..",
        ".",
        "t..100",
        "t-100/",
        "t-100?version=1",
        "t-100#",
        "tenänt",
    ],
)
@pytest.mark.real_time
async def test_case_3_a_tenant_that_is_no_name_never_reaches_vault(place: Place, before: Front, tenant: str) -> None:
    asked: list[str] = []
    held = vaulted(place, address=before.url)

    def look(name: str) -> Look:
        asked.append(name)
        return held.look(name)

    tenants = Tenants(look, Ages, Ahead(), Threads())
    failure = await tenants.credential(tenant)
    assert isinstance(failure, Failure)
    assert (failure.cause, failure.sent) == (Cause.CREDENTIALS, False)
    assert "no name of a tenant" in failure.text or "means no tenant" in failure.text
    assert "\n" not in failure.text
    assert (asked, before.arrived) == ([], [])


@pytest.mark.real_time
async def test_case_75_a_pair_that_was_taken_away_does_not_go_on(place: Place) -> None:
    """Unlike in an outage, it is Vault's own word that there is none."""
    clock = Ahead()
    way = place.access()
    tenants = Tenants(Vaulted(vault, lambda: way, clock).look, lambda: Ages(10, 1000), clock, Threads())
    assert isinstance(await tenants.credential("t-100"), Credential)
    place.delete("t-100")
    clock.off += 11
    await tenants.credential("t-100")
    failure = await until_failure(tenants, clock)
    assert "is deleted" in failure.text
    assert isinstance(await tenants.credential("t-200"), Credential)


async def until_failure(tenants: Tenants, clock: Ahead) -> Failure:
    """The look-up is made beside the answer that the old pair still gives."""
    for _ in range(100):
        found = await tenants.credential("t-100")
        if isinstance(found, Failure):
            return found
        await clock.sleep(0.02)
    raise AssertionError("the pair goes on")
