"""Stands before the simulated cloud: answers in its place, per object, in bytes that no admin fault can send.

Many objects of one kind can then meet as many answers at once, in one house. The files on errors use it.
"""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from typing import Any

from starlette.responses import JSONResponse, Response

from tests.cases import nine
from tests.world.house import CLOUD, House
from tests.world.judge import condition

Object = dict[str, Any]
WRITES = ("POST", "PUT", "DELETE")


class Cut(Exception):
    """The connection ends without an answer."""


class Front:
    """`answers`: what is said to writes about an object, by its cloud name or its ID, in the form of an admin fault's
    `then`, or with `bytes` for a body as it is. `met`: when each was asked for. `reads` is said to every GET, if
    anything. Everything else goes through.
    """

    def __init__(self, house: House) -> None:
        self.answers: dict[str, Object] = {}
        self.reads: Object | None = None
        self.met: dict[str, list[float]] = defaultdict(list)
        self._cloud = house.net.hosts[CLOUD]
        house.net.hosts[CLOUD] = self

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        body = (await receive())["body"]

        async def again() -> Object:
            return {"type": "http.request", "body": body, "more_body": False}

        then = self._struck(scope, body) if scope["method"] in WRITES else self.reads
        answer = self._cloud if then is None else answer_of(then)
        await answer(scope, again, send)

    def _struck(self, scope: Any, body: bytes) -> Object | None:
        found = {*scope["path"].split("/"), named(body)} & self.answers.keys()
        for name in found:
            self.met[name].append(asyncio.get_running_loop().time())
            return self.answers[name]
        return None


def named(body: bytes) -> str:
    """The name that a request gives a resource."""
    try:
        told = json.loads(body)
    except ValueError:
        return ""
    metadata = told.get("metadata") if isinstance(told, dict) else None
    return str(metadata.get("name")) if isinstance(metadata, dict) else ""


def answer_of(then: Object) -> Response:
    if "drop" in then:
        raise Cut
    status, headers = then["status"], then.get("headers", {})
    if "body" in then:
        return JSONResponse(then["body"], status, headers)
    content = then.get("bytes", then.get("text", "").encode())
    return Response(content, status, headers)


class Crowd:
    """One object of a kind for each of several answers, all in one house."""

    def __init__(self, house: House, kind: str, answers: dict[str, Object]) -> None:
        self.house, self.kind, self.answers = house, kind, answers
        self.front = Front(house)
        self.names = {answer: f"case-{number:02}" for number, answer in enumerate(answers)}

    async def shown(self, answer: str) -> Object:
        name = self.names[answer]
        found = [x for x in await self.house.objects() if (x["kind"], x["metadata"]["name"]) == (self.kind, name)]
        return found[0] if found else {}

    async def id(self, answer: str) -> str:
        return str((await self.shown(answer)).get("status", {}).get("resourceID", ""))

    async def ready(self, answer: str) -> Object:
        return condition(await self.shown(answer), "Ready")

    async def apply(self) -> None:
        await nine.prepared(self.house, self.kind)
        if self.kind == "CloudServer":
            await self.house.apply(another_subnet(), *map(boot_volume, range(len(self.names))))
            await self.house.until(self.house.all_active)
        await self.house.apply(*(one_of_many(self.kind, number) for number in range(len(self.names))))

    async def meet(self, by_id: bool) -> None:
        """From now on each gets its answer."""
        for answer, name in self.names.items():
            self.front.answers[await self.id(answer) if by_id else name] = self.answers[answer]

    async def edit(self, answer: str, text: str = "first") -> None:
        """A change of the spec that the cloud would take; a server's are made by actions."""
        refs = nine.subject("CloudServer")["spec"]["subnetReferences"]
        more = [*refs, {**refs[0], "name": "shop-two"}] if text == "first" else refs
        spec = {"subnetReferences": more} if self.kind == "CloudServer" else {"tags": [text]}
        await self.house.patch(self.kind, self.names[answer], {"spec": spec})

    async def delete(self, answer: str) -> None:
        await self.house.delete(self.kind, self.names[answer])

    async def tries(self, answer: str) -> list[float]:
        """When each call was made that met the answer."""
        return self.front.met.get(self.names[answer]) or self.front.met[await self.id(answer)]


def one_of_many(kind: str, number: int) -> Object:
    """The kind's subject under another name, with what it cannot share with others."""
    item = nine.subject(kind)
    item["metadata"]["name"] = f"case-{number:02}"
    if kind == "Subnet":
        item["spec"]["cidr"] = f"192.168.{100 + number}.0/24"
    if kind == "SecurityRule":
        item["spec"]["target"] = {"type": "Ip", "value": f"10.{number}.0.0/16"}
    if kind == "CloudServer":
        item["spec"]["bootVolumeReference"]["name"] = f"boot-{number:02}"
        del item["spec"]["elasticIPReference"]
    return item


def boot_volume(number: int) -> Object:
    volume = nine.subject("BlockStorage")
    volume["metadata"]["name"] = f"boot-{number:02}"
    return volume


def another_subnet() -> Object:
    subnet = nine.subject("Subnet", cidr="192.168.2.0/24")
    subnet["metadata"]["name"] = "shop-two"
    return subnet
