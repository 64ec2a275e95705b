"""CloudServer: written in one place, read in another, changed by actions (api §8.9)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from hooks.aruba.model.kind import Action, Check, Collection, Demand, Kind, Names
from hooks.aruba.model.live import Ids, Live, last_segment
from hooks.aruba.model.marks import At, Column, Exclusive, Of, Seen, To, Word
from hooks.aruba.model.schema import CommonStatus, Ref, RegionalSpec


def interfaces(live: Live) -> Ids | None:
    """Subnets are shown as plain URIs inside the network interfaces (api §4.4)."""
    cards = live.get("networkInterfaces")
    if not isinstance(cards, list):
        return None
    return frozenset(last_segment(card["subnet"]) for card in cards if isinstance(card, dict) and card.get("subnet"))


def security_groups(live: Live) -> Ids | None:
    """Groups are mixed with everything else in linkedResources (api §8.9)."""
    return live.linked("securityGroups")


def elastic_ip(live: Live) -> Ids | None:
    """The address too is only a linked resource."""
    return live.linked("elasticIps")


def data_volumes(live: Live) -> Ids | None:
    """Volumes among the linked resources; the boot volume is not data. Some answers call them `volumes` (api §3)."""
    linked = live.linked("blockStorages")
    if linked is None:
        return None
    return (linked | (live.linked("volumes") or frozenset())) - {last_segment(live.get("bootVolume.uri"))}


def flavor(live: Live) -> object:
    """Asked for by name, shown as an object."""
    return live.get("flavor.name")


def shown_addresses(live: Live) -> str | None:
    """The private addresses of all interfaces, as one line for a column."""
    found = []
    for card in live.get("networkInterfaces") or ():
        ips = card.get("ips") if isinstance(card, dict) else None
        found += [ip for ip in ips or () if isinstance(ip, str)]
    return ", ".join(found) or None


class CloudServerSpec(RegionalSpec):
    """A virtual server."""

    zone: Annotated[str, At("dataCenter"), Word()] = "ITBG-1"
    """Data centre of the server, for example ITBG-1."""
    flavorName: Annotated[str, At("flavorName"), Seen(flavor), Word()]
    """Size of the server, for example CSO2A4: 2 CPUs, 4 GB."""
    vpcReference: Annotated[Ref, To("VPC"), At("vpc")]
    """The VPC of the server's subnets."""
    subnetReferences: Annotated[tuple[Ref, ...], To("Subnet"), At("subnets"), Seen(interfaces), Field(min_length=1)]
    """Subnets that the server is connected to."""
    securityGroupReferences: Annotated[
        tuple[Ref, ...], To("SecurityGroup"), At("securityGroups"), Seen(security_groups), Field(min_length=1)
    ]
    """Security groups that guard the server."""
    keyPairReference: Annotated[Ref, To("KeyPair"), At("keyPair")]
    """The key for logging in."""
    bootVolumeReference: Annotated[Ref, To("BlockStorage"), At("bootVolume"), Exclusive()]
    """The bootable volume that the server starts from."""
    dataVolumeReferences: Annotated[tuple[Ref, ...] | None, To("BlockStorage"), Seen(data_volumes), Exclusive()] = None
    """Further volumes, attached once the server is up."""
    elasticIPReference: Annotated[Ref | None, To("ElasticIP"), At("elasticIp"), Seen(elastic_ip), Exclusive()] = None
    """The public address of the server."""


class CloudServerStatus(CommonStatus):
    """What is known of a CloudServer."""

    addresses: Annotated[str | None, Seen(shown_addresses), Column("Addresses")] = None
    """Addresses of the network interfaces."""
    publicIP: Annotated[str | None, Of("elasticIPReference", "address"), Column("Public IP", priority=1)] = None
    """The address of the ElasticIP that is bound to the server."""
    volumeIDs: list[str] | None = None
    """IDs of the boot volume and of all data volumes."""


def boot_volume_is_no_data_volume(spec: CloudServerSpec) -> str | None:
    """One volume cannot be attached twice."""
    if spec.bootVolumeReference in (spec.dataVolumeReferences or ()):
        return f"spec.dataVolumeReferences names the boot volume {spec.bootVolumeReference} again"
    return None


def boot_volume_must_be_bootable(volume: Mapping[str, Any]) -> str | None:
    """The cloud would refuse the server, or stall (behaviour §5 W32)."""
    return None if volume.get("bootable") else "is not bootable: it needs spec.bootable: true and spec.image"


CLOUD_SERVER = Kind(
    names=Names("CloudServer", "cloudservers", "cs", "arucs"),
    spec=CloudServerSpec,
    status=CloudServerStatus,
    collection=Collection("/projects/{project}/providers/Aruba.Compute/cloudServers", create_version="1.1"),
    changes=(  # in this order, one call a pass; what none covers is refused, tags included (cases 21)
        Action("associateDisassociateSubnets", "subnetReferences", "subnetsToAssociate", "subnetsToDisassociate"),
        Action(
            "associateDisassociateSecurityGroups",
            "securityGroupReferences",
            "securityGroupsToAssociate",
            "securityGroupsToDisassociate",
        ),
        Action(
            "associateDisassociateElasticIPs", "elasticIPReference", "elasticIPsToAssociate", "elasticIPsToDisassociate"
        ),
        Action("attachDetachDataVolumes", "dataVolumeReferences", "volumesToAttach", "volumesToDetach"),
    ),
    checks=(Check(("bootVolumeReference", "dataVolumeReferences"), boot_volume_is_no_data_volume),),
    demands=(Demand("bootVolumeReference", boot_volume_must_be_bootable),),
    recreate=False,
    sample={
        "flavorName": "CSO2A4",
        "vpcReference": {"name": "shop-net", "namespace": "default"},
        "subnetReferences": [{"name": "shop-front", "namespace": "default"}],
        "securityGroupReferences": [{"name": "shop-web", "namespace": "default"}],
        "keyPairReference": {"name": "ops-laptop", "namespace": "default"},
        "bootVolumeReference": {"name": "shop-web1-boot", "namespace": "default"},
        "projectReference": {"name": "shop-prod", "namespace": "default"},
    },
    full_sample={
        "tenant": "ARU-000001",
        "region": "ITBG-Bergamo",
        "zone": "ITBG-1",
        "tags": ["shop"],
        "flavorName": "CSO2A4",
        "vpcReference": {"name": "shop-net", "namespace": "default"},
        "subnetReferences": [{"name": "shop-front", "namespace": "default"}],
        "securityGroupReferences": [{"name": "shop-web", "namespace": "default"}],
        "keyPairReference": {"name": "ops-laptop", "namespace": "default"},
        "bootVolumeReference": {"name": "shop-web1-boot", "namespace": "default"},
        "dataVolumeReferences": [{"name": "shop-web1-data", "namespace": "default"}],
        "elasticIPReference": {"name": "shop-front-ip", "namespace": "default"},
        "projectReference": {"name": "shop-prod", "namespace": "default"},
    },
)
