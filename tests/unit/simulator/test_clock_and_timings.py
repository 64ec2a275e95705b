"""Simulated time, and how long things take."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from hooks.simulator import FAST, REALISTIC, load_timings
from hooks.simulator.clock import SteeredClock
from hooks.simulator.transitions import AfterReads, AfterSeconds, AtOnce
from tests.unit.simulator.caller import DISK, Site, opened
from tests.world.time import EPOCH, LoopClock


async def test_a_clock_held_by_hand_stands_still_and_never_jumps() -> None:
    clock = SteeredClock(LoopClock())
    await asyncio.sleep(5)
    clock.switch("manual")
    await asyncio.sleep(100)
    assert clock.now() == EPOCH + timedelta(seconds=5)
    clock.advance(10)
    clock.switch("real")
    assert clock.now() == EPOCH + timedelta(seconds=15)
    await asyncio.sleep(1)
    assert clock.now() == EPOCH + timedelta(seconds=16)
    clock.advance(60)
    assert clock.now() == EPOCH + timedelta(seconds=76)


async def test_sleepers_follow_the_simulated_time() -> None:
    clock = SteeredClock(LoopClock())
    clock.switch("manual")
    sleeper = asyncio.create_task(clock.sleep(30))
    await asyncio.sleep(1000)
    assert not sleeper.done()
    clock.advance(20)
    await asyncio.sleep(1000)
    assert not sleeper.done()
    clock.switch("real")
    await asyncio.sleep(9.9)
    assert not sleeper.done()
    await asyncio.sleep(0.2)
    assert sleeper.done()


async def test_transitions_follow_the_simulated_time() -> None:
    session = await opened(REALISTIC)
    await session.admin("POST", "/clock", {"mode": "manual"})
    answer = await session.call("POST", "/projects", {"metadata": {"name": "demo"}})
    site = Site(session, f"/projects/{answer.json()['metadata']['id']}")
    disk = await session.make(f"{site.storage}/blockStorages", "disk", DISK)
    assert (await session.get(disk))["status"]["state"] == "InCreation"
    assert await session.admin("POST", "/clock", {"advance": 5}) == {
        "now": "2026-07-01T08:00:05.000000Z",
        "mode": "manual",
    }
    assert (await session.get(disk))["status"]["state"] == "NotUsed"


async def test_transitions_may_go_step_by_step(tmp_path: Path) -> None:
    file = tmp_path / "steps.yaml"
    file.write_text("BlockStorage: {create: 2 reads, delete: 0}")
    session = await opened(load_timings(str(file)))
    site = Site(session, await session.make("/projects", "demo", {}, placed=False))
    disk = await session.make(f"{site.storage}/blockStorages", "disk", DISK)
    states = [(await session.get(disk))["status"]["state"] for _ in range(3)]
    assert states == ["InCreation", "InCreation", "NotUsed"]
    assert (await session.call("DELETE", disk)).status_code == 202
    assert (await session.call("GET", disk)).status_code == 404


def test_named_timings() -> None:
    assert load_timings("fast") is FAST
    assert load_timings("realistic") is REALISTIC
    assert REALISTIC.pace("BlockStorage", "createBootable") == AfterSeconds(15)
    assert REALISTIC.pace("CloudServer", "attach") == AfterSeconds(4)
    assert FAST.pace("KeyPair", "create") == FAST.pace("Project", "delete") == AtOnce()
    longest = max(
        pace.seconds for paces in FAST.paces.values() for pace in paces.values() if isinstance(pace, AfterSeconds)
    )
    assert longest < 1


def test_a_file_of_timings(tmp_path: Path) -> None:
    file = tmp_path / "t.yaml"
    file.write_text("VPC: {create: 1m30s, delete: 500ms}\nBlockStorage: {create: 9s}\nSubnet: {update: 3 reads}\n")
    timings = load_timings(str(file))
    assert timings.pace("VPC", "create") == AfterSeconds(90)
    assert timings.pace("VPC", "delete") == AfterSeconds(0.5)
    assert timings.pace("VPC", "update") == FAST.pace("VPC", "update")
    assert timings.pace("BlockStorage", "createBootable") == AfterSeconds(9)
    assert timings.pace("Subnet", "update") == AfterReads(3)
    assert timings.pace("CloudServer", "create") == FAST.pace("CloudServer", "create")


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("VPC: {create: soon}", "VPC.create.*'soon'"),
        ("VPC: {create: -5s}", "VPC.create.*'-5s'"),
        ("VPC: {born: 5s}", "VPC.born.*'5s'"),
        ("Castle: {create: 5s}", "'Castle'"),
        ("VPC: 5s", "VPC.*'5s'"),
        ("- VPC", r"\['VPC'\]"),
        ("VPC: {create: [", "no readable YAML"),
    ],
)
def test_a_bad_file_is_named(tmp_path: Path, content: str, named: str) -> None:
    file = tmp_path / "t.yaml"
    file.write_text(content)
    with pytest.raises(ValueError, match=named):
        load_timings(str(file))


def test_a_missing_file_is_named() -> None:
    with pytest.raises(ValueError, match="nowhere"):
        load_timings("nowhere")
