"""Each kind's own sample objects, together with everything that they refer to, in the order of their needs.

For scenarios that are run for every kind: what a kind needs follows from its declaration.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from hooks.aruba.kinds import discover
from tests.world.manifests import TARGETS, make, references

Object = dict[str, Any]
KINDS = tuple(kind.names.kind for kind in discover())
NAMES = {
    "Project": "shop-prod",
    "VPC": "shop-net",
    "Subnet": "shop-front",
    "SecurityGroup": "shop-web",
    "SecurityRule": "shop-https",
    "KeyPair": "ops-laptop",
    "ElasticIP": "shop-front-ip",
    "BlockStorage": "shop-web1-data",
    "CloudServer": "shop-web1",
}
"""As the samples refer to each other."""
BOOT = "shop-web1-boot"


def sample(kind: str, full: bool = False, name: str = "") -> Object:
    """The kind's minimal or full sample object."""
    declared = next(one for one in discover() if one.names.kind == kind)
    spec = declared.full_sample if full and declared.full_sample else declared.sample
    return make(kind, name or NAMES[kind], deepcopy(dict(spec)))


def with_needs(kind: str, full: bool = False) -> list[Object]:
    """The sample object as the last, before it all that it refers to, directly or not, each after its own needs."""
    found: dict[tuple[str, str], Object] = {}

    def add(item: Object) -> None:
        for field, ref in references(item):
            target = TARGETS[field]
            if (target, ref["name"]) not in found:
                add(sample(target, full=ref["name"] == BOOT, name=ref["name"]))
        found[item["kind"], item["metadata"]["name"]] = item

    add(sample(kind, full))
    return list(found.values())
