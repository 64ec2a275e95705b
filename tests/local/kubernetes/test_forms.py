"""The other forms of an answer: tables, bare metadata, discovery, schemas."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from hooks.local.kubernetes.ages import age, human
from hooks.local.kubernetes.jsonpath import compile_path
from tests.local.kubernetes.widgets import GROUP, WIDGETS, make, merge, serving

ONE = f"{WIDGETS}/one"
TABLE = {"accept": "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"}


async def test_a_table_shows_the_printer_columns():
    async with serving() as client:
        await make(client, sizeGB=7)
        status = {"phase": "Active", "conditions": [{"type": "Ready", "status": "True"}]}
        await merge(client, f"{ONE}/status", {"status": status})
        await asyncio.sleep(125)
        table = (await client.get(WIDGETS, headers=TABLE)).json()
        assert (table["kind"], table["apiVersion"]) == ("Table", "meta.k8s.io/v1")
        columns = [(column["name"], column["priority"]) for column in table["columnDefinitions"]]
        assert columns == [("Name", 0), ("Region", 0), ("Size", 0), ("Ready", 0), ("Phase", 1), ("Age", 0)]
        assert table["rows"][0]["cells"] == ["one", "it", 7, "True", "Active", "2m5s"]
        assert table["rows"][0]["object"]["kind"] == "PartialObjectMetadata"
        assert table["metadata"]["resourceVersion"]
        whole = (await client.get(WIDGETS, headers=TABLE, params={"includeObject": "Object"})).json()
        assert whole["rows"][0]["object"]["spec"]["sizeGB"] == 7
        one = (await client.get(ONE, headers=TABLE)).json()
        assert one["rows"][0]["cells"][0] == "one"


async def test_a_watch_can_be_of_tables():
    async with serving() as client:
        await make(client)
        async with client.stream("GET", WIDGETS, params={"watch": "1"}, headers=TABLE) as answer:
            line = await anext(answer.aiter_lines())
            assert '"kind":"Table"' in line
            assert '"cells":["one","it",10,null,null,"0s"]' in line


async def test_bare_metadata():
    async with serving() as client:
        made = await make(client)
        accept = {"accept": "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"}
        listed = (await client.get(WIDGETS, headers=accept)).json()
        assert listed["kind"] == "PartialObjectMetadataList"
        assert listed["items"] == [
            {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": made["metadata"]}
        ]


async def test_only_json_and_yaml_are_spoken():
    async with serving() as client:
        both = "application/vnd.kubernetes.protobuf,application/json"
        assert (await client.get(WIDGETS, headers={"accept": both})).status_code == 200
        alone = await client.get(WIDGETS, headers={"accept": "application/cbor"})
        assert (alone.status_code, alone.json()["reason"]) == (406, "NotAcceptable")


class TestDiscovery:
    async def test_a_custom_kind_is_found_as_soon_as_it_is_defined(self):
        async with serving() as client:
            found = (await client.get(f"/apis/{GROUP}/v1")).json()
            entry, status = found["resources"]
            assert entry == {
                "name": "widgets",
                "singularName": "widget",
                "namespaced": True,
                "kind": "Widget",
                "verbs": ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
                "shortNames": ["wd"],
                "categories": ["toys"],
            }
            assert (status["name"], status["verbs"]) == ("widgets/status", ["get", "patch", "update"])
            groups = (await client.get("/apis")).json()["groups"]
            assert GROUP in [group["name"] for group in groups]
            assert (await client.get(f"/apis/{GROUP}")).json()["preferredVersion"]["version"] == "v1"

    async def test_the_aggregated_form_says_the_same_in_one_answer(self):
        async with serving() as client:
            accept = {"accept": "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}
            answer = await client.get("/apis", headers=accept)
            assert answer.headers["content-type"] == accept["accept"]
            groups = {item["metadata"]["name"]: item for item in answer.json()["items"]}
            widgets = groups[GROUP]["versions"][0]["resources"][0]
            assert (widgets["resource"], widgets["scope"], widgets["shortNames"]) == ("widgets", "Namespaced", ["wd"])
            core = (await client.get("/api", headers=accept)).json()["items"]
            assert [item["versions"][0]["version"] for item in core] == ["v1"]

    async def test_what_is_not_there_is_404(self):
        async with serving() as client:
            for path in ("/apis/nope", "/apis/nope/v1", "/api/v2", "/openapi/v2", "/metrics"):
                assert (await client.get(path)).status_code == 404, path

    async def test_version_and_health(self):
        async with serving() as client:
            assert (await client.get("/version")).json()["gitVersion"] == "v1.36.3"
            for path in ("/healthz", "/livez", "/readyz"):
                assert (await client.get(path)).text == "ok"

    async def test_schemas_carry_kinds_and_name_the_validation_parameter(self):
        async with serving() as client:
            index = (await client.get("/openapi/v3")).json()["paths"]
            document = (await client.get(index[f"apis/{GROUP}/v1"]["serverRelativeURL"])).json()
            kind = {"group": GROUP, "version": "v1", "kind": "Widget"}
            schema = document["components"]["schemas"]["com.example.toys.v1.Widget"]
            assert schema["x-kubernetes-group-version-kind"] == [kind]
            patch = document["paths"][f"/apis/{GROUP}/v1/namespaces/{{namespace}}/widgets/{{name}}"]["patch"]
            assert patch["x-kubernetes-group-version-kind"] == kind
            assert "fieldValidation" in [parameter["name"] for parameter in patch["parameters"]]
            assert "api/v1" in index


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-5, "<invalid>"),
        (0, "0s"),
        (119, "119s"),
        (120, "2m"),
        (125, "2m5s"),
        (601, "10m"),
        (3 * 3600, "3h"),
        (3 * 3600 + 60, "3h1m"),
        (9 * 3600, "9h"),
        (48 * 3600, "2d"),
        (50 * 3600, "2d2h"),
        (9 * 86400, "9d"),
        (3 * 365 * 86400, "3y"),
        (3 * 365 * 86400 + 86400, "3y1d"),
        (9 * 365 * 86400, "9y"),
    ],
)
def test_ages(seconds, text):
    assert human(seconds) == text


def test_an_age_of_nothing_is_unknown():
    assert age(None, datetime(2026, 1, 1, tzinfo=UTC)) == "<unknown>"


@pytest.mark.parametrize(
    ("path", "found"),
    [
        (".a.b", [1]),
        (".a['b']", [1]),
        (".list[1].n", ["y"]),
        (".list[-1].n", ["y"]),
        (".list[*].n", ["x", "y"]),
        ('.list[?(@.n=="y")].v', [2]),
        (".list[?(@.n!='y')].v", [True]),
        (".a.c\\.d/e", [3]),
        (".none.b", []),
    ],
)
def test_paths(path, found):
    value = {"a": {"b": 1, "c.d/e": 3}, "list": [{"n": "x", "v": True}, {"n": "y", "v": 2}]}
    assert compile_path(path)(value) == found


def test_a_path_that_is_not_understood_is_refused():
    with pytest.raises(ValueError, match="unrecognized JSONPath"):
        compile_path(".a[?(@.b<3)]")
