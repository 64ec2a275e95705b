"""Situations of an object that is to go: what is in the way, and what the cloud answers."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.cases import nine
from tests.cases.blind import BLIND, another_project, only_this_project
from tests.cases.byhand import kill, restart
from tests.cases.test_refused_deletes import by_somebody
from tests.cases.test_snapshots import snapshot
from tests.scenarios.said import Play, Situation
from tests.scenarios.said_creating import ACCOUNT, BAD, BUSY, NEVER, SOON, problem
from tests.world.house import CLOUD, KUBE, House

Object = dict[str, Any]


def refused(then: Object, kind: str = "VPC") -> Play:
    """Its DELETE is answered so."""

    async def play(house: House) -> str:
        resource = await nine.active(house, kind)
        await house.faults({"match": {"method": "DELETE", "path": f"/{resource}$"}, "then": then})
        await house.delete(kind, nine.name(kind))
        return kind

    return play


async def has_children(house: House) -> str:
    await nine.active(house, "Subnet")
    await house.quirks(neverSettle="Subnet")
    await house.delete("VPC", "shop")
    return "VPC"


async def is_used(house: House) -> str:
    await nine.active(house, "CloudServer")
    await house.delete("KeyPair", "shop")
    return "KeyPair"


async def has_snapshots(house: House) -> str:
    await nine.active(house, "BlockStorage")
    await snapshot(house, "before-upgrade")
    await house.delete("BlockStorage", "shop")
    return "BlockStorage"


async def furnished(house: House) -> str:
    await nine.active(house, "VPC")
    await by_somebody(house, "VPC", "Subnet", "left-range")
    await by_somebody(house, "VPC", "SecurityGroup", "left-group")
    await house.delete("VPC", "shop")
    return "VPC"


async def is_going(house: House) -> str:
    await nine.active(house, "VPC")
    await house.quirks(neverSettle="VPC")
    await house.delete("VPC", "shop")
    return "VPC"


async def is_busy(house: House) -> str:
    resource = await nine.active(house, "VPC")
    await house.admin("POST", f"resources/{resource}", {"state": "Updating"})
    await house.patch("VPC", "shop", {"metadata": {"annotations": {"arubacloud.com/reconcile-at": "now"}}})
    await asyncio.sleep(2)
    await house.delete("VPC", "shop")
    return "VPC"


async def takes_too_long(house: House) -> str:
    await nine.active(house, "VPC")
    await house.patch("VPC", "shop", {"metadata": {"annotations": {"arubacloud.com/timeout": "1m"}}})
    await house.quirks(neverSettle="VPC")
    await house.delete("VPC", "shop")
    return "VPC"


async def may_still_be_made(house: House) -> str:
    """The answer to its POST was lost, and then it was deleted."""
    item = await nine.prepared(house, "VPC")
    await house.quirks(listLag=50)
    await house.faults({"match": {"method": "POST", "path": "/vpcs$"}, "times": 1, "then": {"delay": 1}})
    await house.apply(item)
    await house.until(lambda: nine.posts(house, "VPC"))
    kill(house)
    await asyncio.sleep(3)
    await house.delete("VPC", "shop")
    restart(house)
    return "VPC"


async def cut_off(house: House) -> str:
    await nine.active(house, "VPC")
    await asyncio.sleep(20)
    house.net.cut(CLOUD)
    await house.delete("VPC", "shop")
    return "VPC"


async def secret_is_wrong(house: House) -> str:
    await nine.active(house, "VPC")
    await house.admin("POST", "tokens", {"clients": {"aruba-local": "another"}, "revoke": "all"})
    await house.delete("VPC", "shop")
    return "VPC"


async def all_is_empty(house: House) -> str:
    await house.apply(another_project())
    await nine.active(house, "VPC")
    await asyncio.sleep(20)
    await house.faults(*BLIND["problem"])
    await house.delete("VPC", "shop")
    return "VPC"


async def project_is_missing(house: House) -> str:
    await house.apply(another_project())
    await nine.active(house, "VPC")
    await asyncio.sleep(20)
    await house.faults(*await only_this_project(house))
    await house.delete("VPC", "shop")
    return "VPC"


async def lists_are_refused(house: House) -> str:
    """Kubernetes refuses the lists of its children."""
    await nine.active(house, "VPC")
    api = house.net.hosts[KUBE]
    body = b'{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","message":"may not","code":403}'

    async def refusing(scope: Any, receive: Any, send: Any) -> None:
        if b"labelSelector" not in scope["query_string"]:
            await api(scope, receive, send)
            return
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 403, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    house.net.hosts[KUBE] = refusing
    await house.delete("VPC", "shop")
    return "VPC"


UNCLEAR = problem(400, "Bad Request", "cannot delete default VPC")
DELETING = [
    Situation("Its children go first", "ChildrenExist", has_children, "Subnet default/shop"),
    Situation("Somebody still uses it", "InUse", is_used, "CloudServer default/shop"),
    Situation("Snapshots of it exist", "SnapshotsExist", has_snapshots, "'before-upgrade' (<id>)"),
    Situation("Something without an object is inside", "DeleteRefused", furnished, "SecurityGroup 'left-group' (<id>)"),
    Situation("The cloud refuses", "DeleteRefused", refused(UNCLEAR), "default VPC"),
    Situation("The cloud refuses with errors", "DeleteRefused", refused(BAD), "Name: is not liked"),
    Situation("The cloud reports a conflict", "DeleteRefused", refused(problem(409, "Conflict")), "HTTP 409"),
    Situation("Not allowed", "Forbidden", refused(NEVER), "HTTP 403"),
    Situation("Trouble with the account", "AccountOrBilling", refused(ACCOUNT), "Ecommerce.Order"),
    Situation("Too many calls", "Throttled", refused(BUSY), "HTTP 429"),
    Situation("A server in trouble", "ApiUnreachable", refused({"status": 503}), "HTTP 503"),
    Situation("The cloud is deleting it", "Deleting", is_going, saying="has deleted it"),
    Situation("Busy in the cloud", "Deleting", is_busy, "Updating", "is done with it"),
    Situation("It may still be in the making", "CreateOutcomeUnknown", may_still_be_made),
    Situation("The cloud is not reached", "ApiUnreachable", cut_off, "cloud.test", options=SOON),
    Situation("The secret is wrong", "CredentialsUnavailable", secret_is_wrong, "client-secret"),
    Situation("The whole tenant looks empty", "TenantUnreadable", all_is_empty, "project <id>", options=SOON),
    Situation("Its project alone is missing", "TenantUnreadable", project_is_missing, "project <id>", options=SOON),
    Situation("Kubernetes refuses its lists", "KubernetesRefused", lists_are_refused, "403: may not"),
    Situation("Deleting takes too long", "Timeout", takes_too_long, "1m0s", within=120),
]
