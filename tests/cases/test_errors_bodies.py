"""Field cases 35 and 36: whatever an error looks like, its words reach the user; and who can do something about it."""

from __future__ import annotations

import asyncio
import json
from itertools import pairwise
from typing import Any

import pytest

from tests.cases import nine
from tests.cases.front import Crowd, Front
from tests.cases.test_errors_told import NAME, entries
from tests.cases.world import living
from tests.world.house import House
from tests.world.judge import condition

pytestmark = pytest.mark.every_kind("BlockStorage")

Object = dict[str, Any]
TRACE = "00-86dd2c3651e19162ea8007a9c961c43a-a89dcb232bcfacd4-00"
WRONG = "Name: Location Value: string not found."
FIELD, MESSAGE = WRONG.split(": ", 1)
ENTRY = {"field": FIELD, "message": MESSAGE}
PAGE = b"<html><head><style>b{}</style></head><body>\n<h1>Bad&nbsp;Gateway</h1><script>go()</script></body></html>"
ODD = 'in\x1b[31mred\x1b[0m\n{"level": "error"}\r\n\t%s {0}\x00\u202e end'


def problem(errors: Any, **more: Any) -> bytes:
    return json.dumps({"title": "Bad Request", "status": 400, "errors": errors, "traceId": TRACE, **more}).encode()


def entry(field: str = "field", message: str = "message") -> bytes:
    return problem([{field: FIELD, message: MESSAGE}])


MANY = [{"field": f"Field{n}", "message": "x" * 500} for n in range(5000)]
BODIES: dict[str, tuple[int, str, bytes]] = {
    "list": (400, "application/problem+json", entry()),
    "other keys": (400, "application/json", entry("fieldName", "errorMessage")),
    "third keys": (400, "text/json", entry("propertyName", "errorMessage")),
    "dictionary": (400, "application/json", problem({FIELD: [MESSAGE]})),
    "text in dictionary": (400, "application/json", problem({FIELD: MESSAGE})),
    "wrapped": (400, "application/json", b'{"error": ' + entry() + b"}"),
    "said to be text": (400, "text/plain", entry()),
    "said to be a page": (400, "text/html", entry()),
    "marked": (400, "application/json", b"\xef\xbb\xbf" + entry()),
    "another status inside": (400, "application/json", problem([ENTRY], status=200)),
    "invalid UTF-8": (400, "application/json", entry().replace(b"Bad", b"B\xff\xfed")),
    "2 MB before it": (
        400,
        "application/json",
        problem([{"field": FIELD, "message": MESSAGE}], detail="d" * 2_000_000),
    ),
    "2 MB of entries": (400, "application/json", problem([{"field": FIELD, "message": MESSAGE}, *MANY])),
    "hostile": (400, "application/json", problem([{"field": FIELD, "message": MESSAGE}], detail=ODD)),
}
"""Every one of them names a field, says what is wrong with it, and carries a trace ID."""
OTHERS: dict[str, tuple[int, str, bytes, str]] = {
    "page": (502, "text/html", PAGE, "Bad Gateway"),
    "page as JSON": (503, "application/json", PAGE, "Bad Gateway"),
    "page of 2 MB": (502, "text/html", PAGE + b"<p>x</p>\n" * 250_000, "Bad Gateway"),
    "array": (500, "application/json", b'["first", {"field": "Name"}]', '["first", {"field": "Name"}]'),
    "plain text": (500, "text/plain", b"out of \xff\n order", "out of \ufffd order"),
    "nothing": (500, "application/json", b"", "HTTP 500"),
    "empty object": (500, "application/json", b"{}", "HTTP 500"),
    "null": (500, "application/json", b"null", "HTTP 500"),
    "too deep": (500, "application/json", b"[" * 200_000, "HTTP 500"),
    "asleep": (503, "application/json", problem([ENTRY]), TRACE),
    "short": (404, "text/html", b"<h1>404", "404"),
}
"""What no API should answer, and what is to be read of it."""
LINE = 1024 + 160
"""The cloud's words, at most 1024 characters, between ours."""


def answers() -> dict[str, Object]:
    rows = {**BODIES, **{name: row[:3] for name, row in OTHERS.items()}}
    return {
        name: {"status": status, "bytes": content, "headers": {"content-type": media}}
        for name, (status, media, content) in rows.items()
    }


def wanted(name: str) -> list[str]:
    """What a message has to hold."""
    return [WRONG, TRACE, "HTTP 400"] if name in BODIES else [OTHERS[name][3], f"HTTP {OTHERS[name][0]}"]


def readable(name: str, status: Object) -> None:
    """All that is to be read, in lines of bearable length, in a status far below what Kubernetes can store."""
    missing = [text for text in wanted(name) if text not in status["message"]]
    assert missing == [], (name, status["message"])
    for text in (status["message"], *(item["message"] for item in status["conditions"])):
        assert len(text) <= LINE, name
        assert text.isprintable(), (name, text)
    assert len(json.dumps(status).encode()) < 32 * 1024, name


async def told_cleanly(house: House) -> None:
    """Events keep Kubernetes' limit, and a log line is a JSON object whatever the cloud says."""
    events = [event["message"] for event in await house.events()]
    assert events != []
    assert [text for text in events if len(text) > 1024 or not text.isprintable()] == []
    assert all(isinstance(json.loads(line), dict) for line in house.log.getvalue().splitlines())


MOMENTS = [("VPC", "create"), ("BlockStorage", "change"), ("ElasticIP", "delete")]


@pytest.mark.parametrize(("kind", "moment"), MOMENTS)
async def test_case_35_every_body_is_read(kind: str, moment: str) -> None:
    """Case 35: every shape of refusal at a write: one line with field, message and trace where there are any, and the
    HTTP code, which wins over the one in the body. Departs: of the cloud's words there are 1024 characters, beside them
    we say what was tried and what happens next.
    """
    async with living() as house:
        crowd = Crowd(house, kind, answers())
        if moment == "create":
            await crowd.meet(by_id=False)
            await crowd.apply()
        else:
            await crowd.apply()
            await house.until(house.all_active)
            await crowd.meet(by_id=True)
            for name in crowd.names:
                await (crowd.edit(name) if moment == "change" else crowd.delete(name))
        await asyncio.sleep(20)
        unclear = {name for name in OTHERS if moment == "create" and OTHERS[name][0] >= 500}
        for name in crowd.names:
            status = (await crowd.shown(name))["status"]
            if name not in unclear:  # a create without a clear outcome is looked for, and says so
                readable(name, status)
            reason = (await crowd.ready(name))["reason"]
            assert (reason in ("ValidationFailed", "DeleteRefused")) == (name in BODIES), (name, reason)
        await told_cleanly(house)


async def test_case_35_looks_that_meet_any_body() -> None:
    """Case 35: the same bodies where a resource at rest is looked at: said likewise, and what was known stays known."""
    async with living(environ={"ARUBA_LISTING_AGE": "10s"}) as house:
        resource = await nine.active(house, "VPC")
        front = Front(house)
        for name, then in answers().items():
            front.reads = then
            await asyncio.sleep(12)
            shown = await house.get("VPC", nine.name("VPC")) or {}
            readable(name, shown["status"])
            assert (shown["status"]["phase"], shown["status"]["resourceID"]) == ("Active", resource), name
            front.reads = None
            await house.until(lambda: _available(house), within=30, every=1)
        assert await house.writes((await house.calls())[-1]["n"]) == []
        await told_cleanly(house)


async def _available(house: House) -> bool:
    shown = await house.get("VPC", nine.name("VPC")) or {}
    ready = condition(shown, "Ready")
    return (ready["status"], ready["message"]) == ("True", "Active Synchronized - OK")


ORDER = ("Ecommerce.SubscriptionServices.OrderId", "invalid")


@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_36_trouble_with_the_account_is_not_the_spec(kind: str) -> None:
    """Case 36: the ordering layer refuses a create that is in order: named as such, nobody has to edit anything, tried
    again ever more slowly, and it goes on by itself. Next to it an object whose spec is wrong as well, which is.
    Departs: after the time-out of ten minutes the phase is Failed as for any wait; the message still names the field.
    """
    bodies = {"order": entries(ORDER), "order and spec": entries(ORDER, NAME)}
    async with living() as house:
        crowd = Crowd(house, kind, {name: {"status": 400, "body": body} for name, body in bodies.items()})
        await crowd.meet(by_id=False)
        await crowd.apply()
        await asyncio.sleep(500)
        spec = await crowd.ready("order and spec"), condition(await crowd.shown("order and spec"), "Stalled")
        assert [spec[0]["reason"], spec[1]["status"]] == ["ValidationFailed", "True"]
        assert len(await crowd.tries("order and spec")) == 1
        assert (await crowd.ready("order"))["reason"] == "AccountOrBilling"
        assert (await crowd.shown("order"))["status"]["phase"] == "Creating"
        await nobody_needed(crowd)
        await asyncio.sleep(2500)
        await nobody_needed(crowd)
        pauses = [later - earlier for earlier, later in pairwise(await crowd.tries("order"))]
        assert 10 <= len(pauses) <= 25
        grown = [pause for pause in pauses if pause > 10]
        assert [pair for pair in pairwise(grown) if pair[1] < 0.6 * pair[0]] == []
        assert 230 <= pauses[-1] <= 370
        crowd.front.answers.clear()
        await house.until(lambda: _active(crowd), within=370, every=5)


async def nobody_needed(crowd: Crowd) -> None:
    shown = await crowd.shown("order")
    assert condition(shown, "Stalled")["status"] == "False"
    assert ": ".join(ORDER) in shown["status"]["message"]


async def _active(crowd: Crowd) -> bool:
    return (await crowd.ready("order"))["status"] == "True"


@pytest.mark.parametrize("kind", ["BlockStorage", "ElasticIP", "Project"])
async def test_case_36_trouble_with_the_account_at_a_change(kind: str) -> None:
    """Case 36: a change meets it, a bigger volume as much as another tag: the resource stays what it was."""
    async with living() as house:
        crowd = Crowd(house, kind, {"order": {"status": 400, "body": entries(ORDER)}})
        await crowd.apply()
        await house.until(house.all_active)
        await crowd.meet(by_id=True)
        resource = await crowd.id("order")
        await crowd.edit("order")
        await asyncio.sleep(500)
        ready, shown = await crowd.ready("order"), await crowd.shown("order")
        assert (ready["status"], ready["reason"]) == ("False", "AccountOrBilling")
        await nobody_needed(crowd)
        assert (shown["status"]["phase"], shown["status"]["resourceID"]) == ("Updating", resource)
        assert 8 <= len(await crowd.tries("order")) <= 20
        crowd.front.answers.clear()
        await house.until(lambda: _active(crowd), within=370, every=5)
