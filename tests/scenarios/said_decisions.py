"""Situations in which a person's word decides: what is adopted or not, what is held back, and what is to stay."""

from __future__ import annotations

from typing import Any

from tests.cases import nine
from tests.cases.estate import adopted, adopting, estate, key, noted
from tests.cases.test_takeover import ACTIVE, begin, leave
from tests.scenarios.said import Play, Situation, Subject
from tests.scenarios.said_creating import somebody_elses
from tests.world.house import HOOKS, House

Object = dict[str, Any]
NOWHERE = "0123456789abcdef01234567"
GONE_OBJECT = ["k8s-aaaaaaaaaaaaaaaa"]
"""The tag of an object that is not in this cluster."""
PROTECTED = {"deletion_protection": "true"}


def said_of(kind: str, **words: str) -> Object:
    """The kind's subject with our annotations on it."""
    return nine.subject(kind) | {"metadata": nine.subject(kind)["metadata"] | noted(**words)["metadata"]}


# Adoption


async def another_has_it(house: House) -> Subject:
    resource = await adopted(house, "VPC")
    second = adopting(nine.subject("VPC"), resource)
    second["metadata"]["name"] = "shop-two"
    await house.apply(second)
    return Subject("VPC", "shop-two")


async def another_has_its_name(house: House) -> Subject:
    await adopted(house, "VPC")
    second = said_of("VPC", adoption_policy="if-unowned", resource_name="shop")
    second["metadata"]["name"] = "shop-two"
    await house.apply(second)
    return Subject("VPC", "shop-two")


def there(tags: list[str], count: int = 1, by_id: bool = False, **words: str) -> Play:
    """So many VPCs of the subject's name are there before it is applied with these words."""

    async def play(house: House) -> str:
        await nine.prepared(house, "VPC")
        for _ in range(count):
            resource = await somebody_elses(house, tags=tags)
        item = said_of("VPC", **words)
        await house.apply(adopting(item, resource) if by_id else item)
        return "VPC"

    return play


async def not_there(house: House) -> str:
    await nine.prepared(house, "VPC")
    await house.apply(said_of("VPC", resource_id=NOWHERE))
    return "VPC"


async def adoptee_leaves(house: House) -> str:
    await nine.prepared(house, "VPC")
    resource = await somebody_elses(house, "old-network")
    await house.admin("POST", f"resources/{resource}", {"state": "Deleting"})
    await house.apply(adopting(nine.subject("VPC"), resource))
    return "VPC"


async def another_is_named(house: House) -> str:
    await nine.active(house, "VPC")
    other = await somebody_elses(house, "old-network")
    await house.patch("VPC", "shop", noted(resource_id=other))
    return "VPC"


async def not_as_asked(house: House) -> str:
    """What is adopted has another size than the spec, a smaller one."""
    ids = await estate(house, *nine.needs("BlockStorage"), nine.subject("BlockStorage"))
    items = [*nine.needs("BlockStorage"), nine.subject("BlockStorage", sizeGB=10)]
    await house.apply(*(adopting(item, ids[key(item)]) for item in items))
    return "BlockStorage"


async def left_different(house: House) -> str:
    """The Go operator's objects, one of them edited while nothing ran."""
    items = [*nine.needs("VPC"), nine.subject("VPC", tags=["left-over"])]
    ids = await estate(house, *nine.needs("VPC"), nine.subject("VPC"))
    house.net.cut(HOOKS)
    for item in items:
        await leave(house, ACTIVE, item, ids)
    begin(house)
    return "VPC"


HAS_IT = "VPC default/shop"
POLICY = "arubacloud.com/adoption-policy: always"
TAGGED = "tag of an object that is not in this cluster"
STRANGER, STRANGERS_NAME = there(GONE_OBJECT, by_id=True), there(GONE_OBJECT)
ADOPTION = [
    Situation("Another object has what it names", "AlreadyExists", another_has_it, HAS_IT),
    Situation("Another object has what a policy found by name", "AlreadyExists", another_has_its_name, HAS_IT),
    Situation("What it names has the tag of an unknown object", "AlreadyExists", STRANGER, POLICY),
    Situation(
        "What has its name has the tag of an unknown object", "AlreadyExists", there(GONE_OBJECT), POLICY, TAGGED
    ),
    Situation("There is nothing with the ID that it names", "IntentionValidationFailed", not_there, "'<id>'"),
    Situation("Several have its name", "Ambiguous", there([], 2, adoption_policy="always"), "<id>, <id>", "several"),
    Situation("What it names is being deleted", "NameTaken", adoptee_leaves),
    Situation("It has another resource than it names", "Available", another_is_named, "resource-id", "names <id>"),
    Situation("What it names cannot be made as the spec asks", "ChangeRefused", not_as_asked, "spec.sizeGB"),
    Situation("Different when it was taken over", "Drifted", left_different, "spec.tags"),
]


# Suspended, or only observed


async def stops(house: House) -> str:
    await nine.active(house, "VPC")
    await house.patch("VPC", "shop", noted(suspend="true"))
    return "VPC"


def applied(**words: str) -> Play:
    """New, with these words on it."""

    async def play(house: House) -> str:
        await nine.prepared(house, "VPC")
        await house.apply(said_of("VPC", **words))
        return "VPC"

    return play


def deleted(kind: str = "VPC", **words: str) -> Play:
    async def play(house: House) -> str:
        await nine.active(house, kind)
        await house.patch(kind, nine.name(kind), noted(**words))
        await house.delete(kind, nine.name(kind))
        return kind

    return play


async def edited(house: House) -> str:
    await nine.active(house, "VPC")
    await house.patch("VPC", "shop", noted(mode="observe"))
    await house.patch("VPC", "shop", {"spec": {"tags": ["from-owner"]}})
    return "VPC"


async def with_a_child(house: House) -> str:
    await nine.active(house, "Subnet")
    await house.patch("VPC", "shop", noted(mode="observe"))
    await house.delete("VPC", "shop")
    return "VPC"


BY_NAME = there([], mode="observe", adoption_policy="if-unowned")
HELD = [
    Situation("Suspended while at rest", "Available", stops, "arubacloud.com/suspend", "Suspended"),
    Situation("Suspended before it is made", "Suspended", applied(suspend="true"), "arubacloud.com/suspend"),
    Situation("Suspended and deleted", "Suspended", deleted(suspend="true"), "delete-policy: orphan"),
    Situation("Observed: to be created", "Observing", applied(mode="observe"), "POST /projects/<id>/"),
    Situation("Observed: to be adopted by its name", "Observing", BY_NAME, "<id>", "adopt"),
    Situation("Observed: to be changed", "Observing", edited, "spec.tags", "PUT"),
    Situation("Observed: to be deleted", "Observing", deleted(mode="observe"), "DELETE /projects/<id>/"),
    Situation("Observed: its children are to be deleted", "Observing", with_a_child, "Subnet default/shop"),
]


# To stay


def child_says(**words: str) -> Play:
    """The VPC is deleted, its subnet is not to go."""

    async def play(house: House) -> str:
        await nine.active(house, "Subnet")
        await house.patch("Subnet", "shop", noted(**words))
        await house.delete("VPC", "shop")
        return "VPC"

    return play


async def child_was_adopted(house: House) -> str:
    await adopted(house, "Subnet")
    await house.patch("VPC", "shop", noted(delete_policy="delete"))
    await house.delete("VPC", "shop")
    return "VPC"


async def server_outside(house: House) -> str:
    await nine.active(house, "CloudServer")
    await house.delete("VPC", "shop")
    return "VPC"


SUBNET = "Subnet default/shop"
KEPT = [
    Situation("It is protected", "DeletionBlocked", deleted(**PROTECTED), "deletion-protection"),
    Situation("Something in it is protected", "DeletionBlocked", child_says(**PROTECTED), SUBNET),
    Situation("Something in it is to stay", "DeletionBlocked", child_says(delete_policy="orphan"), SUBNET),
    Situation("Something in it was adopted", "DeletionBlocked", child_was_adopted, SUBNET),
    Situation("A server that does not go with it uses it", "InUse", server_outside, "CloudServer default/shop"),
]
