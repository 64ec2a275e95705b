"""Tokens: one call for all, renewed early, never a storm, never a secret in a text (api §2)."""

import asyncio

import pytest

from hooks.aruba.credentials.credential import Credential
from hooks.aruba.credentials.direct import Direct
from hooks.aruba.model.failure import Cause
from hooks.aruba.model.live import Live
from hooks.aruba.model.wire import Call
from tests.unit.cloud.script import CREATE, VPCS, ByTenant, Reply, World

GET_BY_ID = Call("PUT", f"{VPCS}/v1", {})


def only(*valid):
    """An API that takes these tokens."""
    return lambda asked: Reply(200 if asked.bearer in valid else 401, {})


async def test_one_call_for_all_who_wait():
    world = World()
    world.keycloak.delay = 0.5
    answers = await asyncio.gather(*(world.send() for _ in range(20)))
    assert answers == [Live({})] * 20
    assert world.login.count() == 1
    assert {asked.bearer for asked in world.api.asked} == {"token-1"}


async def test_the_body_is_tried_first_then_basic_and_what_worked_is_remembered():
    world = World()
    world.keycloak.accepts = {"basic"}
    world.keycloak.expires_in = 100
    assert await world.send() == Live({})
    assert world.keycloak.tried == {"body": 1, "basic": 1}
    await asyncio.sleep(200)
    assert await world.send() == Live({})
    assert world.keycloak.tried == {"body": 1, "basic": 2}


async def test_a_secret_of_odd_characters_arrives_in_both_ways():
    for way in ("body", "basic"):
        world = World()
        world.pair = ("id:+&", "s e+c&r=e:t%é")
        world.keycloak.clients = {"id:+&": "s e+c&r=e:t%é"}
        world.keycloak.accepts = {way}
        assert await world.send() == Live({})


@pytest.mark.parametrize(("expires_in", "life"), [(3600, 3600), ("3600", 3600), (20, 20), (5, 5), (0, 5), (-1, 5)])
async def test_case_76_a_token_is_used_until_its_end(expires_in, life):
    world = World()
    world.keycloak.expires_in = expires_in
    for _ in range(10):
        await world.send()
    assert world.login.count() == 1
    await asyncio.sleep(life + 0.01)
    await world.send()
    assert world.login.count() == 2
    assert world.api.asked[-1].bearer == "token-2"


@pytest.mark.parametrize("expires_in", [None, "soon", [], float("nan"), {}])
async def test_case_76_an_untold_lifetime_is_short_but_not_none(expires_in):
    world = World()
    world.keycloak.expires_in = expires_in
    await world.send()
    await asyncio.sleep(2)
    await world.send()
    assert world.login.count() == 1
    await asyncio.sleep(300)
    await world.send()
    assert world.login.count() == 2


async def test_case_76_renewed_in_the_background_before_the_end():
    world = World()
    await world.send()
    world.keycloak.delay = 3
    await asyncio.sleep(3600 - 50)
    before = world.clock.monotonic()
    await world.send()
    assert world.clock.monotonic() - before < 0.1
    assert world.api.asked[-1].bearer == "token-1"
    await asyncio.sleep(5)
    await world.send()
    assert world.api.asked[-1].bearer == "token-2"
    assert world.login.count() == 2


async def test_case_76_a_renewal_that_fails_is_not_tried_with_every_request():
    world = World()
    await world.send()
    world.keycloak.override = Reply(503)
    await asyncio.sleep(3600 - 50)
    for _ in range(20):
        assert await world.send() == Live({})
        await asyncio.sleep(0.01)
    assert world.login.count() == 2


async def test_case_77_a_hundred_refusals_of_one_token_cost_one_token():
    world = World(only("token-2"))
    answers = await asyncio.gather(*(world.send() for _ in range(100)))
    assert answers == [Live({})] * 100
    assert world.login.count() == 2


async def test_case_77_a_401_for_ever_ends_in_a_failure_and_costs_no_more_tokens():
    world = World(only())
    answers = await asyncio.gather(*(world.send() for _ in range(100)))
    assert {answer.cause for answer in answers} == {Cause.CREDENTIALS}
    assert {answer.sent for answer in answers} == {False}
    assert answers[0].text == "the access token is not accepted: Unknown API error (HTTP 401)"
    assert world.login.count() == 2
    assert world.api.count() == 200
    for _ in range(10):
        assert (await world.send()).cause is Cause.CREDENTIALS
    assert (world.login.count(), world.api.count()) == (2, 210)
    await asyncio.sleep(31)
    world.api.handler = only("token-3")
    assert await world.send() == Live({})


async def test_case_77_a_slow_refusal_of_an_old_token_does_not_cost_the_new_one():
    def handler(asked):
        slow = asked.path.endswith("slow")
        return Reply(401 if asked.bearer == "token-1" else 200, {}, delay=2.0 if slow else 0.1)

    world = World(handler)
    answers = await asyncio.gather(world.send(CREATE), world.send(Call("PUT", f"{VPCS}/slow", {})))
    assert answers == [Live({})] * 2
    assert world.login.count() == 2


async def test_case_77_one_operation_that_always_says_401_does_not_disturb_the_others():
    world = World(lambda asked: Reply(401 if asked.method == "PUT" else 200, {}))
    for _ in range(5):
        assert (await world.send(GET_BY_ID)).cause is Cause.CREDENTIALS
        assert await world.send(CREATE) == Live({})
    assert world.login.count() == 2


@pytest.mark.parametrize("pair", [("", "secret-1"), ("id-1", ""), ("", ""), (" \n", "secret-1")])
async def test_case_80_empty_credentials_send_nothing(pair):
    world = World()
    world.pair = pair
    failure = await world.send()
    assert (failure.cause, failure.sent) == (Cause.CREDENTIALS, False)
    assert ("client-id" if not pair[0].strip() else "client-secret") in failure.text
    assert (world.login.count(), world.api.count()) == (0, 0)


async def test_case_83_a_refused_key_names_what_to_fix_and_not_the_secret():
    world = World()
    world.pair = ("id-1", "wrong-canary")
    failure = await world.send()
    assert (failure.cause, failure.sent, failure.status) == (Cause.CREDENTIALS, False, 401)
    assert "check client-id and client-secret" in failure.text
    assert "invalid_client" in failure.text
    assert "canary" not in repr(failure)
    assert world.api.count() == 0


async def test_case_83_what_the_api_repeats_of_token_and_secret_is_blotted_out():
    world = World(lambda asked: Reply(403, {"title": f"no {asked.bearer}", "detail": "secret-1"}))
    failure = await world.send()
    assert failure.text == "no ***: *** (HTTP 403)"
    assert "token-1" not in repr(failure)


async def test_a_refusal_is_remembered_for_a_few_seconds():
    world = World()
    world.keycloak.clients = {}
    for _ in range(50):
        assert (await world.send()).cause is Cause.CREDENTIALS
    assert world.login.count() == 2  # one call in each way of naming the client
    world.keycloak.clients = {"id-1": "secret-1"}
    await asyncio.sleep(11)
    assert await world.send() == Live({})


async def test_an_endpoint_out_of_reach_is_named():
    world = World()
    world.net.cut("login")
    failure = await world.send()
    assert (failure.cause, failure.sent) == (Cause.TECHNICAL, False)
    assert "token endpoint login: login: nobody listens at login" in failure.text


@pytest.mark.parametrize(
    "reply",
    [
        Reply(200, b"<html>sign in</html>", {"content-type": "text/html"}),
        Reply(200, {"access_token": ""}),
        Reply(200, {"access_token": "a\r\nX-Evil: 1"}),
        Reply(200, {"access_token": 7}),
        Reply(204),
        Reply(404, {"error": "Realm does not exist"}),
        Reply(500),
        Reply(302, None, {"location": "http://evil/"}),
    ],
)
async def test_whatever_else_the_endpoint_answers_is_a_technical_failure(reply):
    world = World()
    world.keycloak.override = reply
    failure = await world.send()
    assert (failure.cause, failure.sent) == (Cause.TECHNICAL, False)
    assert failure.text.startswith("token endpoint login: ")
    assert world.api.count() == 0


async def test_case_89_a_throttled_endpoint_is_left_alone():
    world = World()
    world.keycloak.override = Reply(429, None, {"retry-after": "20"})
    failure = await world.send()
    assert (failure.cause, failure.retry_after, failure.sent) == (Cause.THROTTLED, 20.0, False)
    await asyncio.sleep(15)
    await world.send()
    assert world.login.count() == 1


async def test_a_slow_endpoint_holds_nobody_beyond_the_deadline_and_its_answer_is_kept():
    world = World()
    world.keycloak.delay = 6
    before = world.clock.monotonic()
    failure = await world.send(seconds=2)
    assert (failure.cause, failure.sent) == (Cause.TECHNICAL, False)
    assert world.clock.monotonic() - before <= 2.01
    await asyncio.sleep(5)
    assert await world.send(seconds=2) == Live({})
    assert world.login.count() == 1


async def test_case_79_a_rotated_pair_gets_a_token_of_its_own():
    world = World()
    await world.send()
    world.keycloak.clients = {"id-2": "secret-2"}
    world.pair = ("id-2", "secret-2")
    await world.send()
    assert [world.keycloak.owner[asked.bearer] for asked in world.api.asked] == ["id-1", "id-2"]
    assert world.login.count() == 2


async def test_case_4_no_tenant_ever_calls_with_anothers_token():
    world = World(lambda asked: Reply(200, {}, delay=0.02))
    world.keycloak.clients = {"a": "sa", "b": "sb"}
    world.keycloak.expires_in = 10
    cloud = world.made(ByTenant({"t-100": ("a", "sa"), "t-200": ("b", "sb")}))

    async def one(number):
        tenant, owner = ("t-100", "a") if number % 2 else ("t-200", "b")
        await asyncio.sleep(number * 0.3)
        call = Call("POST", f"/projects/{owner}/providers/Aruba.Network/vpcs", {})
        assert await cloud.send(tenant, call, world.deadline()) == Live({})

    await asyncio.gather(*(one(number) for number in range(50)))
    for asked in world.api.asked:
        assert world.keycloak.owner[asked.bearer] == asked.path.split("/")[2]


async def test_tenants_with_one_credential_share_its_token():
    world = World()
    cloud = world.made(ByTenant({"t-100": ("id-1", "secret-1"), "t-200": ("id-1", "secret-1")}))
    await cloud.send("t-100", CREATE, world.deadline())
    await cloud.send("t-200", CREATE, world.deadline())
    assert world.login.count() == 1


async def test_direct_mode_strips_what_files_end_in():
    assert await Direct(lambda: ("id-1\n", " secret-1\n")).credential("any") == Credential("id-1", "secret-1")


def test_case_83_a_credential_shows_no_secret():
    credential = Credential("id-1", "canary")
    assert "canary" not in f"{credential} {credential!r} {credential.key}"
    assert credential.key == Credential("id-1", "canary").key
    assert len({Credential(*pair).key for pair in [("a", "bc"), ("ab", "c"), ("a", "b"), ("", "abc")]}) == 4
