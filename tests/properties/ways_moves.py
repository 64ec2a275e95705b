"""Everything that can happen to a `World` besides a pass, each as a move with a name; and what heals it.

For `ways_search`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from tests.properties import ways_estate as estate
from tests.properties import ways_platform as platform
from tests.properties import ways_user as user
from tests.properties.ways_world import RELATIVES, REST, World, relative

Do = Callable[[World], bool]
VARIED = {
    "Project": (),
    "VPC": ("prj-a",),
    "Subnet": ("net-a",),
    "BlockStorage": ("prj-a",),
    "CloudServer": ("key-a", "data-a", "data-b", "eip-a"),
}
"""The relatives that something happens to."""


class Move(NamedTuple):
    label: str
    do: Do


STATES = ("Failed", "Disabled", "Deleting", "Rebalancing")
BY_OTHERS = (
    platform.vanishes,
    platform.stolen,
    platform.drifts,
    platform.moves_away,
    platform.strays,
    platform.twin,
    platform.furnished,
    platform.held,
    estate.namesake,
    estate.namesake_leaves,
    estate.left_behind,
    estate.another,
    estate.rival,
    estate.rival_gives_up,
)
BY_USER = (
    user.edits_fixed,
    user.shrinks,
    user.goes_wrong,
    user.attaches,
    user.replaced,
    user.wiped,
    user.deleted,
    user.joins,
    user.parts,
    user.kin_adopted,
    estate.names_it,
    estate.names_nothing,
)
WORDS = (
    ("on-external-delete", "recreate"),
    ("drift-policy", "report"),
    ("reconcile-at", "now"),
    ("adoption-policy", "if-unowned"),
    ("adoption-policy", "always"),
    ("delete-policy", "orphan"),
    ("delete-policy", "delete"),
    ("mode", "observe"),
    ("suspend", "true"),
    ("deletion-protection", "true"),
)
KIN_WORDS = (("deletion-protection", "true"), ("delete-policy", "orphan"))
PAUSES = ((1.0, "a second"), (61.0, "a minute"), (601.0, "the time-out"), (3601.0, "an hour"))


def moves(kind: str) -> Iterator[Move]:
    yield Move("appointed", platform.appointed)
    yield from (Move(label, partial(platform.after, seconds=seconds)) for seconds, label in PAUSES)
    yield Move("settled", platform.settled)
    yield from (Move(state, partial(platform.becomes, state)) for state in STATES)
    yield from (Move(do.__name__, do) for do in (*BY_OTHERS, *BY_USER))
    yield Move("tags", partial(user.edits, "tags", ["blue"], ["green"]))
    for field in ("dataVolumeReferences", "elasticIPReference"):
        yield Move(f"without {field}", partial(user.detaches, field))
    for name, value in WORDS:
        yield Move(f"{name}: {value}", partial(user.annotates, name, value))
    for name, value in KIN_WORDS:
        yield Move(f"its child's {name}: {value}", partial(user.kin_says, name, value))
    for name in VARIED[kind]:
        yield Move(f"{name} pending", partial(user.fares, name, "Pending"))
        yield Move(f"{name} failed", partial(user.fares, name, "Failed"))
        yield Move(f"{name} leaves", partial(user.leaves, name))
        yield Move(f"{name} lost", partial(user.is_lost, name))


def _referred(world: World, name: str) -> bool:
    return world.subject is not None and f'"{name}"' in json.dumps(world.subject["spec"])


def heal(world: World) -> None:
    """The world allows: what is under way ends, what is referred to is there, what was taken is given back."""
    platform.settled(world)
    for row in world.rows:
        if row["state"] == "Rebalancing":
            row["state"] = REST.get(row["kind"], "Active")
        if row["id"].startswith("of-") and row["properties"].get("linkedResources"):
            row["properties"] = {}
    for name in RELATIVES:
        item = world.others.get(name)
        gone = item is not None and "deletionTimestamp" in item["metadata"] and not world.mine()
        lost = item is None and name in VARIED[world.kind] and _referred(world, name)
        if lost or gone or (item is not None and item["status"].get("phase") != "Active"):
            world.others[name] = relative(world, name)
            user.seen(world)
    kin = world.others.get("kin-a")
    if kin is not None and "deletionTimestamp" in kin["metadata"]:
        user.parts(world)
