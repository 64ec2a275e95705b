"""What Kubernetes' own controllers do: definitions, namespaces, garbage collection."""

from __future__ import annotations

import asyncio

from tests.local.kubernetes.widgets import CRDS, GROUP, WIDGETS, crd, make, merge, serving, watching, widget

CRD = f"{CRDS}/widgets.{GROUP}"
NAMESPACES = "/api/v1/namespaces"
HOLD = {"finalizers": ["toys.example.com/hold"]}


def namespace(name):
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


class TestDefinitions:
    async def test_a_definition_is_established_at_once(self):
        async with serving() as client:
            status = (await client.get(CRD)).json()["status"]
            assert [(one["type"], one["status"]) for one in status["conditions"]] == [
                ("NamesAccepted", "True"),
                ("Established", "True"),
            ]
            assert status["acceptedNames"]["listKind"] == "WidgetList"
            assert status["storedVersions"] == ["v1"]

    async def test_a_changed_schema_takes_effect(self):
        async with serving() as client:
            changed = crd()
            spec = changed["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
            spec = {**spec, "properties": {**spec["properties"], "colour": {"type": "string", "default": "red"}}}
            changed["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"] = {"spec": spec}
            await merge(client, CRD, {"spec": changed["spec"]})
            assert (await make(client))["spec"]["colour"] == "red"

    async def test_deleting_one_deletes_its_objects_and_waits_for_them(self):
        async with serving() as client:
            await make(client, "one", metadata=HOLD)
            await make(client, "two")
            marked = (await client.delete(CRD)).json()
            assert marked["metadata"]["deletionTimestamp"]
            assert (await client.get(f"{WIDGETS}/two")).status_code == 404
            assert (await client.post(WIDGETS, json=widget("three"))).status_code == 405
            await merge(client, f"{WIDGETS}/one", {"metadata": {"finalizers": None}})
            assert (await client.get(CRD)).status_code == 404
            assert (await client.get(WIDGETS)).status_code == 404

    async def test_a_definition_that_cannot_be_served_is_refused(self):
        async with serving() as client:
            for change, field in (
                ({"metadata": {"name": "else.toys.example.com"}}, "metadata.name"),
                ({"spec": {**crd()["spec"], "scope": "Planet"}}, "spec.scope"),
            ):
                answer = await client.post(CRDS, json={**crd(), **change})
                assert answer.status_code == 422, answer.text
                assert answer.json()["details"]["causes"][0]["field"] == field

    async def test_cluster_scope_and_several_versions(self):
        async with serving() as client:
            body = crd()
            body["metadata"]["name"] = f"globes.{GROUP}"
            one = body["spec"]["versions"][0]
            body["spec"] |= {
                "scope": "Cluster",
                "names": {"kind": "Globe", "plural": "globes"},
                "versions": [{**one, "name": "v1beta1", "storage": False}, one],
            }
            assert (await client.post(CRDS, json=body)).status_code == 201
            globe = {**widget(), "kind": "Globe"}
            made = await client.post(f"/apis/{GROUP}/v1/globes", json=globe)
            assert made.status_code == 201, made.text
            assert "namespace" not in made.json()["metadata"]
            older = (await client.get(f"/apis/{GROUP}/v1beta1/globes/one")).json()
            assert older["apiVersion"] == f"{GROUP}/v1beta1"
            assert (await client.get(f"/apis/{GROUP}")).json()["preferredVersion"]["version"] == "v1"


class TestNamespaces:
    async def test_a_new_one_is_active_and_labelled(self):
        async with serving() as client:
            made = (await client.post(NAMESPACES, json=namespace("far"))).json()
            assert made["status"] == {"phase": "Active"}
            assert made["metadata"]["labels"] == {"kubernetes.io/metadata.name": "far"}
            names = [item["metadata"]["name"] for item in (await client.get(NAMESPACES)).json()["items"]]
            assert names == ["default", "far", "kube-system"]

    async def test_deleting_one_takes_its_contents_and_waits_for_finalizers(self):
        async with serving() as client:
            await client.post(NAMESPACES, json=namespace("far"))
            far = WIDGETS.replace("default", "far")
            await client.post(far, json=widget("one", metadata=HOLD))
            await client.post(far, json=widget("two"))
            stay = await make(client)
            assert (await client.delete(f"{NAMESPACES}/far")).status_code == 200
            going = (await client.get(f"{NAMESPACES}/far")).json()
            assert going["status"]["phase"] == "Terminating"
            left = (await client.get(far)).json()["items"]
            assert [(item["metadata"]["name"], "deletionTimestamp" in item["metadata"]) for item in left] == [
                ("one", True)
            ]
            refused = await client.post(far, json=widget("three"))
            assert (refused.status_code, refused.json()["reason"]) == (403, "Forbidden")
            assert refused.json()["details"]["causes"][0]["reason"] == "NamespaceTerminating"
            await merge(client, f"{far}/one", {"metadata": {"finalizers": None}})
            assert (await client.get(f"{NAMESPACES}/far")).status_code == 404
            assert (await client.get(f"{WIDGETS}/one")).json() == stay

    async def test_an_empty_one_is_gone_at_once_and_watchers_are_told(self):
        async with serving() as client:
            await client.post(NAMESPACES, json=namespace("far"))
            async with watching(client, NAMESPACES, fieldSelector="metadata.name=far") as watch:
                await client.delete(f"{NAMESPACES}/far")
                seen = [(await watch.next())["type"] for _ in range(2)]
                while seen[-1] != "DELETED":
                    seen.append((await watch.next())["type"])
                assert seen[0] == "ADDED"

    async def test_the_initial_ones_may_not_be_deleted(self):
        async with serving() as client:
            answer = await client.delete(f"{NAMESPACES}/default")
            assert (answer.status_code, answer.json()["reason"]) == (403, "Forbidden")


class TestOwners:
    def owned(self, name, owner, **more):
        meta = owner["metadata"]
        reference = {
            "apiVersion": f"{GROUP}/v1",
            "kind": "Widget",
            "name": meta["name"],
            "uid": meta["uid"],
            "controller": True,
            "blockOwnerDeletion": True,
        }
        return widget(name, metadata={"ownerReferences": [reference], **more})

    async def names(self, client):
        return [item["metadata"]["name"] for item in (await client.get(WIDGETS)).json()["items"]]

    async def test_what_only_the_deleted_object_owned_goes_with_it(self):
        async with serving() as client:
            owner = await make(client, "owner")
            child = (await client.post(WIDGETS, json=self.owned("child", owner))).json()
            await client.post(WIDGETS, json=self.owned("grandchild", child))
            await client.delete(f"{WIDGETS}/owner")
            assert await self.names(client) == []

    async def test_orphans_stay(self):
        async with serving() as client:
            owner = await make(client, "owner")
            await client.post(WIDGETS, json=self.owned("child", owner))
            await client.request("DELETE", f"{WIDGETS}/owner", json={"propagationPolicy": "Orphan"})
            assert await self.names(client) == ["child"]
            assert "ownerReferences" not in (await client.get(f"{WIDGETS}/child")).json()["metadata"]

    async def test_in_the_foreground_the_owner_waits_for_its_children(self):
        async with serving() as client:
            owner = await make(client, "owner")
            await client.post(WIDGETS, json=self.owned("child", owner, **HOLD))
            await client.request("DELETE", f"{WIDGETS}/owner", json={"propagationPolicy": "Foreground"})
            assert await self.names(client) == ["child", "owner"]
            waiting = (await client.get(f"{WIDGETS}/owner")).json()["metadata"]
            assert waiting["finalizers"] == ["foregroundDeletion"]
            await merge(client, f"{WIDGETS}/child", {"metadata": {"finalizers": None}})
            await asyncio.sleep(0)
            assert await self.names(client) == []
