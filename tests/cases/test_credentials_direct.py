"""Field cases 10, 80 and 103: what credentials and settings lack is named, and what needs them waits."""

from __future__ import annotations

import asyncio
from dataclasses import fields
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from hooks.__main__ import main
from hooks.meta.times import format_duration
from hooks.settings import Settings
from tests.cases import nine
from tests.cases.tenants import OTHER, OWN, everything_since, last, ready, tell, two_tenants, until_ready
from tests.world.house import House
from tests.world.judge import condition, no_leftovers
from tests.world.manifests import make

pytestmark = pytest.mark.every_kind("BlockStorage")

Object = dict[str, Any]
PLAIN = {"ARUBA_CLIENT_ID": "key-1", "ARUBA_CLIENT_SECRET": "secret-1"}
VAULT = {"ARUBA_VAULT_ENABLED": "true", "ARUBA_VAULT_ADDRESS": "https://vault.example", "ARUBA_ROLE_ID": "r"}
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "settings.md"
NONE = "CredentialsUnavailable"


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_10_credentials_that_go_before_their_objects(kind: str) -> None:
    """Case 10: the secret is deleted, then the objects. They stay, say what is missing and where, ask seldom, and are
    gone by themselves once it is back; only our own finalizer is ever taken off.
    """
    async with two_tenants(ARUBA_CREDENTIALS_AGE="1s") as house:
        made = await nine.active(house, kind)
        await house.patch(kind, nine.name(kind), {"metadata": {"finalizers": [*await finalizers(house, kind), KEPT]}})
        pair = house.vault.secrets.pop(OWN)
        await asyncio.sleep(5)
        reads = len(house.vault.reads)
        await house.delete(kind, nine.name(kind))
        item = await until_ready(house, kind, NONE)
        told = item["status"]["message"]
        assert f"tenant {OWN}" in told
        assert f"kv/{OWN}" in told
        assert "delete-policy: orphan" in told
        assert pair[1] not in str(item)
        await asyncio.sleep(600)
        assert await ready(house, kind) == NONE
        assert len(house.vault.reads) - reads <= 25
        house.vault.secrets[OWN] = pair
        await house.until(lambda: only_kept(house, kind), within=120)
        assert made not in {row["id"] for row in await house.resources()}


KEPT = "example.com/somebody-elses"


async def finalizers(house: House, kind: str) -> list[str]:
    return list((await house.get(kind, nine.name(kind)) or {})["metadata"].get("finalizers", []))


async def only_kept(house: House, kind: str) -> bool:
    return await finalizers(house, kind) == [KEPT]


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_10_the_way_out_needs_no_credentials(kind: str) -> None:
    """Case 10: with `delete-policy: orphan` the object goes without a call; its resource is left."""
    async with two_tenants(ARUBA_CREDENTIALS_AGE="1s") as house:
        made = await nine.active(house, kind)
        del house.vault.secrets[OWN]
        await asyncio.sleep(5)
        await house.delete(kind, nine.name(kind))
        await until_ready(house, kind, NONE)
        since = await last(house)
        await tell(house, kind, delete_policy="orphan")
        await house.until(lambda: gone(house, kind))
        assert await everything_since(house, since) == []
        assert made in {row["id"] for row in await house.resources()}


async def gone(house: House, kind: str) -> bool:
    return await house.get(kind, nine.name(kind)) is None


async def test_case_10_a_whole_namespace_goes_when_its_secret_is_back() -> None:
    """Case 10: everything is deleted at once, without credentials; nothing is left when they return."""
    async with two_tenants(ARUBA_CREDENTIALS_AGE="1s") as house:
        await house.apply(*nine.needs("CloudServer"), nine.subject("CloudServer"))
        await house.until(house.all_active)
        pair = house.vault.secrets.pop(OWN)
        await asyncio.sleep(5)
        for item in await house.objects():
            await house.delete(item["kind"], item["metadata"]["name"])
        await asyncio.sleep(120)
        assert await house.resources() != []
        house.vault.secrets[OWN] = pair
        await house.until(house.all_gone, within=300)
        await no_leftovers(house)


async def test_case_10_another_tenants_objects_never_notice() -> None:
    """Case 10: one tenant's missing secret is that tenant's alone."""
    async with two_tenants(ARUBA_CREDENTIALS_AGE="1s") as house:
        await house.apply(make("Project", "theirs", {"tenant": OTHER}), nine.subject("Project"))
        await house.until(house.all_active)
        del house.vault.secrets[OWN]
        await asyncio.sleep(5)
        await house.delete("Project", "shop")
        await until_ready(house, "Project", NONE)
        await house.patch("Project", "theirs", {"spec": {"description": "goes on"}})
        await asyncio.sleep(30)
        theirs = await house.get("Project", "theirs") or {}
        assert condition(theirs, "Ready")["status"] == "True"
        assert [row["clientId"] for row in await house.writes()][-1] == "two"


@pytest.mark.parametrize("key", ["client-id", "client-secret"])
@pytest.mark.parametrize("value", ["", " ", "\n"])
def test_case_80_an_empty_half_of_the_pair_is_a_fault(key: str, value: str) -> None:
    """Case 80: in direct mode it is refused by name, whether it is missing, empty or blank, in a file or not."""
    variable = f"ARUBA_{key.replace('-', '_').upper()}"
    for secret, environ in (({key: value}, {**PLAIN, variable: ""}), ({}, {**PLAIN, variable: value})):
        loaded = Settings.load({}, secret, environ)
        assert loaded.settings is None
        assert [fault.partition(":")[0] for fault in loaded.faults] == [key]


@pytest.mark.parametrize(("pair", "key"), [(("one", ""), "client-secret"), (("", "s1"), "client-id")])
@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_80_with_half_a_pair_nothing_is_sent(kind: str, pair: tuple[str, str], key: str) -> None:
    """Case 80: not even a request for a token; the object names the key that is empty."""
    async with two_tenants() as house:
        house.vault.secrets[OWN] = pair
        await house.apply(*nine.needs(kind), nine.subject(kind))
        root = await until_ready(house, "Project", NONE)
        assert key in root["status"]["message"]
        await asyncio.sleep(120)
        assert await everything_since(house, 0) == []
        house.vault.secrets[OWN] = ("one", "s1")
        await house.until(house.all_active, within=400)


WRONG = {
    "ARUBA_API_GATEWAY": "api.example.com",
    "ARUBA_KEYCLOAK_URL": "login example",
    "ARUBA_LISTING_AGE": "banana",
    "ARUBA_PHASE_TIMEOUT": "-5m",
    "ARUBA_RATE_LIMIT": "0",
    "ARUBA_REPLICAS": "many",
    "ARUBA_TENANT_POLICY": "strict",
    "ARUBA_REFERENCE_POLICY": "none",
    "ARUBA_VAULT_ENABLED": "yes",
    "ARUBA_HOOK_AUTH": "off",
    "ARUBA_LOG_LEVEL": "loud",
}


def test_case_103_all_that_is_wrong_is_said_at_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Case 103: `serve` starts with nothing half right: one line for each fault, with key, value and what is expected.
    What it does not know is told with the key that was meant, and is no fault by itself.
    """
    for name, value in {**PLAIN, **WRONG, "ARUBA_LISTING_AGES": "5m"}.items():
        monkeypatch.setenv(name, value)
    assert main(["serve", "--port", "0"]) == 2
    lines = capsys.readouterr().err.splitlines()
    for name, value in WRONG.items():
        key = name.removeprefix("ARUBA_").lower().replace("_", "-")
        [line] = [line for line in lines if line.startswith(f"{key}:")]
        assert repr(value) in line
        assert name in line
        assert "expected" in line or "write it like" in line
    warned = Settings.load({}, {}, {**PLAIN, "ARUBA_LISTING_AGES": "5m"})
    assert warned.faults == ()
    assert [text for text in warned.warnings if "ARUBA_LISTING_AGE?" in text]


@pytest.mark.parametrize(
    ("environ", "keys"),
    [
        ({}, ["client-id", "client-secret"]),
        ({"ARUBA_VAULT_ENABLED": "true"}, ["vault-address", "role-id", "role-secret"]),
        ({**VAULT, "ARUBA_VAULT_AUTH": "kubernetes"}, ["vault-role"]),
        ({**VAULT, "ARUBA_VAULT_AUTH": "token"}, ["vault-token-file"]),
        ({**VAULT, **PLAIN}, ["role-secret"]),
        ({**PLAIN, "ARUBA_CREDENTIALS_AGE": "2h"}, ["credentials-kept"]),
    ],
)
def test_case_103_what_a_mode_needs_is_named(environ: dict[str, str], keys: list[str]) -> None:
    """Case 103: Vault mode never falls back to the pair of direct mode, nor one login to another."""
    loaded = Settings.load({}, {}, environ)
    assert loaded.settings is None
    assert [fault.partition(":")[0] for fault in loaded.faults] == keys


def test_case_103_a_secret_is_never_shown_in_its_fault() -> None:
    """Case 103: the line says where it stands and what was expected, not what it is."""
    loaded = Settings.load({}, {"client-secret": "canary\x07canary", "hook-token": "canary"}, PLAIN)
    assert [fault.partition(":")[0] for fault in loaded.faults] == ["client-secret", "hook-token"]
    assert "canary" not in " ".join(loaded.faults)


def test_case_103_the_page_of_settings_has_them_all() -> None:
    """Case 103: what may be set is on the page, by key and variable, with its default."""
    rows = [line.split("|")[1:4] for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    told = {key.strip(" `"): (variable.strip(" `"), default.strip(" `")) for key, variable, default in rows}
    made = Settings(client_id="x", client_secret="x")
    assert list(told) == [spec.name.replace("_", "-") for spec in fields(Settings)]
    for spec in fields(Settings):
        variable, default = told[spec.name.replace("_", "-")]
        assert variable == f"ARUBA_{spec.name.upper()}"
        assert default == ("" if spec.name in ("client_id", "client_secret") else shown(getattr(made, spec.name)))


def shown(value: Any) -> str:
    """A default as the page writes it."""
    if isinstance(value, timedelta):
        return format_duration(value)
    if isinstance(value, tuple):
        return " ".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)
