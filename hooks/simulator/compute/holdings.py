"""What a server is made from: reading the references of a create, and judging whether each may be used (api §9.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hooks.simulator.compute.errors import NOT_BOOTABLE, OTHER_VPC, OTHER_ZONE, boot_volume_in_use
from hooks.simulator.compute.keypair import KEY_PAIR
from hooks.simulator.errors import dependency, not_settled
from hooks.simulator.network.elasticip import ELASTIC_IP
from hooks.simulator.network.security import SECURITY_GROUP
from hooks.simulator.network.subnet import SUBNET
from hooks.simulator.network.vpc import VPC
from hooks.simulator.resource import Kind, Resource
from hooks.simulator.rules import Draft
from hooks.simulator.storage.volume import VOLUME
from hooks.simulator.validation import Reader, resolve
from hooks.simulator.world import World


@dataclass(frozen=True)
class Holdings:
    """The resources that a new server binds."""

    vpc: Resource
    boot_volume: Resource
    key_pair: Resource | None
    elastic_ip: Resource | None
    subnets: list[Resource]
    groups: list[Resource]

    def __iter__(self) -> Iterator[Resource]:
        yield from (self.vpc, self.boot_volume, *self.subnets, *self.groups)
        yield from (one for one in (self.key_pair, self.elastic_ip) if one is not None)


def read(world: World, draft: Draft) -> Holdings:
    """All of them, each settled and free, or a refusal."""
    sent, project = draft.properties, draft.project
    vpc = must(world, project, VPC, sent.uri("vpc", required=True), "vpc")
    boot_volume = must(world, project, VOLUME, sent.uri("bootVolume", required=True), "bootVolume")
    key_pair = settled(resolve(world, project, KEY_PAIR, sent.uri("keyPair"), "keyPair"), "keyPair")
    elastic_ip = resolve(world, project, ELASTIC_IP, sent.uri("elasticIp"), "elasticIp")
    subnets = inside(world, vpc, SUBNET, sent, "subnets")
    groups = inside(world, vpc, SECURITY_GROUP, sent, "securityGroups")
    check_boot(sent, boot_volume)
    if elastic_ip is not None:
        check_free(elastic_ip, "elasticIp")
    return Holdings(vpc, boot_volume, key_pair, elastic_ip, subnets, groups)


def must(world: World, project: Resource, kind: Kind, uri: str | None, what: str) -> Resource:
    """A dependency that has to be there and settled."""
    found = settled(resolve(world, project, kind, uri or "-", what), what)
    if found is None:
        raise dependency(f"{what} not found")
    return found


def settled(found: Resource | None, what: str) -> Resource | None:
    if found is not None and not found.settled:
        raise not_settled(what)
    return found


def inside(world: World, vpc: Resource, kind: Kind, sent: Reader, name: str) -> list[Resource]:
    """Subnets or groups of the server's own VPC."""
    found = [must(world, vpc.project, kind, uri, kind.typology) for uri in sent.uris(name)]
    if any(one.parent is not vpc for one in found):
        sent.note(name, OTHER_VPC)
    return list(dict.fromkeys(found))


def check_boot(sent: Reader, volume: Resource) -> None:
    if volume.state != "NotUsed":
        raise boot_volume_in_use()
    if not volume.properties["bootable"]:
        sent.note("bootVolume", NOT_BOOTABLE)
    check_zone(sent, volume, sent.text("dataCenter"), "bootVolume")


def check_zone(sent: Reader, volume: Resource, zone: str | None, name: str) -> None:
    """A volume without a zone is regional and fits everywhere."""
    if volume.properties["dataCenter"] not in (None, zone):
        sent.note(name, OTHER_ZONE)


def check_free(resource: Resource, what: str) -> None:
    if resource.state != "NotUsed":
        raise not_settled(what)
