"""What a schema refuses, in the API server's words."""

from __future__ import annotations

import pytest

from tests.local.kubernetes.widgets import CRDS, WIDGETS, crd, make, merge, serving, widget

ONE = f"{WIDGETS}/one"
UNCHECKED = "some validation rules were not checked because the object was invalid"


@pytest.mark.parametrize(
    ("spec", "field", "reason", "message"),
    [
        (
            {"region": None},
            "spec.region",
            "FieldValueTypeInvalid",
            'Invalid value: "null": spec.region in body must be of type string: "null"',
        ),
        (
            {"sizeGB": 0},
            "spec.sizeGB",
            "FieldValueInvalid",
            "Invalid value: 0: spec.sizeGB in body should be greater than or equal to 1",
        ),
        (
            {"sizeGB": "big"},
            "spec.sizeGB",
            "FieldValueTypeInvalid",
            'Invalid value: "string": spec.sizeGB in body must be of type integer: "string"',
        ),
        (
            {"protocol": "X"},
            "spec.protocol",
            "FieldValueNotSupported",
            'Unsupported value: "X": supported values: "TCP", "UDP"',
        ),
        ({"code": "abcdef"}, "spec.code", "FieldValueTooLong", "Too long: may not be more than 5 bytes"),
        (
            {"code": "a"},
            "spec.code",
            "FieldValueInvalid",
            'Invalid value: "a": spec.code in body should be at least 2 chars long',
        ),
        (
            {"code": "AB"},
            "spec.code",
            "FieldValueInvalid",
            "Invalid value: \"AB\": spec.code in body should match '^[a-z]*$'",
        ),
        (
            {"when": "noon"},
            "spec.when",
            "FieldValueTypeInvalid",
            'Invalid value: "noon": spec.when in body must be of type date-time: "noon"',
        ),
        (
            {"tags": ["a", "b", "c", "d"]},
            "spec.tags",
            "FieldValueTooMany",
            "Too many: 4: must have at most 3 items",
        ),
        (
            {"share": 0},
            "spec.share",
            "FieldValueInvalid",
            "Invalid value: 0: spec.share in body should be greater than 0",
        ),
        (
            {"share": 1.5},
            "spec.share",
            "FieldValueInvalid",
            "Invalid value: 1.5: spec.share in body should be less than or equal to 1",
        ),
        ({"tags": ["a", "a"]}, "spec.tags[1]", "FieldValueDuplicate", 'Duplicate value: "a"'),
        (
            {"ports": [{"name": "x"}, {"name": "x"}]},
            "spec.ports[1]",
            "FieldValueDuplicate",
            'Duplicate value: {"name": "x"}',
        ),
        ({"ports": [{"port": 1}]}, "spec.ports[0].name", "FieldValueRequired", "Required value"),
        (
            {"port": True},
            "spec.port",
            "FieldValueTypeInvalid",
            'Invalid value: "boolean": spec.port in body must be of type integer,string: "boolean"',
        ),
    ],
)
async def test_a_value_is_refused(spec, field, reason, message):
    async with serving() as client:
        answer = await client.post(WIDGETS, json=widget(**spec))
        assert (answer.status_code, answer.json()["reason"]) == (422, "Invalid")
        first, last = answer.json()["details"]["causes"]
        assert first == {"reason": reason, "message": message, "field": field}
        assert UNCHECKED in last["message"]
        assert answer.json()["message"].startswith(f'Widget.toys.example.com "one" is invalid: [{field}: {message}')
        assert answer.json()["details"]["kind"] == "Widget"


async def test_null_is_allowed_where_it_says_so_and_gives_way_to_a_default():
    async with serving() as client:
        made = await make(client, note=None, hint=None, sizeGB=None, port="http")
        assert made["spec"]["hint"] is None
        assert made["spec"]["sizeGB"] == 10
        assert made["spec"]["note"] is None


class TestUnknownFields:
    async def test_strict_refuses(self):
        async with serving() as client:
            answer = await client.post(WIDGETS, json=widget(foo=1), params={"fieldValidation": "Strict"})
            assert (answer.status_code, answer.json()["reason"]) == (400, "BadRequest")
            assert 'strict decoding error: unknown field "spec.foo"' in answer.json()["message"]

    async def test_warn_warns_and_is_the_default(self):
        async with serving() as client:
            for number, params in enumerate(({}, {"fieldValidation": "Warn"})):
                answer = await client.post(WIDGETS, json=widget(f"w{number}", foo=1), params=params)
                assert answer.status_code == 201
                assert answer.headers["warning"] == '299 - "unknown field \\"spec.foo\\""'

    async def test_ignore_ignores(self):
        async with serving() as client:
            answer = await client.post(WIDGETS, json=widget(foo=1), params={"fieldValidation": "Ignore"})
            assert "warning" not in answer.headers

    async def test_metadata_is_known_too(self):
        async with serving() as client:
            body = widget(metadata={"colour": "red"})
            answer = await client.post(WIDGETS, json=body, params={"fieldValidation": "Strict"})
            assert 'unknown field "metadata.colour"' in answer.json()["message"]

    async def test_labels_must_be_texts(self):
        async with serving() as client:
            answer = await client.post(WIDGETS, json=widget(metadata={"labels": {"a": 1}}))
            assert answer.status_code == 400


class TestRules:
    async def test_a_transition_rule_holds_updates_only(self):
        async with serving() as client:
            await make(client)
            answer = await merge(client, ONE, {"spec": {"region": "de"}})
            assert answer.status_code == 422
            assert answer.json()["message"] == (
                'Widget.toys.example.com "one" is invalid: spec.region: Invalid value: "string": region cannot change'
            )

    async def test_a_root_rule_sees_the_stored_status(self):
        async with serving() as client:
            await make(client, sizeGB=20)
            assert (await merge(client, ONE, {"spec": {"sizeGB": 15}})).status_code == 200
            await merge(client, f"{ONE}/status", {"status": {"resourceID": "r-1"}})
            answer = await merge(client, ONE, {"spec": {"sizeGB": 12}})
            assert answer.json()["details"]["causes"] == [
                {
                    "reason": "FieldValueInvalid",
                    "message": 'Invalid value: "object": a made widget only grows',
                    "field": "spec.sizeGB",
                }
            ]
            assert (await merge(client, f"{ONE}/status", {"status": {"phase": "Active"}})).status_code == 200
            assert (await merge(client, ONE, {"metadata": {"labels": {"a": "b"}}})).status_code == 200

    async def test_reason_message_expression_and_names(self):
        rule = {
            "rule": "self.metadata.name.startsWith('x') && self.spec.sizeGB < 50",
            "messageExpression": "'bad size ' + string(self.spec.sizeGB) + ' of ' + self.metadata.name",
            "reason": "FieldValueForbidden",
        }
        async with serving() as client:
            other = crd(**{"x-kubernetes-validations": [rule]})
            await merge(client, f"{CRDS}/widgets.toys.example.com", {"spec": other["spec"]})
            answer = await client.post(WIDGETS, json=widget("xx", sizeGB=60))
            assert answer.json()["details"]["causes"] == [
                {"reason": "FieldValueForbidden", "message": "Forbidden: bad size 60 of xx", "field": "<nil>"}
            ]
            assert (await client.post(WIDGETS, json=widget("xx"))).status_code == 201

    async def test_an_evaluation_error_refuses(self):
        rule = {"rule": "self.spec.code == 'ab'", "message": "code is ab"}
        async with serving() as client:
            other = crd(**{"x-kubernetes-validations": [rule]})
            await merge(client, f"{CRDS}/widgets.toys.example.com", {"spec": other["spec"]})
            answer = await client.post(WIDGETS, json=widget())
            assert 'Invalid value: "object": no such key: code evaluating rule: code is ab' in answer.json()["message"]

    async def test_a_rule_that_cannot_be_compiled_makes_the_crd_invalid(self):
        async with serving() as client:
            for rule, text in (("self.spec.(", "compilation failed"), ("url(self.spec.code)", "url is not modelled")):
                other = crd(**{"x-kubernetes-validations": [{"rule": rule}]})
                answer = await merge(client, f"{CRDS}/widgets.toys.example.com", {"spec": other["spec"]})
                assert answer.status_code == 422
                assert text in answer.json()["message"]


async def test_what_was_wrong_before_and_is_not_touched_does_not_block_a_write():
    async with serving() as client:
        await make(client, code="xy", metadata={"finalizers": ["toys.example.com/hold"]})
        tighter = crd()
        code = tighter["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["code"]
        kept, code["minLength"] = code["minLength"], 4
        await merge(client, f"{CRDS}/widgets.toys.example.com", {"spec": tighter["spec"]})
        code["minLength"] = kept
        assert (await client.post(WIDGETS, json=widget("two", code="xy"))).status_code == 422
        assert (await merge(client, ONE, {"spec": {"sizeGB": 20}})).status_code == 200
        assert (await merge(client, ONE, {"spec": {"code": "yx"}})).status_code == 422
        await client.delete(ONE)
        assert (await merge(client, ONE, {"metadata": {"finalizers": None}})).status_code == 200
        assert (await client.get(ONE)).status_code == 404
