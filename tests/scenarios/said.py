"""What an object says of itself in a situation: the words of the page docs/reference/messages.md.

A `Situation` brings a house to one standing of one object and waits until it is told; `hear` writes down what is told
then. The situations themselves are in the modules `said_*`, `messages` makes the page of them.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from tests.cases import nine
from tests.cases.world import living
from tests.world.house import House
from tests.world.judge import condition

Object = dict[str, Any]
UNSTEADY = (
    (re.compile(r"\btrace [0-9a-f-]{20,}"), "trace <trace>"),
    (re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z"), "<time>"),
    (re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "<uid>"),
    (re.compile(r"\b[0-9a-f]{24}\b"), "<id>"),
)
"""What differs from world to world."""


class Subject(NamedTuple):
    """The object that a situation is about."""

    kind: str
    name: str


Play = Callable[[House], Awaitable[str | Subject]]
"""Brings a house to the situation, as far as a person or the cloud does; a kind stands for its subject in `nine`."""


class Situation(NamedTuple):
    """`reason` is that of Ready, and `saying` a part of the message, by which the situation is known to be there.

    `names` is the object or field that the message must name; empty where it speaks of the object itself alone.
    """

    title: str
    reason: str
    play: Play
    names: str = ""
    saying: str = ""
    within: float = 60.0
    options: Mapping[str, Any] = MappingProxyType({})


class Said(NamedTuple):
    """What `kubectl get -o yaml` shows of it: phase, reason of Ready, whether a person must act, and the message."""

    phase: str
    reason: str
    stalled: bool
    message: str


def steady(text: str) -> str:
    """The text without IDs, times and traces."""
    for pattern, word in UNSTEADY:
        text = pattern.sub(word, text)
    return text


async def hear(situation: Situation) -> Said:
    """Play it in a house of its own; fails when what is waited for is not told in time."""
    async with living(**situation.options) as house:
        who = await situation.play(house)
        subject = Subject(who, nine.name(who)) if isinstance(who, str) else who
        await house.until(lambda: _told(house, subject, situation), within=situation.within, every=0.1)
        return said(await house.get(*subject) or {})


async def _told(house: House, subject: Subject, situation: Situation) -> bool:
    found = said(await house.get(*subject) or {})
    return found.reason == situation.reason and situation.saying in found.message


def said(item: Object) -> Said:
    status = item.get("status") or {}
    stalled = condition(item, "Stalled").get("status") == "True"
    reason = str(condition(item, "Ready").get("reason"))
    return Said(str(status.get("phase")), reason, stalled, steady(status.get("message", "")))
