"""Server-side apply and managed fields: who owns what, and who may take it."""

from __future__ import annotations

import asyncio
import json

from tests.local.kubernetes.widgets import WIDGETS, make, merge, serving, widget

ONE = f"{WIDGETS}/one"


async def apply(client, manager, body, path=ONE, **params):
    headers = {"content-type": "application/apply-patch+yaml"}
    return await client.patch(
        path, content=json.dumps(body), headers=headers, params={"fieldManager": manager, **params}
    )


def owners(obj):
    entries = obj["metadata"].get("managedFields", [])
    return {
        (entry["manager"], entry["operation"], entry.get("subresource", "")): entry["fieldsV1"] for entry in entries
    }


async def test_the_first_apply_creates_and_owns_what_it_says():
    async with serving() as client:
        answer = await apply(client, "a", widget(metadata={"labels": {"x": "1"}}, ports=[{"name": "p", "port": 1}]))
        assert answer.status_code == 201
        assert owners(answer.json()) == {
            ("a", "Apply", ""): {
                "f:metadata": {"f:labels": {"f:x": {}}},
                "f:spec": {
                    "f:region": {},
                    "f:ports": {'k:{"name":"p"}': {".": {}, "f:name": {}, "f:port": {}}},
                },
            }
        }


async def test_the_same_apply_again_changes_nothing():
    async with serving() as client:
        first = (await apply(client, "a", widget(sizeGB=5))).json()
        await asyncio.sleep(10)
        again = await apply(client, "a", widget(sizeGB=5))
        assert again.status_code == 200
        assert again.json() == first


async def test_another_value_for_an_owned_field_is_a_conflict_until_forced():
    async with serving() as client:
        await apply(client, "a", widget(sizeGB=5))
        refused = await apply(client, "b", widget(sizeGB=6))
        assert refused.status_code == 409
        assert refused.json()["message"] == 'Apply failed with 1 conflict: conflict with "a": .spec.sizeGB'
        assert refused.json()["details"]["causes"] == [
            {"reason": "FieldManagerConflict", "message": 'conflict with "a"', "field": ".spec.sizeGB"}
        ]
        taken = (await apply(client, "b", widget(sizeGB=6), force="true")).json()
        assert taken["spec"]["sizeGB"] == 6
        assert owners(taken)["a", "Apply", ""] == {"f:spec": {"f:region": {}}}
        assert owners(taken)["b", "Apply", ""] == {"f:spec": {"f:region": {}, "f:sizeGB": {}}}


async def test_several_conflicts_are_listed_by_owner():
    async with serving() as client:
        await apply(client, "a", widget(sizeGB=5, code="aa"))
        refused = await apply(client, "b", widget(sizeGB=6, code="bb"))
        assert refused.json()["message"] == (
            'Apply failed with 2 conflicts: conflicts with "a":\n- .spec.code\n- .spec.sizeGB'
        )


async def test_the_same_value_is_shared():
    async with serving() as client:
        await apply(client, "a", widget(sizeGB=5))
        shared = (await apply(client, "b", widget(sizeGB=5))).json()
        assert set(owners(shared)) == {("a", "Apply", ""), ("b", "Apply", "")}
        left = (await apply(client, "a", widget())).json()
        assert left["spec"]["sizeGB"] == 5


async def test_what_is_no_longer_applied_is_removed_unless_another_owns_it():
    async with serving() as client:
        ports = [{"name": "p", "port": 1}, {"name": "q", "port": 2}]
        await apply(client, "a", widget(code="aa", ports=ports, tags=["x", "y"], metadata={"labels": {"l": "1"}}))
        await apply(client, "b", widget(ports=[{"name": "q"}]))
        left = (await apply(client, "a", widget(tags=["y"]))).json()
        assert left["spec"] == {
            "region": "it",
            "sizeGB": 10,
            "hint": "none",
            "tags": ["y"],
            "ports": [{"name": "q"}],
        }
        assert "labels" not in left["metadata"]


async def test_an_update_takes_what_it_changes_and_conflicts_name_its_time():
    async with serving() as client:
        await apply(client, "a", widget(sizeGB=5))
        edited = (await merge(client, ONE, {"spec": {"sizeGB": 8}}, fieldManager="edit")).json()
        assert owners(edited) == {
            ("a", "Apply", ""): {"f:spec": {"f:region": {}}},
            ("edit", "Update", ""): {"f:spec": {"f:sizeGB": {}}},
        }
        refused = await apply(client, "a", widget(sizeGB=5))
        assert refused.json()["message"] == (
            'Apply failed with 1 conflict: conflict with "edit" using toys.example.com/v1 at 2026-07-01T08:00:00Z: '
            ".spec.sizeGB"
        )


async def test_who_takes_a_field_away_owns_it_no_longer():
    async with serving() as client:
        await apply(client, "a", widget())
        await merge(client, ONE, {"spec": {"code": "ab", "sizeGB": 8}}, fieldManager="edit")
        edited = (await merge(client, ONE, {"spec": {"code": None}}, fieldManager="edit")).json()
        assert owners(edited)["edit", "Update", ""] == {"f:spec": {"f:sizeGB": {}}}


async def test_the_main_resource_never_owns_status():
    async with serving() as client:
        await apply(client, "a", {**widget(), "status": {"phase": "Active"}})
        again = (await apply(client, "a", {**widget(), "status": {"phase": "Active"}})).json()
        assert "status" not in again
        assert owners(again)["a", "Apply", ""] == {"f:spec": {"f:region": {}}}


async def test_status_is_owned_through_its_own_part():
    async with serving() as client:
        await make(client)
        await merge(client, f"{ONE}/status", {"status": {"phase": "Active"}}, fieldManager="controller")
        applied = await apply(client, "s", {**widget(), "status": {"resourceID": "r"}}, path=f"{ONE}/status")
        assert applied.json()["status"] == {"phase": "Active", "resourceID": "r"}
        found = owners(applied.json())
        assert found["controller", "Update", "status"] == {"f:status": {"f:phase": {}}}
        assert found["s", "Apply", "status"] == {"f:status": {"f:resourceID": {}}}


async def test_apply_is_validated_and_keeps_rules():
    async with serving() as client:
        await apply(client, "a", widget())
        other = widget()
        other["spec"]["region"] = "de"
        assert (await apply(client, "a", other)).status_code == 422
        strict = await apply(client, "a", widget(foo=1), fieldValidation="Strict")
        assert 'unknown field "spec.foo"' in strict.json()["message"]


async def test_apply_needs_a_manager_and_the_right_name():
    async with serving() as client:
        headers = {"content-type": "application/apply-patch+yaml"}
        nameless = await client.patch(ONE, content=json.dumps(widget()), headers=headers)
        assert nameless.status_code == 422
        assert (await apply(client, "a", widget("two"))).status_code == 400
        assert (await apply(client, "a", widget(), path=f"{ONE}/status")).status_code == 404


async def test_managed_fields_can_be_reset():
    async with serving() as client:
        await make(client)
        cleared = (await merge(client, ONE, {"metadata": {"managedFields": [{}]}})).json()
        assert "managedFields" not in cleared["metadata"]
