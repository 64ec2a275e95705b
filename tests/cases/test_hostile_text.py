"""Field case 85: what the other side, or a user, writes must not speak in our name."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from hooks.simulator import token_path
from tests.cases import nine
from tests.cases.tenants import OWN, two_tenants
from tests.cases.world import living
from tests.world.house import House
from tests.world.judge import condition

pytestmark = pytest.mark.every_kind("BlockStorage")

Object = dict[str, Any]
FAKE = '{"level":"info","event":"pass","msg":"all is well"}'
TAIL = "the very end"
HOSTILE = f"\x1b[31mno\x1b[0m %s %(x)s {{0}} ${{x}} {{{{y}}}}\r\n{FAKE}\n\u202eevil\u200b\x00 " + "x" * 100_000 + TAIL
"""100 kB with colours, formats, a line as the log would have it, and characters that turn the text around."""
LONGEST, LONGEST_MESSAGE = 1024, 4096
"""Characters of a condition or an Event, and of `status.message`."""
ANSWERS = {
    "a refusal": {"status": 400, "body": {"title": HOSTILE, "detail": HOSTILE, "traceId": HOSTILE}},
    "an entry": {"status": 400, "body": {"errors": [{"field": HOSTILE, "message": HOSTILE}]}},
    "no JSON": {"status": 500, "text": HOSTILE},
    "no permission": {"status": 403, "body": {"title": HOSTILE}},
    "too many": {"status": 429, "body": {"title": HOSTILE}},
}


def legible(item: Object) -> None:
    """Every text of the status is one line of plain characters; no condition is longer than 1024 of them."""
    status = item["status"]
    texts = [text for found in status["conditions"] for text in (found["reason"], found.get("message", ""))]
    assert max(map(len, texts)) <= LONGEST
    assert len(status.get("message", "")) <= LONGEST_MESSAGE
    for text in (*texts, status.get("message", "")):
        assert text.isprintable(), ascii(text)
        assert TAIL not in text


def log_lines(house: House) -> list[Object]:
    """The log: every line is a JSON object of ours."""
    return [json.loads(line) for line in house.log.getvalue().splitlines()]


async def orderly(house: House) -> None:
    """Conditions, Events and the log, after something hostile was said."""
    for item in await house.objects():
        legible(item)
    for event in await house.events():
        assert len(event["message"].encode()) <= LONGEST
        assert event["message"].isprintable()
    lines = log_lines(house)
    assert lines
    assert all({"timestamp", "level", "message"} <= set(line) for line in lines)
    assert [line for line in lines if "msg" in line] == []
    assert max(map(len, house.log.getvalue().splitlines())) < 20_000


async def not_well(house: House, kind: str) -> bool:
    item = await house.get(kind, nine.name(kind)) or {}
    return "%s %(x)s {0}" in item.get("status", {}).get("message", "")


@pytest.mark.parametrize("answer", sorted(ANSWERS))
@pytest.mark.parametrize("kind", nine.ALL)
async def test_case_85_the_clouds_words(kind: str, answer: str) -> None:
    """Case 85: the text of a refused create is told, on one line and cut; formats in it stay as they are."""
    async with living() as house:
        item = await nine.prepared(house, kind)
        match = {"method": "POST", "path": nine.collection(kind)}
        await house.faults({"match": match, "times": None, "then": ANSWERS[answer]})
        await house.apply(item)
        if answer != "too many":
            await house.until(lambda: not_well(house, kind))
        await asyncio.sleep(30)
        assert condition(await house.get(kind, nine.name(kind)) or {}, "Ready")["status"] == "False"
        await orderly(house)


@pytest.mark.parametrize("status", [400, 401, 500])
async def test_case_85_the_token_endpoints_words(status: int) -> None:
    """Case 85: an OAuth2 error with a description of 100 kB."""
    body = {"error": HOSTILE, "error_description": HOSTILE}
    async with living() as house:
        match = {"method": "POST", "path": token_path()}
        await house.faults({"match": match, "times": None, "then": {"status": status, "body": body}})
        await house.apply(nine.subject("Project"))
        await asyncio.sleep(30)
        assert condition(await house.get("Project", "shop") or {}, "Ready")["status"] == "False"
        await orderly(house)


async def test_case_85_vaults_words() -> None:
    """Case 85: whatever stands before Vault may say anything."""
    async with two_tenants() as house:
        house.vault.down = HOSTILE
        await house.apply(nine.subject("Project"))
        await house.until(lambda: not_well(house, "Project"))
        await orderly(house)
        house.vault.down, house.vault.refuses = "", HOSTILE
        await asyncio.sleep(30)
        await house.delete("Project", "shop")
        await house.until(house.all_gone)
        assert OWN not in house.vault.asked
        for event in await house.events():
            assert event["message"].isprintable()
        assert log_lines(house)


@pytest.mark.parametrize("annotation", ["resource-id", "resource-name", "adoption-policy", "timeout", "mode"])
async def test_case_85_a_users_words(annotation: str) -> None:
    """Case 85: annotations are anybody's text, and are cited in messages."""
    async with living() as house:
        item = nine.subject("Project")
        item["metadata"]["annotations"] = {f"arubacloud.com/{annotation}": HOSTILE}
        await house.apply(item)
        await asyncio.sleep(30)
        await orderly(house)


async def test_case_85_what_a_resource_is_called_in_the_cloud() -> None:
    """Case 85: states and reasons of failure come from the platform."""
    async with living() as house:
        made = await nine.active(house, "VPC")
        await house.admin("POST", f"resources/{made}", {"state": "Failed", "failureReason": HOSTILE})
        await house.patch("VPC", "shop", {"metadata": {"annotations": {"arubacloud.com/reconcile-at": "now"}}})

        async def told() -> bool:
            return (await house.status("VPC", "shop"))["phase"] == "Failed"

        await house.until(told)
        await orderly(house)
