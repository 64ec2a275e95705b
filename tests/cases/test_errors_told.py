"""Field case 7: what each refusal means for an object, at every kind of write, and what ends it."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import Any, NamedTuple

import pytest

from tests.cases import nine
from tests.cases.front import Crowd
from tests.cases.world import living
from tests.world.house import House
from tests.world.judge import condition, no_duplicates

pytestmark = pytest.mark.every_kind("BlockStorage")

Object = dict[str, Any]
HTML = {"text": "<html><body>Bad gateway</body></html>", "headers": {"content-type": "text/html"}}


def entries(*pairs: tuple[str, str]) -> Object:
    """The body of a refusal with field errors."""
    errors = [{"fieldName": field, "errorMessage": message} for field, message in pairs]
    return {"title": "Bad Request", "status": 400, "errors": errors}


NAME, STATE = ("Name", "is not liked"), ("Status", "is Updating")
ANSWERS: dict[str, Object] = {
    "not ready": {"status": 400, "body": {"title": "Vpc.Read.InvalidStatus", "detail": "it is InCreation"}},
    "busy": {"status": 400, "body": entries(STATE)},
    "in use": {"status": 400, "body": {"title": "Bad Request", "detail": "BootVolume in use"}},
    "html 400": {"status": 400, **HTML},
    "invalid": {"status": 400, "body": entries(NAME)},
    "invalid and busy": {"status": 400, "body": entries(STATE, NAME)},
    "401": {"status": 401, "body": {"title": "Unauthorized"}},
    "403": {"status": 403, "body": {"title": "Forbidden"}},
    "404": {"status": 404, "body": {"title": "Not Found", "status": 404}},
    "html 404": {"status": 404, **HTML},
    "405": {"status": 405, "body": {"title": "No such method"}},
    "409": {"status": 409, "body": {"title": "Must be unique"}},
    "413": {"status": 413, "body": {"title": "Too large"}},
    "422": {"status": 422, "body": {"title": "Unprocessable"}},
    "408": {"status": 408, "body": {"title": "Too slow"}},
    "500": {"status": 500, "body": {"title": "Internal Server Error"}},
    "html 502": {"status": 502, **HTML},
    "503": {"status": 503, "headers": {"retry-after": "3"}},
    "cut": {"drop": "before"},
}
"""All but 429, which stops every call with the key: it has a test of its own."""
SAID = {"invalid": "Name: is not liked", "busy": "Status: is Updating", "in use": "BootVolume in use"}
UNCLEAR = ("408", "500", "html 502", "503", "cut")


class Meaning(NamedTuple):
    """What an answer makes of an object: `Ready.reason`, and whether a person must act."""

    reason: str
    stalled: bool = False


INVALID = Meaning("ValidationFailed", stalled=True)
WRITING = {
    **dict.fromkeys(("not ready", "busy", "in use", "html 400", "404"), Meaning("DependencyNotReady")),
    **dict.fromkeys(("invalid", "invalid and busy", "405", "413", "422"), INVALID),
    "401": Meaning("CredentialsUnavailable"),
    "403": Meaning("Forbidden"),
    "409": Meaning("Conflict"),
    **dict.fromkeys(("html 404", *UNCLEAR), Meaning("ApiUnreachable")),
}
CREATING = {**WRITING, **dict.fromkeys(UNCLEAR, Meaning("CreateOutcomeUnknown"))}
DELETING = {
    **WRITING,
    **dict.fromkeys(("not ready", "busy", "in use", "html 400", "409"), Meaning("DeleteRefused")),
    **dict.fromkeys(("invalid", "invalid and busy", "405", "413", "422"), Meaning("DeleteRefused", stalled=True)),
    "404": Meaning("Deleting"),
}
WHOLE = {"creating": "Subnet", "changing": "CloudServer", "deleting": "VPC"}
"""Who meets the whole table; the other kinds meet one answer of each class."""
ONE_OF_EACH = ("busy", "invalid", "422", "401", "403", "404", "503")
DELETED_THOUGH_INVALID = "422"
LOOK_ON = 70
"""Seconds in which an answer goes on coming: whatever is ever sent again is sent again by then."""


class Trial(Crowd):
    """What all of them are to show, how they are to be tried again, and how it ends."""

    def __init__(self, house: House, kind: str, moment: str, table: dict[str, Meaning]) -> None:
        self.meanings = table if kind == WHOLE[moment] else {answer: table[answer] for answer in ONE_OF_EACH}
        super().__init__(house, kind, {answer: ANSWERS[answer] for answer in self.meanings})

    async def told(self, kept: bool) -> None:
        """Each object says it, and goes on saying it while the answer comes; `kept`: none of them loses its ID."""
        ids = {answer: await self.id(answer) for answer in self.meanings}
        await self.house.until(self.all_told, within=30)
        await asyncio.sleep(LOOK_ON)
        assert await self.all_told(), await self.house.told()
        for answer, meaning in self.meanings.items():
            shown = await self.shown(answer)
            stalled = condition(shown, "Stalled")["status"] == "True"
            assert (condition(shown, "Ready")["status"], stalled) == ("False", meaning.stalled), answer
            assert (shown["status"]["phase"] == "Failed") == (meaning is INVALID), answer
            assert SAID.get(answer, "") in shown["status"]["message"]
            assert await self.id(answer) == (ids[answer] if kept else ""), answer

    async def all_told(self) -> bool:
        said = {answer: (await self.ready(answer)).get("reason") for answer in self.meanings}
        return said == {answer: meaning.reason for answer, meaning in self.meanings.items()}

    async def paced(self, terminal: bool) -> None:
        """What is terminal was sent once; a refused token costs one more call at once; all else comes in pauses."""
        for answer, meaning in self.meanings.items():
            tries = await self.tries(answer)
            apart = [later - earlier for earlier, later in pairwise(tries)]
            assert (len(apart) == 0) == (terminal and meaning is INVALID), answer
            assert len(apart) <= 14, answer
            assert (apart[0] < 0.5) if answer == "401" else (min(apart, default=1) >= 0.5), answer

    async def recovered(self, edit: str) -> None:
        """The answers have stopped: of what was refused for good one is deleted, without delay, and the others are
        tried again at once as their spec is edited; everything else follows by itself.
        """
        self.front.answers.clear()
        invalid = [answer for answer, meaning in self.meanings.items() if meaning is INVALID]
        for answer in invalid:
            await (self.delete(answer) if answer == DELETED_THOUGH_INVALID else self.edit(answer, edit))
        await self.house.until(lambda: self.settled(invalid), within=12)
        await self.house.until(lambda: self.settled([*self.meanings]), within=200, every=2)
        await no_duplicates(self.house)

    async def settled(self, answers: list[str]) -> bool:
        return all([await self._settled(answer) for answer in answers])

    async def _settled(self, answer: str) -> bool:
        shown, ready = await self.shown(answer), await self.ready(answer)
        if answer == DELETED_THOUGH_INVALID:
            return shown == {}
        return (ready.get("status"), ready.get("observedGeneration")) == ("True", shown["metadata"]["generation"])

    async def gone(self) -> bool:
        return not any([await self.shown(answer) for answer in self.meanings])


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_07_what_the_answer_to_a_create_means(kind: str) -> None:
    """Case 7, creating: each answer has its class. What is terminal is sent once, and again as soon as the spec is
    edited; it never blocks deletion; everything else ends by itself. Departs: an unclear outcome has a reason of its
    own and waits for the window (design §5.4); "in use" without a field is retried, for what holds it may let it go.
    """
    async with living() as house:
        crowd = Trial(house, kind, "creating", CREATING)
        await crowd.meet(by_id=False)
        await crowd.apply()
        await crowd.told(kept=False)
        await crowd.paced(terminal=True)
        first, second = (await crowd.tries("503"))[:2]
        assert second - first >= 60
        await crowd.recovered("first")
        assert await nine.deletes(house) == []


@pytest.mark.parametrize("kind", [kind for kind in nine.ALL if kind != "KeyPair"])
async def test_case_07_what_the_answer_to_a_change_means(kind: str) -> None:
    """Case 7, changing: the same table for PUT and for a server's actions. A key pair has no change that is ever sent.
    Departs as above; a server is never PUT, so "in use" meets its actions.
    """
    async with living() as house:
        crowd = Trial(house, kind, "changing", WRITING)
        await crowd.apply()
        await house.until(house.all_active)
        await crowd.meet(by_id=True)
        for answer in crowd.names:
            await crowd.edit(answer)
        await crowd.told(kept=True)
        await crowd.paced(terminal=True)
        gone = await crowd.id(DELETED_THOUGH_INVALID)
        await crowd.recovered("second")
        assert [path.rpartition("/")[2] for path in await nine.deletes(house)] == [gone]


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_07_what_the_answer_to_a_delete_means(kind: str) -> None:
    """Case 7, deleting: nothing is terminal. Departs: a DELETE answered 404 while the resource is there is no success
    either; it is sent again after a minute. A project that is listed all the same is a contradiction, and told as one.
    """
    listed = kind == "Project"
    async with living() as house:
        table = {**DELETING, "404": Meaning("ApiUnreachable")} if listed else DELETING
        crowd = Trial(house, kind, "deleting", table)
        await crowd.apply()
        await house.until(house.all_active)
        await crowd.meet(by_id=True)
        for answer in crowd.names:
            await crowd.delete(answer)
        await crowd.told(kept=True)
        await crowd.paced(terminal=False)
        first, second, *_ = await crowd.tries("404")
        assert listed or second - first >= 60
        ids = [await crowd.id(answer) for answer in crowd.meanings]
        crowd.front.answers.clear()
        await house.until(crowd.gone, within=400, every=2)
        assert sorted(path.rpartition("/")[2] for path in await nine.deletes(house, kind)) == sorted(ids)
