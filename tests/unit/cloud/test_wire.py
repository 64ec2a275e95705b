"""Requests on the wire: what they carry, how long they take, what is tried again, what a cancelled pass leaves."""

import asyncio
import json

import pytest

from hooks.aruba.model.failure import Cause, Failure
from hooks.aruba.model.live import Live
from hooks.aruba.model.wire import Call
from hooks.http import AsyncBaseTransport, AsyncClient, ConnectError, ConnectTimeout, PoolTimeout
from tests.unit.cloud.script import CREATE, HTML, NOT_FOUND, PROBLEM, VPCS, App, Reply, World, row, shelf


async def test_what_every_call_carries():
    world = World()
    await world.send(Call("POST", VPCS, {"metadata": {"name": "é"}}, version="1.1"))
    (asked,) = world.api.asked
    assert (asked.method, asked.path, asked.query) == ("POST", VPCS, {"api-version": "1.1"})
    assert asked.headers["authorization"] == "Bearer token-1"
    assert asked.headers["accept"] == "application/json"
    assert asked.headers["user-agent"] == "aruba-cloud-operator"
    assert asked.headers["content-type"] == "application/json"
    assert json.loads(asked.body) == {"metadata": {"name": "é"}}


async def test_the_version_of_a_read_is_1_0_and_a_delete_has_no_body():
    world = World(shelf(["v1"]))
    await world.listing(world.ago())
    await world.send(Call("DELETE", f"{VPCS}/v1"))
    listed, deleted = world.api.asked
    assert listed.query == {"api-version": "1.0", "limit": "100", "offset": "0"}
    assert deleted.query == {"api-version": "1.0"}
    assert (deleted.body, "content-type" in deleted.headers) == (b"", False)


@pytest.mark.parametrize(
    "path", ["", "/projects//x", f"{VPCS}/../../p2", f"{VPCS}/v1?x=1", "//evil.example/x", f"{VPCS}/"]
)
async def test_case_9_a_path_that_leads_elsewhere_is_refused_before_any_request(path):
    world = World()
    refused = await world.send(Call("DELETE", path))
    assert (refused.cause, refused.sent) == (Cause.SEMANTIC, False)
    assert "path" in refused.text
    assert (world.api.count(), world.login.count()) == (0, 0)


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a%2f", "a?b", "a#b"])
@pytest.mark.parametrize("proof", [True, False])
async def test_case_9_an_id_that_leads_elsewhere_is_refused_before_any_request(name, proof):
    world = World()
    refused = await world.item(name, world.ago(), proof=proof)
    assert (refused.cause, refused.sent) == (Cause.SEMANTIC, False)
    assert "path" in refused.text
    assert (world.api.count(), world.login.count()) == (0, 0)


THIN = [
    (Reply(201, {"metadata": {"id": "v1"}}), {"metadata": {"id": "v1"}}),
    (Reply(201), {}),
    (Reply(204, None, {}), {}),
    (Reply(202, b"accepted", {"content-type": "text/plain"}), {}),
    (Reply(200, [1, 2]), {}),
]


@pytest.mark.parametrize(("reply", "body"), THIN)
async def test_case_43_a_good_answer_is_good_whatever_it_leaves_out(reply, body):
    world = World(lambda asked: reply)
    assert await world.send() == Live(body)


async def test_the_body_of_a_good_answer_that_breaks_off_is_an_empty_one():
    world = World(lambda asked: Reply(201, {"metadata": {"id": "v1"}}, cut="body"))
    sending = asyncio.create_task(world.send())
    await asyncio.sleep(1)
    world.net.cut("cloud")
    assert await sending == Live({})


async def test_case_41_a_write_is_not_repeated_once_it_may_have_arrived():
    for reply in (Reply(cut="head"), Reply(delay=60), Reply(503), Reply(502), Reply(408)):
        world = World(lambda asked, reply=reply: reply)
        failure = await world.send(seconds=3)
        assert (failure.cause, failure.sent) == (Cause.TECHNICAL, True)
        assert world.api.count() == 1


class Flaky(AsyncBaseTransport):
    """Raises these before it lets requests to the API through."""

    def __init__(self, inner, *raised):
        self.inner = inner
        self.raised = list(raised)
        self.tries = 0

    async def handle_async_request(self, request):
        if request.url.host == "cloud":
            self.tries += 1
            if self.raised:
                raise self.raised.pop(0)
        return await self.inner.handle_async_request(request)


def flaky(*raised):
    world = World()
    transport = Flaky(world.net, *raised)
    world.http = AsyncClient(transport=transport)
    world.cloud = world.made(world.cloud._credentials)
    return world, transport


@pytest.mark.parametrize("error", [ConnectError, ConnectTimeout])
async def test_case_41_a_connection_never_made_is_tried_once_more(error):
    world, transport = flaky(error("refused"))
    assert await world.send() == Live({})
    assert transport.tries == 2
    world, transport = flaky(error("refused"), error("refused again"), error("and again"))
    failure = await world.send()
    assert (failure.cause, failure.sent, transport.tries) == (Cause.TECHNICAL, False, 2)
    assert failure.text == "cloud: refused again"


async def test_a_full_pool_is_our_own_limit():
    world, transport = flaky(PoolTimeout(""))
    failure = await world.send()
    assert (failure.cause, failure.sent, transport.tries) == (Cause.BUSY, False, 1)


@pytest.mark.parametrize("reply", [Reply(502), Reply(503), Reply(504), Reply(cut="head")])
async def test_a_read_has_one_quick_second_try(reply):
    replies = [reply, Reply(200, {"total": 0, "values": []})]
    world = World(lambda asked: replies.pop(0))
    before = world.clock.monotonic()
    listing = await world.listing(world.ago())
    assert (listing.rows, listing.complete) == ((), True)
    assert 0.1 <= world.clock.monotonic() - before <= 0.3


@pytest.mark.parametrize("reply", [Reply(500), Reply(404, b"<html>", HTML), Reply(503, None, {"retry-after": "9"})])
async def test_other_failures_of_a_read_are_not_tried_again(reply):
    world = World(lambda asked: reply)
    failure = await world.listing(world.ago())
    assert failure.cause is Cause.TECHNICAL
    assert failure.retry_after == (9.0 if "retry-after" in reply.headers else None)
    assert world.api.count() == 1


async def test_a_second_failure_of_a_read_is_final():
    world = World(lambda asked: Reply(502))
    assert (await world.listing(world.ago())).status == 502
    assert world.api.count() == 2


async def test_no_request_leaves_when_no_time_is_left():
    world = World()
    await world.send()
    failure = await world.send(seconds=0.2)
    assert (failure.cause, failure.sent) == (Cause.BUSY, False)
    assert world.api.count() == 1


async def test_case_52_a_hung_call_ends_with_the_deadline():
    world = World(lambda asked: Reply(delay=1000))
    await world.cloud.ready("t", world.deadline())
    before = world.clock.monotonic()
    failure = await world.send(seconds=4)
    assert world.clock.monotonic() - before <= 4.0
    assert (failure.cause, failure.sent, failure.text) == (Cause.TECHNICAL, True, "cloud: no answer in time")


async def test_an_answer_that_drips_ends_with_the_deadline_too():
    world = World(lambda asked: Reply(200, {"slow": True}, cut="body"))
    before = world.clock.monotonic()
    failure = await world.send(seconds=4)
    assert world.clock.monotonic() - before <= 4.0
    assert (failure.cause, failure.sent) == (Cause.TECHNICAL, True)
    assert failure.text == "cloud did not answer POST in the time of this pass"
    await asyncio.sleep(60)
    assert not world.cloud._wire.work._tasks


async def test_redirects_are_not_followed():
    world = World(lambda asked: Reply(302, None, {"location": "http://evil/"}))
    evil = App(lambda asked: Reply(200, {}))
    world.net.hosts["evil"] = evil
    failure = await world.send()
    assert (failure.cause, failure.status, failure.sent) == (Cause.TECHNICAL, 302, True)
    assert evil.count() == 0


async def test_case_4_no_cookie_travels_from_one_call_to_another():
    world = World(lambda asked: Reply(200, {}, {"set-cookie": "session=tenant-a", "content-type": "application/json"}))
    await world.send()
    await world.send()
    assert all("cookie" not in asked.headers for asked in world.api.asked + world.login.asked)


async def test_case_88_a_cancelled_pass_lets_its_requests_finish():
    world = World(lambda asked: Reply(201, {}, delay=2))
    world.net.latency = 0.5
    passes = [asyncio.create_task(world.send(CREATE)) for _ in range(30)]
    await asyncio.sleep(1.2)
    for one in passes:
        one.cancel()
    await asyncio.gather(*passes, return_exceptions=True)
    await asyncio.sleep(3)
    assert world.api.count() == 30
    assert [told[:3] for told in world.observed if told[1] != "token"] == [("POST", "vpcs", 201)] * 30
    assert await world.send() == Live({})


async def test_case_88_cancelled_calls_give_their_turns_back():
    world = World(shelf(["v1"]), flight=2)
    world.net.latency = 1.0
    for _ in range(5):
        reads = [asyncio.create_task(world.item(f"v{n}", world.ago(), proof=True)) for n in range(10)]
        await asyncio.sleep(0.1)
        for one in reads:
            one.cancel()
    await asyncio.sleep(100)
    assert (await world.item("v1", world.ago(), proof=True)).live == Live(row("v1"))


async def test_no_more_requests_are_under_way_than_allowed():
    running = most = 0

    async def slow(scope, receive, send):
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.5)
        running -= 1
        await World().api(scope, receive, send)

    world = World(flight=3)
    await world.cloud.ready("t", world.deadline())
    world.net.hosts["cloud"] = slow
    answers = await asyncio.gather(*(world.send() for _ in range(30)))
    assert most == 3
    refused = [answer for answer in answers if isinstance(answer, Failure)]
    assert {(one.cause, one.sent) for one in refused} == {(Cause.BUSY, False)}
    assert len(refused) == 30 - 3 * 4  # three a turn of half a second, in two seconds


async def test_polls_do_not_hold_up_a_create():
    world = World(
        lambda asked: Reply(200, {"total": 0, "values": []}, delay=5 if asked.method == "GET" else 0), flight=2
    )
    reads = [asyncio.create_task(world.item(f"v{n}", world.ago(), proof=True)) for n in range(10)]
    await asyncio.sleep(0.1)
    before = world.clock.monotonic()
    assert isinstance(await world.send(), Live)
    assert world.clock.monotonic() - before < 0.1
    await asyncio.gather(*reads)


async def test_every_exchange_is_observed():
    world = World(shelf(["v1"]))
    await world.listing(world.ago())
    await world.item("v2", world.ago(), proof=True)
    world.net.cut("cloud")
    await world.send()
    assert [told[:3] for told in world.observed] == [
        ("POST", "token", 200),
        ("GET", "vpcs", 200),
        ("GET", "vpcs", 404),
        ("POST", "vpcs", 0),
        ("POST", "vpcs", 0),
    ]


async def test_delete_of_what_is_gone_says_so():
    world = World(lambda asked: Reply(404, NOT_FOUND, PROBLEM))
    failure = await world.send(Call("DELETE", f"{VPCS}/v1"))
    assert (failure.cause, failure.status, failure.sent) == (Cause.GONE, 404, False)


async def test_a_404_that_breaks_off_is_not_gone():
    world = World(lambda asked: Reply(404, NOT_FOUND, PROBLEM, cut="body"))
    reading = asyncio.create_task(world.item("v1", world.ago(), proof=True))
    await asyncio.sleep(1)
    world.net.cut("cloud")
    world.net.hosts["cloud"] = App(lambda asked: Reply(200, row("p1")))
    failure = await reading
    assert (failure.cause, failure.status) == (Cause.TECHNICAL, 404)


async def test_drain_waits_for_what_runs_and_ends_the_rest():
    world = World(lambda asked: Reply(201, {}, delay=3 if asked.path.endswith("v1") else 1000))
    passes = [asyncio.create_task(world.send(Call("PUT", f"{VPCS}/{name}", {}))) for name in ("v1", "v2")]
    await asyncio.sleep(1)
    before = world.clock.monotonic()
    await world.cloud.drain(5)
    assert world.clock.monotonic() - before == pytest.approx(5)
    assert await passes[0] == Live({})
    await asyncio.gather(*passes, return_exceptions=True)
