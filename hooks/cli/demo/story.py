"""The demo's story: apply everything in random order, watch it become Active, delete the Project, watch it go."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import yaml

from hooks.cli.demo.view import View
from hooks.cli.demo.world import DemoFailed, Endpoints, Figures, Kubectl, Object, figures, local_stack
from hooks.clock import Clock, seeded
from hooks.http import AsyncClient

MANIFESTS = Path(__file__).parent / "shop.yaml"
PATIENCE = 300.0
"""Seconds for each half; with `fast` timings each takes about ten, with `realistic` ones about a minute."""
EVERY = 0.4


async def play(folder: Path, timings: str, seed: int, clock: Clock) -> int:
    """Returns 0; raises `DemoFailed` at the first thing that does not hold."""
    view = View(clock)
    view.say(f"Starting a small Kubernetes API, the webhooks and a simulated Aruba Cloud (seed {seed})")
    async with local_stack(folder, timings, seed, clock) as endpoints:
        kubectl = Kubectl(endpoints.kubeconfig)
        file = shuffled(folder, seed)
        view.say("kubectl apply -f shop.yaml (one apply, random order)")
        began = clock.monotonic()
        view.quote(await kubectl("apply", "-f", str(file)))
        active = await until(view, kubectl, clock, all_active(_wanted()), began, "not everything became Active")
        view.ids(active)
        to_active = clock.monotonic() - began

        view.say("kubectl delete project shop (everything beneath it goes with it)")
        began = clock.monotonic()
        view.quote(await kubectl("delete", "project", "shop", "--wait=false"))
        await until(view, kubectl, clock, nothing(endpoints), began, "not everything went")
        to_gone = clock.monotonic() - began
        view.summary(to_active, to_gone, seen := await figures(endpoints))
    _judge(seen)
    view.say("demo: everything held, nothing is left running")
    return 0


def shuffled(folder: Path, seed: int) -> Path:
    """The manifests in an order that follows from the seed, as one file."""
    documents = list(yaml.safe_load_all(MANIFESTS.read_text()))
    seeded(seed).shuffle(documents)
    file = folder / "shop.yaml"
    file.write_text(yaml.safe_dump_all(documents, sort_keys=False))
    return file


Condition = Callable[[list[Object]], Awaitable[bool]]


async def until(
    view: View, kubectl: Kubectl, clock: Clock, condition: Condition, began: float, otherwise: str
) -> list[Object]:
    """Show the phases until the condition holds; the objects as they were then."""
    with view.live():
        while True:
            objects = await kubectl.objects()
            view.show(objects, clock.monotonic() - began)
            if await condition(objects):
                return objects
            if clock.monotonic() - began > PATIENCE:
                raise DemoFailed(f"{otherwise} within {PATIENCE:.0f} s:\n{await kubectl('get', 'aruba', '-A')}")
            await clock.sleep(EVERY)


def all_active(wanted: int) -> Condition:
    """So many objects are there, and every one is Active."""

    async def active(objects: list[Object]) -> bool:
        return len(objects) == wanted and all(o.get("status", {}).get("phase") == "Active" for o in objects)

    return active


def _wanted() -> int:
    return len(list(yaml.safe_load_all(MANIFESTS.read_text())))


def nothing(endpoints: Endpoints) -> Condition:
    """No object is left, and nothing in the cloud."""

    async def gone(objects: list[Object]) -> bool:
        if objects:
            return False
        async with AsyncClient(timeout=30) as http:
            return not (await http.get(f"{endpoints.admin}/state")).json()["resources"]

    return gone


def _judge(seen: Figures) -> None:
    wanted = _wanted()
    faults = {
        f"{seen.made} resources were made instead of {wanted}": seen.made != wanted,
        f"{seen.duplicates} pairs of resources lived at once with one owner": seen.duplicates > 0,
        f"{seen.leftovers} resources are left in the cloud": seen.leftovers > 0,
    }
    told = [text for text, holds in faults.items() if holds]
    if told:
        raise DemoFailed("; ".join(told))
