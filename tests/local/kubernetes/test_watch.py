"""Watches and lists: versions, selectors, bookmarks, pages."""

from __future__ import annotations

import asyncio
import json

from hooks.clock import seeded
from hooks.http import AsyncClient
from hooks.local.kubernetes import KubernetesApi
from hooks.local.kubernetes.builtin import builtin
from hooks.local.kubernetes.store import Store
from hooks.local.kubernetes.watch import Watch, request_of
from tests.local.kubernetes.widgets import WIDGETS, make, merge, serving, watching
from tests.world.loopback import Loopback
from tests.world.time import LoopClock

ONE = f"{WIDGETS}/one"


def named(event):
    return event["type"], event["object"]["metadata"]["name"]


async def test_a_watch_without_a_version_tells_what_is_there_first():
    async with serving() as client:
        await make(client, "one")
        async with watching(client) as watch:
            assert named(await watch.next()) == ("ADDED", "one")
            await make(client, "two")
            assert named(await watch.next()) == ("ADDED", "two")
            await merge(client, ONE, {"spec": {"sizeGB": 11}})
            assert named(await watch.next()) == ("MODIFIED", "one")
            await client.delete(ONE)
            assert named(await watch.next()) == ("DELETED", "one")


async def test_a_watch_from_a_version_tells_what_came_after():
    async with serving() as client:
        first = await make(client, "one")
        await make(client, "two")
        last = await merge(client, ONE, {"spec": {"sizeGB": 11}})
        async with watching(client, resourceVersion=first["metadata"]["resourceVersion"]) as watch:
            assert named(await watch.next()) == ("ADDED", "two")
            changed = await watch.next()
            assert changed["object"] == last.json()


async def test_a_write_that_changes_nothing_is_not_told():
    async with serving() as client:
        made = await make(client, "one")
        async with watching(client, resourceVersion=made["metadata"]["resourceVersion"]) as watch:
            await merge(client, ONE, {"spec": {"region": "it"}})
            await merge(client, ONE, {"spec": {"sizeGB": 77}})
            assert (await watch.next())["object"]["spec"]["sizeGB"] == 77


async def test_a_deletion_carries_the_last_state_under_a_new_version():
    async with serving() as client:
        made = await make(client, "one")
        async with watching(client, resourceVersion=made["metadata"]["resourceVersion"]) as watch:
            await client.delete(ONE)
            gone = await watch.next()
            assert gone["type"] == "DELETED"
            assert gone["object"]["spec"] == made["spec"]
            assert int(gone["object"]["metadata"]["resourceVersion"]) > int(made["metadata"]["resourceVersion"])


async def test_an_object_that_leaves_the_selection_is_deleted_to_the_watcher():
    async with serving() as client:
        await make(client, "one", metadata={"labels": {"team": "a"}})
        async with watching(client, labelSelector="team=a") as watch:
            assert named(await watch.next()) == ("ADDED", "one")
            await merge(client, ONE, {"metadata": {"labels": {"team": "b"}}})
            assert named(await watch.next()) == ("DELETED", "one")
            await merge(client, ONE, {"metadata": {"labels": {"team": "a"}}})
            assert named(await watch.next()) == ("ADDED", "one")


async def test_only_the_named_object_and_namespace_are_told():
    async with serving() as client:
        await client.post(
            "/api/v1/namespaces", json={"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "far"}}
        )
        async with watching(client, fieldSelector="metadata.name=two") as watch:
            await make(client, "one")
            await client.delete(ONE)
            body = await make(client, "two")
            assert named(await watch.next()) == ("ADDED", "two")
            far = {
                "apiVersion": body["apiVersion"],
                "kind": "Widget",
                "metadata": {"name": "two"},
                "spec": body["spec"],
            }
            await client.post(WIDGETS.replace("default", "far"), json=far)
            await client.delete(f"{WIDGETS}/two")
            assert named(await watch.next()) == ("DELETED", "two")


async def test_a_version_that_is_forgotten_is_told_as_an_error_410():
    async with serving(history=3) as client:
        first = await make(client, "one")
        for size in range(20, 26):
            await merge(client, ONE, {"spec": {"sizeGB": size}})
        async with watching(client, resourceVersion=first["metadata"]["resourceVersion"]) as watch:
            error = await watch.next()
        assert error["type"] == "ERROR"
        assert (error["object"]["code"], error["object"]["reason"]) == (410, "Expired")


async def test_a_watch_list_ends_its_first_part_with_a_bookmark():
    async with serving() as client:
        await make(client, "one")
        params = {
            "sendInitialEvents": "true",
            "allowWatchBookmarks": "true",
            "resourceVersionMatch": "NotOlderThan",
        }
        async with watching(client, **params) as watch:
            assert named(await watch.next()) == ("ADDED", "one")
            mark = await watch.next()
            assert mark["type"] == "BOOKMARK"
            assert mark["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}
            assert mark["object"]["kind"] == "Widget"


async def test_bookmarks_come_once_a_minute_and_move_on():
    async with serving() as client:
        made = await make(client, "one")
        params = {"allowWatchBookmarks": "true", "resourceVersion": made["metadata"]["resourceVersion"]}
        async with watching(client, **params) as watch:
            await client.post(
                "/api/v1/namespaces", json={"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "far"}}
            )
            mark = await watch.next()
            assert asyncio.get_running_loop().time() >= 60
            assert mark["type"] == "BOOKMARK"
            assert int(mark["object"]["metadata"]["resourceVersion"]) > int(made["metadata"]["resourceVersion"])


async def test_a_watch_ends_when_its_time_is_up():
    async with serving() as client:
        answer = await client.get(WIDGETS, params={"watch": "1", "timeoutSeconds": "5"})
        assert answer.text == ""
        assert 5 <= asyncio.get_running_loop().time() < 6


async def test_lists_are_sorted_selected_and_paged():
    async with serving() as client:
        for number in (3, 1, 2, 5, 4):
            await make(client, f"w{number}", metadata={"labels": {"odd": str(number % 2), "n": str(number)}})

        async def names(**params):
            answer = await client.get(WIDGETS, params=params)
            assert answer.status_code == 200, answer.text
            return [item["metadata"]["name"] for item in answer.json()["items"]]

        assert await names() == ["w1", "w2", "w3", "w4", "w5"]
        assert await names(labelSelector="odd=1") == ["w1", "w3", "w5"]
        assert await names(labelSelector="odd!=1,n") == ["w2", "w4"]
        assert await names(labelSelector="n in (1, 2),odd notin (0)") == ["w1"]
        assert await names(labelSelector="!odd") == []
        assert await names(labelSelector="n>3") == ["w4", "w5"]
        assert await names(fieldSelector="metadata.name=w2") == ["w2"]
        assert await names(fieldSelector="metadata.namespace!=default") == []
        assert (await client.get(WIDGETS, params={"fieldSelector": "spec.x=1"})).status_code == 400
        assert (await client.get(WIDGETS, params={"labelSelector": "a in b"})).status_code == 400

        first = (await client.get(WIDGETS, params={"limit": "2"})).json()
        assert first["metadata"]["remainingItemCount"] == 3
        rest = (await client.get(WIDGETS, params={"limit": "9", "continue": first["metadata"]["continue"]})).json()
        assert [item["metadata"]["name"] for item in rest["items"]] == ["w3", "w4", "w5"]
        assert rest["metadata"] == {"resourceVersion": first["metadata"]["resourceVersion"]}
        assert json.dumps(first["kind"]) == '"WidgetList"'


async def test_a_watch_that_is_over_takes_no_more_changes():
    store = Store()
    served = {resource.plural: resource for resource in builtin()}
    request = request_of(served["configmaps"], "", "", {"timeoutSeconds": "5"}, seeded(7))
    assert [event async for event in Watch(store, request).events()] == []
    store.put("configmaps", {"metadata": {"name": "late", "namespace": "default"}})
    assert store.feeds("configmaps") == 0


async def test_closing_the_api_ends_its_watches():
    api = KubernetesApi(LoopClock(), seeded(7))
    async with AsyncClient(transport=Loopback({"k8s": api.app}), base_url="http://k8s", timeout=30) as client:
        running = asyncio.create_task(client.get("/api/v1/namespaces", params={"watch": "1"}))
        await asyncio.sleep(1)
        assert not running.done()
        await api.aclose()
        assert (await running).text.count('"ADDED"') == 2
        later = await client.get("/api/v1/namespaces", params={"watch": "1"})
        assert later.text.count('"ADDED"') == 2
    assert asyncio.get_running_loop().time() < 2
