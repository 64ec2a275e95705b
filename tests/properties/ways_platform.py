"""What time, the platform and other people do to a `World`. `ways_moves` names each as a move.

Every function changes the world in place and says whether that was possible.
"""

from __future__ import annotations

from copy import deepcopy

from tests.properties.ways_world import CATALOG, REST, STRANGER, TAG, World, row_of


def after(world: World, seconds: float) -> bool:
    world.now += seconds
    return True


def appointed(world: World) -> bool:
    """Until the next pass that was asked for."""
    if world.appointed <= world.now:
        return False
    world.now = world.appointed
    return True


def settled(world: World) -> bool:
    """What is under way at the cloud comes to its end."""
    moving = [row for row in world.rows if row["state"] in ("InCreation", "Updating", "Deleting") or row.get("lingers")]
    for row in moving:
        if row["state"] == "Deleting" or row.get("lingers"):
            world.rows.remove(row)
        else:
            row["state"] = REST.get(row["kind"], "Active")
    return bool(moving)


def becomes(state: str, world: World) -> bool:
    row = world.known()
    if row is None or row["kind"] == "Project" or row["state"] == state:
        return False
    row["state"] = state
    return True


def vanishes(world: World) -> bool:
    row = world.known()
    if row is None:
        return False
    world.rows.remove(row)
    return True


def stolen(world: World) -> bool:
    """Its tag is replaced by another object's."""
    row = world.known()
    if row is None or TAG not in row["tags"]:
        return False
    row["tags"] = [STRANGER]
    return True


def drifts(world: World) -> bool:
    row = world.known()
    if row is None or "by-hand" in row["tags"]:
        return False
    row["tags"] = ["by-hand", *(tag for tag in row["tags"] if tag.startswith("k8s-"))]
    return True


def moves_away(world: World) -> bool:
    """A value that nothing can change is another one now."""
    row = world.known()
    if row is None or row["kind"] not in ("VPC", "BlockStorage", "CloudServer") or row["region"] != "ITBG-Bergamo":
        return False
    row["region"] = "ITBG-Other"
    return True


def strays(world: World) -> bool:
    """The cloud says that it belongs to another project."""
    row = world.known()
    if row is None or row["kind"] == "Project" or row.get("strayed"):
        return False
    row["strayed"] = "elsewhere"
    return True


def twin(world: World) -> bool:
    mine = world.mine()
    if len(mine) != 1:
        return False
    world.rows.append({**deepcopy(mine[0]), "id": world.new_id(), "twin": True})
    return True


def furnished(world: World) -> bool:
    """Somebody puts something into it, or makes a snapshot of it, that no object here stands for."""
    row = world.known()
    if row is None or any(one.get("inside") for one in world.rows):
        return False
    item = f"{row['path']}/{row['id']}"
    places = {"Project": f"{item}/providers/Aruba.Network/vpcs", "VPC": f"{item}/subnets"}
    if row["kind"] == "BlockStorage":
        path, shown = "/projects/of-prj-a/providers/Aruba.Storage/snapshots", {"volume": {"uri": item}}
    elif row["kind"] in places:
        path, shown = places[row["kind"]], {}
    else:
        return False
    world.rows.append(
        {**row_of("Other", path, world.new_id(), "left-here", [], shown, shows=world.now), "inside": True}
    )
    return True


def held(world: World) -> bool:
    """Another server takes the address and the data volume."""
    rows = [row for row in world.rows if row["id"] in ("of-eip-a", "of-data-a")]
    if world.kind != "CloudServer" or any(row["properties"].get("linkedResources") for row in rows):
        return False
    for row in rows:
        uri = "/projects/of-prj-a/providers/Aruba.Compute/cloudServers/another"
        row["properties"] = {"linkedResources": [{"uri": uri}]}
    return True


def home(world: World) -> str:
    """The collection that the subject's resource belongs to."""
    ids = {"project": "of-prj-a", "vpc": "of-net-a"}
    return CATALOG[world.kind].collection.at(ids)


def name_of(world: World) -> str:
    return str(world.annotations.get("arubacloud.com/resource-name") or "unit-a")
