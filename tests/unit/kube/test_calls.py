from __future__ import annotations

import asyncio

import pytest
from starlette.responses import JSONResponse, Response

from hooks.meta.outcomes import Patched, Stale, Trouble
from tests.unit.kube.server import PATH, PREFIX, World, status, vpc


async def annotate(world, annotations=None, labels=None, uid="u-1", version="41", **more):
    return await world.kube.annotate(
        "vpcs",
        "team-blue",
        "net-a",
        uid=uid,
        resource_version=version,
        annotations=annotations or {},
        labels=labels or {},
        deadline=more.get("deadline") or world.soon(),
    )


async def test_a_fenced_patch_carries_uid_and_version_and_returns_the_live_object():
    world = World()
    world.api.put(PATH, {**vpc(annotations={"a": "old", "b": "x"}), "spec": {"tenant": "fresh"}})
    answer = await annotate(world, {"a": "new", "b": None}, {"owner": "o"})
    assert isinstance(answer, Patched)
    assert answer.raw["spec"] == {"tenant": "fresh"}
    assert answer.raw["metadata"]["annotations"] == {"a": "new"}
    method, path, query, body, media = world.api.requests[0]
    assert (method, path, media) == ("PATCH", PATH, "application/merge-patch+json")
    assert query == {"fieldManager": "aruba-cloud-operator"}
    assert body == {
        "metadata": {
            "uid": "u-1",
            "resourceVersion": "41",
            "annotations": {"a": "new", "b": None},
            "labels": {"owner": "o"},
        }
    }


async def unfinalize(world, finalizers, version="41"):
    fence = {"uid": "u-1", "resource_version": version, "deadline": world.soon()}
    return await world.kube.unfinalize("vpcs", "team-blue", "net-a", finalizers=finalizers, **fence)


async def test_finalizers_are_replaced_behind_the_same_fence():
    world = World()
    world.api.put(PATH, vpc())
    assert isinstance(await unfinalize(world, ["metacontroller.io/x"]), Patched)
    assert world.api.requests[0][3] == {
        "metadata": {"uid": "u-1", "resourceVersion": "41", "finalizers": ["metacontroller.io/x"]}
    }
    assert isinstance(await unfinalize(world, [], version="40"), Stale)


async def test_a_namespace_is_read_from_the_core_group():
    world = World()
    raw = {"kind": "Namespace", "metadata": {"name": "team-blue", "annotations": {"a": "b"}}}
    world.api.put("/api/v1/namespaces/team-blue", raw)
    assert await world.kube.space("team-blue", world.soon()) == raw
    assert await world.kube.space("team-red", world.soon()) is None
    assert isinstance(await world.kube.space("../secrets", world.soon()), Trouble)
    assert [request[1] for request in world.api.requests] == [
        "/api/v1/namespaces/team-blue",
        "/api/v1/namespaces/team-red",
    ]


@pytest.mark.parametrize(
    ("metadata", "expected"), [({}, False), ({"deletionTimestamp": "2026-07-01T08:00:00Z"}, True), (None, True)]
)
async def test_a_definition_that_is_deleted_or_gone_is_leaving(metadata, expected):
    world = World()
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/vpcs.arubacloud.com"
    if metadata is not None:
        world.api.put(path, {"metadata": {"name": "vpcs.arubacloud.com", **metadata}})
    assert await world.kube.leaving("vpcs", world.soon()) is expected


async def test_without_a_selector_all_are_listed():
    world = World()
    world.api.answers = [JSONResponse({"kind": "List", "metadata": {}, "items": [vpc()]})]
    assert await world.kube.labelled("vpcs", "", world.soon()) == [vpc()]
    assert world.api.requests[0][2] == {"limit": "500"}


async def test_only_what_is_given_is_patched():
    world = World()
    world.api.put(PATH, vpc())
    await annotate(world, {"a": "1"})
    assert set(world.api.requests[0][3]["metadata"]) == {"uid", "resourceVersion", "annotations"}


@pytest.mark.parametrize("change", [{"version": "40"}, {"uid": "u-0"}])
async def test_an_old_view_is_stale(change):
    world = World()
    world.api.put(PATH, vpc())
    assert isinstance(await annotate(world, {"a": "1"}, **change), Stale)
    assert "annotations" not in world.api.objects[PATH]["metadata"]


async def test_an_object_that_is_gone_is_stale():
    assert isinstance(await annotate(World(), {"a": "1"}), Stale)


async def test_another_422_is_trouble_in_the_servers_words():
    world = World()
    causes = [{"field": "metadata.annotations", "message": "Too long"}]
    world.api.answers = [status(422, "Invalid", "metadata.annotations: Too long", causes=causes)]
    answer = await annotate(world, {"a": "1"})
    assert answer == Trouble("the Kubernetes API answered 422: metadata.annotations: Too long", lasting=True)


REFUSALS = [
    (
        lambda: status(403, "Forbidden", "vpcs is forbidden"),
        Trouble("the Kubernetes API answered 403: vpcs is forbidden", lasting=True),
    ),
    (lambda: status(401, "Unauthorized", "Unauthorized"), Trouble("the Kubernetes API answered 401: Unauthorized")),
    (
        lambda: Response("slow down", 429, headers={"Retry-After": "7"}),
        Trouble("the Kubernetes API answered 429: Too Many Requests", 7.0),
    ),
    (
        lambda: Response("<html>", 503, headers={"Retry-After": "soon"}),
        Trouble("the Kubernetes API answered 503: Service Unavailable"),
    ),
    (lambda: status(404, "NotFound", "no such kind"), Trouble("the Kubernetes API answered 404: no such kind")),
    (lambda: Response("404 page not found", 404), Trouble("the Kubernetes API answered 404: Not Found")),
    (lambda: JSONResponse([1], 500), Trouble("the Kubernetes API answered 500: Internal Server Error")),
]


@pytest.mark.parametrize(("answer", "expected"), REFUSALS)
async def test_every_other_refusal_is_trouble(answer, expected):
    world = World()
    calls = (
        lambda: annotate(world, {"a": "1"}),
        lambda: world.kube.read("vpcs", "team-blue", "net-a", world.soon()),
        lambda: world.kube.labelled("vpcs", "a=b", world.soon()),
        lambda: world.kube.delete("vpcs", "team-blue", "net-a", "u-1", world.soon()),
        lambda: world.kube.space("team-blue", world.soon()),
        lambda: world.kube.leaving("vpcs", world.soon()),
        lambda: unfinalize(world, []),
    )
    for ask in calls:
        world.api.answers = [answer()]
        assert await ask() == expected


async def test_a_200_without_an_object_is_trouble():
    world = World()
    world.api.answers = [Response("", 200), Response("hello", 200), JSONResponse({"kind": "List"})]
    assert isinstance(await annotate(world, {"a": "1"}), Trouble)
    assert isinstance(await world.kube.read("vpcs", "team-blue", "net-a", world.soon()), Trouble)
    assert isinstance(await world.kube.labelled("vpcs", "a=b", world.soon()), Trouble)


async def test_the_servers_words_are_one_line_of_bounded_length():
    world = World()
    world.api.answers = [status(400, "BadRequest", "a\n\x1b[31mfake\x00" + "é" * 5000)]
    answer = await annotate(world, {"a": "1"})
    assert answer.text.startswith("the Kubernetes API answered 400: a fake é")
    assert len(answer.text.encode()) <= 1024
    assert answer.text.endswith("...")


async def test_read_gives_the_object_or_none():
    world = World()
    world.api.put(PATH, vpc())
    assert await world.kube.read("vpcs", "team-blue", "net-a", world.soon()) == vpc()
    assert await world.kube.read("vpcs", "team-blue", "other", world.soon()) is None


async def test_a_list_follows_all_pages_over_all_namespaces():
    world = World()
    world.api.page = 2
    for n in range(5):
        world.api.put(f"{PREFIX}/namespaces/n/vpcs/{n}", vpc(name=str(n)))
    found = await world.kube.labelled("vpcs", "arubacloud.com/uses-u-1", world.soon())
    assert [item["metadata"]["name"] for item in found] == list("01234")
    assert [path for _, path, *_ in world.api.requests] == [f"{PREFIX}/vpcs"] * 3
    queries = [query for _, _, query, *_ in world.api.requests]
    assert {query["labelSelector"] for query in queries} == {"arubacloud.com/uses-u-1"}
    assert [query.get("continue") for query in queries] == [None, "2", "4"]


async def test_a_list_that_breaks_off_is_trouble_and_not_half_a_list():
    world = World()
    first = JSONResponse({"items": [vpc()], "metadata": {"continue": "t"}})
    world.api.answers = [first, status(410, "Expired", "the list is too old")]
    answer = await world.kube.labelled("vpcs", "a=b", world.soon())
    assert answer == Trouble("the Kubernetes API answered 410: the list is too old")


async def test_delete_is_fenced_by_uid():
    world = World()
    world.api.put(PATH, vpc())
    assert isinstance(await world.kube.delete("vpcs", "team-blue", "net-a", "u-0", world.soon()), Stale)
    assert PATH in world.api.objects
    assert await world.kube.delete("vpcs", "team-blue", "net-a", "u-1", world.soon()) is None
    assert PATH not in world.api.objects
    assert await world.kube.delete("vpcs", "team-blue", "net-a", "u-1", world.soon()) is None


async def test_silence_is_trouble_within_the_deadline():
    world = World()

    async def silence():
        await asyncio.sleep(3600)

    world.api.answers = [silence]
    answer = await annotate(world, {"a": "1"}, deadline=world.soon(3))
    assert answer == Trouble("the Kubernetes API did not answer within 3 s")
    assert world.clock.monotonic() == pytest.approx(3, abs=0.1)


async def test_nothing_is_sent_after_the_deadline():
    world = World()
    assert isinstance(await annotate(world, {"a": "1"}, deadline=world.soon(-1)), Trouble)
    assert not world.api.requests


async def test_a_server_that_is_not_there_is_trouble():
    world = World()
    world.net.cut("kube")
    assert await annotate(world, {"a": "1"}) == Trouble("the Kubernetes API could not be reached: ConnectError")


@pytest.mark.parametrize("name", ["..", "a/../../secrets", "a%2Fb", "a?x=1", "a#", "", "A B"])
async def test_a_name_cannot_lead_to_another_path(name):
    world = World()
    world.api.put(PATH, vpc())
    assert isinstance(await world.kube.read("vpcs", "team-blue", name, world.soon()), Trouble)
    assert not name or isinstance(await world.kube.read("vpcs", name, "net-a", world.soon()), Trouble)
    assert isinstance(await world.kube.delete("vpcs", "team-blue", name, "u-1", world.soon()), Trouble)
    assert not world.api.requests


async def test_calls_are_observed():
    world = World()
    world.api.put(PATH, vpc())
    await annotate(world, {"a": "1"})
    world.net.cut("kube")
    await world.kube.read("vpcs", "team-blue", "net-a", world.soon())
    assert [one[:3] for one in world.seen] == [("PATCH", "vpcs", 200), ("GET", "vpcs", 0)]
