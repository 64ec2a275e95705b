"""Every answer of a broad session is one that the published OpenAPI files declare."""

from __future__ import annotations

from collections import Counter

from tests.contract.exceptions import DEPARTURES, excuse
from tests.contract.oracle import Violation, judge, operations
from tests.contract.session import play
from tests.unit.simulator.caller import Session


def violations(session: Session) -> list[Violation]:
    answers = [(one.request.method, one.request.url.path, one.status_code, one.content) for one in session.seen]
    return [violation for answer in answers for violation in judge(*answer)]


async def test_every_answer_is_declared_or_excused() -> None:
    found = violations(await play())
    assert [violation for violation in found if excuse(violation) is None] == []
    needed = {excuse(violation) for violation in found}
    assert [departure for departure in DEPARTURES if departure not in needed] == [], "nothing needs these any more"


async def test_the_session_is_broad() -> None:
    """Fewer answers of some kind would mean that the judge sees less than it thinks."""
    session = await play()
    statuses = Counter(answer.status_code for answer in session.seen)
    assert set(statuses) == {200, 201, 202, 204, 400, 401, 403, 404, 405}
    assert statuses[200] > 90
    assert statuses[201] == 15
    asked = {(one.request.method, one.request.url.path.count("/")) for one in session.seen}
    assert len(asked) > 20


def test_the_judge_can_fail() -> None:
    bad = judge("GET", "/projects/1", 200, b'{"metadata": {"id": 7, "uri": "x"}}')
    assert {violation.what for violation in bad} == {"metadata/id: type", "metadata: additionalProperties"}
    assert [violation.what for violation in judge("GET", "/projects/1", 418, b"")] == ["undeclared status"]
    assert [violation.what for violation in judge("PATCH", "/projects/1", 200, b"")] == ["undeclared call"]
    assert len(operations()) == 99
