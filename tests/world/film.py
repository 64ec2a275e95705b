"""A film of a world: every change of every object and every call to the cloud, each with its time in virtual time.

Many promises speak of the order of things. A film is recorded once and read by many tests; it is plain data and needs
no running loop. While one is made a call to the cloud takes `LATENCY` to arrive, so that what was written to Kubernetes
before it has an earlier time, and what was written after it never has.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from tests.world.house import API, CLOUD, PLURALS, House
from tests.world.judge import phases
from tests.world.loopback import App

LATENCY = 0.004
Object = dict[str, Any]


class Frame(NamedTuple):
    """One watch event: ADDED, MODIFIED or DELETED."""

    at: datetime
    verb: str
    object: Object

    @property
    def kind(self) -> str:
        return str(self.object["kind"])

    @property
    def name(self) -> str:
        return str(self.object["metadata"]["name"])

    @property
    def meta(self) -> Object:
        return dict(self.object["metadata"])

    @property
    def status(self) -> Object:
        return dict(self.object.get("status") or {})

    @property
    def phase(self) -> str:
        return str(self.status.get("phase") or "")

    @property
    def reason(self) -> str:
        """The reason of the one condition of a phase that is True."""
        return next((str(c["reason"]) for c in phases(self.object).values() if c["status"] == "True"), "")

    @property
    def step(self) -> str:
        return f"{self.phase}/{self.reason}"


@dataclass
class Film:
    """`marks` are times that the maker of the film noted, `resources` is the cloud at the end, the dead included."""

    frames: list[Frame] = field(default_factory=list)
    calls: list[Object] = field(default_factory=list)
    resources: list[Object] = field(default_factory=list)
    marks: dict[str, datetime] = field(default_factory=dict)

    def of(self, kind: str, name: str = "") -> list[Frame]:
        return [f for f in self.frames if f.kind == kind and name in ("", f.name)]

    def objects(self) -> dict[tuple[str, str], list[Frame]]:
        """Frames by kind and name, in the order in which the objects appeared."""
        found: dict[tuple[str, str], list[Frame]] = {}
        for frame in self.frames:
            found.setdefault((frame.kind, frame.name), []).append(frame)
        return found

    def told(self) -> Iterator[Frame]:
        """The frames that have a status of ours: an object is born with a generation that nobody has observed."""
        return (f for f in self.frames if f.status.get("conditions"))

    def sent(self, method: str, path: str = "") -> list[Object]:
        return [c for c in self.calls if c["method"] == method and path in c["path"]]


def steps(frames: list[Frame]) -> list[str]:
    """`Creating/Synchronizing` and so on, repetitions left out."""
    return _changes([f.step for f in frames if f.phase])


def walk(frames: list[Frame]) -> list[str]:
    """The phases one after the other, repetitions left out."""
    return _changes([f.phase for f in frames if f.phase])


def _changes(words: list[str]) -> list[str]:
    return [word for before, word in zip(["", *words], words, strict=False) if word != before]


def first(frames: list[Frame], phase: str, reason: str = "") -> Frame:
    """The first frame in a phase; fails when there is none."""
    found = next((f for f in frames if f.phase == phase and reason in ("", f.reason)), None)
    assert found is not None, f"never {phase}/{reason}: {steps(frames)}"
    return found


def when(call: Object) -> datetime:
    """The time at which a call arrived at the cloud."""
    return datetime.fromisoformat(call["time"])


@asynccontextmanager
async def filming(house: House) -> AsyncIterator[Film]:
    """Record from here to the end of the block; calls and resources are there afterwards."""
    house.net.hosts[CLOUD] = _distant(house.net.hosts[CLOUD])
    film = Film()
    tasks = [asyncio.ensure_future(_follow(house, plural, film)) for plural in PLURALS.values()]
    await asyncio.sleep(0.1)
    try:
        yield film
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        film.calls = await house.calls()
        film.resources = await house.resources(everything=True)


def _distant(cloud: App) -> App:
    async def app(*exchange: Any) -> None:
        await asyncio.sleep(LATENCY)
        await cloud(*exchange)

    return app


async def _follow(house: House, plural: str, film: Film) -> None:
    async with house.kube.stream("GET", f"{API}/{plural}", params={"watch": "1"}, timeout=None) as answer:
        async for line in answer.aiter_lines():
            event = json.loads(line)
            film.frames.append(Frame(house.clock.now(), event["type"], event["object"]))
