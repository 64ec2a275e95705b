"""Create, read, update, delete, as the API server does them for a custom resource."""

from __future__ import annotations

import asyncio
import json

import pytest

from tests.local.kubernetes.widgets import WIDGETS, make, merge, serving, widget

ONE = f"{WIDGETS}/one"


async def test_a_new_object_gets_its_identity_and_generation_one():
    async with serving() as client:
        made = await make(client)
        meta = made["metadata"]
        assert meta["generation"] == 1
        assert meta["namespace"] == "default"
        assert meta["creationTimestamp"] == "2026-07-01T08:00:00Z"
        assert len(meta["uid"]) == 36
        assert (await client.get(ONE)).json() == made


async def test_defaults_are_stored_and_unknown_fields_are_not():
    async with serving() as client:
        made = await make(client, nested={"foo": 1}, free={"any": [1]}, what="x")
        assert made["spec"] == {
            "region": "it",
            "sizeGB": 10,
            "hint": "none",
            "nested": {"mode": "auto"},
            "free": {"any": [1]},
        }


async def test_status_is_not_taken_at_creation():
    async with serving() as client:
        answer = await client.post(WIDGETS, json={**widget(), "status": {"phase": "Active"}})
        assert "status" not in answer.json()


async def test_a_name_is_taken_once():
    async with serving() as client:
        await make(client)
        again = await client.post(WIDGETS, json=widget())
        assert (again.status_code, again.json()["reason"]) == (409, "AlreadyExists")
        assert again.json()["message"] == 'widgets.toys.example.com "one" already exists'


async def test_generate_name_appends_five_letters():
    async with serving() as client:
        body = widget()
        body["metadata"] = {"generateName": "w-"}
        name = (await client.post(WIDGETS, json=body)).json()["metadata"]["name"]
        assert name.startswith("w-")
        assert len(name) == 7


async def test_names_follow_rfc_1123():
    async with serving() as client:
        answer = await client.post(WIDGETS, json=widget("Not_OK"))
        assert answer.status_code == 422
        cause = answer.json()["details"]["causes"][0]
        assert cause["field"] == "metadata.name"
        assert cause["message"].startswith('Invalid value: "Not_OK": a lowercase RFC 1123 subdomain must consist of')


async def test_a_missing_object_and_a_missing_namespace_are_404():
    async with serving() as client:
        answer = await client.get(ONE)
        assert answer.status_code == 404
        assert answer.json()["message"] == 'widgets.toys.example.com "one" not found'
        assert answer.json()["details"] == {"name": "one", "group": "toys.example.com", "kind": "widgets"}
        elsewhere = await client.post(WIDGETS.replace("default", "nowhere"), json=widget())
        assert elsewhere.status_code == 404
        assert elsewhere.json()["message"] == 'namespaces "nowhere" not found'


async def test_what_is_not_served_says_so():
    async with serving() as client:
        answer = await client.get("/apis/apps/v1/deployments")
        assert answer.status_code == 404
        assert "/apis/apps/v1/deployments is not served" in answer.json()["message"]
        part = await client.get(f"{ONE}/scale")
        assert part.status_code == 501
        assert "widgets.toys.example.com/scale is not modelled" in part.json()["message"]
        assert (await client.request("POST", ONE, json={})).status_code == 405


async def test_a_spec_change_moves_the_generation_and_a_label_does_not():
    async with serving() as client:
        await make(client)
        labelled = (await merge(client, ONE, {"metadata": {"labels": {"a": "b"}}})).json()
        assert labelled["metadata"]["generation"] == 1
        changed = (await merge(client, ONE, {"spec": {"sizeGB": 20}})).json()
        assert changed["metadata"]["generation"] == 2


async def test_a_write_that_changes_nothing_keeps_the_version():
    async with serving() as client:
        made = await make(client)
        same = (await merge(client, ONE, {"spec": {"region": "it"}})).json()
        assert same == made
        put = await client.put(ONE, json=made)
        assert put.json() == made


async def test_the_main_resource_ignores_status_and_status_ignores_the_rest():
    async with serving() as client:
        made = await make(client)
        both = {"spec": {"sizeGB": 30}, "status": {"phase": "Active"}, "metadata": {"labels": {"a": "b"}}}
        main = (await merge(client, ONE, both)).json()
        assert "status" not in main
        assert main["spec"]["sizeGB"] == 30
        both["spec"]["sizeGB"] = 40
        both["metadata"]["labels"] = {"c": "d"}
        status = (await merge(client, f"{ONE}/status", both)).json()
        assert status["status"] == {"phase": "Active"}
        assert status["spec"]["sizeGB"] == 30
        assert status["metadata"]["labels"] == {"a": "b"}
        assert status["metadata"]["generation"] == 2
        assert int(status["metadata"]["resourceVersion"]) > int(made["metadata"]["resourceVersion"])


async def test_a_put_must_name_a_version_and_the_right_one():
    async with serving() as client:
        made = await make(client)
        await merge(client, ONE, {"spec": {"sizeGB": 20}})
        stale = await client.put(ONE, json=made)
        assert (stale.status_code, stale.json()["reason"]) == (409, "Conflict")
        assert stale.json()["message"] == (
            'Operation cannot be fulfilled on widgets.toys.example.com "one": the object has been modified; '
            "please apply your changes to the latest version and try again"
        )
        unversioned = await client.put(ONE, json=widget())
        assert unversioned.status_code == 422
        assert "metadata.resourceVersion: Invalid value: 0: must be specified for an update" in unversioned.text


async def test_a_put_of_another_object_of_that_name_is_refused():
    async with serving() as client:
        made = await make(client)
        made["metadata"]["uid"] = "else"
        answer = await client.put(ONE, json=made)
        assert (answer.status_code, answer.json()["reason"]) == (409, "Conflict")
        assert "Precondition failed: UID in precondition: else, UID in object meta: " in answer.json()["message"]


async def test_answers_are_dated_by_the_same_clock_as_the_objects():
    async with serving() as client:
        await asyncio.sleep(61)
        answer = await client.post(WIDGETS, json=widget())
        assert answer.headers["date"] == "Wed, 01 Jul 2026 08:01:01 GMT"
        assert answer.json()["metadata"]["creationTimestamp"] == "2026-07-01T08:01:01Z"


async def test_the_creation_time_cannot_be_changed_and_nobody_minds():
    async with serving() as client:
        made = await make(client)
        answer = await merge(client, ONE, {"metadata": {"creationTimestamp": "2020-01-01T00:00:00Z"}})
        assert answer.json() == made


async def test_a_fenced_merge_patch_is_refused_for_another_version_or_uid():
    async with serving() as client:
        made = await make(client)
        meta = made["metadata"]
        fence = {"resourceVersion": meta["resourceVersion"], "uid": meta["uid"]}
        good = await merge(client, ONE, {"metadata": {**fence, "annotations": {"a": "1"}}})
        assert good.status_code == 200
        stale = await merge(client, ONE, {"metadata": {**fence, "annotations": {"a": "2"}}})
        assert (stale.status_code, stale.json()["reason"]) == (409, "Conflict")
        fence["resourceVersion"] = good.json()["metadata"]["resourceVersion"]
        other = await merge(client, ONE, {"metadata": {**fence, "uid": "else"}})
        assert (other.status_code, other.json()["reason"]) == (422, "Invalid")
        assert other.json()["details"]["causes"] == [
            {
                "reason": "FieldValueInvalid",
                "message": 'Invalid value: "else": field is immutable',
                "field": "metadata.uid",
            }
        ]


async def test_a_patch_of_what_is_gone_is_404():
    async with serving() as client:
        assert (await merge(client, ONE, {"spec": {}})).status_code == 404


async def test_a_merge_patch_takes_away_by_null_and_replaces_lists():
    async with serving() as client:
        await make(client, code="ab", note="x", tags=["a", "b"], labels={"x": "1", "y": "2"})
        patched = (await merge(client, ONE, {"spec": {"note": None, "tags": ["c"], "labels": {"x": None}}})).json()
        assert patched["spec"] == {
            "region": "it",
            "sizeGB": 10,
            "hint": "none",
            "code": "ab",
            "tags": ["c"],
            "labels": {"y": "2"},
        }


async def test_a_json_patch_is_done_in_order_or_not_at_all():
    async with serving() as client:
        await make(client, tags=["a"])
        headers = {"content-type": "application/json-patch+json"}
        steps = [
            {"op": "test", "path": "/spec/region", "value": "it"},
            {"op": "add", "path": "/spec/tags/-", "value": "b"},
            {"op": "add", "path": "/metadata/annotations", "value": {"x/y": "1"}},
            {"op": "replace", "path": "/metadata/annotations/x~1y", "value": "2"},
            {"op": "remove", "path": "/spec/sizeGB"},
        ]
        done = await client.patch(ONE, content=json.dumps(steps), headers=headers)
        assert done.json()["spec"] == {"region": "it", "tags": ["a", "b"], "sizeGB": 10, "hint": "none"}
        assert done.json()["metadata"]["annotations"] == {"x/y": "2"}
        steps[0]["value"] = "de"
        assert (await client.patch(ONE, content=json.dumps(steps), headers=headers)).status_code == 422


async def test_custom_resources_take_no_strategic_merge_patch():
    async with serving() as client:
        await make(client)
        headers = {"content-type": "application/strategic-merge-patch+json"}
        assert (await client.patch(ONE, content="{}", headers=headers)).status_code == 415


async def test_a_dry_run_answers_as_if_and_stores_nothing():
    async with serving() as client:
        tried = await client.post(WIDGETS, json=widget(), params={"dryRun": "All"})
        assert tried.status_code == 201
        assert (await client.get(ONE)).status_code == 404
        made = await make(client)
        tried = await merge(client, ONE, {"spec": {"sizeGB": 99}}, dryRun="All")
        assert tried.json()["spec"]["sizeGB"] == 99
        assert (await client.delete(ONE, params={"dryRun": "All"})).status_code == 200
        assert (await client.get(ONE)).json() == made


async def test_bodies_that_cannot_be_read_are_400():
    async with serving() as client:
        for body in ("{", "[]", '{"spec": NaN}', '{"apiVersion": "v1", "kind": "Pod"}'):
            answer = await client.post(WIDGETS, content=body, headers={"content-type": "application/json"})
            assert (answer.status_code, answer.json()["reason"]) == (400, "BadRequest"), body


@pytest.mark.parametrize(
    "body",
    [
        [],
        "x",
        {},
        {"metadata": "x"},
        {"metadata": {"name": 1}},
        {"metadata": {"labels": ["a"]}},
        {"metadata": {"finalizers": [1]}},
        {"metadata": {"managedFields": ["x"]}},
        {"metadata": {"ownerReferences": [{"uid": 1}]}},
        {"spec": []},
        {"spec": {"ports": ["x"]}},
        {"spec": {"ports": {"a": 1}}},
        {"spec": {"tags": [{"a": 1}]}},
        {"status": "x"},
        {"preconditions": "x"},
        {"dryRun": "x"},
    ],
)
async def test_nonsense_is_the_client_s_fault(body):
    head = {"apiVersion": "toys.example.com/v1", "kind": "Widget"}
    whole = {**widget(), **body} if isinstance(body, dict) else body
    async with serving() as client:
        await make(client)
        tries = [
            await client.post(WIDGETS, json=whole),
            await client.put(ONE, json={**head, **body} if isinstance(body, dict) else body),
            await merge(client, ONE, body),
            await merge(client, f"{ONE}/status", body),
            await client.patch(ONE, json=body, headers={"content-type": "application/json-patch+json"}),
            await client.patch(
                ONE,
                json={**head, **body} if isinstance(body, dict) else body,
                headers={"content-type": "application/apply-patch+yaml"},
                params={"fieldManager": "m", "force": "true"},
            ),
            await client.request("DELETE", ONE, json=body),
        ]
        assert all(answer.status_code < 500 for answer in tries), [answer.text for answer in tries]


async def test_yaml_is_read_and_written():
    async with serving() as client:
        head = "apiVersion: toys.example.com/v1\nkind: Widget\nmetadata: {name: one}\n"
        text = head + "spec: {region: it, when: 2026-01-01T00:00:00Z}\n"
        made = await client.post(WIDGETS, content=text, headers={"content-type": "application/yaml"})
        assert made.json()["spec"]["when"] == "2026-01-01T00:00:00Z"
        shown = await client.get(ONE, headers={"accept": "application/yaml"})
        assert "region: it\n" in shown.text


class TestDeletion:
    async def test_what_nothing_holds_is_gone_at_once(self):
        async with serving() as client:
            made = await make(client)
            answer = await client.delete(ONE)
            assert answer.json()["status"] == "Success"
            assert answer.json()["details"]["uid"] == made["metadata"]["uid"]
            assert (await client.get(ONE)).status_code == 404

    async def test_a_finalizer_holds_it_and_its_removal_lets_go(self):
        async with serving() as client:
            await make(client, metadata={"finalizers": ["toys.example.com/hold"]})
            marked = (await client.delete(ONE)).json()
            assert marked["metadata"]["deletionTimestamp"] == "2026-07-01T08:00:00Z"
            assert marked["metadata"]["generation"] == 2
            again = (await client.delete(ONE)).json()
            assert again["metadata"]["resourceVersion"] == marked["metadata"]["resourceVersion"]
            last = await merge(client, ONE, {"metadata": {"finalizers": None}})
            assert last.status_code == 200
            assert (await client.get(ONE)).status_code == 404

    async def test_no_finalizer_joins_while_deleting(self):
        async with serving() as client:
            await make(client, metadata={"finalizers": ["toys.example.com/hold"]})
            await client.delete(ONE)
            more = {"metadata": {"finalizers": ["toys.example.com/hold", "toys.example.com/more"]}}
            answer = await merge(client, ONE, more)
            assert answer.status_code == 422
            assert answer.json()["details"]["causes"][0]["message"] == (
                "Forbidden: no new finalizers can be added if the object is being deleted, "
                'found new finalizers []string{"toys.example.com/more"}'
            )

    async def test_preconditions_are_kept(self):
        async with serving() as client:
            made = await make(client)
            body = {"preconditions": {"uid": "else"}}
            answer = await client.request("DELETE", ONE, json=body)
            assert (answer.status_code, answer.json()["reason"]) == (409, "Conflict")
            uid = made["metadata"]["uid"]
            assert f"Precondition failed: UID in precondition: else, UID in object meta: {uid}" in answer.text
            good = await client.request("DELETE", ONE, json={"preconditions": {"uid": uid}})
            assert good.status_code == 200

    async def test_a_collection_goes_by_selector(self):
        async with serving() as client:
            await make(client, "one", metadata={"labels": {"team": "a"}})
            await make(client, "two")
            gone = await client.request("DELETE", WIDGETS, params={"labelSelector": "team=a"})
            assert [item["metadata"]["name"] for item in gone.json()["items"]] == ["one"]
            left = (await client.get(WIDGETS)).json()["items"]
            assert [item["metadata"]["name"] for item in left] == ["two"]
