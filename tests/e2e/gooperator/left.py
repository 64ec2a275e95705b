"""A cloud with resources, and the objects that the Go operator made them for, as it leaves them in each phase."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any, NamedTuple

from hooks.simulator import ADMIN
from tests.cases import nine
from tests.cases.estate import Key, key
from tests.cases.test_takeover import ACTIVE, MADE, Left, status_of, theirs
from tests.e2e.site import Site
from tests.world.house import API, PLURALS
from tests.world.manifests import fixture_set

Object = dict[str, Any]
OWNERS = {"Subnet": "vpcReference", "SecurityGroup": "vpcReference", "SecurityRule": "securityGroupReference"}
"""What names the owner; of all other kinds but Project it is `projectReference`."""
TARGETS = {"vpcReference": "VPC", "securityGroupReference": "SecurityGroup", "projectReference": "Project"}


class One(NamedTuple):
    """An object, how it was left, and whether its deletion has begun."""

    item: Object
    left: Left
    going: bool = False


def tree() -> list[One]:
    """A whole Project at rest, and beside it in the same one: what was on its way, what failed, what was going."""
    pending = (("Pending", "Synchronized"),)
    creating = (*pending, ("Creating", "Synchronizing"))
    return [
        *(One(item, ACTIVE) for item in fixture_set("Test10")),
        One(named("VPC", "half-way"), Left(creating)),
        One(named("ElasticIP", "half-way"), Left(creating, known=False)),
        One(named("BlockStorage", "late"), Left((*pending, ("Creating", "Failed"), ("Failed", "Failed")), known=False)),
        One(named("VPC", "failed"), Left((*MADE, ("Active", "Synchronized"), ("Failed", "Synchronized")))),
        One(named("KeyPair", "strict"), Left((*MADE, ("Failed", "PostValidationFailed")))),
        One(named("ElasticIP", "waiting"), Left(pending, known=False, there=False)),
        One(
            named("ElasticIP", "going"), Left((*MADE, ("Active", "Synchronized"), ("Deleting", "Synchronizing"))), True
        ),
    ]


def named(kind: str, name: str) -> Object:
    """Another object of a kind, in the same place as the set's own."""
    item = deepcopy(nine.subject(kind))
    item["metadata"]["name"] = name
    return item


async def estate(here: Site, ones: list[One]) -> dict[Key, str]:
    """The IDs of the resources, made in the cloud as if long ago; where there is none, none."""
    uris: dict[Key, str] = {}
    ids: dict[Key, str] = {}
    for one in ones:
        if not one.left.there:
            continue
        owner = owner_of(one.item)
        made = {
            "kind": one.item["kind"],
            "name": one.item["metadata"]["name"],
            "tags": one.item["spec"].get("tags", []),
            "properties": _properties(one.item, uris),
            **({"projectId": ids["Project", one.item["spec"]["projectReference"]["name"]]} if owner else {}),
            **({"parentId": ids[owner]} if owner and owner[0] != "Project" else {}),
        }
        row = (await here.books.post(f"{ADMIN}/resources", json=made)).json()
        assert "id" in row, row
        ids[key(one.item)], uris[key(one.item)] = row["id"], row["uri"]
    return ids


def owner_of(item: Object) -> Key | None:
    if item["kind"] == "Project":
        return None
    field = OWNERS.get(item["kind"], "projectReference")
    return TARGETS[field], item["spec"][field]["name"]


def _properties(item: Object, uris: dict[Key, str]) -> Object:
    """The body's properties, as the Go operator sent them (behaviour §1)."""
    spec, kind = item["spec"], item["kind"]
    if kind == "CloudServer":
        return _server(spec, uris)
    return {
        "Project": lambda: {"description": spec["description"], "default": False},
        "VPC": dict,
        "SecurityGroup": dict,
        "Subnet": lambda: {"type": spec["type"], "network": {"address": spec["cidr"]}, "dhcp": spec["dhcp"]},
        "SecurityRule": lambda: {
            **{name: spec[name] for name in ("direction", "protocol", "port")},
            "target": {"kind": spec["target"]["type"], "value": spec["target"]["value"]},
        },
        "KeyPair": lambda: {"value": spec["value"]},
        "ElasticIP": lambda: {"billingPlan": {"billingPeriod": spec["billingPeriod"]}},
        "BlockStorage": lambda: {
            "sizeGb": spec["sizeGB"],
            "dataCenter": spec["zone"],
            **{name: spec[name] for name in ("billingPeriod", "type", "bootable", "image") if name in spec},
        },
    }[kind]()


def _server(spec: Object, uris: dict[Key, str]) -> Object:
    """Without its data volumes, which the Go operator never attached (W12)."""

    def at(kind: str, ref: Object) -> Object:
        return {"uri": uris[kind, ref["name"]]}

    return {
        "dataCenter": spec["zone"],
        "flavorName": spec["flavorName"],
        "vpc": at("VPC", spec["vpcReference"]),
        "bootVolume": at("BlockStorage", spec["bootVolumeReference"]),
        "keyPair": at("KeyPair", spec["keyPairReference"]),
        "elasticIp": at("ElasticIP", spec["elasticIPReference"]),
        "subnets": [at("Subnet", ref) for ref in spec["subnetReferences"]],
        "securityGroups": [at("SecurityGroup", ref) for ref in spec["securityGroupReferences"]],
    }


async def leave(here: Site, ones: list[One], ids: dict[Key, str]) -> None:
    """The objects, with its finalizer, its ownership metadata and its status; those that are going are asked to go."""
    uids: dict[Key, str] = {}
    for one in ones:
        item = deepcopy(one.item)
        item["metadata"]["finalizers"] = [theirs(item["kind"])]
        _own(item, uids)
        url = f"{API}/namespaces/{item['metadata']['namespace']}/{PLURALS[item['kind']]}"
        live = await here.until(lambda url=url, item=item: _made(here, url, item))
        uids[key(item)] = live["metadata"]["uid"]
        url = f"{url}/{item['metadata']['name']}"
        answer = await here.kube.put(f"{url}/status", json={**live, "status": status_of(one.left, item, ids)})
        assert answer.status_code == 200, answer.text
        if one.going:
            await here.kube.delete(url)


async def _made(here: Site, url: str, item: Object) -> Object | None:
    """A kind that is new, or was just deleted and is back, is not served at once."""
    answer = await here.kube.post(url, json=item)
    assert answer.status_code in (201, 404), answer.text
    return dict(answer.json()) if answer.status_code == 201 else None


def _own(item: Object, uids: dict[Key, str]) -> None:
    """Behaviour §2.9."""
    owner = owner_of(item)
    if owner is None:
        return
    kind, name = owner
    entry = {"apiVersion": item["apiVersion"], "kind": kind, "namespace": "default", "name": name, "uid": uids[owner]}
    entries = [{**entry, "controller": True, "blockOwnerDeletion": True}]
    item["metadata"]["annotations"] = {"arubacloud.com/owner-references": json.dumps(entries)}
    item["metadata"]["labels"] = {f"arubacloud.com/owner-{kind.lower()}": uids[owner]}
