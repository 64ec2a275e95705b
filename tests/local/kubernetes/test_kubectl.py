"""The real kubectl, validation on, does its daily work against the API."""

from __future__ import annotations

import asyncio
import json

import pytest

from tests.local.kubernetes.real_kubectl import kubectl
from tests.local.kubernetes.widgets import GROUP, crd, widget

pytestmark = pytest.mark.real_time
HOLD = {"finalizers": ["toys.example.com/hold"]}


async def test_apply_is_created_unchanged_configured(tmp_path):
    async with kubectl(tmp_path) as tool:
        assert await tool.ok("apply", "-f", "-", stdin=widget()) == f"widget.{GROUP}/one created\n"
        assert await tool.ok("apply", "-f", "-", stdin=widget()) == f"widget.{GROUP}/one unchanged\n"
        assert await tool.ok("apply", "-f", "-", stdin=widget(sizeGB=40)) == f"widget.{GROUP}/one configured\n"
        refused = await tool.run("apply", "-f", "-", stdin=widget(sizeGB=0))
        assert refused.err == (
            'The Widget "one" is invalid: \n'
            "* spec.sizeGB: Invalid value: 0: spec.sizeGB in body should be greater than or equal to 1\n"
            "* <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; "
            "correct the existing errors to complete validation\n"
        )
        moved = await tool.run("apply", "-f", "-", stdin={**widget(sizeGB=40), "spec": {"region": "de", "sizeGB": 40}})
        assert moved.err == (
            'The Widget "one" is invalid: spec.region: Invalid value: "string": region cannot change\n'
        )
        misspelt = await tool.run("apply", "-f", "-", stdin=widget(sizeGb=1))
        assert 'strict decoding error: unknown field "spec.sizeGb"' in misspelt.err


async def test_server_side_apply_and_its_conflicts(tmp_path):
    async with kubectl(tmp_path) as tool:
        apply = ("apply", "--server-side", "-f", "-")
        assert await tool.ok(*apply, stdin=widget(sizeGB=5)) == f"widget.{GROUP}/one serverside-applied\n"
        refused = await tool.run(*apply, "--field-manager", "other", stdin=widget(sizeGB=6))
        assert 'Apply failed with 1 conflict: conflict with "kubectl": .spec.sizeGB' in refused.err
        await tool.ok(*apply, "--field-manager", "other", "--force-conflicts", stdin=widget(sizeGB=6))
        assert (await tool.json("get", "widget", "one"))["spec"]["sizeGB"] == 6


async def test_client_side_apply_hands_over_to_server_side(tmp_path):
    async with kubectl(tmp_path) as tool:
        await tool.ok("apply", "-f", "-", stdin=widget(sizeGB=5))
        await tool.ok("apply", "--server-side", "-f", "-", stdin=widget(sizeGB=5))
        entries = (await tool.json("get", "wd", "one", "--show-managed-fields"))["metadata"]["managedFields"]
        assert ("kubectl", "Apply") in [(entry["manager"], entry["operation"]) for entry in entries]
        assert "kubectl-client-side-apply" not in [entry["manager"] for entry in entries]


async def test_diff_is_a_dry_run(tmp_path):
    async with kubectl(tmp_path) as tool:
        await tool.ok("apply", "-f", "-", stdin=widget(sizeGB=5))
        assert await tool.ok("diff", "-f", "-", stdin=widget(sizeGB=5)) == ""
        changed = await tool.run("diff", "-f", "-", stdin=widget(sizeGB=6))
        assert changed.code == 1
        assert "-  sizeGB: 5\n+  sizeGB: 6\n" in changed.out
        assert (await tool.json("get", "wd", "one"))["spec"]["sizeGB"] == 5


async def test_get_in_every_form(tmp_path):
    async with kubectl(tmp_path) as tool:
        await tool.ok("create", "-f", "-", stdin=widget(metadata={"labels": {"team": "a"}}))
        table = (await tool.ok("get", "wd")).splitlines()
        assert table[0].split() == ["NAME", "REGION", "SIZE", "READY", "AGE"]
        assert table[1].split()[:3] == ["one", "it", "10"]
        assert "PHASE" in await tool.ok("get", "widgets", "-o", "wide")
        assert "one" in await tool.ok("get", "toys", "-A")
        assert await tool.ok("get", "widget", "one", "-o", "jsonpath={.spec.region}") == "it"
        assert (await tool.ok("get", "wd", "-o", "custom-columns=S:.spec.sizeGB")).split() == ["S", "10"]
        assert await tool.ok("get", "wd", "-l", "team=a", "-o", "name") == f"widget.{GROUP}/one\n"
        assert await tool.ok("get", "wd", "-l", "team=b", "-o", "name") == ""
        assert "one" in await tool.ok("get", "wd", "--field-selector", "metadata.name=one")
        missing = await tool.run("get", "wd", "two")
        assert missing.err == f'Error from server (NotFound): widgets.{GROUP} "two" not found\n'


async def test_changes_by_hand(tmp_path):
    async with kubectl(tmp_path) as tool:
        await tool.ok("create", "-f", "-", stdin=widget())
        await tool.ok("label", "wd", "one", "a=b")
        await tool.ok("annotate", "wd", "one", "c=d")
        await tool.ok("patch", "wd", "one", "--type", "merge", "-p", '{"spec":{"sizeGB":50}}')
        await tool.ok("patch", "wd", "one", "--type", "json", "-p", '[{"op":"add","path":"/spec/code","value":"ab"}]')
        editor = tmp_path / "editor"
        editor.write_text('#!/bin/sh\nsed -i "s/sizeGB: 50/sizeGB: 77/" "$1"\n')
        editor.chmod(0o755)
        await tool.ok("edit", "wd", "one", KUBE_EDITOR=str(editor))
        found = await tool.json("get", "wd", "one")
        assert found["metadata"]["labels"] == {"a": "b"}
        assert found["metadata"]["annotations"] == {"c": "d"}
        assert found["spec"] == {"region": "it", "sizeGB": 77, "code": "ab", "hint": "none"}
        await tool.ok("replace", "-f", "-", stdin=widget(sizeGB=12))
        await tool.ok("replace", "--force", "-f", "-", stdin=widget(sizeGB=13))
        again = await tool.json("get", "wd", "one")
        assert again["metadata"]["uid"] != found["metadata"]["uid"]


async def test_generated_names(tmp_path):
    async with kubectl(tmp_path) as tool:
        body = {**widget(), "metadata": {"generateName": "g-"}}
        assert (await tool.ok("create", "-f", "-", stdin=body)).startswith(f"widget.{GROUP}/g-")


async def test_waiting_for_conditions_fields_and_deletion(tmp_path):
    async with kubectl(tmp_path) as tool:
        await tool.ok("create", "-f", "-", stdin=widget(metadata=HOLD))
        waits = [
            asyncio.create_task(tool.ok("wait", "wd", "one", wanted, "--timeout=20s"))
            for wanted in ("--for=condition=Ready", "--for=jsonpath={.status.phase}=Active")
        ]
        status = {"status": {"phase": "Active", "conditions": [{"type": "Ready", "status": "True"}]}}
        await tool.ok("patch", "wd", "one", "--subresource=status", "--type=merge", "-p", json.dumps(status))
        assert await asyncio.gather(*waits) == [f"widget.{GROUP}/one condition met\n"] * 2
        deletion = asyncio.create_task(tool.ok("delete", "wd", "one"))
        gone = asyncio.create_task(tool.ok("wait", "wd", "one", "--for=delete", "--timeout=20s"))
        await tool.until("get", "wd", "one", "-o", "jsonpath={.metadata.deletionTimestamp}")
        assert not deletion.done()
        await tool.ok("patch", "wd", "one", "--type=merge", "-p", '{"metadata":{"finalizers":null}}')
        assert "deleted" in await deletion
        await gone
        established = await tool.ok("wait", "crd", f"widgets.{GROUP}", "--for=condition=Established", "--timeout=5s")
        assert "condition met" in established


async def test_watching_prints_each_change(tmp_path):
    async with kubectl(tmp_path) as tool:
        process = await tool.start("get", "wd", "-w", "--no-headers")
        assert process.stdout is not None
        await tool.ok("create", "-f", "-", stdin=widget())
        assert (await asyncio.wait_for(process.stdout.readline(), 10)).split()[:3] == [b"one", b"it", b"10"]
        await tool.ok("patch", "wd", "one", "--type=merge", "-p", '{"spec":{"sizeGB":20}}')
        assert (await asyncio.wait_for(process.stdout.readline(), 10)).split()[2] == b"20"
        process.terminate()
        await process.wait()


async def test_describe_and_events(tmp_path):
    async with kubectl(tmp_path) as tool:
        await tool.ok("create", "-f", "-", stdin=widget())
        uid = (await tool.json("get", "wd", "one"))["metadata"]["uid"]
        event = {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": "one.1"},
            "involvedObject": {
                "apiVersion": f"{GROUP}/v1",
                "kind": "Widget",
                "name": "one",
                "namespace": "default",
                "uid": uid,
            },
            "reason": "Made",
            "message": "it is made",
            "type": "Normal",
            "source": {"component": "maker"},
            "lastTimestamp": "2026-07-01T08:00:00Z",
        }
        await tool.ok("create", "-f", "-", stdin=event)
        described = await tool.ok("describe", "wd", "one")
        assert "Size GB:  10" in described
        assert "maker  it is made" in described
        assert "it is made" in await tool.ok("get", "events")
        assert "it is made" in await tool.ok("events", "--for", "widget/one")


async def test_namespaces_and_typed_kinds(tmp_path):
    async with kubectl(tmp_path) as tool:
        assert await tool.ok("create", "namespace", "far") == "namespace/far created\n"
        assert "far           Active" in await tool.ok("get", "ns")
        await tool.ok("-n", "far", "create", "configmap", "c", "--from-literal=a=b")
        await tool.ok("-n", "far", "create", "secret", "generic", "s", "--from-literal=a=b")
        await tool.ok("-n", "far", "create", "serviceaccount", "bob")
        await tool.ok("-n", "far", "patch", "configmap", "c", "-p", '{"data":{"x":"y"}}')
        assert (await tool.json("-n", "far", "get", "cm", "c"))["data"] == {"a": "b", "x": "y"}
        await tool.ok("-n", "far", "apply", "-f", "-", stdin=widget(metadata=HOLD))
        deletion = asyncio.create_task(tool.ok("delete", "namespace", "far"))
        await tool.until("get", "ns", "far", "-o", "jsonpath={.metadata.deletionTimestamp}")
        assert "Terminating" in await tool.ok("get", "ns", "far")
        await tool.ok("-n", "far", "patch", "wd", "one", "--type=merge", "-p", '{"metadata":{"finalizers":null}}')
        assert await deletion == 'namespace "far" deleted\n'


async def test_deleting_many_and_the_definition(tmp_path):
    async with kubectl(tmp_path) as tool:
        for name in ("one", "two", "three"):
            await tool.ok("create", "-f", "-", stdin=widget(name))
        await tool.ok("delete", "wd", "one")
        assert (await tool.ok("delete", "wd", "--all")).count("deleted") == 2
        await tool.ok("delete", "crd", f"widgets.{GROUP}")
        assert (await tool.run("get", "wd")).code == 1
        await tool.ok("apply", "-f", "-", stdin=crd())
        assert "No resources found" in (await tool.run("get", "wd")).err


async def test_what_the_api_says_of_itself(tmp_path):
    async with kubectl(tmp_path) as tool:
        assert "Server Version: v1.36.3" in await tool.ok("version")
        assert f"widgets                     wd           {GROUP}/v1" in await tool.ok("api-resources")
        assert "sizeGB\t<integer>" in await tool.ok("explain", "widget.spec")
        assert "enum: TCP, UDP" in await tool.ok("explain", "widget", "--recursive")
        assert await tool.ok("auth", "can-i", "create", "widgets") == "yes\n"
        refused = await tool.run("create", "deployment", "x", "--image=y")
        assert "/apis/apps/v1/namespaces/default/deployments is not served by this local Kubernetes API" in refused.err
