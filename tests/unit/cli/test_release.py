"""Objects are let go of whole or not at all, never from under an operator, and never by way of the cloud."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from hooks.__main__ import main
from hooks.aruba.kinds import discover
from hooks.cli.checks.holders import Holder, holders
from hooks.cli.cluster import OURS, Cluster
from hooks.cli.releasing import Release, Report, let_go
from hooks.http import AsyncBaseTransport, AsyncClient, Request, Response
from tests.cases import nine
from tests.unit.cli.installed import DEPLOYMENTS, Installed, go_operator, status
from tests.world.house import KUBE, House
from tests.world.manifests import vpc

Object = dict[str, Any]
KINDS = discover()
VPC = KINDS["VPC"]
PATH = f"{OURS}/namespaces/default/vpcs/net-a"
METACONTROLLER = "metacontroller.io/compositecontroller-vpcs.arubacloud.com"
GO = "vpc.arubacloud.com/finalizer"
CONTROLLER = Holder("CompositeController vpcs.arubacloud.com", "kubectl delete compositecontroller vpcs.arubacloud.com")


@asynccontextmanager
async def quiet() -> AsyncIterator[House]:
    """A house in which nobody acts on the objects."""
    house = House()
    await house.prepare()
    yield house
    await house.kubernetes.aclose()


def held(*more: str) -> Object:
    """A VPC as operators leave it behind, with things of the user's and of others besides."""
    item = vpc()
    item["metadata"] |= {
        "finalizers": [METACONTROLLER, GO, *more],
        "annotations": {
            "arubacloud.com/owner-references": "[]",
            "arubacloud.com/create-pending": "none u",
            "arubacloud.com/resource-tenant": "t u",
            "arubacloud.com/resource-path": "/p u",
            "arubacloud.com/resource-name": "mine",
            "team": "shop",
        },
        "labels": {"arubacloud.com/owner-project": "u", "arubacloud.com/uses-123": "true", "app": "shop"},
    }
    return item


def cluster(house: House) -> Cluster:
    return Cluster(house.kube, house.clock)


async def released(house: House, *operators: Holder, act: bool = True) -> Report:
    return await let_go(cluster(house), Release(VPC, PATH, operators), act)


async def test_all_of_ours_goes_and_nothing_else() -> None:
    async with quiet() as house:
        await house.apply(held("other.io/keep"))
        report = await released(house)
        assert report.fine
        assert len(report.lines) == 8
        metadata = (await house.get("VPC", "net-a"))["metadata"]
        assert metadata["finalizers"] == ["other.io/keep"]
        assert metadata["annotations"] == {"arubacloud.com/resource-name": "mine", "team": "shop"}
        assert metadata["labels"] == {"app": "shop"}
        assert await house.calls() == []


async def test_without_yes_it_is_only_shown() -> None:
    async with quiet() as house:
        await house.apply(held())
        before = await house.get("VPC", "net-a")
        report = await released(house, act=False)
        assert report.fine
        assert "would be released" in report.text
        assert f"finalizer   {METACONTROLLER}" in report.lines
        assert await house.get("VPC", "net-a") == before


async def test_what_is_being_deleted_is_gone_even_under_an_operator() -> None:
    async with quiet() as house:
        await house.apply(held())
        await house.delete("VPC", "net-a")
        report = await released(house, CONTROLLER)
        assert report.fine
        assert "gone with that" in report.text
        assert "already begun" in report.text
        assert await house.get("VPC", "net-a") is None


@pytest.mark.parametrize("deleted", [False, True])
async def test_nothing_that_stays_is_released_from_under_an_operator(deleted: bool) -> None:
    """One that others hold stays as well: finalize would be called for it again, without any memory."""
    async with quiet() as house:
        await house.apply(held("other.io/keep"))
        if deleted:
            await house.delete("VPC", "net-a")
        before = await house.get("VPC", "net-a")
        report = await released(house, CONTROLLER)
        assert not report.fine
        assert "kubectl delete compositecontroller vpcs.arubacloud.com, or say --force" in report.text
        assert await house.get("VPC", "net-a") == before


async def test_nothing_to_remove_is_no_failure_and_no_write() -> None:
    async with quiet() as house:
        await house.apply(vpc())
        before = await house.get("VPC", "net-a")
        report = await released(house, CONTROLLER)
        assert report.fine
        assert "nothing to remove" in report.text
        assert await house.get("VPC", "net-a") == before


async def test_an_object_that_is_not_there_could_not_be_released() -> None:
    async with quiet() as house:
        assert await released(house) == Report(False, "there is no such object")


class Meddler(AsyncBaseTransport):
    """Does something to the cluster just before each of the first so many patches."""

    def __init__(self, house: House, times: int, act: Callable[[], Awaitable[Any]]) -> None:
        self._house, self._left, self._act = house, times, act

    async def handle_async_request(self, request: Request) -> Response:
        if request.method == "PATCH" and self._left:
            self._left -= 1
            await self._act()
        return await self._house.net.handle_async_request(request)


async def meddled(house: House, times: int, act: Callable[[], Awaitable[Any]]) -> Report:
    async with AsyncClient(transport=Meddler(house, times, act), base_url=f"http://{KUBE}") as client:
        return await let_go(Cluster(client, house.clock), Release(VPC, PATH, ()), act=True)


async def test_a_conflict_is_thought_over_once_more() -> None:
    async with quiet() as house:
        await house.apply(held())

        async def add_a_finalizer() -> None:
            await house.patch("VPC", "net-a", {"metadata": {"finalizers": [METACONTROLLER, GO, "new.io/one"]}})

        assert (await meddled(house, 1, add_a_finalizer)).fine
        assert (await house.get("VPC", "net-a"))["metadata"]["finalizers"] == ["new.io/one"]


async def test_a_second_conflict_gives_up() -> None:
    async with quiet() as house:
        await house.apply(held())
        numbers = iter(range(9))

        async def touch() -> None:
            await house.patch("VPC", "net-a", {"metadata": {"labels": {"n": str(next(numbers))}}})

        report = await meddled(house, 2, touch)
        assert not report.fine
        assert "changed by somebody else twice" in report.text
        assert METACONTROLLER in (await house.get("VPC", "net-a"))["metadata"]["finalizers"]


async def test_an_object_that_goes_meanwhile_is_released() -> None:
    async with quiet() as house:
        await house.apply(held())

        async def go() -> None:
            await house.patch("VPC", "net-a", {"metadata": {"finalizers": []}})
            await house.delete("VPC", "net-a")

        assert await meddled(house, 1, go) == Report(True, "gone meanwhile")


async def test_another_object_of_the_same_name_is_left_alone() -> None:
    async with quiet() as house:
        await house.apply(held())

        async def replace() -> None:
            await house.patch("VPC", "net-a", {"metadata": {"finalizers": []}})
            await house.delete("VPC", "net-a")
            await house.apply(held())

        report = await meddled(house, 1, replace)
        assert report.fine
        assert "another object has its name now" in report.text
        assert METACONTROLLER in (await house.get("VPC", "net-a"))["metadata"]["finalizers"]


@pytest.mark.every_kind
@pytest.mark.parametrize("kind", nine.ALL)
async def test_once_the_operator_is_stopped_the_resource_outlives_its_object(kind: str) -> None:
    """All that the running operator wrote is released; the object can be deleted, and the cloud never hears of it."""
    async with quiet() as house:
        running = asyncio.ensure_future(house.metacontroller.run())
        await house.metacontroller.started()
        await nine.active(house, kind)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        before = await house.writes()
        path = f"{OURS}/namespaces/default/{KINDS[kind].names.plural}/{nine.name(kind)}"
        assert (await let_go(cluster(house), Release(KINDS[kind], path, ()), act=True)).fine
        metadata = (await house.get(kind, nine.name(kind)))["metadata"]
        assert not metadata.get("finalizers")
        assert not metadata.get("labels")
        assert not [name for name in metadata.get("annotations") or {} if name.startswith("arubacloud.com/")]
        await house.delete(kind, nine.name(kind))
        assert await house.get(kind, nine.name(kind)) is None
        assert [row for row in await house.resources(kind) if row["name"] == nine.name(kind)]
        assert await house.writes() == before


async def found(world: Installed) -> list[str]:
    async with AsyncClient(transport=world, base_url="http://kube.test") as client:
        return [holder.name for holder in await holders(Cluster(client, House().clock), VPC)]


async def test_who_would_undo_it() -> None:
    world = Installed()
    assert await found(world) == ["CompositeController vpcs.arubacloud.com"]
    world.paths["/apis/metacontroller.k8s.io/v1alpha1/compositecontrollers"] = {"items": []}
    assert await found(world) == []
    world.paths[DEPLOYMENTS]["items"].append(go_operator(replicas=0))
    assert await found(world) == []
    world.paths[DEPLOYMENTS]["items"].append(go_operator())
    assert await found(world) == ["the Go operator (Deployment aruba-system/aruba-controller-manager)"]


async def test_whom_one_may_not_look_for_may_be_there() -> None:
    world = Installed()
    world.paths["/apis/metacontroller.k8s.io/v1alpha1/compositecontrollers"] = status(403, "not you")
    world.paths[DEPLOYMENTS] = status(403, "not you")
    first, second = await found(world)
    assert "CompositeController that cannot be looked for" in first
    assert "Go operator that cannot be looked for" in second


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "NS/NAME"),
        (["vpc"], "NS/NAME"),
        (["vpc", "net-a"], "'net-a' is not NS/NAME"),
        (["vpc", "a/b/c"], "'a/b/c' is not NS/NAME"),
        (["vpc", "a/B"], "'a/B' is not NS/NAME"),
        (["vpc", "a/b", "--all"], "either"),
        (["vpc", "a/b", "-n", "c"], "--namespace goes with --all"),
        (["vpx", "a/b"], "did you mean vpc?"),
        (["zzzz", "a/b"], "the kinds are BlockStorage, "),
        (["vpc", "--all", "-n", "A_B"], "name"),
        (["vpc", "a/b", "--kubeconfig", "/nonexistent"], "/nonexistent"),
    ],
)
def test_a_bad_call_says_so_in_one_line(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["release", *words]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("release: ")
    assert told in said.err
    assert said.err.count("\n") == 1
