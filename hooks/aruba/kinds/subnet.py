"""Subnet: a private address range inside a VPC (api §8.3)."""

from __future__ import annotations

from ipaddress import IPv4Network, ip_network
from typing import Annotated, Literal

from pydantic import Field

from hooks.aruba.model.kind import Check, Collection, Kind, Names, Put, Sibling
from hooks.aruba.model.live import Live
from hooks.aruba.model.marks import At, Column, To
from hooks.aruba.model.schema import CommonStatus, Ref, RegionalSpec, Schema

PRIVATE = tuple(IPv4Network(text) for text in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"))


class Dhcp(Schema):
    """Address assignment in a subnet."""

    enabled: Annotated[bool, At("dhcp.enabled")]
    """Whether addresses are handed out by DHCP."""


class SubnetSpec(RegionalSpec):
    """A subnet of a VPC."""

    type: Annotated[Literal["Advanced", "Basic"], At("type")]
    """Basic: the platform settles everything. Advanced: as declared here."""
    cidr: Annotated[str, At("network.address"), Field(pattern=r"^([0-9]{1,3}\.){3}[0-9]{1,3}\/[0-9]{1,2}$")]
    """Private IPv4 range, for example 10.20.1.0/24."""
    dhcp: Dhcp
    """DHCP settings."""
    vpcReference: Annotated[Ref, To("VPC")]
    """The VPC that this subnet belongs to."""


class SubnetStatus(CommonStatus):
    """What is known of a Subnet."""

    gateway: Annotated[str | None, At("network.gateway"), Column("Gateway", priority=1)] = None
    """Gateway address, as the platform chose it."""


def possible(spec: SubnetSpec) -> str | None:
    """The schema checks only the shape of an address; the cloud takes RFC 1918 ranges without host bits (api §8.3)."""
    try:
        network = ip_network(spec.cidr)
    except ValueError as error:
        return f"spec.cidr {spec.cidr} is not an IPv4 range: {error}"
    if any(isinstance(network, IPv4Network) and network.subnet_of(private) for private in PRIVATE):
        return None
    return f"spec.cidr {spec.cidr} is not inside 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16"


def cidr_must_not_overlap(spec: SubnetSpec, other: Live) -> str | None:
    """Two subnets of a VPC share no address; the cloud would say so only at creation (cases 27)."""
    try:
        theirs = ip_network(str(other.get("network.address")))
    except ValueError:
        return None
    if not ip_network(spec.cidr).overlaps(theirs):
        return None
    return f"spec.cidr {spec.cidr} overlaps {theirs} of subnet {other.name!r} ({other.id}) in the same VPC"


SUBNET = Kind(
    names=Names("Subnet", "subnets", "sn", "arusn"),
    spec=SubnetSpec,
    status=SubnetStatus,
    collection=Collection("/projects/{project}/providers/Aruba.Network/vpcs/{vpc}/subnets"),
    located=False,
    fixed={"default": False},
    # dhcp is carried whole, so that ranges, routes and name servers set elsewhere stay (behaviour §5 W20).
    changes=(Put(("tags", "dhcp.enabled"), body=("type", "default", "network", "dhcp"), metadata=("name", "tags")),),
    checks=(Check(("cidr",), possible),),
    siblings=(Sibling(cidr_must_not_overlap),),
    sample={
        "type": "Advanced",
        "cidr": "10.20.1.0/24",
        "dhcp": {"enabled": True},
        "vpcReference": {"name": "shop-net", "namespace": "default"},
        "projectReference": {"name": "shop-prod", "namespace": "default"},
    },
    full_sample={
        "tenant": "ARU-000001",
        "region": "ITBG-Bergamo",
        "type": "Advanced",
        "cidr": "10.20.1.0/24",
        "dhcp": {"enabled": True},
        "tags": ["shop"],
        "vpcReference": {"name": "shop-net", "namespace": "default"},
        "projectReference": {"name": "shop-prod", "namespace": "default"},
    },
)
