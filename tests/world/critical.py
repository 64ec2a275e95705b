"""The shortest time that a set of manifests can take, from the simulator's own timings and the references alone.

What is measured is divided by it, in the budget scenario and in the bench.
"""

from __future__ import annotations

from typing import Any

from hooks.simulator import Timings
from hooks.simulator.transitions import AfterSeconds
from tests.world.manifests import TARGETS, name_of, references

Object = dict[str, Any]
Key = tuple[str, str, str]


def seconds(timings: Timings, kind: str, operation: str) -> float:
    pace = timings.pace(kind, operation)
    return pace.seconds if isinstance(pace, AfterSeconds) else 0.0


def key(item: Object) -> Key:
    return item["kind"], item["metadata"].get("namespace", "default"), name_of(item)


def needs(item: Object, late: bool = False) -> set[Key]:
    """What must be there before it is made; or, `late`, what is attached once it is up."""
    return {
        (TARGETS[field], ref["namespace"], ref["name"])
        for field, ref in references(item)
        if (field == "dataVolumeReferences") is late
    }


def to_active(items: list[Object], timings: Timings) -> float:
    """Each is made once all that it needs is Active; volumes are attached after both sides are."""
    known = {key(item): item for item in items}
    made: dict[Key, float] = {}

    def at(one: Key) -> float:
        if one not in made:
            item = known[one]
            operation = "createBootable" if item["spec"].get("bootable") else "create"
            made[one] = max(map(at, needs(item)), default=0.0) + seconds(timings, one[0], operation)
        return made[one]

    def whole(one: Key) -> float:
        late = needs(known[one], late=True)
        attach = seconds(timings, one[0], "attach") if late else 0.0
        return max([at(one), *map(at, late)]) + attach

    return max(map(whole, known))


def to_gone(items: list[Object], timings: Timings) -> float:
    """Each goes once all that needed it is gone."""
    known = {key(item): item for item in items}
    gone: dict[Key, float] = {}

    def at(one: Key) -> float:
        if one not in gone:
            users = [k for k, item in known.items() if one in needs(item) | needs(item, late=True)]
            gone[one] = max(map(at, users), default=0.0) + seconds(timings, one[0], "delete")
        return gone[one]

    return max(map(at, known))
