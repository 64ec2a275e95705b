"""Situations of an object that is, or was, Active: changes, drift, losses, and a cloud that cannot be asked."""

from __future__ import annotations

import asyncio
from typing import Any

from hooks.simulator import FAST, Timings
from hooks.simulator.transitions import AfterSeconds
from tests.cases import nine
from tests.cases.blind import BLIND, furnished
from tests.cases.console import move, set_to
from tests.cases.test_held import first_has_it
from tests.scenarios.edits import spares
from tests.scenarios.said import Play, Situation, Subject
from tests.scenarios.said_creating import ACCOUNT, BAD, BUSY, NEVER, SOON, UNREADY
from tests.world.house import CLOUD, House
from tests.world.manifests import ref

Object = dict[str, Any]
SHORT = {"arubacloud.com/timeout": "1m"}
DRIFT = "arubacloud.com/drift-policy"
GONE = "arubacloud.com/on-external-delete"


async def annotate(house: House, kind: str, **annotations: str) -> None:
    named = {f"arubacloud.com/{name.replace('_', '-')}": text for name, text in annotations.items()}
    await house.patch(kind, nine.name(kind), {"metadata": {"annotations": named}})


def edited(then: Object | None = None, kind: str = "VPC") -> Play:
    """Tags are edited, and the cloud answers so; without an answer it takes the change and never finishes it."""

    async def play(house: House) -> str:
        resource = await nine.active(house, kind)
        if then is None:
            await house.quirks(neverSettle=kind)
        else:
            await house.faults({"match": {"method": "PUT", "path": f"/{resource}$"}, "then": then})
        await house.patch(kind, nine.name(kind), {"spec": {"tags": ["from-owner"]}})
        return kind

    return play


async def flavor_is_another(house: House) -> str:
    resource = await nine.active(house, "CloudServer")
    await house.admin("POST", f"resources/{resource}", {"properties": {"flavorName": "CSO1A2"}})
    return "CloudServer"


def drifted(policy: str) -> Play:
    async def play(house: House) -> str:
        await nine.active(house, "BlockStorage")
        await annotate(house, "BlockStorage", drift_policy=policy)
        await set_to(house, "BlockStorage", "sizeGB", 30)
        return "BlockStorage"

    return play


async def put_back(house: House) -> str:
    await nine.active(house, "BlockStorage")
    await house.quirks(neverSettle="BlockStorage")
    await set_to(house, "BlockStorage", "sizeGB", 30)
    return "BlockStorage"


async def something_extra(house: House) -> str:
    await nine.active(house, "CloudServer")
    await house.apply(*spares("CloudServer", "securityGroupReferences"))
    await house.until(house.all_active)
    await move(house, "securityGroupReferences", add=("next",))
    return "CloudServer"


async def unreadable(house: House) -> str:
    await nine.active(house, "VPC")
    await annotate(house, "VPC", delete_policy="keep", timeout="soon")
    return "VPC"


async def volume_is_held(house: House) -> Subject:
    second, _ = await first_has_it(house, "dataVolumeReferences")
    await asyncio.sleep(20)
    await house.apply(second)
    return Subject(second["kind"], second["metadata"]["name"])


async def moved(house: House) -> str:
    resource = await nine.active(house, "VPC")
    elsewhere = {"metadata": {"project": {"id": "0123456789abcdef01234567"}}}
    await house.admin("POST", f"resources/{resource}", elsewhere)
    return "VPC"


def vanished(kind: str) -> Play:
    async def play(house: House) -> str:
        resource = await nine.active(house, kind)
        await house.admin("DELETE", f"resources/{resource}")
        return kind

    return play


def in_state(state: str, **more: Any) -> Play:
    async def play(house: House) -> str:
        resource = await nine.active(house, "VPC")
        await house.admin("POST", f"resources/{resource}", {"state": state, **more})
        return "VPC"

    return play


def asked_in_vain(*faults: Object) -> Play:
    """At rest, when the cloud answers reads so."""

    async def play(house: House) -> str:
        await furnished(house, "VPC")
        await asyncio.sleep(20)
        await house.faults(*faults)
        return "VPC"

    return play


def reads(then: Object) -> Object:
    return {"match": {"method": "GET", "path": "/projects"}, "then": then}


async def cut_off(house: House) -> str:
    await nine.active(house, "VPC")
    house.net.cut(CLOUD)
    return "VPC"


async def secret_is_wrong(house: House) -> str:
    await nine.active(house, "VPC")
    await house.admin("POST", "tokens", {"clients": {"aruba-local": "another"}, "revoke": "all"})
    return "VPC"


async def making_takes_too_long(house: House) -> str:
    item = await nine.prepared(house, "VPC")
    item["metadata"]["annotations"] = SHORT
    await house.quirks(neverSettle="VPC")
    await house.apply(item)
    return "VPC"


async def asking_takes_too_long(house: House) -> str:
    item = await nine.prepared(house, "VPC")
    item["metadata"]["annotations"] = SHORT
    await house.faults({"match": {"method": "POST", "path": "/vpcs$"}, "then": UNREADY})
    await house.apply(item)
    return "VPC"


async def change_takes_too_long(house: House) -> str:
    await nine.active(house, "VPC")
    await annotate(house, "VPC", timeout="1m")
    await house.quirks(neverSettle="VPC")
    await house.patch("VPC", "shop", {"spec": {"tags": ["from-owner"]}})
    return "VPC"


async def attaching_too_long(house: House) -> str:
    server = nine.subject("CloudServer", dataVolumeReferences=[ref("next")])
    server["metadata"]["annotations"] = SHORT
    await house.apply(*nine.needs("CloudServer"), *spares("CloudServer", "dataVolumeReferences"), server)
    return "CloudServer"


ENDLESS = Timings({**FAST.paces, "CloudServer": {**FAST.paces["CloudServer"], "attach": AfterSeconds(9000)}})
EXTRA = "spec.securityGroupReferences"
FRONT, NOTHING = asked_in_vain(*BLIND["html"]), asked_in_vain(*BLIND["problem"])
CHANGES = [
    Situation("A change is under way", "Updating", edited(), "spec.tags"),
    Situation("Drift is put back", "Updating", put_back, "spec.sizeGB", "spec", options=SOON),
    Situation("The cloud finds the change invalid", "ValidationFailed", edited(BAD), "Name: is not liked"),
    Situation("It is not ready for the change", "DependencyNotReady", edited(UNREADY), "bootVolume"),
    Situation("The change is not allowed", "Forbidden", edited(NEVER), "HTTP 403"),
    Situation("The change meets trouble with the account", "AccountOrBilling", edited(ACCOUNT), "Ecommerce.Order"),
    Situation("Too many calls", "Throttled", edited(BUSY), "HTTP 429"),
    Situation("The change meets a server in trouble", "ApiUnreachable", edited({"status": 503}), "HTTP 503"),
    Situation("No call can make the change", "ChangeRefused", flavor_is_another, "spec.flavorName", options=SOON),
    Situation("What it is to have is held by another", "DependencyInUse", volume_is_held, "BlockStorage default/next"),
]
STANDING = [
    Situation("Drift is only told", "Drifted", drifted("report"), "spec.sizeGB", options=SOON),
    Situation("Drift, and a policy that nobody can read", "Drifted", drifted("repotr"), "spec.sizeGB", options=SOON),
    Situation("Something was attached by hand", "Available", something_extra, EXTRA, "also has", options=SOON),
    Situation("Annotations that nobody can read", "Available", unreadable, "delete-policy", "neither", options=SOON),
    Situation("It belongs to another project", "PostValidationFailed", moved, "spec.projectReference", options=SOON),
    Situation("Gone from the cloud", "ExternallyDeleted", vanished("BlockStorage"), "<id>", options=SOON),
    Situation("Gone from the cloud, and made again", "Creating", vanished("VPC"), saying="made again", options=SOON),
    Situation("Being deleted by somebody else", "BeingDeleted", in_state("Deleting"), options=SOON),
    Situation("Busy in the cloud", "Updating", in_state("Updating"), options=SOON),
    Situation("In a state that is not known here", "UnknownState", in_state("Odd"), "'Odd'", options=SOON),
    Situation("Failed in the cloud", "CloudFailed", in_state("Failed", failureReason="bad disk"), "bad", options=SOON),
    Situation("The cloud is not reached", "ApiUnreachable", cut_off, "cloud.test", options=SOON),
    Situation("Something in front of the cloud answers", "ApiUnreachable", FRONT, "HTTP 404", options=SOON),
    Situation("The whole tenant looks empty", "TenantUnreadable", NOTHING, "project <id>", options=SOON),
    Situation("Reading is not allowed", "Forbidden", asked_in_vain(reads(NEVER)), "HTTP 403", options=SOON),
    Situation("The secret is wrong", "CredentialsUnavailable", secret_is_wrong, "client-secret", options=SOON),
]
TIMEOUTS = [
    Situation("Creating", "Timeout", asking_takes_too_long, "1m0s", within=120),
    Situation("Provisioning", "Timeout", making_takes_too_long, "1m0s", within=120),
    Situation("WaitingCondition", "Timeout", attaching_too_long, "1m0s", within=150, options={"timings": ENDLESS}),
    Situation("Updating", "Timeout", change_takes_too_long, "1m0s", within=120),
]
