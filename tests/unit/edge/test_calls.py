from __future__ import annotations

import json

import pytest

from hooks.contract.replies import Busy, CustomizeReply, RelatedRule, SyncReply
from hooks.edge import Limits
from tests.unit.edge.world import API, World, call, vpc


async def test_a_sync_reply_holds_status_and_children_and_never_finalized():
    world = World()
    world.engine.answer = SyncReply(status={"phase": "Active", "x": 1}, resyncAfterSeconds=12.5)
    answer = await world.post("sync")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.json() == {"status": {"phase": "Active", "x": 1}, "children": [], "resyncAfterSeconds": 12.5}


async def test_finalized_is_withheld_from_a_sync_reply_whatever_the_controller_says():
    world = World()
    world.engine.answer = world.engine.last
    assert "finalized" not in (await world.post("sync")).json()


async def test_a_finalize_reply_carries_finalized():
    world = World()
    answer = await world.post("finalize", call(finalizing=True))
    assert answer.json() == {"status": {"phase": "Deleted"}, "children": [], "resyncAfterSeconds": 0, "finalized": True}
    assert world.engine.calls[0][1].finalizing


async def test_a_finalize_that_answers_like_sync_is_not_finalized():
    world = World()
    world.engine.last = SyncReply(status={"phase": "Deleting"}, resyncAfterSeconds=5)
    assert (await world.post("finalize")).json()["finalized"] is False


async def test_the_engine_sees_what_metacontroller_sent_and_a_deadline():
    world = World(Limits(budget=8))
    related = {f"Project.{API}": {"team-blue/p": {"metadata": {}}}}
    await world.post("sync", call(vpc(status={"phase": "Creating"}), related=related))
    hook, seen, deadline = world.engine.calls[0]
    assert (hook, seen.parent.metadata.uid, seen.related, seen.parent.status) == (
        "sync",
        "u-1",
        related,
        {"phase": "Creating"},
    )
    assert deadline.remaining(world.clock.monotonic()) == pytest.approx(8, abs=0.1)


@pytest.mark.parametrize(("asked", "header"), [(3, "3"), (0, "1"), (-4, "1"), (1.2, "2")])
async def test_busy_is_429_with_whole_seconds_above_zero(asked, header):
    world = World()
    world.engine.answer = Busy(asked, "the mark is young")
    answer = await world.post("sync")
    assert (answer.status_code, answer.headers["retry-after"]) == (429, header)
    assert answer.json()["error"] == "the mark is young"


async def test_related_rules_have_no_nulls():
    world = World()
    rules = [
        RelatedRule(apiVersion="v1", resource="namespaces", names=["team-blue"]),
        RelatedRule(apiVersion=API, resource="vpcs", labelSelector={"matchLabels": {"a": "b"}}),
    ]
    world.engine.rules = CustomizeReply(relatedResources=rules)
    assert (await world.post("customize")).json() == {
        "relatedResources": [
            {"apiVersion": "v1", "resource": "namespaces", "names": ["team-blue"]},
            {"apiVersion": API, "resource": "vpcs", "labelSelector": {"matchLabels": {"a": "b"}}},
        ]
    }


def _without(parent, *path):
    for part in path[:-1]:
        parent = parent[part]
    del parent[path[-1]]


def _deep(levels):
    return (
        b'{"parent": '
        + json.dumps(vpc()).encode()[:-1]
        + b', "spec": '
        + b'{"a":' * levels
        + b"1"
        + b"}" * levels
        + b"}}"
    )


def _bad_bodies():
    for path in (("metadata", "uid"), ("metadata", "name"), ("metadata",), ("kind",), ("apiVersion",)):
        parent = vpc()
        _without(parent, *path)
        yield "no " + ".".join(path), json.dumps(call(parent)).encode()
    for name, change in {
        "empty uid": {"metadata": {**vpc()["metadata"], "uid": ""}},
        "uid number": {"metadata": {**vpc()["metadata"], "uid": 7}},
        "labels list": {"metadata": {**vpc()["metadata"], "labels": ["a"]}},
        "spec list": {"spec": []},
        "spec null": {"spec": None},
        "status text": {"status": "Active"},
        "another kind": {"kind": "Subnet"},
        "another version": {"apiVersion": "arubacloud.com/v9"},
        "another group": {"apiVersion": "example.com/v1alpha1"},
    }.items():
        yield name, json.dumps(call(vpc(**change))).encode()
    whole = json.dumps(call()).encode()
    yield from (("truncated", whole[:-20]), ("empty", b""), ("null", b"null"), ("a list", b"[]"), ("text", b"hello"))
    yield from (("not utf-8", whole.replace(b"net-a", b"net\xff")), ("too deep", _deep(100_000)))
    yield "children null", json.dumps(call(children=None)).encode()
    yield "finalizing text", json.dumps(call(finalizing="perhaps")).encode()


BAD = dict(_bad_bodies())


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("hook", ["sync", "finalize"])
async def test_what_is_not_a_hook_call_is_400_and_never_reaches_the_engine(hook, name):
    world = World()
    answer = await world.post(hook, BAD[name])
    assert answer.status_code == 400
    assert set(answer.json()) == {"error", "hint"}
    assert not world.engine.calls


@pytest.mark.parametrize("name", ["no metadata.uid", "another kind", "truncated", "too deep"])
async def test_customize_refuses_them_too(name):
    world = World()
    assert (await world.post("customize", BAD[name])).status_code == 400
    assert not world.engine.calls


async def test_a_refusal_names_the_place_and_not_the_value():
    world = World()
    answer = await world.post("sync", call(vpc(spec="s3cr3t-value")))
    assert "parent.spec" in answer.json()["error"]
    assert "s3cr3t" not in answer.text + world.lines.getvalue()


async def test_moderate_nesting_passes():
    world = World()
    assert (await world.post("sync", _deep(50))).status_code == 200


@pytest.mark.parametrize("declared", [True, False])
async def test_a_body_over_the_limit_is_413(declared):
    world = World(Limits(body=2000))
    body = json.dumps(call(vpc(spec={"x": "y" * 2000}))).encode()

    async def parts():
        for at in range(0, len(body), 100):
            yield body[at : at + 100]

    answer = await (world.post("sync", body) if declared else world.client.post("/v2/vpcs/sync", content=parts()))
    assert answer.status_code == 413
    assert "body-limit" in answer.json()["hint"]
    assert not world.engine.calls
    assert (await world.post("sync")).status_code == 200


async def test_a_broken_engine_is_500_without_insides_but_with_a_traceback_in_the_log():
    world = World()
    world.engine.answer = ZeroDivisionError("password=hunter2")
    answer = await world.post("sync")
    assert answer.status_code == 500
    assert answer.json() == {"error": "internal error", "hint": "the log of the hooks has the details"}
    failed, line = world.log()
    assert "ZeroDivisionError" in failed["exception"]
    assert "hunter2" not in failed["exception"]
    assert (failed["name"], line["outcome"]) == ("net-a", "error")


async def test_a_broken_customize_is_500():
    world = World()
    world.engine.rules = RuntimeError("x")
    assert (await world.post("customize")).status_code == 500


async def test_a_reply_that_cannot_be_written_is_500():
    world = World()
    world.engine.answer = SyncReply(status={"phase": object()})
    assert (await world.post("sync")).status_code == 500


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", "/v2/vpcs/sync/", 404),
        ("POST", "/v2/vpcs", 404),
        ("POST", "/v1/vpcs/sync", 404),
        ("POST", "/v2/subnets/sync", 404),
        ("POST", "/V2/vpcs/sync", 404),
        ("GET", "/v2/vpcs/sync", 405),
        ("POST", "/healthz", 405),
    ],
)
async def test_paths_are_exact_and_errors_have_one_shape(method, path, status):
    answer = await World().client.request(method, path)
    assert answer.status_code == status
    assert set(answer.json()) == {"error", "hint"}


async def test_a_caller_without_authority_reaches_nothing():
    world = World(authorise=lambda headers: None if headers.get("authorization") == "Bearer x" else "no valid token")
    for hook in ("sync", "finalize", "customize"):
        denied = await world.post(hook)
        assert (denied.status_code, denied.json()["error"]) == (401, "no valid token")
    assert not world.engine.calls
    assert (await world.post("sync", headers={"Authorization": "Bearer x"})).status_code == 200
    assert (await world.client.get("/healthz")).status_code == 200


async def test_one_line_and_one_sample_a_pass():
    world = World()
    creating = [{"type": "Creating", "status": "True", "reason": "Synchronizing"}]
    world.engine.answer = SyncReply(
        status={"phase": "Active", "conditions": [{"type": "Active", "status": "True", "reason": "Done"}]}
    )
    await world.post("sync", call(vpc(status={"phase": "Creating", "conditions": creating})))
    (line,) = world.log()
    expected = {
        "message": "pass", "level": "INFO", "kind": "VPC", "namespace": "team-blue", "name": "net-a", "uid": "u-1",
        "resourceVersion": "41", "generation": 3, "finalizing": False, "hook": "sync", "outcome": "ok",
    }  # fmt: skip
    assert expected.items() <= line.items()
    assert line["ms"] >= 0
    assert line["timestamp"].startswith("2026-07-01T08:00:0")
    assert world.counted("aruba_hook_duration_seconds_count", kind="VPC", hook="sync", outcome="ok") == 1
    assert world.counted("aruba_phase_transitions_total", kind="VPC", **{"from": "Creating", "to": "Active"}) == 1
    labels = {"previous_phase": "Creating", "previous_reason": "Synchronizing", "phase": "Active", "reason": "Done"}
    assert (
        world.counted("aruba_reconcile_step_duration_seconds_count", resource_kind="VPC", result="success", **labels)
        == 1
    )


async def test_an_unchanged_phase_is_no_transition():
    world = World()
    await world.post("sync", call(vpc(status={"phase": "Active"})))
    assert world.counted("aruba_phase_transitions_total", kind="VPC", **{"from": "Active", "to": "Active"}) == 0
