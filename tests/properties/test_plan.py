"""What `plan` says is what then happens: the same calls, in the same order for each object, and the same ends.

Random sets of manifests are applied to random beginnings: nothing there, everything there, some of it left by somebody
else. Seeds are shown in the tests' names. What the cloud refuses for a moment, such as a group in a VPC that is being
changed, is sent again: only what it took is compared.
"""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from copy import deepcopy
from typing import Any

import pytest

from hooks import stack
from hooks.aruba.kinds import discover
from hooks.aruba.planning import Outcome, Planned, Resources, play
from hooks.aruba.planning.play import ShadowClock
from hooks.cli.cluster import Cluster
from hooks.cli.importing.patient import Patient
from hooks.cli.plan import shadow, told
from hooks.clock import Random, seeded
from hooks.http import AsyncClient
from hooks.meta.times import format_time
from hooks.settings import Settings
from tests.cases.estate import adopting, estate, key
from tests.world.house import House, living
from tests.world.manifests import fixture_set, spread

Object = dict[str, Any]
SEEDS = [*range(6), *(pytest.param(seed, marks=pytest.mark.sweep) for seed in range(6, 30))]
EDITS: dict[str, list[Object]] = {
    "Project": [{"description": "edited"}, {"tags": ["edited"]}],
    "VPC": [{"tags": ["edited"]}],
    "Subnet": [{"tags": ["edited"]}, {"dhcp": {"enabled": False}}],
    "SecurityGroup": [{"tags": ["edited"]}],
    "SecurityRule": [{"tags": ["edited"]}],
    "ElasticIP": [{"tags": ["edited"]}],
    "BlockStorage": [{"sizeGB": 60}, {"tags": ["edited"]}],
    "CloudServer": [{"dataVolumeReferences": None}, {"elasticIPReference": None}],
    "KeyPair": [{}],
}


class Plan:
    """A plan made of a house as it stands."""

    def __init__(self, planned: list[Planned], ends: list[Outcome], ids: dict[tuple[str, str], str]) -> None:
        self.planned = planned
        self.ends = ends
        self.ids = ids
        """Kind and namespace/name to the ID that the plan gave it, or found."""


async def plan(house: House, manifests: list[Object]) -> Plan:
    catalog = discover()
    settings = Settings.load({}, {}, house.environ).settings
    assert settings is not None
    objects = await shadow(catalog, Cluster(house.kube, house.clock), manifests)
    time = ShadowClock(house.clock.now())
    keys = [objects.apply(item, format_time(time.now())) for item in manifests]
    async with Patient(settings, AsyncClient(transport=house.net), house.clock, "", lambda text: None) as cloud:
        resources = Resources(catalog, cloud.of, time)
        concerned = objects.concerned(keys)
        planned, ends = await play(catalog, objects, resources, time, stack.policy(settings), concerned)
    found = [(objects.get(one) or {}) for one in concerned]
    ids = {(item["kind"], path(item)): (item.get("status") or {}).get("resourceID", "") for item in found}
    return Plan(planned, ends, ids)


def path(item: Object) -> str:
    return f"{item['metadata']['namespace']}/{item['metadata']['name']}"


def said(made: Plan, real: dict[tuple[str, str], str]) -> dict[str, list[str]]:
    """The planned calls by the collection and resource that they go to, with the IDs that things then got."""
    names = {one: real[where] for where, one in made.ids.items() if one.startswith("new-") and real.get(where)}
    calls = [(one.call.method, one.call.path, one.call.body) for one in made.planned if one.call is not None]
    return _grouped(calls, names)


def _grouped(calls: list[tuple[str, str, Any]], names: dict[str, str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for method, where, body in calls:
        text = json.dumps([method, where, _plain(body)], sort_keys=True)
        for new in sorted(names, key=len, reverse=True):
            text = text.replace(new, names[new])
        name = ((body or {}).get("metadata") or {}).get("name", "")
        at = json.loads(text)[1]
        found[f"{at} {name}" if method == "POST" else at].append(text)
    return dict(found)


def _plain(body: Any) -> Any:
    """Without our tags: they are made from UIDs, which a plan cannot know."""
    body = deepcopy(body or {})
    tags = (body.get("metadata") or {}).get("tags")
    if tags:
        body["metadata"]["tags"] = [tag for tag in tags if not tag.startswith("k8s-")]
    return body


async def beginning(house: House, chance: Random, items: list[Object]) -> list[Object]:
    """Some way to begin, and the manifests to apply from there."""
    way = chance.choice(["empty", "all", "all", "part", "left by somebody"])
    if way == "left by somebody":
        ids = await estate(house, *deepcopy(items))
        return [adopting(item, ids[key(item)]) for item in items]
    if way != "empty":
        part = items if way == "all" else [item for item in items if item["kind"] in ("Project", "VPC", "BlockStorage")]
        await house.apply(*map(noted_down, deepcopy(part)))
        await house.until(house.all_active)
        await asyncio.sleep(5)
    return items


def noted_down(item: Object) -> Object:
    """With what `kubectl apply` writes on an object."""
    said = json.dumps({"metadata": {}, "spec": item["spec"]})
    item["metadata"].setdefault("annotations", {})["kubectl.kubernetes.io/last-applied-configuration"] = said
    return item


def edited(chance: Random, items: list[Object]) -> list[Object]:
    """Some of the manifests, changed here and there, in any order; the project always comes along."""
    chosen = [item for item in items if item["kind"] == "Project" or chance.random() < 0.8]
    for item in chosen:
        if chance.random() < 0.5:
            change = chance.choice(EDITS[item["kind"]])
            item["spec"] = {name: value for name, value in {**item["spec"], **change}.items() if value is not None}
    chance.shuffle(chosen)
    return chosen


@pytest.mark.parametrize("seed", SEEDS)
async def test_what_a_plan_says_is_what_then_happens(seed: int) -> None:
    chance = seeded(seed)
    items = fixture_set(chance.choice(["Test10", "Test9", "Test5", "Test8"]))
    async with living(seed=seed) as house:
        if chance.random() < 0.3:
            spread(items, ["default", "team-b"])
        manifests = edited(chance, await beginning(house, chance, items))
        for item in manifests:
            await house.namespace(item["metadata"]["namespace"])
        since = int(next(iter((await house.calls())[-1:]), {"n": 0})["n"])
        made = await plan(house, deepcopy(manifests))
        assert await house.writes(since) == []
        await _apply(house, manifests)
        await asyncio.sleep(400)
        real = {(i["kind"], path(i)): i["status"].get("resourceID", "") for i in await house.objects()}
        taken = [row for row in await house.writes(since) if row["status"] < 300]
        happened = [(row["method"], row["path"], row["requestBody"]) for row in taken]
        assert _grouped(happened, {}) == said(made, real), "\n".join(told(made.planned, made.ends))
        print(f"seed {seed}: {len(made.planned)} steps planned for {len(manifests)} manifests")  # noqa: T201 - shown with -s
        for end in made.ends:
            status = await house.status(end.kind, end.path.split("/")[1], end.path.split("/")[0])
            assert status["phase"] == end.phase, (end, status)


async def _apply(house: House, manifests: list[Object]) -> None:
    """As `kubectl apply` does: what is there is changed."""
    for item in manifests:
        meta = item["metadata"]
        if await house.get(item["kind"], meta["name"], meta["namespace"]) is None:
            await house.apply(item)
        else:
            live = await house.get(item["kind"], meta["name"], meta["namespace"]) or {}
            dropped = {name: None for name in _noted(live) if name not in item["spec"]}
            body = {"metadata": {"annotations": meta.get("annotations", {})}, "spec": {**dropped, **item["spec"]}}
            await house.patch(item["kind"], meta["name"], body, meta["namespace"])


def _noted(live: Object) -> Object:
    noted = (live["metadata"].get("annotations") or {}).get("kubectl.kubernetes.io/last-applied-configuration", "{}")
    return dict(json.loads(noted).get("spec", {}))
