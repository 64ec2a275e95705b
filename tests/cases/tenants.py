"""The simulated world with Vault: two tenants, each with a client of its own, and what their Namespaces may."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from copy import deepcopy
from typing import Any

from tests.cases import nine
from tests.cases.world import living
from tests.world.house import GROUP, PLURALS, House
from tests.world.judge import condition
from tests.world.vault import FakeVault, of_vault

Object = dict[str, Any]
OWN, OTHER = "ARU-000001", "t-200"
"""The tenant of the subjects in `nine`, and somebody else's."""
CLIENTS = {OWN: "one", OTHER: "two"}
MERGE = {"Content-Type": "application/merge-patch+json"}
TENANTS, GRANTED = "arubacloud.com/tenants", "arubacloud.com/allow-references-from"


@asynccontextmanager
async def two_tenants(**environ: str) -> AsyncIterator[House]:
    """A house in Vault mode; client `one` is of OWN, `two` of OTHER, and neither sees the other's projects."""
    vault = FakeVault(**{OWN: ("one", "s1"), OTHER: ("two", "s2")})
    async with living(**of_vault(vault, **environ)) as house:
        await house.admin("POST", "tokens", {"clients": {"one": "s1", "two": "s2"}})
        yield house


async def say(house: House, namespace: str, **annotations: str | None) -> None:
    """Annotate a Namespace: `tenants` that it may name, `allow_references_from` whom it lets refer into it."""
    await house.namespace(namespace)
    named = {f"{GROUP}/{key.replace('_', '-')}": value for key, value in annotations.items()}
    patch = {"metadata": {"annotations": named}}
    answer = await house.kube.patch(f"/api/v1/namespaces/{namespace}", json=patch, headers=MERGE)
    assert answer.status_code == 200, answer.text


async def tell(house: House, kind: str, **annotations: str | None) -> None:
    """Annotate the subject, as anybody may who can write to it."""
    named = {f"{GROUP}/{key.replace('_', '-')}": value for key, value in annotations.items()}
    await house.patch(kind, nine.name(kind), {"metadata": {"annotations": named}})


async def ready(house: House, kind: str, namespace: str = "default") -> str:
    """The reason of the subject's Ready."""
    item = await house.get(kind, nine.name(kind), namespace) or {}
    return str(condition(item, "Ready").get("reason"))


async def until_ready(house: House, kind: str, reason: str, namespace: str = "default", within: float = 40) -> Object:
    """Wait until Ready has this reason; the object as it is then."""

    async def is_so() -> bool:
        return await ready(house, kind, namespace) == reason

    await house.until(is_so, within=within)
    return await house.get(kind, nine.name(kind), namespace) or {}


async def last(house: House) -> int:
    """The number of the last call to the cloud, token calls and all."""
    rows = await house.admin("GET", "calls")
    return int(rows[-1]["n"]) if rows else 0


async def everything_since(house: House, n: int) -> list[Object]:
    """All calls since, those for tokens too."""
    return list(await house.admin("GET", f"calls?since={n}"))


def refused(item: Object, reason: str) -> None:
    """Failed before any call, and a person must act."""
    assert item["status"]["phase"] == "Failed"
    failed = condition(item, "Failed")
    assert (failed["status"], failed["reason"]) == ("True", "IntentionValidationFailed")
    found = condition(item, "Ready")
    assert (found["status"], found["reason"]) == ("False", reason)
    assert condition(item, "Stalled")["status"] == "True"


def moved(item: Object, namespace: str) -> Object:
    """The object in another Namespace; what it refers to stays where it is."""
    item = deepcopy(item)
    item["metadata"]["namespace"] = namespace
    return item


def past_the_schema(house: House, item: Object, **spec: Any) -> None:
    """Put values into the store that no API server would let in, as an older schema might have."""
    changed = deepcopy(item)
    changed["spec"] |= spec
    changed["metadata"]["generation"] += 1
    house.kubernetes._store.put(f"{PLURALS[item['kind']]}.{GROUP}", changed)
