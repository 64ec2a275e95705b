"""What is in the cloud before the subject stands for anything: resources of its name, and who else has them.

For `ways_moves` and `ways_stations`; like everywhere, each function says whether that was possible.
"""

from __future__ import annotations

import json
from functools import cache

from hooks.aruba.engine.notes import RESOURCE_ID
from tests.properties.ways_platform import home, name_of, settled
from tests.properties.ways_ports import step
from tests.properties.ways_user import annotates, seen
from tests.properties.ways_world import FINALIZER, NAMESPACE, STRANGER, TAG, Object, World, fresh


@cache
def _made(kind: str) -> str:
    """What an object of the kind has in the cloud once it is Active."""
    world = fresh(kind)
    for _ in range(12):
        step(world)
        settled(world)
        world.now = max(world.now + 0.01, world.appointed)
    [row] = world.mine()
    return json.dumps(row)


def foreign(world: World) -> list[Object]:
    return [row for row in world.rows if row.get("foreign")]


def namesake(world: World, tags: tuple[str, ...] = ()) -> bool:
    """Somebody else makes one of the same name, and quite as the subject asks for it."""
    if world.subject is None or world.mine() or foreign(world):
        return False
    row: Object = json.loads(_made(world.kind))
    own = [tag for tag in row["tags"] if tag != TAG]
    row |= {"id": world.new_id(), "path": home(world), "name": name_of(world), "tags": [*own, *tags]}
    world.rows.append({**row, "shows": world.now, "foreign": True})
    return True


def namesake_leaves(world: World) -> bool:
    if world.kind == "Project" or not namesake(world):
        return False
    world.rows[-1]["state"] = "Deleting"
    return True


def left_behind(world: World) -> bool:
    """It has the tag of an object that is not in this cluster."""
    return namesake(world, (STRANGER,))


def another(world: World) -> bool:
    """A second one of that name."""
    if world.subject is None or len(foreign(world)) != 1:
        return False
    world.rows.append({**json.loads(json.dumps(foreign(world)[0])), "id": world.new_id()})
    return True


def names_it(world: World) -> bool:
    """The annotation resource-id names what somebody else made, or no longer does."""
    return bool(foreign(world)) and annotates("resource-id", foreign(world)[0]["id"], world)


def names_nothing(world: World) -> bool:
    return RESOURCE_ID not in world.annotations and annotates("resource-id", "nowhere", world)


def rival(world: World) -> bool:
    """Another object of this cluster adopted it."""
    if world.subject is None or not foreign(world) or "rival-a" in world.others:
        return False
    if world.status.get("resourceID") == foreign(world)[0]["id"]:
        return False
    metadata = {"name": "rival-a", "namespace": NAMESPACE, "uid": "uid-rival-a", "finalizers": [FINALIZER]}
    status = {"phase": "Active", "resourceID": foreign(world)[0]["id"], "origin": "Adopted"}
    world.others["rival-a"] = {"kind": world.kind, "metadata": metadata, "spec": {}, "status": status}
    return True


def rival_gives_up(world: World) -> bool:
    return world.others.pop("rival-a", None) is not None and seen(world)
