"""Absence that counts: of one resource by its own URL, of all by a list; a 404 is believed only in good company.

The client asks where a proof is wanted (design §5.5, cases 14). Around a 404 the project answers, or is gone itself.
"""

from __future__ import annotations

from datetime import timedelta

from hooks.aruba.cloud import paths
from hooks.aruba.cloud.items import Items, Sight
from hooks.aruba.cloud.listings import Listings
from hooks.aruba.cloud.paging import Read
from hooks.aruba.cloud.session import Session
from hooks.aruba.model.failure import Cause, Failure
from hooks.meta.deadline import Deadline


class Proofs:
    """What one credential can prove."""

    def __init__(self, session: Session, listings: Listings, items: Items) -> None:
        self._session = session
        self._listings = listings
        self._items = items

    async def listing(self, path: str, floor: timedelta, deadline: Deadline) -> Read | Failure:
        """The collection, read until absence counts; one that is not found is empty while its project answers."""
        read = await self._listings.get(path, floor, deadline, proof=True)
        project = paths.project(path)
        if isinstance(read, Failure) or not read.missing or not project:
            return read
        return await self._around(project, floor, deadline) or read

    async def item(self, path: str, resource_id: str, floor: timedelta, deadline: Deadline) -> Sight | Failure:
        """Presence or absence, from its own URL."""
        sight = await self._items.look(path, resource_id, floor, deadline)
        if isinstance(sight, Failure) or sight.live is not None:
            return sight
        project = paths.project(path)
        around = self._around(project, floor, deadline) if project else self._unlisted(resource_id, floor, deadline)
        return await around or sight

    async def _around(self, project: str, floor: timedelta, deadline: Deadline) -> Failure | None:
        """Why a 404 inside this project proves nothing, None when it does."""
        if self._session.answered(project):
            return None
        sight = await self.item(paths.PROJECTS, project, floor, deadline)
        return sight if isinstance(sight, Failure) else None

    async def _unlisted(self, project: str, floor: timedelta, deadline: Deadline) -> Failure | None:
        """A project is gone when the list of projects answers without it."""
        read = await self.listing(paths.PROJECTS, floor, deadline)
        if isinstance(read, Failure):
            return read
        if read.find(project) is not None:
            return Failure(Cause.TECHNICAL, f"project {project} is not found by its URL, but is listed")
        if not read.conclusive or not self._session.answered():
            return Failure(Cause.TECHNICAL, f"project {project} is not found, but the list of projects is not reliable")
        return None
