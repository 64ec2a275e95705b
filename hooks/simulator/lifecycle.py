"""The life of a resource: created, changed, deleted, each a state that lasts for its pace and then an end.

Called by the API room and by the families' rules; the only room that starts transitions.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from hooks.simulator.resource import Resource
from hooks.simulator.transitions import Progress
from hooks.simulator.world import World

Effect = Callable[[datetime], None]


def rest(resource: Resource) -> str:
    """The state in which it stays when nothing is going on."""
    if resource.kind.settled == "NotUsed" and resource.bound("CloudServer"):
        return "Used"
    return str(resource.hidden.get("power", resource.kind.settled))


def begin(world: World, resource: Resource, state: str, operation: str, effect: Effect | None = None) -> None:
    """Enter a changing state at the kind's own pace; at the end comes the effect, then the state of rest."""
    begin_at(world, resource, state, world.timings.pace(resource.kind.name, operation), effect)


def begin_at(world: World, resource: Resource, state: str, pace: Progress, effect: Effect | None = None) -> None:
    """The same at another pace: what moves with a server takes as long as the server."""

    def done(when: datetime) -> None:
        if effect is not None:
            effect(when)
        _settle(world, resource, when)

    resource.enter(state, world.now())
    world.timeline.start(resource, pace, done, world.now())


def _settle(world: World, resource: Resource, when: datetime) -> None:
    end = rest(resource)
    other = world.spontaneous(resource.kind.name, resource.id, end) if world.spontaneous else None
    resource.enter(other or end, when)


def calm(resource: Resource, when: datetime) -> None:
    """A binding came or went: show it, unless the resource is changing or broken anyway."""
    if resource.settled:
        resource.enter(rest(resource), when)


def begin_delete(world: World, resource: Resource, after: Effect | None = None) -> None:
    """`Deleting`, then gone; `after` happens once it is."""

    def done(when: datetime) -> None:
        bury(world, resource, when)
        if after is not None:
            after(when)

    resource.enter("Deleting", world.now())
    world.timeline.start(resource, world.timings.pace(resource.kind.name, "delete"), done, world.now())


def bury(world: World, resource: Resource, when: datetime) -> None:
    """Gone, with all that was still inside; what it held is free from now on."""
    for part in world.store.below(resource):
        _bury(world, part, when)
    _bury(world, resource, when)


def _bury(world: World, resource: Resource, when: datetime) -> None:
    held = list(resource.links.values())
    world.store.bury(resource, when)
    resource.enter("Deleted", when)
    for other in held:
        calm(other, when)
