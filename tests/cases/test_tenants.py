"""Field cases 3 and 81: whose an object is. Judged before anything is asked of Vault or of the cloud."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from hooks.aruba.credentials.credential import Credential
from hooks.aruba.credentials.tenants import Ages, Tenants
from hooks.aruba.credentials.vaulted import Found, Look
from hooks.aruba.model.failure import Cause, Failure
from hooks.aruba.model.tenant import fits
from hooks.http import Request, Response
from tests.cases import nine
from tests.cases.estate import noted
from tests.cases.tenants import (
    MERGE,
    OTHER,
    OWN,
    everything_since,
    last,
    moved,
    past_the_schema,
    ready,
    refused,
    say,
    tell,
    two_tenants,
    until_ready,
)
from tests.cases.world import living
from tests.world.house import HOOKS, KUBE, House
from tests.world.judge import condition, no_leftovers
from tests.world.manifests import make, ref
from tests.world.time import LoopClock
from tests.world.vault import ENVIRON, FakeVault

pytestmark = pytest.mark.every_kind("SecurityRule")

Object = dict[str, Any]
PATHS = ["t-200/../t-300", "../sys/mounts", "t-100%2f..", "T-100 ", "x" * 300]
"""The five strings of case 3(b)."""
BY_NAMESPACE = {"ARUBA_TENANT_POLICY": "namespace"}
BARRED, UNEQUAL = "TenantNotAllowed", "TenantMismatch"


async def clients(house: House, since: int = 0) -> set[str]:
    return {str(row["clientId"]) for row in await house.calls(since)}


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_3_a_namespace_names_only_its_tenants(kind: str) -> None:
    """Case 3(a): no look-up in Vault, no call, not one for a token; told as refused. Allowed later, all goes on."""
    async with two_tenants(**BY_NAMESPACE) as house:
        await say(house, "default", tenants="t-100, t-300")
        await house.apply(*nine.needs(kind), nine.subject(kind))
        item = await until_ready(house, kind, BARRED)
        await asyncio.sleep(300)
        refused(await house.get(kind, nine.name(kind)) or {}, BARRED)
        assert f"'{OWN}' is not allowed in Namespace default" in item["status"]["message"]
        assert "arubacloud.com/tenants" in item["status"]["message"]
        assert house.vault.asked == []
        assert await everything_since(house, 0) == []
        await say(house, "default", tenants=f"t-100, {OWN}")
        await house.until(house.all_active, within=60)
        assert set(house.vault.reads) == {OWN}


@pytest.mark.parametrize("kind", nine.CHILDREN)
@pytest.mark.parametrize("said", [OWN, ""])
async def test_case_3_a_child_may_not_get_at_a_tenant_by_its_parent(kind: str, said: str) -> None:
    """Case 3(a): team-blue may name t-200 only; it refers to another Namespace's Project, and names that one's tenant
    or leaves its own out.
    """
    async with two_tenants(**BY_NAMESPACE) as house:
        await say(house, "default", tenants=OWN)
        await say(house, "team-blue", tenants=OTHER)
        await nine.prepared(house, kind)
        since, reads = await last(house), len(house.vault.asked)
        await house.apply(moved(nine.subject(kind, tenant=said), "team-blue"))
        refused(await until_ready(house, kind, BARRED, "team-blue"), BARRED)
        await asyncio.sleep(60)
        assert [row["path"] for row in await house.writes(since)] == []
        assert len(house.vault.asked) == reads
        assert await nine.ever(house, kind) == []


async def test_case_3_a_namespace_without_the_annotation_names_nobody() -> None:
    """Case 3(a): no annotation, an empty one, and one of commas allow nothing; not even to name no tenant."""
    async with two_tenants(**BY_NAMESPACE) as house:
        for text in (None, "", " , ,", "*", f"{OWN}x"):
            await say(house, "default", tenants=text)
            await house.apply(nine.subject("Project"))
            refused(await until_ready(house, "Project", BARRED), BARRED)
            await house.delete("Project", "shop")
            await house.until(house.all_gone)
        await house.apply(nine.subject("Project", tenant=""))
        item = await until_ready(house, "Project", BARRED)
        assert "to name no tenant is not allowed" in item["status"]["message"]
        assert house.vault.asked == []


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_3_a_marks_of_another_tenant_are_no_way_around(kind: str) -> None:
    """Case 3(a): who writes on an Active object that it was made under t-200 gets nothing asked as t-200, and is
    told so; its end waits, with the way out in the message, and the way out asks nothing either.
    """
    async with two_tenants(**BY_NAMESPACE) as house:
        await say(house, "default", tenants=OWN)
        made = await nine.active(house, kind)
        uid = (await house.get(kind, nine.name(kind)) or {})["metadata"]["uid"]
        since, reads = await last(house), len(house.vault.asked)
        await tell(house, kind, resource_tenant=f"{OTHER} {uid}", create_pending=f"2020-01-01T00:00:00Z {uid}")
        refused(await until_ready(house, kind, BARRED), BARRED)
        await house.delete(kind, nine.name(kind))
        item = await until_ready(house, kind, "DeletionBlocked")
        assert f"'{OTHER}' is not allowed" in item["status"]["message"]
        assert "delete-policy: orphan" in item["status"]["message"]
        await asyncio.sleep(60)
        assert await everything_since(house, since) == []
        assert house.vault.asked[reads:] == []
        await tell(house, kind, delete_policy="orphan")
        await house.until(lambda: _gone(house, kind))
        assert await everything_since(house, since) == []
        assert made in {row["id"] for row in await house.resources()}


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_3_a_forged_attempt_and_id_before_anything_was_made(kind: str) -> None:
    """Case 3(a): with marks of an attempt that never was, and an ID to adopt, under a tenant that is not allowed."""
    async with two_tenants(**BY_NAMESPACE) as house:
        await say(house, "default", tenants=OWN)
        item = await nine.prepared(house, kind)
        house.operator.gate.cut_off()
        hooks = house.net.hosts[HOOKS]
        house.net.cut(HOOKS)
        await house.apply(item)
        uid = (await house.get(kind, nine.name(kind)) or {})["metadata"]["uid"]
        since, reads = await last(house), len(house.vault.asked)
        marks = {"resource_tenant": f"{OTHER} {uid}", "create_pending": f"2020-01-01T00:00:00Z {uid}"}
        await tell(house, kind, **marks, resource_id="0123456789abcdef01234567", adoption_policy="always")
        house.net.hosts[HOOKS] = hooks
        house.operator = house.start_hooks()
        refused(await until_ready(house, kind, BARRED), BARRED)
        await asyncio.sleep(60)
        assert await clients(house, since) <= {"one"}
        assert OTHER not in house.vault.asked[reads:]
        assert await nine.ever(house, kind) == []


@pytest.mark.parametrize("kind", nine.CHILDREN)
async def test_case_3_a_change_to_a_tenant_that_is_not_allowed(kind: str) -> None:
    """Case 3(a): said as what it is, even where the new tenant would not fit its parent's either; taken back, all is
    as before, and nothing was sent.
    """
    async with two_tenants(**BY_NAMESPACE) as house:
        await say(house, "default", tenants=OWN)
        _, since, asked = await settled_mismatch(house, kind)
        refused(await until_ready(house, kind, BARRED), BARRED)
        await asyncio.sleep(60)
        await house.patch(kind, nine.name(kind), {"spec": {"tenant": OWN}})
        await house.until(house.all_active)
        assert await house.writes(since) == []
        assert OTHER not in house.vault.asked[asked:]


def hide_namespaces(house: House, status: int) -> None:
    """From now on the API server answers with this to whoever reads the Namespace."""
    pass_on = house.net.handle_async_request

    async def answer(request: Request) -> Response:
        if (request.url.host, request.method) == (KUBE, "GET") and request.url.path == "/api/v1/namespaces/default":
            told = {"kind": "Status", "status": "Failure", "message": "not now", "code": status}
            return Response(status, json=told, request=request)
        return await pass_on(request)

    house.net.handle_async_request = answer  # type: ignore[method-assign]


@pytest.mark.parametrize("status", [403, 503])
@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_3_a_namespace_that_cannot_be_read_allows_nothing(kind: str, status: int) -> None:
    """Case 3(a): forbidden, that is told; else it is tried again, in silence. Nothing is asked meanwhile, and the way
    out of a deletion does not hang on it.
    """
    async with two_tenants(**BY_NAMESPACE) as house:
        await say(house, "default", tenants=OWN)
        made = await nine.active(house, kind)
        hide_namespaces(house, status)
        await house.patch(kind, nine.name(kind), {"metadata": {"annotations": {"arubacloud.com/reconcile-at": "now"}}})
        if status == 403:
            item = await until_ready(house, kind, BARRED)
            assert "Kubernetes refuses to show it" in item["status"]["message"]
        since = await last(house)
        await house.delete(kind, nine.name(kind))
        await asyncio.sleep(60)
        assert not await _gone(house, kind)
        await tell(house, kind, delete_policy="orphan")
        await house.until(lambda: _gone(house, kind))
        assert await house.writes(since) == []
        assert made in {row["id"] for row in await house.resources()}


async def _gone(house: House, kind: str) -> bool:
    return await house.get(kind, nine.name(kind)) is None


@pytest.mark.parametrize("kind", nine.ALL)
@pytest.mark.parametrize("tenant", PATHS)
async def test_case_3_b_no_name_of_a_tenant_is_refused_by_the_schema(kind: str, tenant: str) -> None:
    """Case 3(b): 422 when it is created, and when it is changed to that; the message names the field."""
    async with two_tenants() as house:
        item = nine.subject(kind, tenant=tenant)
        await house.namespace("default")
        answer = await house.kube.post(house.path(item), json=item)
        assert answer.status_code == 422, answer.text
        assert "spec.tenant" in answer.json()["message"]
        await house.apply(nine.subject(kind))
        url = f"{house.path(item)}/{nine.name(kind)}"
        answer = await house.kube.patch(url, json={"spec": {"tenant": tenant}}, headers=MERGE)
        assert answer.status_code == 422


@pytest.mark.parametrize("kind", nine.ALL)
@pytest.mark.parametrize("tenant", [*PATHS, "a..b", "..", "t-200\n"])
async def test_case_3_b_nor_is_it_used_where_the_schema_let_it_in(kind: str, tenant: str) -> None:
    """Case 3(b): stored past the schema it goes nowhere near Vault or the cloud, and can still be deleted."""
    async with two_tenants() as house:
        house.net.cut(HOOKS)
        await house.apply(nine.subject(kind))
        past_the_schema(house, await house.get(kind, nine.name(kind)) or {}, tenant=tenant)
        house.operator = house.start_hooks()
        item = await until_ready(house, kind, "IntentionValidationFailed")
        refused(item, "IntentionValidationFailed")
        assert "is no name of a tenant" in item["status"]["message"]
        await asyncio.sleep(60)
        await house.delete(kind, nine.name(kind))
        await house.until(house.all_gone)
        assert house.vault.asked == []
        assert await everything_since(house, 0) == []


def test_case_3_b_what_may_name_a_tenant() -> None:
    """Case 3(b): one rule for all who make a path of it."""
    assert [name for name in (*PATHS, "a..b", "..", ".a", "-a", "a/b", "a\n", "ä") if fits(name)] == []
    assert all(fits(name) for name in ("", "ARU-000001", "t-100", "a.b_c-D", "9", "x" * 127))


@pytest.mark.parametrize("tenant", [*PATHS, "a..b", ""])
async def test_case_3_b_the_source_of_credentials_looks_for_no_such_name(tenant: str) -> None:
    """Case 3(b): whoever asks for it, no path is made of it."""
    asked: list[str] = []

    def look(name: str) -> Look:
        asked.append(name)
        return Look(Found.OK, Credential("one", "s1"))

    async def at_once(call: Callable[[str], Look], name: str) -> Look:
        return call(name)

    source = Tenants(look, Ages, LoopClock(), at_once)
    found = await source.credential(tenant)
    assert isinstance(found, Failure)
    assert (found.cause, found.sent, asked) == (Cause.CREDENTIALS, False, [])


async def settled_mismatch(house: House, kind: str) -> tuple[str, int, int]:
    """The subject is Active, then its tenant is changed; its ID, and how many calls and looks there were by then."""
    made = await nine.active(house, kind)
    await asyncio.sleep(5)
    since, asked = await last(house), len(house.vault.asked)
    await house.patch(kind, nine.name(kind), {"spec": {"tenant": OTHER}})
    return made, since, asked


@pytest.mark.parametrize("kind", nine.CHILDREN)
async def test_case_81_a_changed_tenant_stops_all_calls_until_it_fits_again(kind: str) -> None:
    """Case 81. Departs: the API server takes the change, since a wrong tenant is to be corrected in place; while it
    differs from the parent's, nothing is looked up or called, and the resource stays. Back again: Active, unwritten.
    """
    async with two_tenants(ARUBA_LISTING_AGE="1m") as house:
        made, since, asked = await settled_mismatch(house, kind)
        item = await until_ready(house, kind, UNEQUAL)
        refused(item, UNEQUAL)
        assert OTHER in item["status"]["message"]
        assert OWN in item["status"]["message"]
        rows = await house.resources()
        await asyncio.sleep(600)
        quiet = [row for row in await house.calls(since) if made in row["path"]]
        assert quiet == []
        assert await clients(house, since) <= {"one"}
        assert OTHER not in house.vault.asked[asked:]
        await house.patch(kind, nine.name(kind), {"spec": {"tenant": OWN}})
        await house.until(house.all_active, within=30)
        assert [row["path"] for row in await house.writes(since)] == []
        assert await house.resources() == rows
        assert (await house.status(kind, nine.name(kind)))["resourceID"] == made


@pytest.mark.parametrize("kind", nine.CHILDREN)
async def test_case_81_a_resource_is_deleted_under_the_tenant_it_was_made_under(kind: str) -> None:
    """Case 81: the object is deleted while it names another tenant; its resource goes, by its own client."""
    async with two_tenants() as house:
        made, since, _ = await settled_mismatch(house, kind)
        await until_ready(house, kind, UNEQUAL)
        await house.delete(kind, nine.name(kind))
        await house.until(lambda: _gone(house, kind))
        assert made not in {row["id"] for row in await house.resources()}
        assert await clients(house, since) == {"one"}


@pytest.mark.parametrize("kind", nine.CHILDREN)
@pytest.mark.parametrize("how", ["left out", "empty"])
async def test_case_81_a_child_without_a_tenant_is_of_its_projects(kind: str, how: str) -> None:
    """Case 81: its calls carry the Project's client, from the first to the last."""
    async with two_tenants(**BY_NAMESPACE) as house:
        await say(house, "default", tenants=OWN)
        item = await nine.prepared(house, kind)
        item["spec"]["tenant"] = ""
        if how == "left out":
            del item["spec"]["tenant"]
        await house.apply(item)
        await house.until(house.all_active)
        noted_as = (await house.get(kind, nine.name(kind)) or {})["metadata"]
        assert noted_as["annotations"]["arubacloud.com/resource-tenant"] == f"{OWN} {noted_as['uid']}"
        await house.delete("Project", "shop")
        await house.until(house.all_gone)
        await no_leftovers(house)
        assert await clients(house) == {"one"}
        assert set(house.vault.reads) == {OWN}


async def test_case_81_a_projects_tenant_is_fixed() -> None:
    """Case 81: refused by the API server, before and after there is a resource."""
    async with two_tenants() as house:
        for step in range(2):
            if step:
                await house.until(house.all_active)
            else:
                await house.apply(nine.subject("Project"))
            url = f"{house.path(nine.subject('Project'))}/shop"
            answer = await house.kube.patch(url, json={"spec": {"tenant": OTHER}}, headers=MERGE)
            assert answer.status_code == 422
            assert "tenant is immutable" in answer.json()["message"]


async def test_case_81_with_vault_a_project_must_name_its_tenant() -> None:
    """Case 81: without one there is nothing to look up; said so on the Project, and its children wait for it."""
    async with two_tenants() as house:
        await house.apply(nine.subject("Project", tenant=""), nine.subject("VPC", tenant=""))
        item = await until_ready(house, "Project", "IntentionValidationFailed")
        refused(item, "IntentionValidationFailed")
        assert "TenantRequired" in item["status"]["message"]
        await asyncio.sleep(60)
        assert (await house.status("VPC", "shop"))["phase"] == "Pending"
        assert house.vault.asked == []
        assert await everything_since(house, 0) == []
        await house.delete("Project", "shop")
        await house.delete("VPC", "shop")
        await house.until(house.all_gone)


@pytest.mark.parametrize("kind", nine.CHILDREN)
async def test_case_81_a_404_under_another_tenant_is_never_gone(kind: str) -> None:
    """Case 81 (design 5.8): the note of the tenant is lost and the spec names another, whose client sees nothing: the
    deletion goes on under the Project's tenant, or waits; it never ends with the resource left behind.
    """
    async with two_tenants(ARUBA_PROPAGATION_WINDOW="10s") as house:
        made, _, _ = await settled_mismatch(house, kind)
        await house.apply(make("Project", "theirs", {"tenant": OTHER}))
        await until_ready(house, kind, UNEQUAL)
        await tell(house, kind, resource_tenant=None)
        await house.delete(kind, nine.name(kind))
        await asyncio.sleep(600)
        there = made in {row["id"] for row in await house.resources()}
        assert there != await _gone(house, kind), await house.told()


async def test_case_81_two_tenants_side_by_side() -> None:
    """Case 81: each project is seen, made and deleted by its own client alone."""
    async with two_tenants() as house:
        await house.apply(make("Project", "ours", {"tenant": OWN}), make("Project", "theirs", {"tenant": OTHER}))
        for name, tenant in (("ours", OWN), ("theirs", OTHER)):
            spec = {**nine.subject("VPC")["spec"], "tenant": tenant, "projectReference": ref(name)}
            await house.apply(make("VPC", name, spec))
        await house.until(house.all_active)
        for name, client in (("ours", "one"), ("theirs", "two")):
            own = (await house.status("Project", name))["resourceID"]
            assert {row["clientId"] for row in await house.calls(path=own)} == {client}
        assert sorted(house.vault.reads) == sorted([OWN, OTHER])


async def test_case_81_adoption_asks_only_as_its_own_tenant() -> None:
    """Case 81: an ID of another tenant's resource, named to be adopted, is not found, whatever the policy."""
    async with two_tenants() as house:
        await house.apply(make("Project", "theirs", {"tenant": OTHER}))
        await house.until(house.all_active)
        theirs = (await house.status("Project", "theirs"))["resourceID"]
        item = nine.subject("Project")
        item["metadata"]["annotations"] = noted(resource_id=theirs, adoption_policy="always")["metadata"]["annotations"]
        since = await last(house)
        await house.apply(item)
        await asyncio.sleep(120)
        found = await house.get("Project", "shop") or {}
        assert found["status"].get("resourceID") is None
        assert condition(found, "Ready")["status"] == "False"
        assert {row["clientId"] for row in await house.calls(since, path=theirs)} <= {"one"}
        assert await ready(house, "Project") != BARRED


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_3_a_deletion_goes_by_the_tenant_that_its_calls_are_made_as(kind: str) -> None:
    """Case 3(a): made under an allowed tenant, then edited to one that is not: wanted, it is held; deleted, it goes."""
    if kind == "Project":
        pytest.skip("its tenant cannot be edited")
    async with two_tenants(**BY_NAMESPACE) as house:
        await say(house, "default", tenants=OWN)
        await nine.active(house, kind)
        await house.patch(kind, nine.name(kind), {"spec": {"tenant": OTHER}})
        await until_ready(house, kind, BARRED)
        await house.delete(kind, nine.name(kind))
        await house.until(lambda: _gone(house, kind), within=60)
        assert await clients(house) == {"one"}


async def test_from_direct_mode_to_vault_mode_nothing_is_lost() -> None:
    """Made in direct mode without any tenant; then Vault is switched on and the Project named one: they go on under it,
    since nothing was recorded that could be used.
    """
    async with living() as house:
        await house.apply(make("Project", "shop-prod", {}))
        await house.apply(make("VPC", "shop-net", {"projectReference": ref("shop-prod")}))
        await house.until(house.all_active)
        house.vault = FakeVault(**{OWN: ("aruba-local", "aruba-local-secret")})
        house.environ.update(ENVIRON)
        house.net.cut(HOOKS)
        house.operator = house.start_hooks()
        await house.patch("Project", "shop-prod", {"spec": {"tenant": OWN}})
        since = (await house.calls())[-1]["n"]
        await house.patch("VPC", "shop-net", {"spec": {"tags": ["changed"]}})
        await house.until(lambda: _written(house, since), within=60)
        await house.delete("Project", "shop-prod")
        await house.until(house.all_gone, within=120)
        assert await house.resources() == []
        assert set(house.vault.reads) == {OWN}


async def _written(house: House, since: int) -> bool:
    return bool(await house.writes(since)) and await house.all_active()
