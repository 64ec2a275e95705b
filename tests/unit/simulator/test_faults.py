"""Faults: what strikes when, and what is done before it does."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from hooks.http import ReadError
from hooks.simulator import ADMIN, token_path
from tests.unit.simulator.caller import Session, opened

PROJECT = {"metadata": {"name": "demo"}}


async def fault(session: Session, then: Any, **others: Any) -> None:
    await session.admin(
        "POST", "/faults", [{"match": {"method": "POST", "path": "^/projects$"}, "then": then, **others}]
    )


async def made(session: Session) -> int:
    return len((await session.admin("GET", "/state"))["resources"])


async def test_a_foreign_answer_comes_instead_of_the_work() -> None:
    session = await opened()
    then = {"status": 429, "body": {"slow": "down"}, "headers": {"Retry-After": "7"}}
    await fault(session, then, times=1, after=1)
    assert (await session.call("POST", "/projects", PROJECT)).status_code == 201
    answer = await session.call("POST", "/projects", PROJECT)
    assert (answer.status_code, answer.json(), answer.headers["retry-after"]) == (429, {"slow": "down"}, "7")
    assert await made(session) == 1
    assert (await session.call("POST", "/projects", PROJECT)).status_code == 201
    assert (await session.admin("GET", "/faults"))[0]["struck"] == 1


async def test_work_may_be_done_all_the_same() -> None:
    session = await opened()
    await fault(session, {"status": 502, "text": "<html>", "work": True})
    answer = await session.call("POST", "/projects", PROJECT)
    assert (answer.status_code, answer.text, answer.headers["content-type"]) == (
        502,
        "<html>",
        "text/html; charset=utf-8",
    )
    assert await made(session) == 1


async def test_a_status_alone_has_no_body() -> None:
    session = await opened()
    await fault(session, {"status": 503})
    answer = await session.call("POST", "/projects", PROJECT)
    assert (answer.status_code, answer.content) == (503, b"")


@pytest.mark.parametrize(("drop", "left"), [("before", 0), ("after", 1)])
async def test_a_cut_connection(drop: str, left: int) -> None:
    session = await opened()
    await fault(session, {"drop": drop}, times=1)
    with pytest.raises(ReadError):
        await session.call("POST", "/projects", PROJECT)
    assert await made(session) == left
    [*_, call] = (await session.client.get(f"{ADMIN}/calls")).json()
    assert (call["method"], call["status"], call["ms"]) == ("POST", None, 0.0)


async def test_a_delay_alone_only_slows() -> None:
    session = await opened()
    await fault(session, {"delay": 2.5})
    task = asyncio.create_task(session.call("POST", "/projects", PROJECT))
    await asyncio.sleep(2.4)
    assert await made(session) == 0, "the work comes after the delay"
    assert (await session.client.get(f"{ADMIN}/calls?since=1")).json()[0]["status"] is None
    assert (await task).status_code == 201
    [call] = (await session.client.get(f"{ADMIN}/calls?since=1")).json()
    assert (call["status"], call["ms"]) == (201, 2500.0)


async def test_a_delay_follows_the_simulated_clock() -> None:
    session = await opened()
    await fault(session, {"delay": 2})
    await session.admin("POST", "/clock", {"mode": "manual"})
    task = asyncio.create_task(session.call("POST", "/projects", PROJECT))
    await asyncio.sleep(4)
    assert not task.done()
    await session.admin("POST", "/clock", {"advance": 2})
    assert (await task).status_code == 201


async def test_the_first_match_wins_and_passes_on_when_used_up() -> None:
    session = await opened()
    await fault(session, {"status": 500}, times=1)
    await session.admin("POST", "/faults", [{"then": {"status": 501}}])
    statuses = [(await session.call("POST", "/projects", PROJECT)).status_code for _ in range(3)]
    assert statuses == [500, 501, 501]
    await session.admin("DELETE", "/faults")
    assert (await session.call("POST", "/projects", PROJECT)).status_code == 201


async def test_the_token_endpoint_is_struck_too_and_the_admin_api_never() -> None:
    session = await opened()
    await session.admin("POST", "/faults", [{"match": {"path": "realms|_simulator"}, "then": {"status": 503}}])
    assert (await session.client.post(token_path(), data={})).status_code == 503
    assert await made(session) == 0


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ([{"match": {"path": "("}, "then": {}}], "no regular expression"),
        ([{"then": {"drop": "later"}}], "0.then.drop"),
        ([{"than": {}}], "0.than"),
        ({"then": {}}, "valid array"),
    ],
)
async def test_a_wrong_fault_is_named(body: Any, named: str) -> None:
    session = await opened()
    answer = await session.client.post(f"{ADMIN}/faults", json=body)
    assert answer.status_code == 400
    assert named in answer.json()["error"]
