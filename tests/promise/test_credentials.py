"""Chapter "Authentication Modes" (EN-49 to EN-55). With a real Vault the same is tried in tests/vault."""

from __future__ import annotations

from typing import Any

from hooks.settings import Settings
from hooks.simulator import token_path
from tests.promise.films import has_phase
from tests.world.film import Film, first
from tests.world.house import API, PLURALS, House, living
from tests.world.manifests import fixture_set, name_of, project, ref, vpc
from tests.world.vault import FakeVault, of_vault

Object = dict[str, Any]
SECRET = {"client-id": "aruba-local", "client-secret": "aruba-local-secret"}
CONFIG = {"api-gateway": "http://cloud.test", "keycloak-url": "http://cloud.test/auth", "realm-api": "cmp-new-apikey"}


def test_en_49_the_config_map_chooses_the_mode() -> None:
    """`vault-enabled`: left out or "false" is direct mode; "true" never falls back to the direct credentials."""
    for chosen in ({}, {"vault-enabled": "false"}, {"vault-enabled": ""}):
        loaded = Settings.load({**CONFIG, **chosen}, SECRET, {})
        assert loaded.faults == ()
        assert loaded.settings is not None
        assert loaded.settings.vault_enabled is False
        assert loaded.settings.client_id == "aruba-local"
    vault = Settings.load({**CONFIG, "vault-enabled": "true"}, SECRET, {})
    assert vault.settings is None
    assert [fault.partition(":")[0] for fault in vault.faults] == ["vault-address", "role-id", "role-secret"]


async def test_en_50_direct_mode_uses_one_set_of_credentials() -> None:
    """Objects of three tenants: every call carries the one client ID, from one token."""
    async with living() as house:
        tenants = ["ARU-1", "ARU-2", "ARU-3"]
        for tenant in tenants:
            own = f"prj-{tenant.lower()}"
            await house.apply(project(own, tenant=tenant))
            await house.apply(vpc(f"net-{tenant.lower()}", tenant=tenant, projectReference=ref(own)))
        await house.until(house.all_active)
        calls = await house.calls()
        assert len(await house.writes()) == 6
        assert {call["clientId"] for call in calls} == {"aruba-local"}
        assert len(await _token_calls(house)) == 1


async def _token_calls(house: House) -> list[Object]:
    rows: list[Object] = await house.admin("GET", "calls")
    return [row for row in rows if row["path"] == token_path()]


def test_en_51_tenant_may_be_given_on_each_resource(life: Film) -> None:
    """Every object's tenant is kept as it was given, and noted on the object as the one its resource was made under."""
    for frames in life.objects().values():
        frame = first(frames, "Active")
        assert frame.object["spec"]["tenant"] == "ARU-000001"
        assert frame.meta["annotations"]["arubacloud.com/resource-tenant"] == f"ARU-000001 {frame.meta['uid']}"


async def test_en_52_with_vault_each_tenant_has_credentials_of_its_own() -> None:
    """Two tenants, one operator: what each one's objects need is called with the pair that Vault has for it."""
    vault = FakeVault(t_100=("one", "s1"), t_200=("two", "s2"))
    async with living(**of_vault(vault)) as house:
        await house.admin("POST", "tokens", {"clients": {"one": "s1", "two": "s2"}})
        clients = {"t-100": "one", "t-200": "two"}
        for tenant in clients:
            await house.apply(project(f"prj-{tenant}", tenant=tenant))
            await house.apply(vpc(f"net-{tenant}", tenant=tenant, projectReference=ref(f"prj-{tenant}")))
        await house.until(house.all_active)
        for tenant, client in clients.items():
            own = (await house.status("Project", f"prj-{tenant}"))["resourceID"]
            assert {call["clientId"] for call in await house.calls(path=own)} == {client}
        assert {call["clientId"] for call in await _token_calls(house)} == {"one", "two"}


async def test_en_53_each_tenant_is_a_look_up_of_its_own() -> None:
    """One look-up for each of three tenants, however many objects name it; a fourth that has no secret is told of."""
    vault = FakeVault(t_1=("one", "s1"), t_2=("two", "s2"), t_3=("three", "s3"))
    async with living(**of_vault(vault)) as house:
        await house.admin("POST", "tokens", {"clients": {"one": "s1", "two": "s2", "three": "s3"}})
        for number in range(9):
            await house.apply(project(f"prj-{number}", tenant=f"t-{number % 3 + 1}"))
        await house.until(house.all_active)
        assert sorted(vault.reads) == ["t-1", "t-2", "t-3"]
        await house.apply(project("prj-lost", tenant="t-4"))
        await house.until(lambda: _says(house, "prj-lost", "there is no secret kv/t-4"))


async def _says(house: House, name: str, text: str) -> bool:
    return text in (await house.status("Project", name)).get("message", "")


async def test_en_54_tenant_can_be_changed_except_on_a_project() -> None:
    """Accepted by the API server for every kind, before and after its resource exists; for a Project never."""
    house = House()
    await house.prepare()
    try:
        items = [*fixture_set("Test10")]
        await house.apply(*items)
        for made in (False, True):
            for item in items:
                if made:
                    await _with_resource(house, item)
                await _change_tenant(house, item, "ARU-1" if made else "ARU-2")
    finally:
        await house.kubernetes.aclose()


async def _with_resource(house: House, item: Object) -> None:
    url = f"{API}/namespaces/default/{PLURALS[item['kind']]}/{name_of(item)}/status"
    patch = {"status": {"resourceID": "5da7", "phase": "Active"}}
    answer = await house.kube.patch(url, json=patch, headers={"Content-Type": "application/merge-patch+json"})
    assert answer.status_code == 200


async def _change_tenant(house: House, item: Object, tenant: str) -> None:
    url = f"{API}/namespaces/default/{PLURALS[item['kind']]}/{name_of(item)}"
    patch = {"spec": {"tenant": tenant}}
    answer = await house.kube.patch(url, json=patch, headers={"Content-Type": "application/merge-patch+json"})
    if item["kind"] == "Project":
        assert answer.status_code == 422
        assert "spec.tenant" in answer.json()["message"]
        assert "tenant is immutable" in answer.json()["message"]
    else:
        assert answer.status_code == 200, answer.text
        assert answer.json()["spec"]["tenant"] == tenant


async def test_en_55_a_wrong_tenant_is_corrected_in_place() -> None:
    async with living() as house:
        await house.apply(project(tenant="t-100"), vpc(tenant="t-999"))
        await house.until(lambda: has_phase(house, "VPC", "net-a", "Failed"))
        before = await house.get("VPC", "net-a")
        await house.patch("VPC", "net-a", {"spec": {"tenant": "t-100"}})
        await house.until(house.all_active, within=10)
        after = await house.get("VPC", "net-a")
        assert before is not None
        assert after is not None
        assert before["metadata"]["uid"] == after["metadata"]["uid"]
        assert "resourceID" not in before["status"]
        assert after["status"]["resourceID"] == (await house.resources("VPC"))[0]["id"]
