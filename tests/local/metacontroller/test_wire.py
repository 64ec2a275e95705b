"""The hook on the wire (mc §2.1, §2.4-2.6): what counts as an answer, and what a failure causes."""

from __future__ import annotations

import asyncio

import pytest
from starlette.responses import Response

from hooks.local.metacontroller.errors import HookError, UnmodelledError
from hooks.local.metacontroller.reply import composite_reply, customize_reply
from tests.local.metacontroller.world import DONE, World, composite, now, vpc


async def answering(*answers, plural="vpcs", **options):
    """A world with one object; the last answer is repeated."""
    world = World(composite(hooks=("sync",)), **options)
    await world.kube.put("vpcs", vpc())
    waiting = list(answers)

    async def hook(which, body):
        return waiting.pop(0) if len(waiting) > 1 else waiting[0]

    world.hook = hook
    return world


def times(world):
    return [round(at, 3) for at, _ in world.of("sync")]


@pytest.mark.parametrize("code", [201, 202, 204, 304, 400, 404, 412, 500, 503])
async def test_only_200_is_success(code):
    """mc §2.1, §2.6: an Event, nothing written, back-off."""
    body = b"" if code in (204, 304) else b'{"status": {"phase": "No"}, "resyncAfterSeconds": 1}'
    world = await answering(Response(body, code), DONE)
    async with world.running():
        await asyncio.sleep(0.004)
        assert "status" not in world.live()
        assert len(world.calls) == 1
        await asyncio.sleep(10)
    assert times(world)[1] == 0.005
    assert len(world.calls) == 3  # the retry, and the one its status write causes: no resyncAfter from a failure
    (event,) = world.events()
    assert (event["type"], event["reason"], event["count"]) == ("Warning", "SyncError", 1)
    assert event["source"] == {"component": "metacontroller"}
    assert event["involvedObject"]["uid"] == world.live()["metadata"]["uid"]
    assert event["involvedObject"]["kind"] == "Vpc"
    assert event["metadata"]["namespace"] == "a"
    assert event["message"] == (
        f"Sync error: sync hook failed for Vpc a/one: sync hook failed (version=v2): "
        f"unsupported status code: {code} body: {body.decode()}"
    )


async def test_a_redirect_is_followed():
    """mc §2.1."""
    world = await answering(Response(b"", 307, {"Location": "http://hooks/vpcs/elsewhere"}), DONE)
    async with world.running():
        await asyncio.sleep(1)
    assert [which for _, which, _ in world.calls[:2]] == ["sync", "elsewhere"]
    assert world.calls[0][2] == world.calls[1][2]
    assert world.live()["status"]["phase"] == "Active"


@pytest.mark.parametrize(
    ("header", "second"),
    [
        ("3", 3),
        ("Wed, 01 Jul 2026 08:00:07 GMT", 7),
        ("Wed, 01 Jul 2026 07:59:00 GMT", 0),
        ("0", 0),
        ("-5", 0),
        ("2.5", 0),
        ("soon", 0),
        (None, 0),
    ],
)
async def test_429_is_asked_again_when_it_says(header, second):
    """mc §2.6: integer or date; whatever else is at once. No Event, nothing written."""
    busy = Response(b"{}", 429, {} if header is None else {"Retry-After": header})
    world = await answering(busy, DONE)
    async with world.running():
        await asyncio.sleep(20)
    assert times(world)[:2] == [0, second]
    assert world.events() == []


async def test_a_date_is_rounded_up():
    """mc §2.6: never sooner than asked."""
    world = await answering(Response(b"", 429, {"Retry-After": "Wed, 01 Jul 2026 08:00:07 GMT"}), DONE)
    await asyncio.sleep(0.25)
    async with world.running():
        await asyncio.sleep(20)
    assert times(world)[:2] == [0.25, 7.25]


async def test_429_leaves_the_back_off_as_it_was():
    """mc §2.6: neither growth nor reset."""
    no = Response(b"", 500)
    world = await answering(no, no, Response(b"", 429, {"Retry-After": "2"}), no, DONE)
    async with world.running():
        await asyncio.sleep(20)
    assert times(world)[:5] == [0, 0.005, 0.015, 2.015, 2.035]


async def test_a_shorter_429_replaces_a_longer_resync():
    """mc §3.6: one pending entry a key, the earliest wins, and it fires once."""
    world = await answering(
        DONE | {"resyncAfterSeconds": 30}, Response(b"", 429, {"Retry-After": "5"}), DONE | {"resyncAfterSeconds": 100}
    )
    async with world.running():
        await asyncio.sleep(60)
    assert times(world) == [0, 0, 5]


async def test_resync_after_seconds_comes_as_asked():
    """mc §3.6: fractions count, nothing or less does not."""
    world = await answering(DONE | {"resyncAfterSeconds": 2.5}, DONE | {"resyncAfterSeconds": -1})
    world.kube.objects["vpcs", "a", "one"]["status"] = DONE["status"] | {"observedGeneration": 1}
    async with world.running():
        await asyncio.sleep(60)
    assert times(world) == [0, 2.5]


async def test_a_success_starts_the_back_off_anew():
    """mc §2.6."""
    no = Response(b"", 500)
    world = await answering(no, no, no, DONE, DONE, no, DONE)
    async with world.running():
        await asyncio.sleep(5)
        await world.kube.change("vpcs", "a", "one", metadata={"labels": {"x": "y"}})
        await asyncio.sleep(5)
    assert times(world) == [0, 0.005, 0.015, 0.035, 0.035, 5, 5.005]


async def test_a_failed_call_never_grows_into_silence():
    """mc §2.6: each failure doubles the wait of this object alone."""
    world = await answering(Response(b"", 500))
    async with world.running():
        await asyncio.sleep(1)
        assert times(world) == [0, 0.005, 0.015, 0.035, 0.075, 0.155, 0.315, 0.635]
        await world.kube.change("vpcs", "a", "one", metadata={"labels": {"x": "y"}})
        await asyncio.sleep(0.1)
        assert times(world)[-1] == 1.0  # an event does not wait for the back-off


async def test_a_time_out_covers_the_whole_call_and_leaves_the_handler_running():
    """mc §1.3, §2.6: the retry runs beside the first call."""
    world = await answering(DONE)
    done = []

    async def hook(which, body):
        started = now()
        if started < 1:
            await asyncio.sleep(30)
        done.append((started, now()))
        return DONE

    world.hook = hook
    async with world.running():
        await asyncio.sleep(19.9)
        assert len(world.calls) == 1
        await asyncio.sleep(40)
    assert [round(at, 3) for at in times(world)][:2] == [0, 20.005]
    assert (0, 30) in [(round(a), round(b)) for a, b in done]
    assert "no answer from http://hooks/vpcs/sync in 20 s" in world.events()[0]["message"]


async def test_a_body_that_dribbles_is_cut_at_the_same_total():
    """mc §1.3: the time-out includes reading the body."""

    async def slowly():
        for part in (b'{"status"', b": {}", b', "children": []', b"}"):
            await asyncio.sleep(6)
            yield part

    from starlette.responses import StreamingResponse

    world = await answering(StreamingResponse(slowly()), DONE)
    async with world.running():
        await asyncio.sleep(25)
    assert times(world)[:2] == [0, 20.005]


async def test_a_text_that_is_no_utf_8_fails_its_own_pass_only():
    """Half a surrogate pair can stand in JSON and be sent nowhere; the engine lives on."""
    world = await answering(b'{"status": {"message": "\\ud83d"}, "children": []}', DONE)
    async with world.running():
        await asyncio.sleep(1)
    assert len(world.events()) == 1
    assert world.live()["status"]["phase"] == "Active"


async def test_nobody_listening_is_a_failure_like_any_other():
    """mc §2.6, §3.8."""
    world = await answering(DONE)
    world.net.hosts.pop("hooks")
    async with world.running():
        await asyncio.sleep(0.5)
    assert world.events()[0]["count"] == 7
    assert "status" not in world.live()


async def test_events_of_one_object_are_bounded():
    """mc §5: 25 at once, then one in five minutes."""
    world = await answering(Response(b"", 500))
    await world.kube.put("vpcs", vpc("two"))
    async with world.running():
        for n in range(40):
            await asyncio.sleep(1)
            await world.kube.change("vpcs", "a", "one", metadata={"labels": {"n": str(n)}})
        await asyncio.sleep(1)
        assert max(event["count"] for event in world.events()) == 25
    assert sorted(event["involvedObject"]["name"] for event in world.events()) == ["one", "two"]


DECODED = [
    (b'{"status": {"a": 1}, "children": [], "resyncAfterSeconds": 3, "finalized": true}', ({"a": 1}, 3.0, True)),
    (b'{"status": {"any": {"thing": [null, 1.5]}}}', ({"any": {"thing": [None, 1.5]}}, 0.0, False)),
    (b'{"resyncAfterSeconds": 0.25}', ({}, 0.25, False)),
    (b"{}", ({}, 0.0, False)),
    (b"null", ({}, 0.0, False)),
    (b'{"status": null, "children": null, "resyncAfterSeconds": null, "finalized": null}', ({}, 0.0, False)),
]


@pytest.mark.parametrize(("raw", "expected"), DECODED)
def test_replies_that_decode(raw, expected):
    """mc §2.4: null is absent; the schemaless inside of status is nobody's business."""
    reply = composite_reply(raw)
    assert (reply.status, reply.resync_after, reply.finalized) == expected


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"[]",
        b'"text"',
        b"{} {}",
        b'{"Status": {}}',
        b'{"events": []}',
        b'{"labels": {}}',
        b'{"status": {}, "status": {}}',
        b'{"status": {"a": 1, "a": 2}}',
        b'{"status": []}',
        b'{"status": "Active"}',
        b'{"children": {}}',
        b'{"resyncAfterSeconds": "5"}',
        b'{"resyncAfterSeconds": true}',
        b'{"resyncAfterSeconds": NaN}',
        b'{"status": {"a": Infinity}}',
        b'{"status": {"a": 1e999}}',
        b'{"finalized": 1}',
        b'{"finalized": "true"}',
        b'{"children": [null]}',
        b'{"status": {}',
        b"<html>",
        b'{"status": {"a": "\xff"}}',
    ],
)
def test_replies_that_do_not_decode(raw):
    """mc §2.5, strict column."""
    with pytest.raises(HookError):
        composite_reply(raw)


def test_a_null_child_is_named_as_what_kills_metacontroller():
    """mc §2.5."""
    with pytest.raises(HookError, match=r"children\[0\] is null: Metacontroller itself dies"):
        composite_reply(b'{"children": [null]}')
    with pytest.raises(HookError, match=r"relatedResources\[0\] is null: Metacontroller itself dies"):
        customize_reply(b'{"relatedResources": [null]}')


def test_children_are_refused_loudly():
    with pytest.raises(UnmodelledError, match="without childResources"):
        composite_reply(b'{"children": [{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "x"}}]}')


@pytest.mark.parametrize(
    "rule",
    [
        b'{"name": "x"}',
        b'{"names": "x"}',
        b'{"names": [1]}',
        b'{"namespace": 5}',
        b'{"labelSelector": []}',
        b'{"labelSelector": {"matchLabel": {}}}',
        b'{"labelSelector": {"matchLabels": {"a": 1}}}',
        b'{"labelSelector": {"matchExpressions": [{"key": "a", "operator": "Equals", "values": ["x"]}]}}',
        b'{"labelSelector": {"matchExpressions": [{"key": "a", "operator": "In"}]}}',
        b'{"namespaceSelector": {}}',
        b'{"names": ["a"], "names": ["b"]}',
        b"[]",
    ],
)
def test_rules_that_do_not_decode(rule):
    """mc §2.5: a misspelt field would select everything in loose mode."""
    with pytest.raises((HookError, UnmodelledError)):
        customize_reply(b'{"relatedResources": [' + rule + b"]}")


@pytest.mark.parametrize("raw", [b"[]", b'[{"apiVersion": "v1"}]', b'{"related": []}', b'{"relatedResources": {}}'])
def test_a_bare_list_is_no_customize_reply(raw):
    """mc §2.4."""
    with pytest.raises(HookError):
        customize_reply(raw)


@pytest.mark.parametrize("raw", [b"{}", b"null", b'{"relatedResources": null}', b'{"relatedResources": []}'])
def test_no_rules_is_a_fine_customize_reply(raw):
    assert customize_reply(raw) == ()
