"""A shadow of the cloud: what is there, read once, with what would have been sent laid over it.

The engine takes it for the cloud. Everything that is sent settles at once, as asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from datetime import datetime
from typing import Any, Protocol

from hooks.aruba.model.catalog import Catalog
from hooks.aruba.model.failure import Cause, Failure
from hooks.aruba.model.kind import Action, Kind
from hooks.aruba.model.live import Live, last_segment
from hooks.aruba.model.states import States
from hooks.aruba.model.wire import Around, Call, Listing, Reading
from hooks.meta.deadline import Deadline

Body = dict[str, Any]
_Place = tuple[str, str]
"""A tenant, and a path: two accounts have a list of projects each."""
PROJECTS = "/projects"


class Reader(Protocol):
    """The cloud as it is; each answer is asked for once."""

    async def listing(self, path: str) -> Listing | Failure: ...

    async def item(self, path: str, resource_id: str) -> Reading | Failure: ...


class Clock(Protocol):
    def now(self) -> datetime: ...

    def monotonic(self) -> float: ...


class Resources:
    """The engine's cloud port; `reader` gives the cloud as a tenant sees it. `sent` collects the calls, in order."""

    def __init__(self, catalog: Catalog, reader: Callable[[str], Reader], clock: Clock) -> None:
        self._kinds = {kind.collection.name: kind for kind in catalog}
        self._reader = reader
        self._clock = clock
        self._rows: dict[_Place, dict[str, Live]] = {}
        self._failed: dict[_Place, Failure] = {}
        self._items: dict[tuple[str, str, str], Live | Failure | None] = {}
        self._made = 0
        self.sent: list[Call] = []

    async def ready(self, tenant: str, deadline: Deadline) -> Failure | None:
        return None

    async def listing(
        self, tenant: str, path: str, since: datetime, deadline: Deadline, *, proof: bool
    ) -> Listing | Failure:
        rows = await self._known(tenant, path)
        return rows if isinstance(rows, Failure) else Listing(tuple(rows.values()), True, self._clock.now())

    async def item(
        self, tenant: str, path: str, resource_id: str, since: datetime, deadline: Deadline, *, proof: bool
    ) -> Reading | Failure:
        rows = await self._known(tenant, path)
        if isinstance(rows, Failure):
            return rows
        live = rows.get(resource_id.lower())
        if live is None and not _planned(path) and not _planned(resource_id):
            found = await self._one(tenant, path, resource_id)
            if isinstance(found, Failure):
                return found
            live = found
        return Reading(live, self._clock.now())

    async def around(
        self, tenant: str, path: str, resource_id: str, since: datetime, deadline: Deadline
    ) -> Around | Failure:
        projects = await self._known(tenant, PROJECTS)
        if isinstance(projects, Failure):
            return projects
        inside = path.split("/")[2].lower() if path.startswith(f"{PROJECTS}/") else ""
        if inside in projects:
            return Around.STANDS
        others = [one for one in projects if one != resource_id.lower()]
        if not others:
            return Around.NOTHING
        return Around.GONE if inside else Around.STANDS

    async def send(self, tenant: str, call: Call, deadline: Deadline, leave_by: float | None = None) -> Live | Failure:
        self.sent.append(call)
        if call.method == "POST" and call.path.rpartition("/")[2] in self._kinds:
            return await self._make(tenant, call)
        path, _, name = call.path.rpartition("/")
        if call.method == "POST":
            path, _, name = path.rpartition("/")
        rows = await self._known(tenant, path)
        if isinstance(rows, Failure) or name.lower() not in rows:
            return Failure(Cause.GONE, f"{call.path} is not there", 404)
        kind = self._kinds[path.rpartition("/")[2]]
        if call.method == "DELETE":
            return rows.pop(name.lower())
        rows[name.lower()] = _changed(kind, rows[name.lower()], call)
        return rows[name.lower()]

    async def _make(self, tenant: str, call: Call) -> Live | Failure:
        rows = await self._known(tenant, call.path)
        if isinstance(rows, Failure):
            return rows
        kind = self._kinds[call.path.rpartition("/")[2]]
        self._made += 1
        new = f"new-{kind.names.singular}-{self._made}"
        metadata = {**(call.body or {}).get("metadata", {}), "id": new}
        if call.path.startswith(f"{PROJECTS}/"):
            metadata["project"] = {"id": call.path.split("/")[2]}
        state = {} if kind.states is States.EXISTS else {"state": "Active"}
        properties = _shown((call.body or {}).get("properties", {}))
        rows[new] = Live({"metadata": metadata, "status": state, "properties": properties})
        return rows[new]

    async def _known(self, tenant: str, path: str) -> dict[str, Live] | Failure:
        """What is in a collection: of what is only planned nothing can be there already."""
        place = (tenant, path)
        if place not in self._rows and place not in self._failed:
            nothing = Listing((), True, self._clock.now())
            found = nothing if _planned(path) else await self._reader(tenant).listing(path)
            if isinstance(found, Failure):
                self._failed[place] = found
            else:
                self._rows[place] = {row.id.lower(): row for row in found.rows}
        return self._failed.get(place) or self._rows[place]

    async def _one(self, tenant: str, path: str, resource_id: str) -> Live | Failure | None:
        key = (tenant, path, resource_id)
        if key not in self._items:
            found = await self._reader(tenant).item(path, resource_id)
            self._items[key] = found if isinstance(found, Failure) else found.live
        return self._items[key]


def _planned(text: str) -> bool:
    return "/new-" in f"/{text}"


def _shown(sent: Body) -> Body:
    """The properties of a request as an answer shows them: what was referred to is linked (api §4.4, §8.9)."""
    links = [link for value in sent.values() for link in (value if isinstance(value, list) else [value]) if _uri(link)]
    cards = [{"subnet": link["uri"]} for link in links if "/subnets/" in link["uri"].lower()]
    more = {"networkInterfaces": cards} if cards else {}
    return {**deepcopy(sent), "linkedResources": deepcopy(links), **more}


def _uri(link: Any) -> bool:
    return isinstance(link, dict) and isinstance(link.get("uri"), str)


def _changed(kind: Kind, live: Live, call: Call) -> Live:
    body = call.body or {}
    if call.method == "PUT":
        properties = {**(live.body.get("properties") or {}), **body.get("properties", {})}
        metadata = {**(live.body.get("metadata") or {}), **body.get("metadata", {})}
        return Live({**live.body, "metadata": metadata, "properties": properties})
    word = call.path.rpartition("/")[2]
    action = next(one for one in kind.changes if isinstance(one, Action) and one.name == word)
    return Live({**live.body, "properties": _moved(live, body.get(action.add, []), body.get(action.remove, []))})


def _moved(live: Live, add: list[Body], remove: list[Body]) -> Body:
    """What an action brings and takes, among the links and, where it is a subnet, the interfaces."""
    properties = dict(live.body.get("properties") or {})
    gone = {last_segment(link["uri"]) for link in remove}
    links = [link for link in properties.get("linkedResources") or [] if last_segment(link.get("uri")) not in gone]
    cards = [card for card in properties.get("networkInterfaces") or [] if last_segment(card.get("subnet")) not in gone]
    cards += [{"subnet": link["uri"]} for link in add if "/subnets/" in link["uri"].lower()]
    return {**properties, "linkedResources": [*links, *add], "networkInterfaces": cards}
