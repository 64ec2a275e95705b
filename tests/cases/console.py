"""Somebody at the cloud's console: the same API, called with a token of their own, behind the operator's back."""

from __future__ import annotations

import asyncio
from typing import Any

from hooks.simulator import token_path
from tests.cases import nine
from tests.scenarios.edits import ACTIONS
from tests.world.house import House
from tests.world.judge import OWNER_TAG
from tests.world.manifests import TARGETS

Object = dict[str, Any]
FORM = {"grant_type": "client_credentials", "client_id": "aruba-local", "client_secret": "aruba-local-secret"}


async def call(house: House, method: str, path: str, body: Object) -> None:
    """One call as a person makes it by the console, which must work."""
    token = (await house.cloud.post(token_path(), data=FORM)).json()["access_token"]
    headers = {"authorization": f"Bearer {token}"}
    answer = await house.cloud.request(method, path, json=body, headers=headers, params={"api-version": "1.0"})
    assert answer.status_code < 300, answer.text


async def row(house: House, kind: str, name: str) -> Object:
    """The resource of an object, as the cloud's own book-keeping has it."""
    resource = (await house.status(kind, name))["resourceID"]
    [found] = [one for one in await house.resources(kind) if one["id"] == resource]
    return found


async def move(house: House, field: str, add: tuple[str, ...] = (), remove: tuple[str, ...] = ()) -> None:
    """Attach to, and detach from, the server `shop` the resources of these objects, and see it done."""
    action, kind = ACTIONS[field], TARGETS[field]
    body = {
        side: [{"uri": (await row(house, kind, name))["uri"]} for name in names]
        for side, names in ((action.add, add), (action.remove, remove))
    }
    await call(house, "POST", f"{(await row(house, 'CloudServer', 'shop'))['uri']}/{action.name}", body)
    await asyncio.sleep(1)


async def set_to(house: House, kind: str, field: str, value: Any) -> None:
    """The resource of a kind's subject gets another value, whatever the console allows."""
    found = await row(house, kind, nine.name(kind))
    if field == "tags":
        owner = [tag for tag in found["tags"] if OWNER_TAG.fullmatch(tag)]
        await house.admin("POST", f"resources/{found['id']}", {"metadata": {"tags": [*value, *owner]}})
        return
    at = nine.KINDS[kind].by_name[field].at
    assert at is not None
    first, _, rest = at.path.partition(".")
    resource = house.simulator.world.store.find(found["id"])
    assert resource is not None
    inner = {**resource.properties[first], rest: value} if rest else value
    await house.admin("POST", f"resources/{found['id']}", {"properties": {first: inner}})


async def last_call(house: House) -> int:
    """The number of the last call to the cloud, for what is sent from here on."""
    return max((row["n"] for row in await house.calls()), default=0)
