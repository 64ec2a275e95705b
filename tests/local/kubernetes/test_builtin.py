"""The kinds that come without a CRD."""

from __future__ import annotations

import json

from tests.local.kubernetes.widgets import serving

CORE = "/api/v1/namespaces/default"
EVENT = {
    "apiVersion": "v1",
    "kind": "Event",
    "metadata": {"name": "one.1"},
    "involvedObject": {"kind": "Widget", "name": "one", "namespace": "default", "uid": "u-1"},
    "reason": "Made",
    "message": "it is made",
    "type": "Normal",
    "count": 2,
    "source": {"component": "maker"},
    "lastTimestamp": "2026-07-01T07:59:00Z",
}


async def test_an_event_is_one_object_in_two_groups():
    async with serving() as client:
        made = await client.post(f"{CORE}/events", json=EVENT)
        assert made.status_code == 201, made.text
        newer = (await client.get("/apis/events.k8s.io/v1/namespaces/default/events/one.1")).json()
        assert (newer["note"], newer["regarding"]["name"], newer["deprecatedCount"]) == ("it is made", "one", 2)
        assert newer["apiVersion"] == "events.k8s.io/v1"
        body = {
            "apiVersion": "events.k8s.io/v1",
            "kind": "Event",
            "metadata": {"name": "two.1"},
            "regarding": {"kind": "Widget", "name": "two", "namespace": "default"},
            "note": "hello",
            "reportingController": "maker",
        }
        await client.post("/apis/events.k8s.io/v1/namespaces/default/events", json=body)
        core = (await client.get(f"{CORE}/events/two.1")).json()
        assert (core["message"], core["involvedObject"]["name"], core["apiVersion"]) == ("hello", "two", "v1")


async def test_events_are_selected_by_what_they_are_about():
    async with serving() as client:
        await client.post(f"{CORE}/events", json=EVENT)

        async def count(selector):
            answer = await client.get(f"{CORE}/events", params={"fieldSelector": selector})
            return len(answer.json()["items"])

        assert await count("involvedObject.uid=u-1,involvedObject.name=one") == 1
        assert await count("involvedObject.uid=u-2") == 0
        assert await count("type!=Normal") == 0
        assert await count("source=maker") == 1


async def test_an_event_lives_where_its_subject_does():
    async with serving() as client:
        other = {**EVENT, "involvedObject": {**EVENT["involvedObject"], "namespace": "far"}}
        answer = await client.post(f"{CORE}/events", json=other)
        assert answer.status_code == 422
        assert answer.json()["details"]["causes"] == [
            {
                "reason": "FieldValueInvalid",
                "message": 'Invalid value: "far": does not match event.namespace',
                "field": "involvedObject.namespace",
            }
        ]


async def test_an_event_table():
    async with serving() as client:
        await client.post(f"{CORE}/events", json=EVENT)
        table = (await client.get(f"{CORE}/events", headers={"accept": "application/json;as=Table;v=v1"})).json()
        assert table["rows"][0]["cells"] == ["one.1", "60s", "Normal", "Made", "widget/one", "it is made"]


async def test_secret_texts_are_stored_encoded():
    async with serving() as client:
        body = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"a": "b"}}
        await client.post(f"{CORE}/secrets", json=body)
        found = (await client.get(f"{CORE}/secrets/s")).json()
        assert (found["data"], found["type"]) == ({"a": "Yg=="}, "Opaque")
        assert "stringData" not in found


async def test_a_strategic_merge_patch_merges_keyed_lists():
    async with serving() as client:
        body = {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": "bob"},
            "secrets": [{"name": "a"}, {"name": "b", "kind": "K"}],
        }
        path = f"{CORE}/serviceaccounts"
        await client.post(path, json=body)
        change = {"secrets": [{"name": "b", "namespace": "n"}, {"name": "a", "$patch": "delete"}, {"name": "c"}]}
        headers = {"content-type": "application/strategic-merge-patch+json"}
        patched = (await client.patch(f"{path}/bob", content=json.dumps(change), headers=headers)).json()
        assert patched["secrets"] == [{"name": "b", "kind": "K", "namespace": "n"}, {"name": "c"}]
        assert "generation" not in patched["metadata"]


async def test_a_config_map_may_be_replaced_without_a_version():
    async with serving() as client:
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": "1"}}
        await client.post(f"{CORE}/configmaps", json=body)
        answer = await client.put(f"{CORE}/configmaps/c", json={**body, "data": {"b": "2"}})
        assert answer.json()["data"] == {"b": "2"}


async def test_everybody_may_do_everything():
    async with serving() as client:
        body = {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview", "spec": {}}
        answer = await client.post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", json=body)
        assert (answer.status_code, answer.json()["status"]) == (201, {"allowed": True})


async def test_typed_clients_send_protobuf():
    def part(number, value):
        return bytes([number << 3 | 2, len(value)]) + value

    meta = (
        part(1, b"c") + part(8, b"") + part(11, part(1, b"x") + part(2, b"y")) + part(11, part(1, b"z") + part(2, b""))
    )
    data = part(2, part(1, b"k") + part(2, b"v"))
    inner = part(1, meta) + data + bytes([4 << 3, 1])
    body = b"k8s\x00" + part(1, part(1, b"v1") + part(2, b"ConfigMap")) + part(2, inner)
    headers = {"content-type": "application/vnd.kubernetes.protobuf"}
    async with serving() as client:
        made = await client.post(f"{CORE}/configmaps", content=body, headers=headers)
        assert made.status_code == 201, made.text
        assert (made.json()["data"], made.json()["immutable"]) == ({"k": "v"}, True)
        assert made.json()["metadata"]["labels"] == {"x": "y", "z": ""}
        other = body.replace(b"ConfigMap", b"ReplicaSe")
        refused = await client.post(f"{CORE}/configmaps", content=other, headers=headers)
        assert refused.status_code == 501
        assert (await client.post(f"{CORE}/configmaps", content=b"{}", headers=headers)).status_code == 400
        broken = await client.post(f"{CORE}/configmaps", content=body[:-12], headers=headers)
        assert broken.status_code in (400, 422)
