"""Customize and related objects (mc §2.2, §4)."""

from __future__ import annotations

import asyncio

import pytest
from starlette.responses import Response

from hooks.local.metacontroller.reply import Rule, customize_reply
from tests.local.metacontroller.world import DONE, World, composite, dumps, vpc

VPCS = {"apiVersion": "net.example.com/v1", "resource": "vpcs"}
NAMESPACES = {"apiVersion": "v1", "resource": "namespaces"}


def subnets(*rules, **options):
    """A world of subnets in namespace `a` whose rules are these; `world.rules` may change."""
    world = World(composite("subnets", hooks=("sync", "customize")), **options)
    world.rules = list(rules)

    async def hook(which, body):
        return {"relatedResources": world.rules} if which == "customize" else DONE

    world.hook = hook
    return world


async def stocked(*rules):
    world = subnets(*rules)
    await world.kube.put("namespaces", {"metadata": {"name": "a", "labels": {"team": "x"}}})
    for space, name, color in (("a", "one", "red"), ("a", "two", "blue"), ("b", "one", "red"), ("b", "three", "blue")):
        await world.kube.put("vpcs", vpc(name, space, metadata={"labels": {"color": color}}))
    await world.kube.put("subnets", vpc("s"))
    return world


def shown(world, group="Vpc.net.example.com/v1"):
    return sorted(world.of("sync")[-1][1]["related"][group])


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ({"namespace": "b", "names": ["one"]}, ["b/one"]),
        ({"names": ["one"]}, ["a/one", "b/one"]),
        ({"names": ["one", "three"], "namespace": "b"}, ["b/one", "b/three"]),
        ({"namespace": "a"}, ["a/one", "a/two"]),
        ({"namespace": "b", "labelSelector": {"matchLabels": {"color": "red"}}}, ["b/one"]),
        ({"labelSelector": {"matchLabels": {"color": "red"}}}, ["a/one", "b/one"]),
        (
            {"labelSelector": {"matchExpressions": [{"key": "color", "operator": "NotIn", "values": ["red"]}]}},
            ["a/two", "b/three"],
        ),
        (
            {"labelSelector": {"matchExpressions": [{"key": "size", "operator": "DoesNotExist"}]}, "namespace": "a"},
            ["a/one", "a/two"],
        ),
        ({"labelSelector": {"matchExpressions": [{"key": "size", "operator": "Exists"}]}}, []),
        ({"labelSelector": {}}, ["a/one", "a/two", "b/one", "b/three"]),
        ({"names": []}, ["a/one", "a/two", "b/one", "b/three"]),
        ({}, ["a/one", "a/two", "b/one", "b/three"]),
        ({"namespace": "nowhere", "names": ["one"]}, []),
        ({"names": ["missing"]}, []),
    ],
)
async def test_what_a_rule_selects(rule, expected):
    """mc §4.2, the v2 column; a rule that selects nothing still has its group (mc §2.2)."""
    world = await stocked(VPCS | rule)
    async with world.running():
        await asyncio.sleep(1)
    assert shown(world) == expected
    assert world.events() == []


async def test_rules_of_one_kind_share_a_group_and_cluster_objects_go_by_name():
    """mc §2.2: keys of groups and of objects."""
    world = await stocked(
        VPCS | {"namespace": "a", "names": ["one"]},
        VPCS | {"namespace": "b", "names": ["three", "absent"]},
        NAMESPACES | {"names": ["a"]},
        {"apiVersion": "net.example.com/v1", "resource": "regions"},
    )
    async with world.running():
        await asyncio.sleep(1)
    related = world.of("sync")[-1][1]["related"]
    assert set(related) == {"Vpc.net.example.com/v1", "Namespace.v1", "Region.net.example.com/v1"}
    assert sorted(related["Vpc.net.example.com/v1"]) == ["a/one", "b/three"]
    assert list(related["Namespace.v1"]) == ["a"]
    assert related["Region.net.example.com/v1"] == {}
    assert related["Namespace.v1"]["a"]["kind"] == "Namespace"
    assert related["Vpc.net.example.com/v1"]["a/one"]["spec"] == {"size": 1}


async def test_the_customize_request_has_two_fields():
    """mc §2.3."""
    world = await stocked(VPCS)
    async with world.running():
        await asyncio.sleep(1)
    assert set(world.of("customize")[0][1]) == {"controller", "parent"}


@pytest.mark.parametrize("selector", [{}, {"matchLabels": {"a": "b"}}])
async def test_names_go_with_no_selector(selector):
    """mc §4.2: an error of the pass."""
    world = await stocked(VPCS | {"names": ["one"], "labelSelector": selector})
    async with world.running():
        await asyncio.sleep(1)
    assert world.of("sync") == []
    assert "both names and labelSelector" in world.events()[0]["message"]


async def test_a_related_kind_that_nobody_serves_blocks_the_parent():
    """mc §4.4."""
    world = await stocked({"apiVersion": "net.example.com/v1", "resource": "unicorns"})
    async with world.running():
        await asyncio.sleep(1)
    assert world.of("sync") == []
    assert "can't find resource unicorns" in world.events()[0]["message"]


async def test_a_kind_that_is_not_listed_yet_is_waited_for_without_an_event():
    """mc §2.6: back-off, no Event."""
    world = await stocked(VPCS)
    world.kube.refuse = [("GET", "/v1/vpcs", 503)]
    async with world.running():
        await asyncio.sleep(0.5)
        assert world.of("sync") == []
        await asyncio.sleep(2)
        assert len(world.of("sync")) >= 1
    assert world.events() == []
    assert len(world.of("customize")) == 1


async def test_customize_is_asked_once_a_generation():
    """mc §4.1: not for labels, annotations or status."""
    world = await stocked(VPCS | {"namespace": "a"})
    async with world.running():
        await asyncio.sleep(1)
        await world.kube.change("subnets", "a", "s", metadata={"labels": {"x": "y"}})
        await world.kube.change("subnets", "a", "s", status={"by": "hand"})
        await asyncio.sleep(1)
        assert len(world.of("customize")) == 1
        await world.kube.change("subnets", "a", "s", spec={"size": 2})
        await asyncio.sleep(1)
        assert len(world.of("customize")) == 2
        await world.kube.delete("subnets", "a", "s")
        await world.kube.put("subnets", vpc("s"))
        await asyncio.sleep(1)
        assert len(world.of("customize")) == 3  # another UID
        assert world.engine.calls["subnets", "customize"] == 3


async def test_the_rules_of_a_generation_last_20_minutes():
    """mc §4.1."""
    world = await stocked(VPCS | {"namespace": "a"})
    async with world.running():
        for n in range(14):
            await world.kube.change("subnets", "a", "s", metadata={"labels": {"n": str(n)}})
            await asyncio.sleep(100)
    assert [round(at) for at, _ in world.of("customize")] == [0, 1200]


async def test_an_error_of_customize_is_not_remembered():
    """mc §4.1, §3.8: the pass fails, with its Event, and asks again."""
    world = await stocked()
    answers = [Response(b"", 500), Response(b"no", 200), {"relatedResources": []}]

    async def hook(which, body):
        return answers.pop(0) if which == "customize" else DONE

    world.hook = hook
    async with world.running():
        await asyncio.sleep(1)
    assert [round(at, 3) for at, _ in world.of("customize")] == [0, 0.005, 0.015]
    assert world.of("sync")
    assert len(world.events()) == 2


async def test_429_of_customize_waits_without_an_event():
    """mc §2.6."""
    world = await stocked()
    answers = [Response(b"", 429, {"Retry-After": "4"}), {"relatedResources": []}]

    async def hook(which, body):
        return answers.pop(0) if which == "customize" else DONE

    world.hook = hook
    async with world.running():
        await asyncio.sleep(10)
    assert [round(at, 3) for at, _ in world.of("customize")] == [0, 4]
    assert world.events() == []


async def test_an_object_in_another_namespace_wakes_its_parents():
    """mc §4.4: on being made, changed and removed; other objects wake nobody."""
    world = await stocked(VPCS | {"namespace": "c", "names": ["far"]})
    async with world.running():
        await asyncio.sleep(1)
        for step in (
            lambda: world.kube.put("vpcs", vpc("far", "c")),
            lambda: world.kube.change("vpcs", "c", "far", status={"phase": "Active"}),
            lambda: world.kube.delete("vpcs", "c", "far"),
        ):
            before = len(world.of("sync"))
            await step()
            await asyncio.sleep(0.02)
            assert len(world.of("sync")) == before + 1
        before = len(world.of("sync"))
        await world.kube.change("vpcs", "a", "one", status={"phase": "Active"})
        await asyncio.sleep(1)
        assert len(world.of("sync")) == before
    assert world.of("sync")[-1][1]["related"] == {"Vpc.net.example.com/v1": {}}


async def test_an_object_that_stops_matching_wakes_the_parents_it_matched():
    """mc §4.4: the old state counts as well as the new."""
    world = await stocked(VPCS | {"labelSelector": {"matchLabels": {"color": "red"}}})
    async with world.running():
        await asyncio.sleep(1)
        before = len(world.of("sync"))
        await world.kube.change("vpcs", "b", "one", metadata={"labels": {"color": "blue"}})
        await asyncio.sleep(1)
        assert len(world.of("sync")) == before + 1
        assert shown(world) == ["a/one"]
        await world.kube.change("vpcs", "b", "one", metadata={"labels": {"color": "green"}})
        await asyncio.sleep(1)
        assert len(world.of("sync")) == before + 1


async def test_a_wake_up_is_lost_when_customize_fails():
    """mc §4.4: the event asks for the rules of every parent that has none cached, and drops it on an error."""
    world = await stocked(VPCS | {"namespace": "c"})
    async with world.running():
        await asyncio.sleep(1)
        await asyncio.sleep(1300)  # the cached rules expire
        before = len(world.of("sync"))

        async def broken(which, body):
            return Response(b"", 500) if which == "customize" else DONE

        working, world.hook = world.hook, broken
        await world.kube.put("vpcs", vpc("far", "c"))
        await asyncio.sleep(60)
        assert len(world.of("sync")) == before
        assert len(world.of("customize")) == 2
        world.hook = working
        await world.kube.change("vpcs", "c", "far", status={"phase": "Active"})
        await asyncio.sleep(1)
        assert len(world.of("sync")) == before + 1
    assert world.events() == []


async def test_a_slow_customize_holds_up_every_controller_of_that_kind():
    """mc §4.4: rules are fetched in the delivery of the shared cache, before the next change is told to anybody."""
    world = World(composite("subnets", hooks=("sync", "customize")), composite("vpcs", hooks=("sync",)))
    await world.kube.put("subnets", vpc("s"))
    slow = []

    async def hook(which, body):
        if which == "customize":
            await asyncio.sleep(15 if slow else 0)
            return {"relatedResources": [VPCS]}
        return DONE

    world.hook = hook
    async with world.running():
        await asyncio.sleep(1)
        await world.kube.put("vpcs", vpc("quick"))
        await asyncio.sleep(1)
        assert len(world.of("sync", "quick")) == 2  # the other controller of the kind is told as well
        assert shown(world) == ["a/quick"]
        slow.append(1)
        await world.kube.put("subnets", vpc("new"))
        await asyncio.sleep(0.1)
        await world.kube.put("vpcs", vpc("first"))
        await world.kube.put("vpcs", vpc("second"))
        await asyncio.sleep(40)
    assert round(world.of("sync", "first")[0][0]) in (2, 17)  # before or behind the slow one, in the order of handlers
    assert round(world.of("sync", "second")[0][0]) == 17


async def test_only_the_kind_the_namespace_and_the_name_of_a_rule_wake():
    """mc §4.4."""
    world = await stocked(VPCS | {"namespace": "c", "names": ["far"]}, NAMESPACES | {"names": ["a"]})
    async with world.running():
        await asyncio.sleep(1)
        calls = len(world.of("sync"))
        await world.kube.put("vpcs", vpc("far", "d"))
        await world.kube.put("vpcs", vpc("near", "c"))
        await world.kube.put("vpcs", vpc("a", "c"))
        await world.kube.put("namespaces", {"metadata": {"name": "far"}})
        await asyncio.sleep(1)
        assert len(world.of("sync")) == calls
        await world.kube.change("namespaces", "", "a", metadata={"labels": {"team": "y"}})
        await asyncio.sleep(1)
        assert len(world.of("sync")) == calls + 1


async def test_listing_related_objects_again_wakes_nobody():
    """mc §4.4: an update that leaves the resourceVersion alone is none; parents do count it (mc §3.1)."""
    world = await stocked(VPCS)
    async with world.running():
        await asyncio.sleep(1)
        calls = len(world.of("sync"))
        world.kube.version += 1
        await world.kube.announce("vpcs", "ERROR", {"code": 410, "message": "too old resource version"})
        await asyncio.sleep(5)
        assert len(world.of("sync")) == calls
        assert sum(path.endswith("/v1/vpcs") for _, path in world.kube.requests) == 4  # twice a list and a watch


def test_a_rule_without_selector_and_names_is_everything():
    """mc §4.2."""
    (rule,) = customize_reply(dumps({"relatedResources": [{"apiVersion": "v1", "resource": "namespaces"}]}))
    assert rule == Rule("v1", "namespaces", "", frozenset(), None)
    assert rule.matches({"metadata": {"name": "any"}})
