"""Field case 99 on a real API server: GitOps tools' own steps with the real kubectl, from apply to pruned.

Applied again is a no-op, in either way of applying, before Active and after; `kubectl diff` finds nothing; kstatus and
Argo CD's health check are right at every write; pruning in the foreground and in the background goes through.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cases.argo import health
from tests.cases.test_gitops import ARGO
from tests.cases.test_interface import kstatus
from tests.e2e.controlplane.cluster import Cluster
from tests.e2e.house import RealHouse, real_house
from tests.e2e.rest import calm, key, versions
from tests.scenarios.watched import Event, watching
from tests.world.judge import no_refusals, settled
from tests.world.life import all_settled, ended
from tests.world.manifests import fixture_set

pytestmark = pytest.mark.real_time

Object = dict[str, Any]
KUBECTL = Path(sys.executable).parent / "kubectl"
APPLYING = {"server-side": ("--server-side",), "client-side": ()}
PRUNING = {"server-side": "foreground", "client-side": "background"}
"""Argo CD prunes in the foreground, Flux in the background."""
TIMES = 5
LEFT_OUT = ("region", "zone", "billingPeriod", "tags", "description", "type")


class Desk:
    """Somebody with a tree of manifests and kubectl."""

    def __init__(self, house: RealHouse, folder: Path, tree: list[Object], mode: str) -> None:
        self.house = house
        self.mode = mode
        self.file = folder / "tree.yaml"
        self.file.write_text(yaml.safe_dump_all(tree))
        self._flags = (f"--kubeconfig={house.cluster.admin}", f"--cache-dir={folder / 'cache'}")

    async def kubectl(self, *words: str, timeout: float = 90) -> tuple[int, str]:
        """Exit code, and all that it printed."""
        command = [str(KUBECTL), *words, f"--filename={self.file}", *self._flags]
        env = {"PATH": os.environ["PATH"]}
        pipe, out = asyncio.subprocess.PIPE, asyncio.subprocess.STDOUT
        process = await asyncio.create_subprocess_exec(*command, stdout=pipe, stderr=out, env=env)
        try:
            printed, _ = await asyncio.wait_for(process.communicate(), timeout)
        finally:
            if process.returncode is None:
                process.kill()
        assert process.returncode is not None
        return process.returncode, printed.decode()

    async def apply(self) -> str:
        code, printed = await self.kubectl("apply", *APPLYING[self.mode])
        assert code == 0, printed
        return printed

    async def apply_again(self) -> None:
        """Nothing comes of it."""
        before = await calm(self.house)
        printed = await self.apply()
        await asyncio.sleep(2)  # whoever it woke would have written by now
        assert await versions(self.house) == before
        if self.mode == "client-side":
            assert {line.split()[-1] for line in printed.splitlines()} == {"unchanged"}, printed

    async def nothing_to_change(self) -> None:
        """Also not by chance, as where keys have no order of their own; and a change would be seen."""
        for _ in range(TIMES):
            code, printed = await self.kubectl("diff", *APPLYING[self.mode])
            assert (code, printed) == (0, ""), printed
        tree = self.file.read_text()
        self.file.write_text(tree.replace("\nspec:", "\n  labels: {team: blue}\nspec:", 1))
        code, printed = await self.kubectl("diff", *APPLYING[self.mode])
        self.file.write_text(tree)
        assert code == 1, printed
        assert "team: blue" in printed


@asynccontextmanager
async def at_a_desk(cluster: Cluster, folder: Path, tree: list[Object], mode: str) -> AsyncIterator[Desk]:
    async with real_house(cluster, folder) as house:
        yield Desk(house, folder, tree, mode)


@pytest.mark.parametrize("mode", APPLYING)
async def test_case_99_a_tree_from_apply_to_pruned(mode: str, cluster: Cluster, tmp_path: Path) -> None:
    """Case 99: a whole set, held up in the middle by a VPC that takes its time, so that there is a rest before Active
    too; then to Active, and away as a tool prunes it.
    """
    async with at_a_desk(cluster, tmp_path, fixture_set("Test10"), mode) as desk:
        house = desk.house
        async with watching(house) as events:
            await house.quirks(neverSettle="VPC")
            await desk.apply()
            await house.until(lambda: _waits(house), within=20)
            await desk.apply_again()
            assert not await all_settled(house)
            await house.quirks(neverSettle=None)
            await house.until(lambda: all_settled(house))
            await desk.apply_again()
            await desk.nothing_to_change()
            code, printed = await desk.kubectl("delete", f"--cascade={PRUNING[mode]}", "--wait", "--timeout=80s")
            assert code == 0, printed
            await ended(house)
        await no_refusals(house)
    for frames in _by_object(events).values():
        _told_right(frames)


@pytest.mark.parametrize("mode", APPLYING)
async def test_case_99_what_is_left_out_is_no_difference(mode: str, cluster: Cluster, tmp_path: Path) -> None:
    """Case 99: defaults that the API server fills in, and all that the operator writes, are no drift to a tool."""
    tree = [_bare(item) for item in fixture_set("Test10")]
    async with at_a_desk(cluster, tmp_path, tree, mode) as desk:
        await desk.apply()
        await desk.house.until(lambda: all_settled(desk.house))
        await desk.apply_again()
        await desk.nothing_to_change()
        code, printed = await desk.kubectl("delete", "--wait", "--timeout=80s")
        assert code == 0, printed
        await ended(desk.house)


def _bare(item: Object) -> Object:
    """Without what has a default, or is of its Project's."""
    dropped = LEFT_OUT if item["kind"] == "BlockStorage" else tuple(name for name in LEFT_OUT if name != "type")
    if item["kind"] != "Project":
        dropped = (*dropped, "tenant")
    return {**item, "spec": {name: value for name, value in item["spec"].items() if name not in dropped}}


async def _waits(house: RealHouse) -> bool:
    """Every object has got as far as it can while no VPC settles."""
    phases = {key(item): item.get("status", {}).get("phase") for item in await house.objects()}
    return set(phases.values()) == {"Active", "Provisioning", "Pending"} and phases["BlockStorage shop"] == "Active"


def _by_object(events: list[Event]) -> dict[str, list[Event]]:
    found: dict[str, list[Event]] = {}
    for event in events:
        found.setdefault(event.key, []).append(event)
    return found


def _told_right(events: list[Event]) -> None:
    """In progress until Active, Current from then on, Terminating from its deletion to its end; and Argo CD agrees."""
    told = [(kstatus(event.item), settled(event.item)) for event in events]
    assert told[0] == ("InProgress", False), events[0]
    leaving = next(n for n, event in enumerate(events) if event.item["metadata"].get("deletionTimestamp"))
    assert events[-1].verb == "DELETED"
    assert {word for word, _ in told[leaving:]} == {"Terminating"}
    assert set(told[:leaving]) == {("InProgress", False), ("Current", True)}, told
    ways = [word for word, _ in told[:leaving]]
    assert sorted(ways, key=["InProgress", "Current"].index) == ways, "once Current it stays so"
    for event, (word, _) in zip(events, told, strict=True):
        found, message = health(event.item), (event.item.get("status") or {}).get("message", "")
        assert found.status == ARGO[word], event
        assert found.message == message or found.message.startswith("Waiting ")
