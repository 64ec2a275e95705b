"""What objects at rest cost: cloud calls in a period, and the work of one pass that finds nothing to do."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from tests.bench.figures import Figure
from tests.world.house import HOOKS, House, living
from tests.world.manifests import make, project, ref

Message = MutableMapping[str, Any]
App = Callable[..., Awaitable[None]]
OBJECTS = 200
PERIOD = 300.0
PERIODS = 3
ROUNDS = 300
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN2gewMCH4bZ1q+Y7+CHs7SHrRCTmwJmi3dANUlrTGmC"


async def at_rest() -> list[Figure]:
    """One project, key pairs and addresses, all Active for some time."""
    async with living() as house:
        await house.apply(project(), *map(_member, range(OBJECTS - 1)))
        await house.until(house.all_active, within=600, every=1.0)
        await asyncio.sleep(PERIOD)
        before, hooks = len(await house.admin("GET", "calls")), house.metacontroller.calls.total()
        await asyncio.sleep(PERIOD * PERIODS)
        calls = len(await house.admin("GET", "calls")) - before
        hooks = house.metacontroller.calls.total() - hooks
        return [
            Figure("objects_at_rest", OBJECTS, "objects"),
            Figure("cloud_calls_at_rest", calls / PERIODS, "calls-per-300s"),
            Figure("hook_calls_at_rest", hooks / PERIODS, "calls-per-300s"),
            *await _idle_pass(house),
        ]


def _member(number: int) -> dict[str, Any]:
    spec = {"tenant": "t-100", "projectReference": ref("prj-a")}
    if number % 2:
        return make("ElasticIP", f"ip-{number}", spec)
    return make("KeyPair", f"key-{number}", {**spec, "value": f"{KEY} {number}"})


async def _idle_pass(house: House) -> list[Figure]:
    """A pass over an Active object, from the bytes of its call to those of the reply, against decoding those bytes."""
    parent = await house.get("ElasticIP", "ip-1")
    owner = await house.get("Project", "prj-a")
    related = {"Project.arubacloud.com/v1alpha1": {"default/prj-a": owner}}
    call = {"controller": {}, "parent": parent, "children": {}, "related": related, "finalizing": False}
    body = json.dumps(call).encode()
    passes = await _timed_passes(house.net.hosts[HOOKS], "/v2/elasticips/sync", body)
    began = time.process_time()
    for _ in range(ROUNDS):
        json.loads(body)
    plain = (time.process_time() - began) / ROUNDS
    return [
        Figure("idle_pass", passes * 1e6, "microseconds"),
        Figure("idle_pass_ratio", passes / plain, "of-plain-json-decode"),
    ]


async def _timed_passes(app: App, path: str, body: bytes) -> float:
    statuses = [await _post(app, path, body) for _ in range(3)]
    assert set(statuses) == {200}, statuses
    began = time.process_time()
    for _ in range(ROUNDS):
        await _post(app, path, body)
    return (time.process_time() - began) / ROUNDS


async def _post(app: App, path: str, body: bytes) -> int:
    """The app without a network around it."""
    seen: list[Message] = []
    inbox = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        return inbox.pop() if inbox else {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        seen.append(message)

    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": headers,
        "state": {},
    }
    await app(scope, receive, send)
    return int(seen[0]["status"])
