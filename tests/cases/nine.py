"""The nine kinds as field cases meet them: one object of each, and what it needs to become Active.

Taken from upstream's fixture sets, so that every case runs on what users have. The tests of this folder use it.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from hooks.aruba.kinds import discover
from tests.world.house import House
from tests.world.manifests import fixture_set

Object = dict[str, Any]
KINDS = {kind.names.kind: kind for kind in discover()}
ALL = sorted(KINDS)
CHILDREN = [name for name in ALL if name != "Project"]
STATEFUL = [name for name in ALL if name not in ("Project", "KeyPair")]
"""Kinds that show a state; of the others existence is readiness."""
TAGGED = [name for name in ALL if name not in ("KeyPair", "CloudServer")]
"""Kinds whose tags can be changed."""
_POOL = fixture_set("Test9")


def subject(kind: str, **spec: Any) -> Object:
    """The set's object of this kind, with parts of its spec replaced."""
    item = deepcopy(next(item for item in _POOL if item["kind"] == kind))
    item["spec"] |= spec
    return item


def needs(kind: str) -> list[Object]:
    """Everything that the subject refers to, directly or not."""
    found: dict[tuple[str, str], Object] = {}
    waiting = [subject(kind)]
    while waiting:
        for target in _referenced(waiting.pop()):
            key = (target["kind"], target["metadata"]["name"])
            if key not in found:
                found[key] = target
                waiting.append(target)
    return list(found.values())


def _referenced(item: Object) -> Iterator[Object]:
    for field in KINDS[item["kind"]].references:
        value = item["spec"].get(field.name)
        for ref in value if isinstance(value, list) else [value]:
            if ref is not None and field.to is not None:
                yield subject(field.to.kind)


def name(kind: str) -> str:
    return str(subject(kind)["metadata"]["name"])


def collection(kind: str) -> str:
    """A pattern for the paths of a kind's collection, for faults."""
    return f"/{KINDS[kind].collection.name}$"


async def prepared(house: House, kind: str) -> Object:
    """What the subject needs is Active; the subject itself is returned, not yet applied."""
    await house.apply(*needs(kind))
    await house.until(house.all_active)
    return subject(kind)


async def active(house: House, kind: str) -> str:
    """The subject is Active; the ID of its resource."""
    await house.apply(await prepared(house, kind))
    await house.until(house.all_active)
    return str((await house.status(kind, name(kind)))["resourceID"])


async def posts(house: House, kind: str) -> list[Object]:
    """Every attempt to create a resource of this kind, beyond what the subject needs."""
    segment = f"/{KINDS[kind].collection.name}"
    wanted = name(kind)
    rows = [row for row in await house.calls(method="POST") if row["path"].endswith(segment)]
    return [row for row in rows if row["requestBody"]["metadata"]["name"] == wanted]


async def ever(house: House, kind: str) -> list[Object]:
    """Resources of the subject that live or have lived."""
    return [row for row in await house.resources(kind, everything=True) if row["name"] == name(kind)]


async def deletes(house: House, kind: str = "") -> list[str]:
    """Paths of all DELETE calls, in order; of one kind, where one is given."""
    paths = [str(row["path"]) for row in await house.calls(method="DELETE")]
    return [path for path in paths if not kind or path.split("/")[-2] == KINDS[kind].collection.name]


def rest(kind: str) -> str:
    """The state in which a resource of this kind stays in the simulated cloud."""
    return "NotUsed" if kind in ("ElasticIP", "BlockStorage") else "Active"
