"""The engine's port to the cloud of a `World`, and the weather: how each sort of call fares during one pass.

Failures are made by the real classifier from what the API would say. `ways_ports` builds one for each pass.
"""

from __future__ import annotations

import json
from copy import deepcopy
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from hooks.aruba.cloud.errors import classify
from hooks.aruba.model.failure import Cause, Failure
from hooks.aruba.model.live import Live, last_segment
from hooks.aruba.model.wire import Around, Call, Listing, Reading
from hooks.meta.deadline import Deadline
from tests.properties.ways_world import Object, World, live_of, row_of
from tests.world.time import EPOCH

LATE = 20.0
"""How long a lag hides a new resource, at most: within what the window allows for."""


class Weather(NamedTuple):
    """How each kind of call fares during one pass; `good` is as it should be."""

    post: str = "good"
    put: str = "good"
    delete: str = "good"
    read: str = "good"
    patch: str = "good"
    look: str = "good"
    family: str = "good"
    answer: str = "good"


def _refused(status: int, **body: Any) -> Failure:
    document = {"title": "Refused", "status": status, **body}
    return classify(status, {"content-type": "application/problem+json"}, json.dumps(document).encode())


FAILURES = {
    "semantic": _refused(400, errors=[{"field": "Tag", "message": "not this one"}]),
    "not ready": _refused(400, detail="vpc not in valid status"),
    "account": _refused(400, errors=[{"field": "Ecommerce.OrderId", "message": "invalid"}]),
    "forbidden": _refused(403),
    "odd": _refused(402),
    "not found": _refused(404),
    "conflict": _refused(409),
    "throttled": classify(429, {"Retry-After": "7"}, b""),
    "away": classify(503, {}, b"<html>502</html>"),
    "lost": Failure(Cause.TECHNICAL, "cloud.test: connection lost"),
    "late": Failure(Cause.TECHNICAL, "cloud.test: connection lost"),
    "unauthorized": _refused(401),
}
WORKS = ("good", "thin", "lost", "late", "lingers")
"""The weathers in which a write is carried out all the same."""


class Clock:
    def __init__(self, world: World) -> None:
        self._world = world

    def now(self) -> datetime:
        return EPOCH + timedelta(seconds=self._world.now)

    def monotonic(self) -> float:
        return self._world.now


class CloudSide:
    """Reads are always of now; what a lag hides is not there yet. `used` collects the sorts of calls made."""

    def __init__(self, world: World, weather: Weather, used: set[str]) -> None:
        self._world = world
        self._weather = weather
        self._used = used
        self._clock = Clock(world)

    async def ready(self, tenant: str, deadline: Deadline) -> Failure | None:
        return None

    async def listing(
        self, tenant: str, path: str, since: datetime, deadline: Deadline, *, proof: bool
    ) -> Listing | Failure:
        self._used.add("read")
        failure = FAILURES.get(self._weather.read)
        if failure is not None:
            return failure
        blind = path != "/projects" and self._around() is not Around.STANDS
        rows = () if blind else tuple(live_of(row) for row in self._rows(path))
        return Listing(rows, self._weather.read != "incomplete", self._clock.now())

    async def item(
        self, tenant: str, path: str, resource_id: str, since: datetime, deadline: Deadline, *, proof: bool
    ) -> Reading | Failure:
        self._used.add("read")
        failure = FAILURES.get(self._weather.read)
        if failure is not None:
            return failure
        rows = self._rows(path) if self._around() is Around.STANDS else []
        found = next((live_of(row) for row in rows if row["id"] == resource_id.lower()), None)
        return Reading(found, self._clock.now())

    async def around(
        self, tenant: str, path: str, resource_id: str, since: datetime, deadline: Deadline
    ) -> Around | Failure:
        return FAILURES.get(self._weather.read) or self._around()

    async def send(self, tenant: str, call: Call, deadline: Deadline, leave_by: float | None = None) -> Live | Failure:
        sort, write = self._write(call)
        self._used.add(sort)
        if self._around() is not Around.STANDS:
            return FAILURES["not found"]
        weather = "not ready" if _in_the_way(self._world, sort, call) else getattr(self._weather, sort)
        row = write(call, weather) if weather in WORKS else None
        if weather in FAILURES:
            return FAILURES[weather]
        if sort == "delete" and row is None:
            return FAILURES["not found"]
        return Live({}) if weather == "thin" or row is None else live_of(row)

    def _write(self, call: Call) -> tuple[str, Any]:
        if call.method == "DELETE":
            return "delete", self._remove
        own = {row["id"] for row in self._world.rows if row["kind"] == self._world.kind}
        if call.method == "POST" and not own & set(call.path.split("/")[-2:]):
            return "post", self._make
        return "put", self._change

    def _around(self) -> Around:
        """A project itself is not behind another one: of it only a whole tenant that looks empty tells a lie."""
        found = {"nothing": Around.NOTHING, "project gone": Around.GONE}.get(self._weather.read, Around.STANDS)
        return Around.STANDS if self._world.kind == "Project" and found is Around.GONE else found

    def _rows(self, path: str) -> list[Object]:
        if path.endswith("/resources"):
            return [row for row in self._world.rows if row["path"].startswith(path.removesuffix("/resources") + "/")]
        return [row for row in self._world.rows if row["path"] == path and self._world.shown(row)]

    def _make(self, call: Call, weather: str) -> Object:
        assert call.body is not None
        world, metadata = self._world, call.body["metadata"]
        shows = world.now + (LATE if weather == "late" else 0.0)
        properties = _shown(world.kind, call.body["properties"])
        row = row_of(world.kind, call.path, world.new_id(), metadata["name"], metadata["tags"], properties, shows)
        if world.kind != "Project":
            row["state"] = "InCreation"
        world.rows.append(row)
        return row

    def _change(self, call: Call, weather: str) -> Object | None:
        path, _, last = call.path.rpartition("/")
        row = self._find(last if call.method == "PUT" else last_segment(path))
        if row is None or call.body is None:
            return row
        if call.method == "PUT":
            row["tags"] = call.body["metadata"].get("tags", row["tags"])
            row["properties"] |= call.body.get("properties", {})
        else:
            _moved(row["properties"], call.body)
        if row["kind"] != "Project":
            row["state"] = "Updating"
        return row

    def _remove(self, call: Call, weather: str) -> Object | None:
        row = self._find(last_segment(call.path))
        if row is None:
            return None
        if row["kind"] == "Project":
            self._world.rows.remove(row)
        elif weather != "lingers":
            row["state"] = "Deleting"
        else:
            row["lingers"] = True
        return row

    def _find(self, resource_id: str) -> Object | None:
        return next((row for row in self._world.rows if row["id"] == resource_id), None)


def _in_the_way(world: World, sort: str, call: Call) -> bool:
    """What the cloud itself would refuse: what has contents or a snapshot cannot go, what is held cannot be had."""
    if sort == "delete":
        inside = any(row["path"].startswith(f"{call.path}/") for row in world.rows)
        return inside or any(_named(row, "volume") == last_segment(call.path) for row in world.rows)
    held = [row["id"] for row in world.rows if row["properties"].get("linkedResources") and row["id"].startswith("of-")]
    return any(f'/{one}"' in json.dumps(call.body) for one in held)


def _named(row: Object, name: str) -> str:
    found = row["properties"].get(name)
    return last_segment(found.get("uri")) if isinstance(found, dict) else ""


def _shown(kind: str, sent: Object) -> Object:
    """What an answer shows of the properties of a request: a server shows them elsewhere (api §8.9)."""
    if kind != "CloudServer":
        return deepcopy(sent)
    kept = {name: sent[name] for name in ("dataCenter", "vpc", "keyPair", "bootVolume")}
    links = [*sent["securityGroups"], *([sent["elasticIp"]] if "elasticIp" in sent else []), sent["bootVolume"]]
    cards = [{"subnet": one["uri"]} for one in sent["subnets"]]
    shown = {"flavor": {"name": sent["flavorName"]}, "networkInterfaces": cards, "linkedResources": links}
    return deepcopy({**kept, **shown})


def _moved(properties: Object, body: Object) -> None:
    """An action's coming and going among a server's links."""
    for name, uris in body.items():
        for one in uris:
            if name == "subnetsToAssociate":
                properties["networkInterfaces"].append({"subnet": one["uri"]})
            elif name == "subnetsToDisassociate":
                properties["networkInterfaces"].remove({"subnet": one["uri"]})
            elif name.endswith(("Attach", "ToAssociate")):
                properties["linkedResources"].append(dict(one))
            else:
                properties["linkedResources"] = [
                    link
                    for link in properties["linkedResources"]
                    if last_segment(link["uri"]) != last_segment(one["uri"])
                ]
