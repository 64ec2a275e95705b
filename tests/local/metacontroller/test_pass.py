"""The sync loop (mc §3): order, staleness, status writes, finalizers."""

from __future__ import annotations

import asyncio
import itertools

from tests.local.metacontroller.world import DONE, World, composite, vpc

OURS = "metacontroller.io/compositecontroller-vpcs.net.example.com"


async def test_the_finalizer_is_stored_before_the_first_hook_call():
    """mc §3.3 step 2: the hook is shown the object that the finalizer's PUT returned."""
    async with World().running() as world:
        await world.kube.put("vpcs", vpc())
        await asyncio.sleep(1)
    _, first = world.of("sync")[0]
    assert first["parent"]["metadata"]["finalizers"] == [OURS]
    assert world.puts()[0] == "/apis/net.example.com/v1/namespaces/a/vpcs/one"
    assert first["parent"]["metadata"]["resourceVersion"] == "102"


async def test_the_request_has_exactly_the_five_fields():
    """mc §2.3."""
    world = World(composite(hooks=("sync",)))
    await world.kube.put("vpcs", vpc())
    async with world.running():
        await asyncio.sleep(1)
    _, body = world.of("sync")[0]
    assert set(body) == {"controller", "parent", "children", "related", "finalizing"}
    assert (body["children"], body["related"], body["finalizing"]) == ({}, {}, False)
    assert body["controller"]["kind"] == "CompositeController"
    assert body["controller"]["apiVersion"] == "metacontroller.k8s.io/v1alpha1"
    assert body["controller"]["status"] == {}
    assert body["controller"]["spec"]["parentResource"]["resource"] == "vpcs"
    assert "status" not in body["parent"]
    assert body["parent"]["spec"] == {"size": 1}


class Late:
    """Watch events of parents reach the cache `seconds` late."""

    def __init__(self, seconds):
        self.seconds = seconds

    async def deliver(self, resource, event):
        await asyncio.sleep(self.seconds)


async def test_the_second_call_of_a_new_object_sees_no_status():
    """mc §3.5: the finalizer's own event re-queues the key, and the status write is not in the cache yet."""
    world = World(delivery=Late(0.05))
    world.net.latency = 0.02
    async with world.running():
        await world.kube.put("vpcs", vpc())
        await asyncio.sleep(5)
    shown = [body["parent"].get("status") for _, body in world.of("sync")]
    assert shown == [None, None, {"phase": "Active", "observedGeneration": 1}]
    versions = [body["parent"]["metadata"]["resourceVersion"] for _, body in world.of("sync")]
    assert versions == ["102", "102", "103"]
    assert len(world.puts("/status")) == 1


async def test_status_is_replaced_whole_and_carries_the_generation_that_was_shown():
    """mc §2.4, §3.4."""
    world = World()
    await world.kube.put("vpcs", vpc(status={"old": 1}, metadata={"generation": 7}))
    async with world.running():
        await asyncio.sleep(1)
    assert world.live()["status"] == {"phase": "Active", "observedGeneration": 7}


async def test_an_unchanged_status_costs_one_get_and_no_put():
    """mc §3.4."""
    world = World(composite(hooks=("sync",)))
    await world.kube.put("vpcs", vpc(status=DONE["status"] | {"observedGeneration": 1}))
    async with world.running():
        await asyncio.sleep(1)
    assert len(world.calls) == 1
    assert world.kube.requests.count(("GET", "/apis/net.example.com/v1/namespaces/a/vpcs/one")) == 1
    assert world.puts() == []


async def test_a_float_is_never_equal_to_the_stored_integer():
    """mc §3.4: a status that the server normalises costs a PUT each sync, and no loop."""
    world = World(composite(hooks=("sync",)))
    await world.kube.put("vpcs", vpc(status={"size": 1, "observedGeneration": 1}))

    async def hook(which, body):
        return b'{"status": {"size": 1.0}, "children": []}'

    world.hook = hook
    async with world.running():
        await asyncio.sleep(1)
    assert len(world.puts("/status")) == 1
    assert len(world.calls) == 1


async def test_a_reply_without_status_wipes_it():
    """mc §2.4: `{}` and `null` are valid, destructive answers."""
    for answer in (b"{}", b"null", b'{"status": null, "children": null, "finalized": null}'):
        world = World()
        await world.kube.put("vpcs", vpc(status={"id": "x"}))

        async def hook(which, body, answer=answer):
            return answer

        world.hook = hook
        async with world.running():
            await asyncio.sleep(1)
        assert world.live()["status"] == {"observedGeneration": 1}
        assert world.events() == []


async def test_a_stale_answer_overwrites_a_newer_status():
    """mc §3.4: only the UID is compared, not the version that the hook was shown."""
    world = World(composite(hooks=("sync",)))
    await world.kube.put("vpcs", vpc())

    async def hook(which, body):
        if len(world.calls) == 1:
            await world.kube.change("vpcs", "a", "one", status={"phase": "Newer"})
        return {"status": {"phase": f"call {len(world.calls)}"}, "children": []} if len(world.calls) == 1 else DONE

    world.hook = hook
    seen = []

    async def before(path):
        seen.append(world.live()["status"]["phase"])

    world.kube.before_put = before
    async with world.running():
        await asyncio.sleep(1)
    assert seen[0] == "Newer"
    assert world.live()["status"]["phase"] == "Active"


async def test_an_object_of_the_same_name_keeps_its_own_status():
    """mc §3.4: the UID is the fence; the missing original is no error."""
    world = World(composite(hooks=("sync",)))
    await world.kube.put("vpcs", vpc(metadata={"uid": "first"}))

    async def hook(which, body):
        if body["parent"]["metadata"]["uid"] == "first":
            await world.kube.put("vpcs", vpc(metadata={"uid": "second"}))
            await asyncio.sleep(1)
            return {"status": {"phase": "for the first"}, "children": []}
        return DONE

    world.hook = hook
    async with world.running():
        await asyncio.sleep(1.5)
    assert world.live()["status"]["phase"] == "Active"
    assert [body["parent"]["metadata"]["uid"] for _, body in world.of("sync")] == ["first", "second", "second"]
    assert world.events() == []


async def test_a_status_conflict_is_tried_four_times():
    """mc §3.4: pauses of 10, 50 and 250 ms; the fourth refusal is swallowed and the pass counts as a success."""
    for refusals, stored in ((3, True), (4, False)):
        world = World(composite(hooks=("sync",)))
        await world.kube.put("vpcs", vpc())
        world.kube.refuse = [("PUT", "/status", 409)] * refusals
        async with world.running():
            await asyncio.sleep(5)
        assert len(world.puts("/status")) == 4
        assert ("status" in world.live()) == stored
        assert len(world.calls) == (2 if stored else 1)
        assert world.events() == []


async def test_the_pauses_of_a_status_conflict():
    """mc §3.4."""
    world = World(composite(hooks=("sync",)))
    await world.kube.put("vpcs", vpc())
    times = []

    async def before(path):
        times.append(asyncio.get_running_loop().time())
        if len(times) < 4:
            await world.kube.change("vpcs", "a", "one", metadata={"labels": {"n": str(len(times))}})

    world.kube.before_put = before
    async with world.running():
        await asyncio.sleep(5)
    gaps = [round(later - before, 3) for before, later in itertools.pairwise(times[:4])]
    assert gaps == [0.01, 0.05, 0.25]


async def test_a_status_that_is_refused_for_another_reason_fails_the_pass():
    """mc §3.3 step 10: only 404 and 409 are swallowed."""
    world = World(composite(hooks=("sync",)))
    await world.kube.put("vpcs", vpc())
    world.kube.refuse = [("PUT", "/status", 422)]
    async with world.running():
        await asyncio.sleep(1)
    assert len(world.events()) == 1
    assert "422" in world.events()[0]["message"]
    assert world.live()["status"]["phase"] == "Active"


async def test_a_refused_finalizer_stops_the_pass_before_the_hook():
    """mc §3.3 step 2."""
    world = World()
    await world.kube.put("vpcs", vpc())
    world.kube.refuse = [("PUT", "/one", 422)] * 2
    async with world.running():
        await asyncio.sleep(1)
    assert len(world.kube.requests) > 2
    assert world.events()[0]["message"].startswith("Sync error: can't sync finalizer for Vpc a/one: ")
    assert world.of("sync")[0][1]["parent"]["metadata"]["finalizers"] == [OURS]


async def finalizing(**meta):
    """A world with one object, whose finalize hook says `true` once the object carries the label `done`."""
    world = World()
    await world.kube.put("vpcs", vpc(metadata={"finalizers": [OURS], **meta}))

    async def hook(which, body):
        done = "done" in body["parent"]["metadata"].get("labels", {})
        return DONE | ({"finalized": done} if which == "finalize" else {})

    world.hook = hook
    return world


async def test_finalize_holds_the_object_until_it_says_so():
    """mc §3.7: `false` means no further call until something happens; the status is written all the same."""
    world = await finalizing()
    async with world.running():
        await asyncio.sleep(1)
        await world.kube.delete("vpcs", "a", "one")
        await asyncio.sleep(60)
        assert world.live()["status"] == {"phase": "Active", "observedGeneration": 2}
        # the second call follows from the status write of the first
        assert [(at < 1.1, body["finalizing"]) for at, body in world.of("finalize")] == [(True, True)] * 2
        await world.kube.change("vpcs", "a", "one", metadata={"labels": {"done": "1"}})
        await asyncio.sleep(1)
        assert world.live() is None
    assert len(world.of("finalize")) == 3
    assert world.events() == []


async def test_finalize_is_called_again_after_true_while_another_finalizer_holds_the_object():
    """mc §3.7: idempotent, or else."""
    world = await finalizing(
        labels={"done": "1"}, finalizers=[OURS, "example.com/other"], deletionTimestamp="2026-07-01T08:00:00Z"
    )
    async with world.running():
        await asyncio.sleep(1)
        assert world.live()["metadata"]["finalizers"] == ["example.com/other"]
        before = len(world.of("finalize"))
        await world.kube.change("vpcs", "a", "one", metadata={"labels": {"done": "2"}})
        await asyncio.sleep(1)
        assert len(world.of("finalize")) == before + 1
    assert before >= 2
    assert world.of("sync") == []


async def test_a_deleting_object_never_gets_the_finalizer_but_is_finalized():
    """mc §3.7: finalize may be called when our finalizer was never there."""
    world = await finalizing(
        labels={"done": "1"}, finalizers=["example.com/other"], deletionTimestamp="2026-07-01T08:00:00Z"
    )
    async with world.running():
        await asyncio.sleep(1)
    assert world.live()["metadata"]["finalizers"] == ["example.com/other"]
    assert len(world.of("finalize")) >= 1
    assert world.puts("/one") == []


async def test_an_object_whose_labels_stop_matching_is_finalized():
    """mc §1.1, §3.7: while it carries our finalizer; afterwards it is nobody's."""
    world = World(composite(parent={"labelSelector": {"matchLabels": {"managed": "yes"}}}))
    await world.kube.put("vpcs", vpc(metadata={"labels": {"managed": "yes"}}))
    await world.kube.put("vpcs", vpc("stranger"))

    async def hook(which, body):
        return DONE | ({"finalized": True} if which == "finalize" else {})

    world.hook = hook
    async with world.running():
        await asyncio.sleep(1)
        await world.kube.change("vpcs", "a", "one", metadata={"labels": {"managed": "no"}})
        await asyncio.sleep(1)
        calls = len(world.calls)
        assert world.live()["metadata"]["finalizers"] == []
        await world.kube.change("vpcs", "a", "one", spec={"size": 2})
        await asyncio.sleep(1)
    assert len(world.calls) == calls
    assert len(world.of("finalize")) == 1
    assert world.of("finalize")[0][1]["finalizing"] is True
    assert not world.of("sync", "stranger")


async def test_labels_that_changed_in_the_queue_are_read_when_its_turn_comes():
    """mc §3.3 step 1: neither finalizer nor call for what is no longer selected."""
    world = World(composite(parent={"labelSelector": {"matchLabels": {"managed": "yes"}}}), workers=1)
    for name in ("one", "two"):
        await world.kube.put("vpcs", vpc(name, metadata={"labels": {"managed": "yes"}}))

    async def hook(which, body):
        await asyncio.sleep(5)
        return DONE

    world.hook = hook
    async with world.running():
        await asyncio.sleep(1)
        await world.kube.change("vpcs", "a", "two", metadata={"labels": {}})
        await asyncio.sleep(60)
    assert "finalizers" not in world.live(name="two")["metadata"]
    assert {body["parent"]["metadata"]["name"] for _, _, body in world.calls} == {"one"}


async def test_an_unselected_object_only_loses_our_finalizer_when_nobody_finalizes():
    """mc §3.3 step 2: looked at again after the removal."""
    world = World(composite(hooks=("sync",), parent={"labelSelector": {"matchLabels": {"managed": "yes"}}}))
    await world.kube.put("vpcs", vpc(metadata={"finalizers": [OURS]}))
    async with world.running():
        await asyncio.sleep(1)
    assert world.live()["metadata"]["finalizers"] == []
    assert world.calls == []


async def test_the_status_after_finalizing_carries_the_generation_of_the_object_let_go():
    """mc §3.3 step 7: the pass goes on with what the finalizer's PUT returned."""
    world = World()
    gone = {"finalizers": [OURS, "example.com/other"], "deletionTimestamp": "2026-07-01T08:00:00Z"}
    await world.kube.put("vpcs", vpc(metadata=gone))
    written = []

    async def hook(which, body):
        if len(world.calls) == 1:
            await world.kube.change("vpcs", "a", "one", spec={"size": 2})
        return DONE | {"finalized": True}

    async def before(path):
        written.append((path.rpartition("/")[2], world.live()["metadata"]["generation"]))

    world.hook, world.kube.before_put = hook, before
    async with world.running():
        await asyncio.sleep(1)
    assert written == [("one", 2), ("status", 2)]
    assert world.live()["status"]["observedGeneration"] == 2


async def test_finalized_from_sync_removes_the_finalizer_and_the_next_sync_adds_it():
    """mc §2.4: acted on in sync too, hence a loop."""
    world = World()
    await world.kube.put("vpcs", vpc())

    async def hook(which, body):
        return DONE | {"finalized": len(world.calls) == 1}

    world.hook = hook
    async with world.running():
        await asyncio.sleep(1)
    assert len(world.puts("/one")) == 3
    assert world.live()["metadata"]["finalizers"] == [OURS]


async def test_without_a_finalize_hook_our_old_finalizer_is_dropped():
    """mc §3.7: lazily, at the next sync."""
    world = World(composite(hooks=("sync",)))
    await world.kube.put("vpcs", vpc(metadata={"finalizers": [OURS, "example.com/other"]}))
    async with world.running():
        await asyncio.sleep(1)
    assert world.live()["metadata"]["finalizers"] == ["example.com/other"]
    assert world.of("sync")[0][1]["parent"]["metadata"]["finalizers"] == ["example.com/other"]


async def test_without_a_finalize_hook_a_deleting_parent_is_synced():
    """mc §2.3: `finalizing: false` does not mean that nobody deletes it."""
    world = World(composite(hooks=("sync",)))
    gone = {"finalizers": ["example.com/other"], "deletionTimestamp": "2026-07-01T08:00:00Z"}
    await world.kube.put("vpcs", vpc(metadata=gone))
    async with world.running():
        await asyncio.sleep(1)
    assert world.of("sync")[0][1]["finalizing"] is False


async def test_a_parent_that_vanished_causes_no_call():
    """mc §3.1."""
    world = World(composite(hooks=("sync",)))
    await world.kube.put("vpcs", vpc())
    async with world.running():
        await asyncio.sleep(1)
        calls = len(world.calls)
        await world.kube.delete("vpcs", "a", "one")
        await asyncio.sleep(1)
    assert len(world.calls) == calls
    assert world.events() == []


async def test_any_change_of_the_parent_causes_a_call():
    """mc §3.1: status by anyone, labels, annotations, finalizers."""
    world = World(composite(hooks=("sync",)))
    await world.kube.put("vpcs", vpc())
    async with world.running():
        await asyncio.sleep(1)
        for part in ({"labels": {"a": "b"}}, {"annotations": {"a": "b"}}, {"finalizers": ["x.y/z"]}):
            calls = len(world.calls)
            await world.kube.change("vpcs", "a", "one", metadata=part)
            await asyncio.sleep(1)
            assert len(world.calls) == calls + 1


async def test_one_parent_is_never_synced_twice_at_once_and_events_coalesce():
    """mc §3.2."""
    world = World(composite(hooks=("sync",)))
    await world.kube.put("vpcs", vpc())
    running = []

    async def hook(which, body):
        running.append(+1)
        assert sum(running) == 1
        await asyncio.sleep(5)
        running.append(-1)
        return DONE

    world.hook = hook
    async with world.running():
        for n in range(8):
            await asyncio.sleep(0.5)
            await world.kube.change("vpcs", "a", "one", metadata={"labels": {"n": str(n)}})
        await asyncio.sleep(30)
    assert [round(at) for at, _ in world.of("sync")] == [0, 5, 10]
    assert world.of("sync")[1][1]["parent"]["metadata"]["labels"] == {"n": "7"}


async def test_workers_bound_the_calls_of_a_controller():
    """mc §3.2: `workers` parents at a time, in each controller."""
    world = World(composite(hooks=("sync",)), composite("subnets", hooks=("sync",)), workers=2)
    for n in range(6):
        await world.kube.put("vpcs", vpc(f"v{n}"))
        await world.kube.put("subnets", vpc(f"s{n}"))

    async def hook(which, body):
        await asyncio.sleep(10)
        return DONE

    world.hook = hook
    async with world.running():
        await asyncio.sleep(25)
        assert [round(at) for at, _, _ in world.calls] == [0] * 4 + [10] * 4 + [20] * 4
        assert world.engine.calls == {("vpcs", "sync"): 6, ("subnets", "sync"): 6}
