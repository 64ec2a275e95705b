"""The whole life of set Test10 at realistic timings: how close to the cloud's own pace, and for how many calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from hooks.clock import seeded
from hooks.simulator import REALISTIC
from tests.bench.figures import Figure, collection, purposes
from tests.world import critical
from tests.world.house import living
from tests.world.judge import refused, twins
from tests.world.life import apply_all, delete_all
from tests.world.manifests import fixture_set

SEED = 1


async def whole_life() -> list[Figure]:
    items, chance = fixture_set("Test10"), seeded(SEED)
    async with living(timings=REALISTIC, seed=SEED) as house:
        created = await apply_all(house, items, chance)
        before = len(await house.admin("GET", "calls"))
        gone = await delete_all(house, chance)
        calls = await house.admin("GET", "calls")
        figures = [
            Figure("apply_to_active", created, "seconds"),
            Figure("apply_to_active_ratio", created / critical.to_active(items, REALISTIC), "of-critical-path"),
            Figure("delete_to_gone", gone, "seconds"),
            Figure("delete_to_gone_ratio", gone / critical.to_gone(items, REALISTIC), "of-critical-path"),
            Figure("cloud_calls", len(calls), "calls"),
            Figure("cloud_calls_refused", len(await refused(house)), "calls"),
            Figure("duplicates", len(twins(await house.resources(everything=True))), "pairs"),
            Figure("hook_calls", house.metacontroller.calls.total(), "calls"),
        ]
        by_hook: Counter[str] = Counter()
        for (_, hook), count in house.metacontroller.calls.items():
            by_hook[hook] += count
    figures += _counted("hook_calls", by_hook)
    figures += _counted("cloud_calls_by_method", Counter(call["method"] for call in calls))
    figures += _counted("cloud_calls_by_collection", Counter(collection(call["path"]) for call in calls))
    return [*figures, *_counted("cloud_calls_for", purposes(calls, before + 1))]


def _counted(name: str, counts: Counter[str]) -> Iterator[Figure]:
    for what, count in sorted(counts.items()):
        yield Figure(f"{name}_{what}", count, "calls")
