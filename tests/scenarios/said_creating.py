"""Situations while a resource is made: what the cloud answers, what is in the way, and what becomes of it."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.cases import nine
from tests.cases.byhand import kill, restart
from tests.cases.test_held import first_has_it
from tests.scenarios.said import Play, Situation, Subject
from tests.world.house import CLOUD, KUBE, House
from tests.world.judge import OWNER_TAG

Object = dict[str, Any]
SOON = {"environ": {"ARUBA_LISTING_AGE": "10s"}}
HTML = {"status": 404, "text": "<html><body><h1>404 page not found</h1></body></html>"}


def problem(status: int, title: str, detail: str = "", **more: Any) -> Object:
    """An answer in the API's own form."""
    body = {"title": title, "status": status, "traceId": "00-0123456789abcdef0123456789abcdef-01", **more}
    return {"status": status, "body": {**body, "detail": detail} if detail else body}


def errors(field: str, message: str) -> Object:
    found = [{"field": field, "message": message}]
    return problem(400, "One or more validation errors occurred.", errors=found)


def answered(then: Object, kind: str = "VPC") -> Play:
    """The subject's POST is answered so, each time."""

    async def play(house: House) -> str:
        item = await nine.prepared(house, kind)
        await house.faults({"match": {"method": "POST", "path": nine.collection(kind)}, "then": then})
        await house.apply(item)
        return kind

    return play


async def secret_is_wrong(house: House) -> str:
    item = await nine.prepared(house, "VPC")
    await house.admin("POST", "tokens", {"clients": {"aruba-local": "another"}, "revoke": "all"})
    await house.apply(item)
    return "VPC"


async def cut_off(house: House) -> str:
    item = await nine.prepared(house, "VPC")
    house.net.cut(CLOUD)
    await house.apply(item)
    return "VPC"


async def answer_was_lost(house: House) -> str:
    """The POST worked, its answer and the replica that waited for it are gone, and no list shows it yet."""
    item = await nine.prepared(house, "VPC")
    await house.quirks(listLag=50)
    fault = {"match": {"method": "POST", "path": "/vpcs$"}, "times": 1, "then": {"delay": 1}}
    await house.faults(fault)
    await house.apply(item)
    await house.until(lambda: nine.posts(house, "VPC"))
    kill(house)
    await asyncio.sleep(3)
    restart(house)
    return "VPC"


async def somebody_elses(house: House, name: str = "shop", tags: list[str] | None = None) -> str:
    """A VPC made at the console in the subject's project; its ID."""
    project = (await house.status("Project", "shop"))["resourceID"]
    body = {"kind": "VPC", "projectId": project, "name": name, "tags": tags}
    return str((await house.admin("POST", "resources", body))["id"])


async def exists(house: House) -> str:
    item = await nine.prepared(house, "VPC")
    await somebody_elses(house)
    await house.apply(item)
    return "VPC"


async def name_is_leaving(house: House) -> str:
    item = await nine.prepared(house, "VPC")
    other = await somebody_elses(house)
    await house.admin("POST", f"resources/{other}", {"state": "Deleting"})
    await house.apply(item)
    return "VPC"


async def pages_shift(house: House) -> str:
    item = await nine.prepared(house, "VPC")
    for number in range(10):
        await somebody_elses(house, f"other-{number}")
    await house.quirks(pageLimit=10, skipOnPaging=True)
    await somebody_elses(house, "other-last")
    await house.apply(item)
    return "VPC"


async def two_with_its_tag(house: House) -> str:
    """The POST's answer is lost, and somebody copied the resource with its tags."""
    item = await nine.prepared(house, "VPC")
    fault = {"match": {"method": "POST", "path": "/vpcs$"}, "times": 1, "then": {"drop": "after"}}
    await house.faults(fault)
    await house.apply(item)
    await house.until(lambda: nine.ever(house, "VPC"))
    [made] = await nine.ever(house, "VPC")
    await somebody_elses(house, "shop-copy", [tag for tag in made["tags"] if OWNER_TAG.fullmatch(tag)])
    return "VPC"


async def tag_is_anothers(house: House) -> str:
    resource = await nine.active(house, "VPC")
    change = {"metadata": {"tags": ["k8s-aaaaaaaaaaaaaaaa"]}}
    await house.admin("POST", f"resources/{resource}", change)
    return "VPC"


async def address_is_held(house: House) -> Subject:
    second, _ = await first_has_it(house, "elasticIPReference")
    await asyncio.sleep(20)
    await house.apply(second)
    return Subject(second["kind"], second["metadata"]["name"])


async def just_applied(house: House) -> str:
    house.net.latency = 1.0
    await house.apply(nine.subject("Project"))
    return "Project"


def in_state(state: str, **more: Any) -> Play:
    """The resource of a new object is in this state, whatever it will be later."""

    async def play(house: House) -> str:
        item = await nine.prepared(house, "VPC")
        await house.quirks(neverSettle="VPC")
        await house.apply(item)
        await house.until(lambda: nine.ever(house, "VPC"), every=0.05)
        [made] = await nine.ever(house, "VPC")
        await house.admin("POST", f"resources/{made['id']}", {"state": state, **more})
        return "VPC"

    return play


async def kubernetes_refuses(house: House) -> str:
    """An admission policy refuses the operator's PATCH."""
    item = await nine.prepared(house, "VPC")
    api = house.net.hosts[KUBE]
    body = b'{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","message":"may not","code":403}'

    async def refusing(scope: Any, receive: Any, send: Any) -> None:
        if scope["method"] != "PATCH":
            await api(scope, receive, send)
            return
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 403, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    house.net.hosts[KUBE] = refusing
    await house.apply(item)
    return "VPC"


ACCOUNT = errors("Ecommerce.Order", "payment method expired")
MISSING = problem(404, "Not Found", "subnet not found")
UNREADY = problem(400, "CloudServer.Create.InvalidStatus", "bootVolume not in valid status")
BUSY = {**problem(429, "Too Many Requests"), "headers": {"retry-after": "30"}}
NEVER = problem(403, "Forbidden", "User is not authorized to perform the operation on the resource.")
BAD = errors("Name", "is not liked")
CREATING = [
    Situation("About to be created", "Creating", just_applied),
    Situation("Created a moment ago", "Created", in_state("InCreation")),
    Situation("Being made by the platform", "Provisioning", in_state("InCreation"), "InCreation"),
    Situation("In a state that is not known here", "UnknownState", in_state("Quarantined"), "'Quarantined'"),
    Situation("Failed in the cloud", "CloudFailed", in_state("Failed", failureReason="no capacity"), "no capacity"),
    Situation("Disabled in the cloud", "CloudFailed", in_state("Disabled", reasons=["unpaid"]), "unpaid", "unpaid"),
    Situation("The cloud finds the request invalid", "ValidationFailed", answered(BAD), "Name: is not liked"),
    Situation("What it needs is not ready for the cloud", "DependencyNotReady", answered(UNREADY), "bootVolume"),
    Situation("What it needs is not found by the cloud", "DependencyNotReady", answered(MISSING), "subnet"),
    Situation("The cloud reports a conflict", "Conflict", answered(problem(409, "Must be unique")), "HTTP 409"),
    Situation("The cloud refuses for no known reason", "CloudRefused", answered(problem(402, "Unpaid")), "HTTP 402"),
    Situation("Trouble with the account", "AccountOrBilling", answered(ACCOUNT), "Ecommerce.Order"),
    Situation("Too many calls", "Throttled", answered(BUSY), "HTTP 429"),
    Situation("Not allowed", "Forbidden", answered(NEVER), "HTTP 403"),
    Situation("The secret is wrong", "CredentialsUnavailable", secret_is_wrong, "client-secret"),
    Situation("The cloud is not reached", "ApiUnreachable", cut_off, "cloud.test"),
    Situation("Something in front of the cloud answers", "ApiUnreachable", answered(HTML), "HTTP 404"),
    Situation("The outcome is not known", "CreateOutcomeUnknown", answered({"status": 503}), "HTTP 503"),
    Situation("The answer was lost", "CreateOutcomeUnknown", answer_was_lost, saying="earlier attempt"),
    Situation("The list cannot be read reliably", "ListingIncomplete", pages_shift),
    Situation("The name exists already", "AlreadyExists", exists, "'shop' already exists in the cloud with ID <id>"),
    Situation("The name is being deleted", "NameTaken", name_is_leaving),
    Situation("Two resources with its tag", "Ambiguous", two_with_its_tag, "<id>"),
    Situation("Its resource carries another's tag", "AlreadyExists", tag_is_anothers, "<id>", "tag", options=SOON),
    Situation("What it needs is held by another", "DependencyInUse", address_is_held, "ElasticIP default/next"),
    Situation("Kubernetes refuses a call", "KubernetesRefused", kubernetes_refuses, "403: may not"),
]
