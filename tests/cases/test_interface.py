"""Field cases 96 and 100: what tools and people read off an object while it is on its way."""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple

import pytest

from hooks.local.metacontroller.api import Resource
from tests.cases import nine
from tests.cases.byhand import restart
from tests.cases.test_concurrency import CHANGED
from tests.cases.world import living
from tests.world.house import PLURALS, House
from tests.world.judge import condition

pytestmark = pytest.mark.every_kind

Object = dict[str, Any]


def kstatus(item: Object) -> str:
    """The generic rules of kstatus, which `kubectl wait`-like tools and GitOps controllers go by, in its own order."""
    status = item.get("status") or {}
    if item["metadata"].get("deletionTimestamp"):
        return "Terminating"
    observed = status.get("observedGeneration")
    if observed is not None and observed != item["metadata"]["generation"]:
        return "InProgress"
    if condition(item, "Reconciling").get("status") == "True":
        return "InProgress"
    if condition(item, "Stalled").get("status") == "True":
        return "Failed"
    ready = condition(item, "Ready")
    return "InProgress" if ready and ready["status"] != "True" else "Current"


class Sample(NamedTuple):
    """The subject as it was written, and whether its resource had settled in the cloud as the spec wants by then."""

    item: Object
    settled: bool


class Film:
    """A `Delivery` that takes a sample at every write of the subject."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.house: House | None = None
        self.samples: list[Sample] = []

    async def deliver(self, resource: Resource, event: Object) -> None:
        item = event["object"]
        if resource.plural == PLURALS[self.kind] and self.house is not None:
            self.samples.append(Sample(item, self._settled(item)))

    def _settled(self, item: Object) -> bool:
        assert self.house is not None
        self.house.simulator.world.settle()
        made = [one for one in self.house.simulator.world.store if one.kind.name == self.kind and one.alive]
        return any(one.name == item["metadata"]["name"] and one.settled for one in made)


async def filmed(kind: str) -> list[Sample]:
    """Every write of the subject from apply to Ready."""
    film = Film(kind)
    async with living(delivery=film) as house:
        item = await nine.prepared(house, kind)
        film.house = house
        await house.apply(item)
        await house.until(house.all_active)
        await asyncio.sleep(1)
    return film.samples


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_96_never_current_before_the_cloud_is_ready(kind: str) -> None:
    """Case 96: at every write from the first status to Ready, kstatus says Current only once the cloud is ready; each
    status holds Ready and every condition the generation that it speaks of.
    """
    written = [sample for sample in await filmed(kind) if "phase" in (sample.item.get("status") or {})]
    assert len(written) > 2
    assert {kstatus(sample.item) for sample in written if not sample.settled} == {"InProgress"}
    assert kstatus(written[-1].item) == "Current"
    assert condition(written[0].item, "Ready")["status"] in ("False", "Unknown")
    for item, _ in written:
        generations = {one["observedGeneration"] for one in item["status"]["conditions"]}
        assert generations == {item["metadata"]["generation"]}


@pytest.mark.parametrize("kind", ["Project", "VPC"])
async def test_case_96_not_even_before_the_first_status(kind: str) -> None:
    """Case 96: what was applied a moment ago, and has no status of ours yet, is not Current either."""
    bare = [item for item, _ in await filmed(kind) if "phase" not in (item.get("status") or {})]
    assert bare != []
    assert {kstatus(item) for item in bare} == {"InProgress"}


@pytest.mark.parametrize("kind", sorted(CHANGED))
async def test_case_96_an_edit_ends_current_until_it_is_applied(kind: str) -> None:
    """Case 96: after an edit of the spec nothing is Current until the cloud has it; no old True stands meanwhile."""
    film = Film(kind)
    async with living(delivery=film) as house:
        await nine.active(house, kind)
        await asyncio.sleep(5)
        film.house = house
        await house.patch(kind, nine.name(kind), {"spec": CHANGED[kind]})
        await house.until(lambda: _applied(film), within=60)
        write = (await house.writes())[-1]
        assert write["method"] in ("PUT", "POST")
    verdicts = [kstatus(sample.item) for sample in film.samples]
    assert verdicts[-1] == "Current"
    assert set(verdicts[:-1]) == {"InProgress"}
    assert condition(film.samples[-1].item, "Ready")["observedGeneration"] == 2


BROKEN = {"503": {"status": 503}, "429": {"status": 429, "headers": {"retry-after": "20"}}, "401": {"status": 401}}


@pytest.mark.parametrize("broken", sorted(BROKEN))
@pytest.mark.parametrize("kind", ["Project", "VPC", "BlockStorage"])
async def test_case_96_an_edit_while_the_cloud_does_not_answer(kind: str, broken: str) -> None:
    """Case 96: the edit meets a new replica and a cloud that does not answer: the old Ready does not stand for it."""
    film = Film(kind)
    async with living(delivery=film, environ={"ARUBA_LISTING_AGE": "5s"}) as house:
        await nine.active(house, kind)
        await asyncio.sleep(20)
        film.house = house
        await house.faults({"match": {"path": "/projects"}, "then": BROKEN[broken]})
        restart(house)
        await house.patch(kind, nine.name(kind), {"spec": CHANGED[kind]})
        await asyncio.sleep(60)
        assert {kstatus(sample.item) for sample in film.samples} == {"InProgress"}
        await house.admin("DELETE", "faults")
        await house.until(lambda: _applied(film), within=200, every=1)


async def _applied(film: Film) -> bool:
    return bool(film.samples) and kstatus(film.samples[-1].item) == "Current"


def missing(kind: str) -> list[str]:
    """How each direct reference is called in a message."""
    named = []
    for field in nine.KINDS[kind].references:
        value = nine.subject(kind)["spec"].get(field.name)
        refs = value if isinstance(value, list) else [value]
        named += [f"{field.to.kind} {r['namespace']}/{r['name']} does not exist" for r in refs if r and field.to]
    return named


@pytest.mark.parametrize("kind", nine.CHILDREN)
async def test_case_100_all_that_is_missing_is_named_at_once(kind: str) -> None:
    """Case 100: applied 20 minutes before everything it refers to: the message names all of it at once, there is no
    time limit, and it goes on by itself soon after the last one appears.
    """
    async with living() as house:
        await house.apply(nine.subject(kind))
        await asyncio.sleep(2)
        first = await house.status(kind, nine.name(kind))
        fields = [field.name for field in nine.KINDS[kind].references if nine.subject(kind)["spec"].get(field.name)]
        way_out = "Create what does not exist, or correct " + ", ".join(f"spec.{field}" for field in fields)
        assert first["message"].endswith("; ".join(missing(kind)) + f". {way_out}")
        await asyncio.sleep(1200)
        shown = await house.get(kind, nine.name(kind)) or {}
        assert shown["status"] == first
        assert (first["phase"], condition(shown, "Stalled")["status"]) == ("Pending", "False")
        assert await house.calls() == []
        await house.apply(*nine.needs(kind))
        took = await house.until(house.all_active, within=60)
        assert took < 25


async def test_case_100_states_of_what_is_there_are_told() -> None:
    """Case 100: what exists and is not Active is named with its phase, next to what does not exist."""
    async with living() as house:
        await house.quirks(neverSettle="VPC")
        await house.apply(nine.subject("Subnet"), *(item for item in nine.needs("Subnet") if item["kind"] == "VPC"))
        await asyncio.sleep(2)
        message = (await house.status("Subnet", "shop"))["message"]
        assert "Project default/shop does not exist; VPC default/shop is Pending. Create what " in message
        await house.apply(nine.subject("Project"))
        await asyncio.sleep(10)
        message = (await house.status("Subnet", "shop"))["message"]
        assert "Project" not in message
        assert message == "Waiting: VPC default/shop is Provisioning. It goes on by itself"
        await house.quirks(neverSettle=None)
        await house.until(house.all_active, within=40)
