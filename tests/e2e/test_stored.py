"""Field case 113 on a real API server: objects stored under looser schemas are seen to, or say why not, and can go.

Mirrors what tests/cases and tests/manifests hold in the simulated world; what the API server itself makes of objects
that its schemas would refuse today (ratcheting, pruning) can be judged only here.
"""

from __future__ import annotations

import asyncio
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from hooks.aruba.kinds import discover
from hooks.clock import seeded
from hooks.http import AsyncClient
from hooks.manifests import crds
from tests.cases import nine
from tests.e2e.controlplane.cluster import Cluster, apply
from tests.e2e.house import PATHS, RealHouse, install, real_house
from tests.e2e.rest import at_rest, key
from tests.world.house import API, PLURALS
from tests.world.judge import condition, settled
from tests.world.life import all_settled, delete_all
from tests.world.manifests import fixture_set, make, name_of, ref

pytestmark = pytest.mark.real_time

Object = dict[str, Any]
ANYTHING: Object = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
LOOSE: Object = {"type": "object", "properties": {"spec": ANYTHING, "status": ANYTHING}}
PROBE = {"tenant": "../t-200"}
"""No kind's schema lets this in, and every loose one does."""
STRANGE = {"colour": "blue", "placement": {"rack": 7}}
INVALID = "IntentionValidationFailed"
UNREADABLE = f"{INVALID}: [SpecUnreadable] spec."
WITHOUT = object()


def _broken(kind: str, name: str, told: str, **spec: Any) -> tuple[Object, str]:
    """An object with parts of its spec wrong or left out, and what it has to say."""
    item = nine.subject(kind)
    item["metadata"]["name"] = name
    item["spec"] = {key: value for key, value in {**item["spec"], **spec}.items() if value is not WITHOUT}
    return item, told


BROKEN = [
    _broken("Project", "not-a-tenant", f"{INVALID}: [TenantMustBeAName]", tenant="../t-200"),
    _broken("Project", "tags-of-text", f"{UNREADABLE}tags", tags="blue-tag"),
    _broken("VPC", "without-project", f"{UNREADABLE}projectReference", projectReference=WITHOUT),
    _broken("VPC", "half-a-reference", f"{UNREADABLE}projectReference.namespace", projectReference={"name": "shop"}),
    _broken("VPC", "text-for-reference", f"{UNREADABLE}projectReference", projectReference="shop"),
    _broken("VPC", "short-tag", f"{INVALID}: [TagsFit]", tags=["ab"]),
    _broken(
        "VPC",
        "leads-nowhere",
        "WaitingForReferences: Project default/nowhere does not exist",
        projectReference=ref("nowhere"),
    ),
    _broken("Subnet", "no-range", f"{UNREADABLE}cidr", cidr="10.0.0.0"),
    _broken("Subnet", "public-range", f"{INVALID}: [Possible] spec.cidr 8.8.8.0/24", cidr="8.8.8.0/24"),
    _broken("Subnet", "unknown-type", f"{UNREADABLE}type", type="Fancy"),
    _broken("SecurityGroup", "another-tenant", "TenantMismatch: [TenantMustMatchProject]", tenant="t-200"),
    _broken("SecurityRule", "unknown-protocol", f"{UNREADABLE}protocol", protocol="GRE"),
    _broken("SecurityRule", "number-for-port", f"{UNREADABLE}port", port=80),
    _broken("ElasticIP", "unknown-period", f"{UNREADABLE}billingPeriod", billingPeriod="Year"),
    _broken("BlockStorage", "no-size", f"{UNREADABLE}sizeGB", sizeGB=0),
    _broken("BlockStorage", "size-in-words", f"{UNREADABLE}sizeGB", sizeGB="twenty"),
    _broken("KeyPair", "no-key", f"{UNREADABLE}value", value=""),
    _broken("CloudServer", "no-groups", f"{UNREADABLE}securityGroupReferences", securityGroupReferences=[]),
    _broken(
        "CloudServer",
        "subnet-twice",
        f"{INVALID}: [NoDuplicates] spec.subnetReferences names default/shop",
        subnetReferences=[ref("shop"), ref("shop")],
    ),
]
SPOILT: dict[str, Object] = {
    "Project": {"tags": "text"},
    "VPC": {"projectReference": {"namespace": None}},
    "Subnet": {"cidr": "10.0.0.0"},
    "SecurityGroup": {"vpcReference": None},
    "SecurityRule": {"protocol": "GRE", "target": None},
    "KeyPair": {"value": ""},
    "ElasticIP": {"billingPeriod": "Year"},
    "BlockStorage": {"sizeGB": 0},
    "CloudServer": {"securityGroupReferences": [], "bootVolumeReference": None},
}
"""What a looser schema lets users do to what is live already: no object can be read any more."""


async def test_case_113_stored_before_the_operator_came(cluster: Cluster, tmp_path: Path) -> None:
    """Case 113: a good set becomes Active; what breaks a rule says which, costs nothing, and can be edited and go."""
    good = _strange(fixture_set("Test10"))
    async with cluster.client() as kube:
        await install(cluster, kube)
        await loosen(kube)
        for item in [*good, *(item for item, _ in BROKEN), _without_spec()]:
            answer = await kube.post(f"{API}/namespaces/default/{PLURALS[item['kind']]}", json=item)
            assert answer.status_code == 201, answer.text
        await tighten(kube)
    async with real_house(cluster, tmp_path) as house:
        await house.until(lambda: _as_expected(house), within=25)
        await at_rest(house)
        await _labelled(house)
        await at_rest(house)
        assert await _as_expected(house)
        await delete_all(house, seeded(113))
        made = {f"{row['kind']} {row['name']}" for row in await house.resources(everything=True)}
        assert made == {f"{item['kind']} {name_of(item)}" for item in good}
        posts = [call for call in await house.calls(method="POST") if not call["path"].endswith("Volumes")]
        assert len(posts) == len(good), "nothing was tried for the others"


async def test_case_113_live_objects_through_an_upgrade(cluster: Cluster, tmp_path: Path) -> None:
    """Case 113: the schemas become strict while everything runs: nothing is lost, no label edit is refused, the cloud
    is not asked to change anything; edits of the spec go through.
    """
    async with real_house(cluster, tmp_path) as house:
        await loosen(house.kube)
        await house.apply(*_strange(fixture_set("Test10")))
        await house.until(lambda: all_settled(house))
        before, writes = {key(item): item for item in await house.objects()}, len(await house.writes())
        assert all(item["spec"].get("colour") == "blue" for item in before.values())
        await tighten(house.kube)
        await _labelled(house)
        await at_rest(house)
        assert len(await house.writes()) == writes
        for item in await house.objects():
            was = before[key(item)]
            assert item["spec"] == {key: value for key, value in was["spec"].items() if key not in STRANGE}
            assert item["status"]["resourceID"] == was["status"]["resourceID"]
            assert item["metadata"]["annotations"].items() >= was["metadata"]["annotations"].items()
            assert settled(item)
        await house.patch("VPC", "shop", {"spec": {"tags": ["after-upgrade"]}})
        await house.until(lambda: all_settled(house))
        (write,) = (await house.writes())[writes:]
        assert (write["method"], write["requestBody"]["metadata"]["tags"][0]) == ("PUT", "after-upgrade")
        await delete_all(house, seeded(114))


async def test_case_113_live_objects_spoilt_under_looser_schemas(cluster: Cluster, tmp_path: Path) -> None:
    """Case 113: specs that cannot be read any more keep their resources, say so, and are deleted cloud and all."""
    async with real_house(cluster, tmp_path) as house:
        await house.apply(*fixture_set("Test10"))
        await house.until(lambda: all_settled(house))
        await loosen(house.kube)
        writes = len(await house.writes())
        ids = {key(item): item["status"]["resourceID"] for item in await house.objects()}
        for item in await house.objects():
            await house.patch(item["kind"], name_of(item), {"spec": SPOILT[item["kind"]]})
        await tighten(house.kube)
        await house.until(lambda: _all_say(house, "[SpecUnreadable]"), within=25)
        await _labelled(house)
        await at_rest(house)
        assert {key(item): item["status"]["resourceID"] for item in await house.objects()} == ids
        assert len(await house.writes()) == writes
        await delete_all(house, seeded(115))


async def loosen(kube: AsyncClient) -> None:
    """The nine kinds, and anything goes."""
    definitions = deepcopy(crds(discover()))
    for item in definitions:
        item["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = LOOSE
    await _install(kube, definitions, 201)


async def tighten(kube: AsyncClient) -> None:
    """Our own definitions over whatever there is, as `install` does it."""
    await _install(kube, crds(discover()), 422)


async def _install(kube: AsyncClient, definitions: list[Object], answer: int) -> None:
    """Until the API server goes by them, by what it says to the probe."""
    for item in definitions:
        await apply(kube, PATHS["CustomResourceDefinition"], item)
    for kind, plural in PLURALS.items():
        url, probe = f"{API}/namespaces/default/{plural}", make(kind, "probe", PROBE)
        for _ in range(300):
            if (await kube.post(url, json=probe, params={"dryRun": "All"})).status_code == answer:
                break
            await asyncio.sleep(0.1)
        else:
            raise AssertionError(f"the new schema of {kind} is not in force")


def _strange(items: list[Object]) -> list[Object]:
    """With fields that no schema of ours knows, and a tag in upper case."""
    for item in items:
        item["spec"] |= STRANGE
        if item["kind"] == "VPC":
            item["spec"]["tags"] = ["Web-Shop", "Web-Shop"]
    return items


def _without_spec() -> Object:
    item = make("VPC", "without-spec", {})
    del item["spec"]
    return item


async def _as_expected(house: RealHouse) -> bool:
    """The good ones are settled; each of the others says what is wrong, in Ready and in the message."""
    told = {key(item): text for item, text in BROKEN} | {"VPC without-spec": f"{UNREADABLE}projectReference"}
    for item in await house.objects():
        text = told.get(key(item))
        if not (settled(item) if text is None else _says(item, text)):
            return False
    return True


def _says(item: Object, told: str) -> bool:
    ready, message = condition(item, "Ready"), item.get("status", {}).get("message", "")
    reason, _, words = told.partition(": ")
    stalled = "False" if reason == "WaitingForReferences" else "True"
    return (
        (ready.get("status"), ready.get("reason")) == ("False", reason)
        and words in message
        and words in ready["message"]
        and condition(item, "Stalled")["status"] == stalled
    )


async def _all_say(house: RealHouse, words: str) -> bool:
    return all(words in condition(item, "Ready").get("message", "") for item in await house.objects())


async def _labelled(house: RealHouse) -> None:
    """An edit that has nothing to do with anybody; `patch` raises when the API server refuses it."""
    for item in await house.objects():
        await house.patch(item["kind"], name_of(item), {"metadata": {"labels": {"team": "blue"}}})
