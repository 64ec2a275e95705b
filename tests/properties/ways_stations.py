"""Where `ways_search` begins: the stations of an untroubled life, of a refused change and of an end that is held up."""

from __future__ import annotations

import pickle
from collections.abc import Iterator

from tests.properties import ways_out, ways_platform, ways_user
from tests.properties.ways_ports import FINE, step
from tests.properties.ways_world import REST, SPECS, World, fresh

Station = tuple[str, World]
POLICIES = (("drift-policy", "report"), ("on-external-delete", "recreate"), ("on-external-delete", "report"))


def stations(kind: str) -> Iterator[Station]:
    yield "fresh", fresh(kind)
    active = fresh(kind)
    yield from _passes(active, "made", 12)
    for policy, value in POLICIES:
        told = _copy(active)
        ways_user.annotates(policy, value, told)
        yield f"active, {policy}: {value}", told
    yield from _kept(_copy(active))
    field, value = ("elasticIPReference", None) if kind == "CloudServer" else ("tags", ["green"])
    ways_user.edits(field, SPECS[kind][field], value, active)
    yield from _refused(_copy(active))
    yield from _passes(active, "changed", 8)
    ways_user.deleted(active)
    yield from _passes(active, "gone", 8)


def _passes(world: World, label: str, most: int) -> Iterator[Station]:
    """Each appointed pass, until all is well or the object gone."""
    for turn in range(most):
        yield f"{label} {turn}", _copy(world)
        step(world)
        if world.subject is None or (not world.deleting and ways_out.active(world)):
            return
        world.now = max(world.now + 0.01, world.appointed)
        ways_platform.settled(world)


def _refused(world: World) -> Iterator[Station]:
    """A change that the cloud finds invalid, and what happens to the resource while that is not tried again."""
    for _ in range(4):
        step(world, FINE._replace(put="semantic"))
        if world.stalled():
            break
        world.now = max(world.now + 0.01, world.appointed)
    yield "a change refused", _copy(world)
    further = _copy(world)
    if not ways_user.detaches("dataVolumeReferences", further):
        ways_user.edits("tags", ["blue"], ["white"], further)
    yield "a change refused, another one wanted", further
    if ways_platform.becomes("Failed", world):
        step(world)
        yield "a change refused, then Failed", _copy(world)
        step(world, FINE._replace(read="away"))
        ways_platform.becomes(REST.get(world.kind, "Active"), world)
        yield "a change refused, then Failed, then mended while nobody could ask", world


def _kept(world: World) -> Iterator[Station]:
    """An end that takes longer than a phase may, with something inside, or with a child or a user."""
    for hindrance in (ways_platform.furnished, ways_user.joins):
        late = _copy(world)
        if hindrance(late) and ways_user.deleted(late):
            for moment in ("asked", "a minute later", "after the time-out"):
                step(late)
                yield f"deleted with {hindrance.__name__}, {moment}", _copy(late)
                late.now += 61.0 if moment == "asked" else 601.0


def _copy(world: World) -> World:
    """As plain data, so that nothing is shared."""
    copied: World = pickle.loads(pickle.dumps(world))  # noqa: S301 - what was packed here
    return copied
