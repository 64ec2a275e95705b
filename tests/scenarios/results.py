"""What each life comes to, alike on every backend: the cloud's books, and the phases that each object passed.

results.json holds it, written in the simulated world by `python -m tests.scenarios.results --write`. Only what the
contract fixes is compared: which writes, not when; phases that no fast cloud can skip. A server's own updates are not
told, since whether a volume is detached before the server goes depends on which of two deletions is met first.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import looptime

from hooks.aruba.kinds import discover
from tests.scenarios.lives import LIVES
from tests.scenarios.watched import Event, watching
from tests.world.house import House, living

Object = dict[str, Any]
FILE = Path(__file__).with_name("results.json")
COLLECTIONS = {kind.collection.name: kind.names.kind for kind in discover()}
FIXED = ("Creating", "Active", "Updating", "Deleting", "Deleted", "Failed")
"""Phases that come or do not come whatever the pace. Pending, Provisioning and WaitingCondition may be over in no time,
and nobody has seen them."""
UNTOLD = ("CloudServer", "Updating")


async def lived(house: House, name: str) -> None:
    """One life, and what it comes to is what is written down."""
    found = await result(house, name)
    assert found == expected()[name], json.dumps(found, indent=1)


def expected() -> dict[str, Object]:
    return dict(json.loads(FILE.read_text()))


async def result(house: House, name: str) -> Object:
    """Live it and tell: from the same books, by the same rules, on every backend."""
    async with watching(house) as events:
        await LIVES[name](house)
    rows, writes = await house.resources(everything=True), await house.writes()
    return {
        "writes": dict(sorted(Counter(word for call in writes if (word := _write(call))).items())),
        "refused": sum(1 for call in writes if (call["status"] or 599) >= 400),
        "resources": sorted(f"{row['kind']} {row['name']}" for row in rows),
        "left": sorted(f"{row['kind']} {row['name']}" for row in rows if not row["deletedAt"]),
        "objects": _walks(events),
    }


def _write(call: Object) -> str:
    """`POST VPC`, `DELETE VPC` and so on; an action by its name, and only where it adds something."""
    *_, before, last = call["path"].split("/")
    if last in COLLECTIONS:
        return f"{call['method']} {COLLECTIONS[last]}"
    if before in COLLECTIONS:
        return f"{call['method']} {COLLECTIONS[before]}"
    adds = any(value for field, value in call["requestBody"].items() if field.endswith(("ToAttach", "ToAssociate")))
    return f"POST {last}" if adds else ""


def _walks(events: list[Event]) -> dict[str, list[str]]:
    """The objects by the way that they went."""
    phases: dict[str, list[str]] = {}
    for event in events:
        walk = phases.setdefault(event.key, [])
        if event.phase in FIXED and (event.item["kind"], event.phase) != UNTOLD and walk[-1:] != [event.phase]:
            walk.append(event.phase)
    ways: dict[str, list[str]] = {}
    for key in sorted(phases):
        ways.setdefault(" ".join(phases[key]), []).append(key)
    return ways


async def _all() -> dict[str, Object]:
    found = {}
    for name in LIVES:
        async with living() as house:
            found[name] = await result(house, name)
    return found


def main() -> None:
    """`--write` writes down what the simulated world says; without it, say whether it is what is written down."""
    with asyncio.Runner(loop_factory=looptime.new_event_loop) as runner:
        found = runner.run(_all())
    if "--write" in sys.argv[1:]:
        lives = (
            f' "{name}": {{\n' + ",\n".join(f'  "{k}": {json.dumps(v)}' for k, v in one.items()) + "\n }"
            for name, one in found.items()
        )
        FILE.write_text("{\n" + ",\n".join(lives) + "\n}\n")
    sys.exit(found != expected())


if __name__ == "__main__":
    main()
