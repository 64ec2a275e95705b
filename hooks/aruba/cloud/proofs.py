"""What is around something that is not found: a 404, or an empty list, is believed only in good company.

The client asks when the engine doubts an absence (design §5.5, cases 14, 55). A gateway that has lost its way says of
everything that it is not there; so the project must answer, or else other projects, and the engine decides the rest.
"""

from __future__ import annotations

from datetime import timedelta

from hooks.aruba.cloud import paths
from hooks.aruba.cloud.items import Items
from hooks.aruba.cloud.listings import Listings
from hooks.aruba.cloud.session import Session
from hooks.aruba.model.failure import Cause, Failure
from hooks.aruba.model.wire import Around
from hooks.meta.deadline import Deadline


class Proofs:
    """What one credential can prove."""

    def __init__(self, session: Session, listings: Listings, items: Items) -> None:
        self._session = session
        self._listings = listings
        self._items = items

    async def around(self, path: str, resource_id: str, floor: timedelta, deadline: Deadline) -> Around | Failure:
        """What answers around this resource; for a project itself, which other projects do."""
        project = paths.project(path)
        if not project:
            return await self._root(resource_id, floor, deadline)
        sight = await self._items.look(paths.PROJECTS, project, floor, deadline)
        if isinstance(sight, Failure):
            return sight
        if sight.live is not None:
            return Around.STANDS
        others = await self._others(project, floor, deadline)
        return Around.GONE if others is Around.STANDS else others

    async def _root(self, project: str, floor: timedelta, deadline: Deadline) -> Around | Failure:
        """The only project of an account may go, but not with something inside it: the cloud refuses that."""
        others = await self._others(project, floor, deadline)
        return Around.LAST if others is Around.NOTHING and self._session.alone(project) else others

    async def _others(self, project: str, floor: timedelta, deadline: Deadline) -> Around | Failure:
        """Whether the list of projects, which must answer, shows others than this one, which it must not show."""
        read = await self._listings.get(paths.PROJECTS, floor, deadline, proof=True)
        if isinstance(read, Failure):
            return read
        if read.find(project) is not None:
            return Failure(Cause.TECHNICAL, f"project {project} is not found by its URL, but is listed")
        if read.rows and not read.conclusive:
            return Failure(Cause.TECHNICAL, f"project {project} is not found, but the list of projects is not reliable")
        return Around.STANDS if read.rows else Around.NOTHING
