"""The engine against the house's own Kubernetes API: the two halves of local mode meet (design §9)."""

from __future__ import annotations

import asyncio

from hooks.clock import seeded
from hooks.http import AsyncClient
from hooks.local.kubernetes import KubernetesApi
from tests.local.metacontroller.world import DONE, World, composite
from tests.world.loopback import Loopback
from tests.world.time import LoopClock

ROOT = "/apis/net.example.com/v1"
FREE = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
OURS = "metacontroller.io/compositecontroller-vpcs.net.example.com"


def definition(plural, kind):
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": FREE, "status": FREE}}},
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.net.example.com"},
        "spec": {
            "group": "net.example.com",
            "scope": "Namespaced",
            "names": {"plural": plural, "kind": kind, "singular": kind.lower(), "listKind": f"{kind}List"},
            "versions": [version],
        },
    }


class Cluster:
    """The API with two kinds in it and two namespaces, and a client that must succeed."""

    def __init__(self):
        self.app = KubernetesApi(LoopClock(), seeded(1)).app
        self.client = AsyncClient(transport=Loopback({"kube": self.app}), base_url="http://kube")

    async def __aenter__(self):
        crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        for plural, kind in (("vpcs", "Vpc"), ("subnets", "Subnet")):
            await self.call("POST", crds, definition(plural, kind))
        for name in ("a", "b"):
            await self.call(
                "POST", "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
            )
        return self

    async def __aexit__(self, *failure):
        await self.client.aclose()

    async def call(self, method, path, body=None, expected=(200, 201)):
        media = "application/merge-patch+json" if method == "PATCH" else "application/json"
        answer = await self.client.request(method, path, json=body, headers={"content-type": media})
        assert answer.status_code in expected, answer.text
        return answer.json()

    async def create(self, plural, namespace, name):
        kind = {"vpcs": "Vpc", "subnets": "Subnet"}[plural]
        body = {"apiVersion": "net.example.com/v1", "kind": kind, "metadata": {"name": name}, "spec": {"size": 1}}
        return await self.call("POST", f"{ROOT}/namespaces/{namespace}/{plural}", body)


async def test_a_whole_life():
    """mc §3.3, §3.5, §3.7."""
    async with Cluster() as cluster:
        world = World(composite(), kubernetes=cluster)

        async def hook(which, body):
            return DONE | ({"finalized": True} if which == "finalize" else {})

        world.hook = hook
        async with world.running():
            await cluster.create("vpcs", "a", "one")
            await asyncio.sleep(5)
            live = await cluster.call("GET", f"{ROOT}/namespaces/a/vpcs/one")
            assert live["metadata"]["finalizers"] == [OURS]
            assert live["status"] == {"phase": "Active", "observedGeneration": 1}
            assert 2 <= len(world.of("sync")) <= 3
            calls = len(world.calls)
            await cluster.call("PATCH", f"{ROOT}/namespaces/a/vpcs/one", {"spec": {"size": 2}})
            await asyncio.sleep(5)
            assert len(world.calls) == calls + 2  # the change, and our own status write
            await cluster.call("DELETE", f"{ROOT}/namespaces/a/vpcs/one")
            await asyncio.sleep(5)
            await cluster.call("GET", f"{ROOT}/namespaces/a/vpcs/one", expected=(404,))
        assert [body["finalizing"] for _, body in world.of("finalize")] == [True]
        listed = await cluster.call("GET", "/api/v1/namespaces/a/events")
        assert listed["items"] == []


async def test_an_object_in_another_namespace_wakes_its_parent():
    """mc §4.4."""
    async with Cluster() as cluster:
        world = World(composite("subnets", hooks=("sync", "customize")), kubernetes=cluster)
        rule = {"apiVersion": "net.example.com/v1", "resource": "vpcs", "namespace": "b", "names": ["far"]}
        own = {"apiVersion": "v1", "resource": "namespaces", "names": ["a"]}

        async def hook(which, body):
            return {"relatedResources": [rule, own]} if which == "customize" else DONE

        world.hook = hook
        async with world.running():
            await cluster.create("subnets", "a", "s")
            await asyncio.sleep(5)
            assert world.of("sync")[-1][1]["related"]["Vpc.net.example.com/v1"] == {}
            assert list(world.of("sync")[-1][1]["related"]["Namespace.v1"]) == ["a"]
            calls = len(world.of("sync"))
            await cluster.create("vpcs", "b", "far")
            await asyncio.sleep(0.03)
            assert len(world.of("sync")) == calls + 1
            found = world.of("sync")[-1][1]["related"]["Vpc.net.example.com/v1"]
            assert found["b/far"]["kind"] == "Vpc"
        assert len(world.of("customize")) == 1


async def test_a_failing_hook_shows_as_one_counted_event():
    """mc §2.6, §5."""
    async with Cluster() as cluster:
        world = World(composite(hooks=("sync",)), kubernetes=cluster)
        await cluster.create("vpcs", "a", "one")

        async def hook(which, body):
            return b"<html>"

        world.hook = hook
        async with world.running():
            await asyncio.sleep(0.5)
        (event,) = (await cluster.call("GET", "/api/v1/namespaces/a/events"))["items"]
        assert event["reason"] == "SyncError"
        assert event["count"] == 7
        assert event["involvedObject"]["name"] == "one"


async def test_a_restart_of_the_engine_finds_everything_again():
    """mc §3.1."""
    async with Cluster() as cluster:
        world = World(composite(), kubernetes=cluster)
        for n in range(3):
            await cluster.create("vpcs", "a", f"v{n}")
        async with world.running():
            await asyncio.sleep(5)
        before = len(world.calls)
        async with world.running():
            await asyncio.sleep(5)
        assert len(world.calls) == before + 3
