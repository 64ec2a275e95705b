"""The whole stack over a real server: its calls block, so virtual time stands still while Vault answers."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Any

from hooks.aruba.credentials import vault
from hooks.http import AsyncClient
from hooks.simulator import token_path
from tests.cases.world import living
from tests.vault.bao import Bao
from tests.vault.front import Front, Spoilt
from tests.vault.place import Place
from tests.world.house import HOOKS, House
from tests.world.manifests import Object, make, project, ref, vpc

CLIENTS = {"id-100": "secret-100", "id-200": "secret-200"}


def house_of(place: Place, address: str = "", **environ: str) -> AbstractAsyncContextManager[House]:
    return living(vault=vault, environ=place.environ(address, **environ))


async def known(house: House, **clients: str) -> None:
    """The pairs of both tenants, less the one that works without Vault."""
    both = {name.replace("_", "-"): secret for name, secret in clients.items()} or CLIENTS
    await house.admin("POST", "tokens", {"clients": both})


def net(name: str, of: str, tenant: str, **annotations: str) -> Object:
    return make("VPC", name, {"tenant": tenant, "projectReference": ref(of)}, **annotations)


async def ready(house: House, kind: str, name: str) -> tuple[str, str, str]:
    """Phase, reason of Ready and message."""
    status = await house.status(kind, name)
    conditions = {one["type"]: one for one in status.get("conditions", [])}
    return status.get("phase", ""), conditions.get("Ready", {}).get("reason", ""), status.get("message", "")


async def reason(house: House, kind: str, name: str) -> str:
    return (await ready(house, kind, name))[1]


async def peers(house: House) -> tuple[int, dict[str, Any]]:
    async with AsyncClient(transport=house.net, base_url=f"http://{HOOKS}") as client:
        assert (await client.get("/healthz")).status_code == 200
        answer = await client.get("/readyz")
        return answer.status_code, answer.json()["peers"]


async def metric(house: House, outcome: str) -> float:
    labels = {"tenant_mode": "vault", "outcome": outcome}
    return house.operator.telemetry.metrics.registry.get_sample_value("aruba_credentials_total", labels) or 0.0


async def token_calls(house: House, since: int = 0) -> list[Object]:
    rows: list[Object] = await house.admin("GET", f"calls?since={since}")
    return [row for row in rows if row["path"] == token_path()]


async def test_each_tenant_works_with_its_own_pair(place: Place) -> None:
    async with house_of(place) as house:
        await known(house)
        await house.apply(project("prj-1", tenant="t-100"), net("net-1", "prj-1", "t-100"))
        await house.apply(project("prj-2", tenant="t-200"), net("net-2", "prj-2", "t-200"))
        await house.until(house.all_active)
        ids = {(await house.status("Project", f"prj-{n}"))["resourceID"]: f"id-{n}00" for n in (1, 2)}
        for call in await house.calls(path="/providers/"):
            assert call["clientId"] == ids[call["path"].split("/")[2]]
        assert await metric(house, "found") == 2
        assert (await peers(house))[1]["vault"]["state"] == "ok"


async def test_case_75_sealed_at_start_is_alive_and_ready_and_recovers(own: Bao) -> None:
    """Departs from the case: the Pod stays ready (interfaces, "/readyz"), so that objects are told what is wrong."""
    place = Place(own, "kv", "approle").furnish()
    place.put("t-100", "id-100", "secret-100")
    environ = place.environ()
    own.seal()
    async with living(vault=vault, environ=environ) as house:
        await known(house)
        await house.apply(project(tenant="t-100"))
        await house.until(lambda: is_(house, "Project", "prj-a", "CredentialsUnavailable"))
        told = (await ready(house, "Project", "prj-a"))[2]
        assert f"tenant t-100: Vault at {own.url}: it cannot be used: Vault is sealed" in told
        status, seen = await peers(house)
        assert status == 200
        assert (seen["vault"]["state"], "Vault is sealed" in seen["vault"]["detail"]) == ("failing", True)
        assert await metric(house, "unreachable") >= 1
        assert await house.calls() == []
        own.unseal()
        await house.until(house.all_active, within=180)
        assert (await peers(house))[1]["vault"]["state"] == "ok"


async def is_(house: House, kind: str, name: str, word: str) -> bool:
    return await reason(house, kind, name) == word


async def test_case_75_an_outage_spares_tenants_with_a_pair_within_its_bound(own: Bao) -> None:
    place = Place(own, "kv", "approle").furnish()
    for number in (1, 2):
        place.put(f"t-{number}00", f"id-{number}00", f"secret-{number}00")
    ages = {"CREDENTIALS_AGE": "1m", "CREDENTIALS_KEPT": "20m", "LISTING_AGE": "30s"}
    async with house_of(place, **ages) as house:
        await known(house)
        await house.apply(project("prj-1", tenant="t-100"), project("prj-2", tenant="t-200"))
        await house.until(house.all_active)
        own.seal()
        began = house.clock.monotonic()
        await house.apply(net("net-1", "prj-1", "t-100"), project("prj-3", tenant="t-300"))
        await house.until(lambda: is_(house, "VPC", "net-1", "Available"))
        assert await reason(house, "Project", "prj-3") == "CredentialsUnavailable"
        await house.until(lambda: is_(house, "VPC", "net-1", "CredentialsUnavailable"), within=1500, every=5)
        assert 1080 < house.clock.monotonic() - began < 1320
        before = await house.calls()
        phase, _, told = await ready(house, "VPC", "net-1")
        assert (phase, "Vault is sealed" in told) == ("Active", True)
        own.unseal()
        await house.until(lambda: is_(house, "VPC", "net-1", "Available"), within=300, every=5)
        assert len(await house.calls()) > len(before)


async def test_case_75_a_denied_tenant_does_not_slow_another(place: Place) -> None:
    place.allow("t-200")
    async with house_of(place) as house:
        await known(house)
        await house.apply(*(project(f"bad-{n}", tenant="t-100") for n in range(20)))
        await house.apply(project("good", tenant="t-200"), net("good-net", "good", "t-200"))
        took = await house.until(lambda: is_(house, "VPC", "good-net", "Available"))
        assert took < 10
        _, why, told = await ready(house, "Project", "bad-0")
        assert why == "CredentialsUnavailable"
        assert f"tenant t-100: Vault at {place.bao.url}: no permission to read {place.mount}/t-100" in told
        place.allow("*")
        await house.until(house.all_active, within=300, every=1)


async def test_case_79_a_rotated_pair_is_read_once_and_the_same_pass_goes_on(place: Place) -> None:
    """Version 2 replaces version 1, and the old secret stops working at that moment: no object ever shows it."""
    async with house_of(place) as house:
        await known(house)
        mine = await house.admin("POST", "resources", {"kind": "Project", "name": "prj-a"})  # open to both keys
        owned = make("Project", "prj-a", {"tenant": "t-100"}, resource_id=mine["id"])
        await house.apply(owned, net("net-a", "prj-a", "t-100"))
        await house.until(house.all_active)
        await house.clock.sleep(30)
        place.put("t-100", "id-101", "secret-101")
        await known(house, id_100="another", id_101="secret-101")
        await house.admin("POST", "tokens", {"revoke": "id-100"})
        since, looked = (await house.admin("GET", "calls"))[-1]["n"], await metric(house, "found")
        shown: list[str] = []
        await house.patch("VPC", "net-a", {"spec": {"tags": ["newer"]}})

        async def changed() -> bool:
            shown.append(await reason(house, "VPC", "net-a"))
            return (await house.resources("VPC"))[0]["tags"].count("newer") == 1 and shown[-1] == "Available"

        await house.until(changed)
        assert "CredentialsUnavailable" not in shown
        assert await metric(house, "found") == looked + 1
        asked = await token_calls(house, since)
        refused = [row["clientId"] for row in asked if row["status"] != 200]
        assert set(refused) == {"id-100"}
        assert [row["clientId"] for row in asked if row["status"] == 200] == ["id-101"]
        good = [call["clientId"] for call in await house.calls(since) if call["status"] < 300]
        assert set(good) == {"id-101"}
        events = [event["message"] for event in await house.events()]
        assert not [message for message in events if "refuses the API key" in message]


async def test_case_10_deletions_wait_for_the_secret_and_finish_when_it_is_back(place: Place) -> None:
    async with house_of(place, CREDENTIALS_AGE="10s", CREDENTIALS_KEPT="10s") as house:
        await known(house)
        await house.apply(project(tenant="t-100"), net("net-a", "prj-a", "t-100"))
        await house.until(house.all_active)
        place.delete("t-100")
        await house.clock.sleep(30)
        for kind, name in (("VPC", "net-a"), ("Project", "prj-a")):
            await house.delete(kind, name)
        await house.until(lambda: is_(house, "VPC", "net-a", "CredentialsUnavailable"))
        since = (await house.calls())[-1]["n"]
        await house.clock.sleep(1800)
        phase, why, told = await ready(house, "VPC", "net-a")
        assert (phase, why) in {("Deleting", "CredentialsUnavailable"), ("Failed", "Timeout")}
        assert "tenant t-100: " in told
        assert f"the latest version of {place.mount}/t-100 is deleted" in told
        assert "arubacloud.com/delete-policy: orphan" in told
        assert "secret-100" not in told
        assert await house.calls(since) == []
        assert await metric(house, "missing") < 60
        place.undelete("t-100", 1)
        await house.until(house.all_gone, within=300)
        assert await house.resources() == []


async def test_case_10_delete_policy_orphan_is_the_way_out_without_any_call(place: Place) -> None:
    """Departs in the name: the annotation is `arubacloud.com/delete-policy` here."""
    async with house_of(place, CREDENTIALS_AGE="10s", CREDENTIALS_KEPT="10s") as house:
        await known(house)
        await house.apply(project(tenant="t-100"), net("net-a", "prj-a", "t-100"))
        await house.until(house.all_active)
        place.delete("t-100")
        await house.clock.sleep(30)
        since = (await house.calls())[-1]["n"]
        await house.delete("VPC", "net-a")
        await house.until(lambda: is_(house, "VPC", "net-a", "CredentialsUnavailable"))
        annotations = {"arubacloud.com/delete-policy": "orphan"}
        await house.patch("VPC", "net-a", {"metadata": {"annotations": annotations}})
        await house.until(lambda: gone(house, "VPC", "net-a"), within=30)
        assert await house.calls(since) == []
        assert [one["name"] for one in await house.resources("VPC")] == ["net-a"]
        project_left = await house.get("Project", "prj-a")
        assert project_left is not None
        assert project_left["metadata"].get("finalizers")


async def gone(house: House, kind: str, name: str) -> bool:
    return await house.get(kind, name) is None


async def test_case_80_an_empty_secret_sends_nothing(place: Place) -> None:
    place.put("t-100", "id-100", "")
    async with house_of(place) as house:
        await house.apply(project(tenant="t-100"))
        await house.until(lambda: is_(house, "Project", "prj-a", "CredentialsUnavailable"))
        told = (await ready(house, "Project", "prj-a"))[2]
        assert f"the secret {place.mount}/t-100 lacks client-secret" in told
        assert (await house.calls(), await token_calls(house)) == ([], [])


async def test_an_answer_that_was_never_vaults_takes_no_pair_away(place: Place, before: Front) -> None:
    """A proxy's page in place of Vault for twenty minutes: everything goes on."""
    async with house_of(place, before.url, CREDENTIALS_AGE="1m", LISTING_AGE="1m") as house:
        await known(house)
        await house.apply(project(tenant="t-100"), vpc(tenant="t-100"))
        await house.until(house.all_active)
        before.spoil = ("", Spoilt(404, "<html>404 page not found</html>"))
        await house.clock.sleep(1200)
        assert await reason(house, "VPC", "net-a") == "Available"
        assert (await peers(house))[1]["vault"]["state"] == "failing"
