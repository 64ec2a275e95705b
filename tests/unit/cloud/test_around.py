"""What is around something that is not found: its project, others, or nothing at all (design §5.5, cases 14, 55)."""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple

import pytest

from hooks.aruba.model.failure import Cause, Failure
from hooks.aruba.model.wire import Around, Call
from tests.unit.cloud.script import CREATE, HTML, NOT_FOUND, P1, PROBLEM, VPCS, Reply, World, row

PROJECTS = "/projects"
GONE = Reply(404, NOT_FOUND, PROBLEM)
EMPTY = Reply(200, {"total": 0, "values": []})
FORBIDDEN = Reply(403, {"title": "Forbidden"})
SIGN_IN = Reply(200, b"<html>sign in</html>", HTML)
THERE = Reply(200, row("p1"))
NOTHING = {
    "an empty list": EMPTY,
    "a list without a total": Reply(200, {"values": None}),
    "no content": Reply(204, None, {}),
    "a 404": GONE,
    "a bare 404": Reply(404, None, {}),
}
"""All spellings of an empty list (api §5.1)."""


def listed(*names: str, total: int | None = None) -> Reply:
    return Reply(200, {"total": len(names) if total is None else total, "values": [row(name) for name in names]})


def cloud(project: Reply = GONE, projects: Reply = EMPTY, **others: Reply) -> World:
    """A cloud with these answers for the project and the list of projects; `others` by path or method."""
    answers = {P1: project, PROJECTS: projects, **others}
    return World(lambda asked: answers.get(asked.method) or answers.get(asked.path, GONE))


async def around(world: World, path: str = VPCS, name: str = "v1", age: float = 0.0) -> Any:
    return await world.cloud.around("t", path, name, world.ago(age), world.deadline())


def paths(world: World) -> list[str]:
    return [asked.path for asked in world.api.asked]


def told(answer: Any) -> Any:
    """The answer as a table names it: `Around`, or class and words of a failure."""
    return (answer.cause, answer.text) if isinstance(answer, Failure) else answer


class Case(NamedTuple):
    """Answers for the project and for the list, what follows, and the calls that it costs."""

    project: Reply
    projects: Reply
    expected: Any
    calls: list[str]


LISTED = (Cause.TECHNICAL, "project p1 is not found by its URL, but is listed")
UNRELIABLE = (Cause.TECHNICAL, "project p1 is not found, but the list of projects is not reliable")
NO_LIST = (Cause.TECHNICAL, "the answer to a list (HTTP 200) is not a list")
NO_RIGHT = (Cause.FORBIDDEN, "Forbidden (HTTP 403)")
IN_TROUBLE = (Cause.TECHNICAL, "Unknown API error (HTTP 500)")
LISTS = {
    "listed all the same": (listed("p1"), LISTED, 1),
    "listed among others": (listed("p2", "p1"), LISTED, 1),
    "in other case": (listed("P1"), LISTED, 1),
    "fewer than said": (listed("p2", total=5), UNRELIABLE, 6),
    "a list that is refused": (FORBIDDEN, NO_RIGHT, 1),
    "a list in trouble": (Reply(500), IN_TROUBLE, 1),
    "a list out of reach": (Reply(503), (Cause.TECHNICAL, "Unknown API error (HTTP 503)"), 2),
    "a page to sign in": (SIGN_IN, NO_LIST, 1),
    "no list": (Reply(200, row("p1")), NO_LIST, 1),
}
"""What the list of projects says, what follows for a project that is not found, and how many calls it takes."""
CASES = {
    "it answers": Case(THERE, FORBIDDEN, Around.STANDS, [P1]),
    "others are listed": Case(GONE, listed("p2"), Around.GONE, [P1, PROJECTS]),
    "bare, others are listed": Case(Reply(404, None, {}), listed("p2", "p3"), Around.GONE, [P1, PROJECTS]),
    "it is Deleted": Case(
        Reply(200, row("p1") | {"status": {"state": "Deleted"}}), listed("p2"), Around.GONE, [P1, PROJECTS]
    ),
    **{word: Case(GONE, reply, Around.NOTHING, [P1, PROJECTS]) for word, reply in NOTHING.items()},
    **{word: Case(GONE, reply, said, [P1] + [PROJECTS] * calls) for word, (reply, said, calls) in LISTS.items()},
    "it is forbidden": Case(FORBIDDEN, EMPTY, NO_RIGHT, [P1]),
    "it is in trouble": Case(Reply(500), EMPTY, IN_TROUBLE, [P1]),
    "a 404 in HTML": Case(
        Reply(404, b"<html>no</html>", HTML), EMPTY, (Cause.TECHNICAL, "Unknown API error: no (HTTP 404)"), [P1]
    ),
    "another is shown": Case(
        Reply(200, row("p2")), EMPTY, (Cause.TECHNICAL, f"the answer to GET {P1} (HTTP 200) is not that resource"), [P1]
    ),
}


@pytest.mark.parametrize("word", CASES)
async def test_case_14_around_a_resource(word: str) -> None:
    case = CASES[word]
    world = cloud(case.project, case.projects)
    assert told(await around(world)) == case.expected
    assert paths(world) == case.calls


@pytest.mark.parametrize("word", LISTS)
async def test_case_14_around_a_project_the_list_must_answer(word: str) -> None:
    projects, expected, calls = LISTS[word]
    world = cloud(THERE, projects)
    assert told(await around(world, PROJECTS, "p1")) == expected
    assert paths(world) == [PROJECTS] * calls


async def test_around_a_project_others_are_listed() -> None:
    world = cloud(projects=listed("p2"))
    assert await around(world, PROJECTS, "p1") is Around.STANDS
    assert paths(world) == [PROJECTS]


@pytest.mark.parametrize("word", NOTHING)
async def test_a_project_that_was_never_seen_is_not_known_to_be_the_last(word: str) -> None:
    world = cloud(projects=NOTHING[word])
    assert await around(world, PROJECTS, "p1") is Around.NOTHING
    assert paths(world) == [PROJECTS]


async def _known(world: World) -> None:
    """The project itself was shown."""
    answers, world.api.handler = world.api.handler, lambda asked: THERE
    await _project(world)
    world.api.handler = answers


async def test_the_only_project_of_an_account_may_go() -> None:
    world = cloud(projects=EMPTY)
    await _known(world)
    assert await around(world, PROJECTS, "p1") is Around.LAST


async def _get(world: World) -> None:
    assert (await world.item("v1", world.ago(), proof=True)).live is not None


async def _list(world: World) -> None:
    assert (await world.listing(world.ago())).rows


async def _created(world: World) -> None:
    assert not isinstance(await world.send(CREATE), Failure)


SHOWS = {
    "a resource read": (_get, {f"{VPCS}/v1": Reply(200, row("v1"))}),
    "a list with a row": (_list, {VPCS: listed("v1")}),
    "a creation": (_created, {"POST": Reply(201, row("v1"))}),
}


@pytest.mark.parametrize("proof", ["empty", "404"])
@pytest.mark.parametrize("word", SHOWS)
async def test_case_14_a_project_that_lately_held_something_cannot_have_gone(word: str, proof: str) -> None:
    """The cloud refuses to delete one with something inside: for a quarter of an hour nothing else is believed."""
    look, answers = SHOWS[word]
    world = cloud(projects=EMPTY if proof == "empty" else GONE, **answers)
    await look(world)
    assert await around(world, PROJECTS, "p1") is Around.NOTHING
    await asyncio.sleep(450)
    await _known(world)
    await asyncio.sleep(450)
    assert await around(world, PROJECTS, "p1") is Around.NOTHING
    await asyncio.sleep(2)
    assert await around(world, PROJECTS, "p1") is Around.LAST


async def test_a_project_that_held_something_is_gone_where_others_are_listed() -> None:
    world = cloud(projects=listed("p2"), **{VPCS: listed("v1")})
    await _list(world)
    assert await around(world, PROJECTS, "p1") is Around.STANDS


async def _empty(world: World) -> None:
    assert not (await world.listing(world.ago(), proof=True)).rows


async def _project(world: World) -> None:
    assert (await world.item("p1", world.ago(), proof=True, path=PROJECTS)).live is not None


async def _projects(world: World) -> None:
    assert (await world.listing(world.ago(), path=PROJECTS)).rows


async def _elsewhere(world: World) -> None:
    assert (await world.listing(world.ago(), path="/projects/p2/providers/Aruba.Network/vpcs")).rows


async def _deleted(world: World) -> None:
    assert not isinstance(await world.send(Call("DELETE", f"{VPCS}/v1")), Failure)


async def _refused(world: World) -> None:
    assert isinstance(await world.send(CREATE), Failure)


async def _new_project(world: World) -> None:
    assert not isinstance(await world.send(Call("POST", PROJECTS, {})), Failure)


async def _lost(world: World) -> None:
    assert (await world.item("v1", world.ago(), proof=True)).live is None


SHOWS_NOT = {
    "an empty list": (_empty, {VPCS: EMPTY}),
    "a list that is not found": (_empty, {VPCS: GONE}),
    "the project itself": (_project, {P1: THERE}),
    "the list of projects": (_projects, {PROJECTS: listed("p1")}),
    "another project": (_elsewhere, {"/projects/p2/providers/Aruba.Network/vpcs": listed("v1")}),
    "a deletion": (_deleted, {"DELETE": Reply(202, None, {})}),
    "a creation that was refused": (_refused, {"POST": Reply(400, {"title": "Bad Request"})}),
    "the creation of a project": (_new_project, {"POST": Reply(201, row("p1"))}),
    "a resource that is not found": (_lost, {}),
}


@pytest.mark.parametrize("word", SHOWS_NOT)
async def test_what_does_not_show_that_something_is_inside(word: str) -> None:
    look, answers = SHOWS_NOT[word]
    world = cloud(**answers)
    await _known(world)
    await look(world)
    world.api.handler = lambda asked: EMPTY if asked.path == PROJECTS else GONE
    await asyncio.sleep(1)
    assert await around(world, PROJECTS, "p1") is Around.LAST


async def test_only_the_project_itself_is_held_back_by_what_it_held() -> None:
    """Around a resource the answer is the same: nothing at all is visible."""
    world = cloud(**{VPCS: listed("v1")})
    await _list(world)
    assert await around(world, VPCS, "v2") is Around.NOTHING
    assert paths(world) == [VPCS, P1, PROJECTS]


async def test_many_who_doubt_at_once_ask_once() -> None:
    world = cloud()
    world.net.latency = 0.2
    point = world.ago()
    asking = (world.cloud.around("t", VPCS, f"v{n}", point, world.deadline()) for n in range(20))
    assert set(await asyncio.gather(*asking)) == {Around.NOTHING}
    assert paths(world) == [P1, PROJECTS]


async def test_an_answer_serves_whoever_needs_nothing_newer() -> None:
    world = cloud(THERE)
    assert await around(world) is Around.STANDS
    await asyncio.sleep(2)
    assert await around(world, name="v2", age=2) is Around.STANDS
    assert paths(world) == [P1]
    assert await around(world, name="v3", age=1) is Around.STANDS
    assert paths(world) == [P1, P1]


async def test_a_tenant_that_is_visible_again_is_seen_at_the_next_look() -> None:
    world = cloud()
    assert await around(world) is Around.NOTHING
    await asyncio.sleep(1)
    world.api.handler = lambda asked: THERE if asked.path == P1 else listed("p1")
    assert await around(world) is Around.STANDS


async def test_failures_are_not_kept() -> None:
    world = cloud(Reply(500))
    point = world.ago()
    assert isinstance(await world.cloud.around("t", VPCS, "v1", point, world.deadline()), Failure)
    world.api.handler = lambda asked: THERE
    assert await world.cloud.around("t", VPCS, "v1", point, world.deadline()) is Around.STANDS


async def test_an_asker_in_a_hurry_is_told_so() -> None:
    world = cloud(Reply(200, row("p1"), delay=5.0))
    said = await world.cloud.around("t", VPCS, "v1", world.ago(), world.deadline(2))
    assert told(said) == (Cause.TECHNICAL, f"the cloud did not answer GET {P1} in the time of this pass")
