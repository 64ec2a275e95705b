"""The client against local mode's Kubernetes API, which knows nothing of it: both read the same documentation."""

from __future__ import annotations

import asyncio
from pathlib import Path

import yaml

from hooks.clock import seeded
from hooks.http import AsyncClient
from hooks.kube import Kube
from hooks.local.kubernetes import KubernetesApi
from hooks.meta.deadline import Deadline
from hooks.meta.outcomes import Patched, Stale, Trouble
from tests.world.loopback import Loopback
from tests.world.time import LoopClock

CRD = Path(__file__).parents[3] / "crds" / "vpcs.yaml"
VPCS = "/apis/arubacloud.com/v1alpha1/namespaces/team-blue/vpcs"


def manifest(name):
    spec = {"tenant": "t-100", "region": "ITBG-Bergamo", "projectReference": {"name": "p", "namespace": "team-blue"}}
    return {"apiVersion": "arubacloud.com/v1alpha1", "kind": "VPC", "metadata": {"name": name}, "spec": spec}


async def _world():
    clock = LoopClock()
    api = KubernetesApi(clock, seeded(1))
    client = AsyncClient(transport=Loopback({"kube": api.app}), base_url="http://kube")
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team-blue"}}
    crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    for path, body in (("/api/v1/namespaces", namespace), (crds, yaml.safe_load(CRD.read_text("utf-8")))):
        assert (await client.post(path, json=body)).status_code == 201
    await asyncio.sleep(1)
    return Kube(client, clock), client, Deadline(clock.monotonic() + 10)


async def _create(client, name, **metadata):
    body = manifest(name)
    body["metadata"] |= metadata
    answer = await client.post(VPCS, json=body)
    assert answer.status_code == 201, answer.text
    return answer.json()


async def test_patch_read_list_delete():
    kube, client, soon = await _world()
    made = await _create(client, "net-a", labels={"side": "left"})
    await _create(client, "net-b", labels={"side": "right"})
    meta = made["metadata"]
    fence = {"uid": meta["uid"], "resource_version": meta["resourceVersion"], "labels": {}, "deadline": soon}
    patched = await kube.annotate("vpcs", "team-blue", "net-a", annotations={"arubacloud.com/x": "1"}, **fence)
    assert isinstance(patched, Patched)
    assert patched.raw["metadata"]["annotations"] == {"arubacloud.com/x": "1"}
    again = await kube.annotate("vpcs", "team-blue", "net-a", annotations={"arubacloud.com/x": "2"}, **fence)
    assert isinstance(again, Stale)
    assert await kube.read("vpcs", "team-blue", "net-a", soon) == patched.raw
    assert await kube.read("vpcs", "team-blue", "net-z", soon) is None
    found = await kube.labelled("vpcs", "side=left", soon)
    assert [item["metadata"]["name"] for item in found] == ["net-a"]
    assert isinstance(await kube.delete("vpcs", "team-blue", "net-a", "another", soon), Stale)
    assert await kube.delete("vpcs", "team-blue", "net-a", meta["uid"], soon) is None
    assert await kube.read("vpcs", "team-blue", "net-a", soon) is None


async def test_another_objects_uid_is_stale_even_with_the_right_version():
    kube, client, soon = await _world()
    meta = (await _create(client, "net-a"))["metadata"]
    answer = await kube.annotate(
        "vpcs", "team-blue", "net-a", uid="another", resource_version=meta["resourceVersion"],
        annotations={"a": "1"}, labels={}, deadline=soon,
    )  # fmt: skip
    assert isinstance(answer, Stale)


async def test_a_kind_that_is_not_served_is_trouble_and_no_proof_of_absence():
    kube, _, soon = await _world()
    assert isinstance(await kube.read("subnets", "team-blue", "net-a", soon), Trouble)


async def test_events_are_kept_and_counted():
    kube, client, _ = await _world()
    made = await _create(client, "net-a")
    kube.tell(made, "VPC", False, "Created", "VPC 123 was created")
    await asyncio.sleep(700)
    kube.tell(made, "VPC", False, "Created", "VPC 123 was created")
    await kube.drain(Deadline(kube.monotonic() + 10))
    (event,) = (await client.get("/api/v1/namespaces/team-blue/events")).json()["items"]
    assert (event["reason"], event["count"], event["involvedObject"]["uid"]) == ("Created", 2, made["metadata"]["uid"])
