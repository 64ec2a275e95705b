"""The Aruba Cloud API as the engine's `CloudPort`: finds the session of a tenant's credential and answers from it.

`stack` builds one for the process.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from datetime import datetime
from typing import NamedTuple, TypeVar

from cachetools import LRUCache

from hooks.aruba.cloud import paths
from hooks.aruba.cloud.items import Items, Sight
from hooks.aruba.cloud.listings import Listings
from hooks.aruba.cloud.paging import PAGE, Pager, Read
from hooks.aruba.cloud.problem import read_json
from hooks.aruba.cloud.proofs import Proofs
from hooks.aruba.cloud.session import Origin, Session
from hooks.aruba.cloud.stamps import floor, moment, stamp
from hooks.aruba.cloud.wire import Answer, Observer, Wire, ignore
from hooks.aruba.cloud.work import patiently
from hooks.aruba.credentials.credential import Credential, Credentials, unavailable
from hooks.aruba.model.failure import Cause, Failure
from hooks.aruba.model.live import Live
from hooks.aruba.model.wire import Around, Call, Listing, Reading
from hooks.clock import Clock, Random
from hooks.http import AsyncClient
from hooks.meta.deadline import Deadline

SESSIONS = 1024
AGENT = "aruba-cloud-operator"


Made = TypeVar("Made")


class Limits(NamedTuple):
    """`rate`: requests a second for one credential, already divided by the replicas; `in_flight`: for all together."""

    rate: float = 50.0
    in_flight: int = 50
    page: int = PAGE


class _Desk(NamedTuple):
    """All that belongs to one credential."""

    credential: Credential
    session: Session
    listings: Listings
    items: Items
    proofs: Proofs


def unmeasured(collection: str, seconds: float) -> None:
    """Takes the age of a listing that answered a look, where nobody measures it."""


class Cloud:
    """Nothing here raises: what went wrong is a `Failure`, an ID that can be no part of a URL included (cases 9).

    `origin` says where the API is as the settings stand now.
    """

    def __init__(
        self,
        origin: Callable[[], Origin],
        credentials: Credentials,
        http: AsyncClient,
        clock: Clock,
        chance: Random,
        limits: Limits,
        observe: Observer = ignore,
        aged: Callable[[str, float], None] = unmeasured,
    ) -> None:
        self._origin = origin
        self._credentials = credentials
        self._wire = Wire(http, clock, AGENT, limits.in_flight, observe)
        self._clock = clock
        self._chance = chance
        self._limits = limits
        self._aged = aged
        self._desks: MutableMapping[tuple[str, Origin], _Desk] = LRUCache(SESSIONS)

    async def ready(self, tenant: str, deadline: Deadline) -> Failure | None:
        """Have a token and a place in the rate limit at hand, so that the next `send` leaves at once."""
        return await self._at_desk(tenant, deadline, lambda desk: desk.session.ready(deadline))

    async def listing(
        self, tenant: str, path: str, since: datetime, deadline: Deadline, *, proof: bool
    ) -> Listing | Failure:
        """The collection, from a reading started at or after `since`; with `proof`, so that absence counts."""
        least = floor(self._clock, since)

        async def get(desk: _Desk) -> Read | Failure:
            return await desk.listings.get(paths.checked(path), least, deadline, proof=proof)

        read = await self._at_desk(tenant, deadline, get)
        if isinstance(read, Failure):
            return read
        self._aged(paths.label(path), (stamp(self._clock) - read.started).total_seconds())
        complete = read.conclusive and (proof or not read.missing)
        return Listing(read.rows, complete, moment(self._clock, read.started))

    async def item(
        self, tenant: str, path: str, resource_id: str, since: datetime, deadline: Deadline, *, proof: bool
    ) -> Reading | Failure:
        """One resource of the collection at `path`; with `proof` by its own URL, so that absence counts."""
        least = floor(self._clock, since)

        async def get(desk: _Desk) -> Sight | Failure:
            look = desk.items.look if proof else desk.items.seen
            return await look(path, resource_id, least, deadline)

        sight = await self._at_desk(tenant, deadline, get)
        if isinstance(sight, Failure):
            return sight
        return Reading(sight.live, moment(self._clock, sight.started), sight.namesakes)

    async def around(
        self, tenant: str, path: str, resource_id: str, since: datetime, deadline: Deadline
    ) -> Around | Failure:
        """What answers around a resource of the collection at `path` that is not found, asked at or after `since`."""
        least = floor(self._clock, since)
        return await self._at_desk(
            tenant, deadline, lambda desk: desk.proofs.around(path, resource_id, least, deadline)
        )

    async def send(self, tenant: str, call: Call, deadline: Deadline, leave_by: float | None = None) -> Live | Failure:
        """Make one write, if it can leave until `leave_by`; a good answer, whatever it leaves out, is a `Live`."""

        async def write(desk: _Desk) -> Answer | Failure:
            return await desk.session.write(call._replace(path=paths.checked(call.path)), deadline, leave_by)

        answer = await self._at_desk(tenant, deadline, write)
        if isinstance(answer, Failure):
            return answer
        body = read_json(answer.body)
        return Live(body if isinstance(body, dict) else {})

    async def drain(self, seconds: float) -> None:
        """Let requests under way finish, for at most so long."""
        await self._wire.work.drain(seconds)

    async def _at_desk(
        self, tenant: str, deadline: Deadline, use: Callable[[_Desk], Awaitable[Made | Failure]]
    ) -> Made | Failure:
        """Done with the tenant's pair, and once more where that one is refused and the source has another by now."""
        desk = await self._desk(tenant, deadline)
        if isinstance(desk, Failure):
            return desk
        try:
            made = await use(desk)
            if not isinstance(made, Failure) or made.cause is not Cause.CREDENTIALS:
                return made
            self._credentials.refused(tenant, desk.credential)
            other = await self._desk(tenant, deadline)
            if isinstance(other, Failure):
                return other
            return made if other.credential == desk.credential else await use(other)
        except ValueError as fault:
            return _unspeakable(fault)

    async def _desk(self, tenant: str, deadline: Deadline) -> _Desk | Failure:
        asking = self._wire.work.start(self._credentials.credential(tenant))
        credential = await patiently(asking, deadline.remaining(self._clock.monotonic()))
        if credential is None:
            return unavailable("the source of credentials did not answer in the time of this pass")
        if isinstance(credential, Failure):
            return credential
        origin = self._origin()
        desk = self._desks.get((credential.key, origin))
        if desk is None:
            desk = self._desks[credential.key, origin] = self._opened(credential, origin)
        return desk

    def _opened(self, credential: Credential, origin: Origin) -> _Desk:
        session = Session(credential, origin, self._wire, self._clock, self._chance, self._limits.rate)
        listings = Listings(Pager(session, self._clock, self._limits.page), self._wire.work, self._clock)
        items = Items(session, listings, self._wire.work, self._clock)
        return _Desk(credential, session, listings, items, Proofs(session, listings, items))


def _unspeakable(fault: ValueError) -> Failure:
    """Nothing was sent, and nothing will be before a person has put it right."""
    return Failure(Cause.SEMANTIC, str(fault), sent=False)
