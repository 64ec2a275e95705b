"""Where `ways_search` begins: the stations of an untroubled life, of a refused change and of an end that is held up."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from functools import partial

from tests.properties import ways_estate, ways_out, ways_platform, ways_user
from tests.properties.ways_ports import FINE, step
from tests.properties.ways_world import REST, SPECS, World, fresh

Station = tuple[str, World]
BY_NAME = ("adoption-policy", "if-unowned")
IN_THE_WAY = (("suspend", "true"), ("mode", "observe"), ("deletion-protection", "true"))
KIN_SAYS = (("deletion-protection", "true"), ("delete-policy", "orphan"))
POLICIES = (("drift-policy", "report"), ("on-external-delete", "recreate"), ("on-external-delete", "report"))


def stations(kind: str) -> Iterator[Station]:
    yield "fresh", fresh(kind)
    active = fresh(kind)
    yield from _passes(active, "made", 12)
    yield from _slowly(kind)
    for policy, value in POLICIES:
        told = _copy(active)
        ways_user.annotates(policy, value, told)
        yield f"active, {policy}: {value}", told
    yield from _kept(_copy(active))
    yield from _adopted(kind)
    yield from _decided(active)
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


def _slowly(kind: str) -> Iterator[Station]:
    """The cloud takes its time over a new resource."""
    world = fresh(kind)
    for _ in range(8):
        step(world)
        world.now = max(world.now + 0.01, world.appointed)
    yield "being made", world


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


def _adopted(kind: str) -> Iterator[Station]:
    """By its ID and by its name, to the end of the object."""
    for label, want in (("by ID", ways_estate.names_it), ("by name", partial(ways_user.annotates, *BY_NAME))):
        world = fresh(kind)
        ways_estate.namesake(world)
        want(world)
        yield from _passes(world, f"adopted {label}", 8)
        contested = _copy(world)
        ways_user.deleted(world)
        yield from _passes(world, f"adopted {label}, let go", 4)
        contested.subject = fresh(kind).subject
        ways_estate.rival(contested)
        want(contested)
        yield f"wanted {label}, and another object has it", contested


def _decided(active: World) -> Iterator[Station]:
    """A person's word that stands in the way, said of the object before and while it is deleted, or of its child."""
    for name, value in IN_THE_WAY:
        for label, world in (("fresh", fresh(active.kind)), ("active", _copy(active))):
            ways_user.annotates(name, value, world)
            step(world)
            yield f"{label}, {name}: {value}", _copy(world)
            ways_user.deleted(world)
            step(world)
            yield f"{label}, {name}: {value}, deleted", world
    for says in (*(partial(ways_user.kin_says, *word) for word in KIN_SAYS), ways_user.kin_adopted):
        world = _copy(active)
        if ways_user.joins(world) and says(world) and ways_user.deleted(world):
            step(world)
            yield "deleted, and its child is to stay", world


def _copy(world: World) -> World:
    """As plain data, so that nothing is shared."""
    copied: World = pickle.loads(pickle.dumps(world))  # noqa: S301 - what was packed here
    return copied
