"""Field cases 41 and 43: a lost answer makes no second resource, and the first answer proves nothing."""

from __future__ import annotations

import asyncio
import json
from datetime import datetime
from typing import Any

import pytest

from hooks.http import ConnectError, Request, Response
from hooks.simulator import FAST, Timings
from hooks.simulator.transitions import AfterSeconds
from tests.cases import nine
from tests.cases.byhand import Hand
from tests.cases.test_concurrency import CHANGED
from tests.cases.test_interface import Film, Sample
from tests.cases.test_recovery import absent, shown, told
from tests.cases.world import living
from tests.world.house import CLOUD, House
from tests.world.judge import condition

pytestmark = pytest.mark.every_kind

Object = dict[str, Any]


async def cut(house: House, kind: str, side: str) -> None:
    """The subject is applied, and its POSTs lose their answers: all that work, or one that did not."""
    item = await nine.prepared(house, kind)
    times = {"times": 1} if side == "before" else {}
    match = {"method": "POST", "path": nine.collection(kind)}
    await house.faults({"match": match, **times, "then": {"delay": 0.5, "drop": side}})
    await house.apply(item)


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_41_cut_after_the_work(kind: str) -> None:
    """Case 41: the cloud made it and the connection was cut: found by its tag within seconds, never posted again.
    Departs: what cut it (socket, TLS, GOAWAY) is all one here; a read time-out is case 1.
    """
    async with living() as house:
        await cut(house, kind, "after")
        await house.until(house.all_active, within=20)
        assert len(await nine.posts(house, kind)) == 1
        [made] = await nine.ever(house, kind)
        assert (await shown(house, kind))["status"]["resourceID"] == made["id"]


class Torn:
    """The cloud behind a line that breaks in the middle of every answer to a create."""

    def __init__(self, house: House) -> None:
        self._cloud = house.net.hosts[CLOUD]
        house.net.hosts[CLOUD] = self

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def half(message: Any) -> None:
            body = message.get("body", b"")
            await send({**message, "body": body[: len(body) // 2], "more_body": True} if body else message)
            if body:
                raise ConnectionError("torn")

        await self._cloud(scope, receive, half if scope["method"] == "POST" and "Aruba" in scope["path"] else send)


@pytest.mark.parametrize("kind", nine.CHILDREN)
async def test_case_41_half_an_answer(kind: str) -> None:
    """Case 41: the connection breaks in the middle of the answer: what there is of it is not taken for the whole."""
    async with living() as house:
        item = await nine.prepared(house, kind)
        Torn(house)
        await house.apply(item)
        await house.until(house.all_active, within=20)
        assert len(await nine.posts(house, kind)) == 1
        [made] = await nine.ever(house, kind)
        assert (await shown(house, kind))["status"]["resourceID"] == made["id"]


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_41_cut_before_the_work(kind: str) -> None:
    """Case 41: the same cut, but nothing was made: it is looked for a whole window long before the one other POST."""
    async with living() as house:
        await cut(house, kind, "before")
        await house.until(house.all_active, within=120)
        first, second = (datetime.fromisoformat(row["time"]) for row in await nine.posts(house, kind))
        assert 60 <= (second - first).total_seconds() < 80
        looks = await house.calls((await nine.posts(house, kind))[0]["n"], method="GET")
        assert len([row for row in looks if datetime.fromisoformat(row["time"]) < second]) >= 3
        assert len(await nine.ever(house, kind)) == 1


class Unplugged:
    """Stands before the network: so many connections for a POST to a collection do not come about."""

    def __init__(self, house: House, kind: str, times: int) -> None:
        self.left = times
        self._segment = f"/{nine.KINDS[kind].collection.name}"
        self._pass_on = house.net.handle_async_request
        house.net.handle_async_request = self  # type: ignore[method-assign]

    async def __call__(self, request: Request) -> Response:
        ours = request.url.host == CLOUD and request.method == "POST" and request.url.path.endswith(self._segment)
        if ours and self.left:
            self.left -= 1
            raise ConnectError("connection refused", request=request)
        return await self._pass_on(request)


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_41_never_connected(kind: str) -> None:
    """Case 41: connections that do not come about are safe to try again: the first time at once, then after pauses, and
    no window is waited for, since the mark is taken back each time.
    """
    async with living() as house:
        item = await nine.prepared(house, kind)
        plug = Unplugged(house, kind, times=5)
        began = house.clock.monotonic()
        await house.apply(item)
        await house.until(lambda: _left(plug, 1), within=30)
        await asyncio.sleep(0.5)
        assert Hand.mark(await shown(house, kind)).startswith("none ")
        assert (await told(house, kind))[:2] == ("Creating", "ApiUnreachable")
        await house.until(house.all_active, within=40)
        assert house.clock.monotonic() - began < 45
        assert plug.left == 0
        assert [row["status"] for row in await nine.posts(house, kind)] == [201]


async def _left(plug: Unplugged, number: int) -> bool:
    return plug.left == number


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_41_changes_and_deletes_lose_their_answers_too(kind: str) -> None:
    """Case 41 for PUT, actions and DELETE: each works and loses its answer: seen by looking, never by sending again."""
    lost = {"delay": 0.5, "drop": "after"}
    async with living() as house:
        resource = await nine.active(house, kind)
        for verb in ("PUT", "POST", "DELETE"):
            await house.faults({"match": {"method": verb, "path": f"/{resource}(/|$)"}, "then": lost})
        since = (await house.calls())[-1]["n"]
        await house.patch(kind, nine.name(kind), {"spec": CHANGED.get(kind, {})})
        await asyncio.sleep(60)
        assert (await told(house, kind))[:2] == ("Active", "Available")
        assert len(await house.writes(since)) == (1 if kind in CHANGED else 0)
        await house.delete(kind, nine.name(kind))
        await house.until(lambda: absent(house, kind), within=200)
        assert len(await nine.deletes(house)) == 1


@pytest.mark.parametrize("thin", ["noUri", "noStatus", "noBody", "204"])
@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_43_a_thin_answer_is_as_good(kind: str, thin: str) -> None:
    """Case 43: the first answer leaves out its URI, its state, its body: one POST, and everything comes from a look."""
    async with living() as house:
        item = await nine.prepared(house, kind)
        await house.quirks(thinCreate=thin)
        await house.apply(item)
        await house.until(house.all_active, within=20)
        assert len(await nine.posts(house, kind)) == 1
        [made] = await nine.ever(house, kind)
        status = (await shown(house, kind))["status"]
        assert status["resourceID"] == made["id"]
        assert kind != "ElasticIP" or status["address"].startswith("203.0.113.")


BARE = ("Project", "KeyPair")
"""Kinds that are ready as soon as they exist."""


class Liar:
    """The cloud behind somebody who answers every create with a state of his own and other values throughout."""

    LIE = "198.51.100.66"

    def __init__(self, house: House, state: str | None) -> None:
        self.state, self.told = state, 0
        self._cloud = house.net.hosts[CLOUD]
        house.net.hosts[CLOUD] = self

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        sent: list[Any] = []

        async def keep(message: Any) -> None:
            sent.append(message)

        await self._cloud(scope, receive, keep)
        body = b"".join(message.get("body", b"") for message in sent)
        if sent[0]["status"] == 201:
            body = self._twisted(json.loads(body))
        headers = [pair for pair in sent[0].get("headers", []) if pair[0] != b"content-length"]
        await send({**sent[0], "headers": headers})
        await send({"type": "http.response.body", "body": body})

    def _twisted(self, made: Object) -> bytes:
        self.told += 1
        made["properties"] = {**made["properties"], "address": self.LIE, "networkInterfaces": [{"ips": [self.LIE]}]}
        return json.dumps({**made, "status": {"state": self.state}}).encode()


@pytest.mark.parametrize("state", ["", "Active", None], ids=["empty", "active", "null"])
@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_43_the_first_answer_proves_nothing(kind: str, state: str | None) -> None:
    """Case 43: a create is answered as if it were done, with values that are not so; a GET says InCreation for eight
    seconds, where it shows a state. Nothing is Ready before a GET shows it, and no value of the first answer is ever
    shown, an address least of all.
    """
    late = {operation: AfterSeconds(8) for operation in ("create", "createBootable")}
    slow = FAST if kind in BARE else Timings({**FAST.paces, kind: {**FAST.paces[kind], **late}})
    film = Film(kind)
    async with living(delivery=film, timings=slow) as house:
        item = await nine.prepared(house, kind)
        film.house, liar = house, Liar(house, state)
        await house.apply(item)
        await house.until(house.all_active, within=60)
    assert liar.told == 1
    assert [sample.item for sample in film.samples if _ready(sample) and not sample.settled] == []
    early = [sample for sample in film.samples if (sample.item.get("status") or {}).get("resourceID")]
    assert len(early) > 1
    assert early[0].settled == (kind in BARE)
    assert _ready(film.samples[-1])
    assert [sample.item for sample in film.samples if Liar.LIE in str(sample.item)] == []


def _ready(sample: Sample) -> bool:
    return condition(sample.item, "Ready").get("status") == "True"
