"""For every kind: throttled, token revoked, validation refused, credentials wrong, cloud away; and what comes after."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Any

import pytest

from hooks.aruba.kinds import discover
from hooks.http import AsyncClient
from hooks.simulator import token_path
from tests.world.house import CLOUD, HOOKS, House, living
from tests.world.judge import condition, no_duplicates
from tests.world.life import all_settled, apply_all, delete_all, order
from tests.world.manifests import fixture_set, name_of, project
from tests.world.samples import KINDS, NAMES, with_needs

pytestmark = pytest.mark.every_kind

Object = dict[str, Any]
COLLECTIONS = {kind.names.kind: kind.collection.path.rpartition("/")[2] for kind in discover()}
CLIENT, SECRET = "aruba-local", "aruba-local-secret"
RETRY_AFTER = 7


async def ready_reason(house: House, kind: str, name: str) -> str:
    live = await house.get(kind, name) or {}
    return str(condition(live, "Ready").get("reason"))


async def needs_up(house: House, kind: str) -> Object:
    """All that the kind's sample needs, Active; the sample itself is handed back, not yet applied."""
    *needs, item = with_needs(kind)
    await house.apply(*needs)
    await house.until(lambda: all_settled(house))
    return item


def at(call: Object) -> float:
    return datetime.fromisoformat(call["time"]).timestamp()


@pytest.mark.parametrize("kind", KINDS)
async def test_throttled(kind: str) -> None:
    """Nothing at all is sent with this key before the time that the cloud asked for; then it goes on by itself."""
    async with living() as house:
        item = await needs_up(house, kind)
        answer = {"status": 429, "headers": {"Retry-After": str(RETRY_AFTER)}}
        place = f"/{COLLECTIONS[kind]}$"
        await house.faults({"match": {"method": "POST", "path": place}, "times": 1, "then": answer})
        await house.apply(item)
        await house.until(lambda: throttled(house), within=20)
        refused = next(c for c in await house.calls() if c["status"] == 429)
        status = await house.status(kind, NAMES[kind])
        assert (status["phase"], await ready_reason(house, kind, NAMES[kind])) == ("Creating", "Throttled")
        assert condition({"status": status}, "Stalled")["status"] == "False"
        await house.until(lambda: all_settled(house), within=40)
        later = [at(call) for call in await house.calls(since=refused["n"])]
        assert min(later) - at(refused) >= RETRY_AFTER
        assert min(later) - at(refused) <= 2 * RETRY_AFTER
        await no_duplicates(house)


async def throttled(house: House) -> bool:
    return any(call["status"] == 429 for call in await house.calls())


async def test_token_revoked_while_everything_is_made_and_unmade() -> None:
    """A refused token costs one 401 and one new token, whatever the call was, and no object notices."""
    async with living() as house:
        await apply_all(house, fixture_set("Test1"), order(0))
        revoked = asyncio.create_task(revoke_each_second(house))
        await apply_all(house, [i for i in fixture_set("Test9") if i["kind"] != "Project"], order(1))
        await delete_all(house, order(2))
        revoked.cancel()
        calls = await house.admin("GET", "calls")
        tokens = [call for call in calls if call["path"] == token_path()]
        refused = [call for call in calls if call["status"] == 401]
        assert len(refused) >= 5
        assert len(tokens) <= len(refused) + 1
        again = [c for c in calls if c["status"] == 401 and any(same(c, d) for d in calls if d["n"] > c["n"])]
        assert len(again) == len(refused), "each was sent once more"


def same(one: Object, other: Object) -> bool:
    return (one["method"], one["path"]) == (other["method"], other["path"]) and other["status"] != 401


async def revoke_each_second(house: House) -> None:
    while True:
        await asyncio.sleep(1.0)
        await house.admin("POST", "tokens", {"revoke": "all"})


@pytest.mark.parametrize("kind", KINDS)
async def test_validation_refused_then_corrected(kind: str) -> None:
    """Told in the cloud's words, not repeated unchanged, tried at once when the spec is another (S3, S4)."""
    body = {
        "title": "One or more validation errors occurred.",
        "status": 400,
        "errors": [{"fieldName": "Tag", "errorMessage": "length must be at least 4"}],
    }
    async with living() as house:
        item = await needs_up(house, kind)
        match = {"method": "POST", "path": f"/{COLLECTIONS[kind]}$"}
        await house.faults({"match": match, "times": 1, "then": {"status": 400, "body": body}})
        await house.apply(item)
        await house.until(lambda: failed(house, kind), within=20)
        status = await house.status(kind, NAMES[kind])
        [told] = [c for c in status["conditions"] if c["type"] == "Failed"]
        assert (told["status"], told["reason"]) == ("True", "ValidationFailed")
        assert "Tag: length must be at least 4" in told["message"]
        assert told["message"].startswith("Failed ValidationFailed - ERROR [semantic]: ")
        assert condition({"status": status}, "Stalled")["status"] == "True"
        posts = len(await house.calls(method="POST"))
        await asyncio.sleep(600)
        assert len(await house.calls(method="POST")) == posts
        await house.patch(kind, NAMES[kind], {"spec": {"tags": ["shop-front"]}})
        await house.until(lambda: all_settled(house), within=20)
        [row] = [r for r in await house.resources(kind) if r["name"] == name_of(item)]
        assert "shop-front" in row["tags"]


async def failed(house: House, kind: str) -> bool:
    return (await house.status(kind, NAMES[kind])).get("phase") == "Failed"


@pytest.mark.parametrize("kind", KINDS)
async def test_credentials_wrong_then_right(kind: str) -> None:
    """CredentialsUnavailable, not Stalled, and by itself Active once the secret fits again."""
    async with living() as house:
        item = await needs_up(house, kind)
        await house.admin("POST", "tokens", {"clients": {CLIENT: "another"}, "revoke": "all"})
        await house.apply(item)
        await house.until(lambda: reason_is(house, kind, "CredentialsUnavailable"), within=30)
        await asyncio.sleep(60)
        assert await reason_is(house, kind, "CredentialsUnavailable")
        status = await house.status(kind, NAMES[kind])
        assert SECRET not in str(status)
        await house.admin("POST", "tokens", {"clients": {CLIENT: SECRET}})
        await house.until(lambda: all_settled(house), within=180)
        await no_duplicates(house)


async def reason_is(house: House, kind: str, wanted: str) -> bool:
    return await ready_reason(house, kind, NAMES[kind]) == wanted


@pytest.mark.parametrize("kind", KINDS)
async def test_cloud_unreachable_then_back(kind: str) -> None:
    """ApiUnreachable while nobody answers, and by itself Active within a minute or so of its return."""
    async with living() as house:
        item = await needs_up(house, kind)
        house.net.cut(CLOUD)
        await house.apply(item)
        await house.until(lambda: reason_is(house, kind, "ApiUnreachable"), within=60)
        await asyncio.sleep(60)
        status = await house.status(kind, NAMES[kind])
        assert (status["phase"], status.get("resourceID")) == ("Creating", None)
        house.net.hosts[CLOUD] = house.simulator.app
        await house.until(lambda: all_settled(house), within=75)
        posts = [c for c in await house.calls(method="POST") if c["path"].endswith(f"/{COLLECTIONS[kind]}")]
        assert len([c for c in posts if c["requestBody"]["metadata"]["name"] == name_of(item)]) == 1


async def test_cloud_away_while_everything_is_at_rest() -> None:
    """Active stays Active, Ready becomes Unknown, and True again by itself."""
    async with living(environ={"ARUBA_LISTING_AGE": "30s"}) as house:
        await apply_all(house, fixture_set("Test9"), order(3))
        house.net.cut(CLOUD)
        await asyncio.sleep(60)
        for item in await house.objects():
            assert item["status"]["phase"] == "Active"
            ready = condition(item, "Ready")
            assert (ready["status"], ready["reason"]) == ("Unknown", "ApiUnreachable"), item["kind"]
        house.net.hosts[CLOUD] = house.simulator.app
        await house.until(lambda: all_settled(house), within=60)


async def test_refused_credentials_are_shown_by_readyz() -> None:
    """They never turn it 503, but whoever looks there sees why nothing happens; and that it is over."""
    async with living() as house:
        hooks = AsyncClient(transport=house.net, base_url=f"http://{HOOKS}")

        async def peer() -> Object:
            answer = await hooks.get("/readyz")
            assert answer.status_code == 200
            return dict(answer.json()["peers"]["token endpoint"])

        await house.faults({"match": {"path": "openid-connect/token"}, "then": {"status": 401, "body": {}}})
        await house.apply(project())
        await asyncio.sleep(20)
        shown = await peer()
        assert (shown["state"], shown["detail"]) == ("failing", "refused the credentials (401)")
        await house.admin("DELETE", "faults")
        await house.until(house.all_active, within=120)
        assert (await peer())["state"] == "ok"
