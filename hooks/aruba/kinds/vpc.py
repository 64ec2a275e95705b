"""VPC: a private network; it has no address range of its own (api §8.2)."""

from __future__ import annotations

from hooks.aruba.model.kind import Collection, Kind, Names, Put
from hooks.aruba.model.schema import CommonStatus, RegionalSpec


class VPCSpec(RegionalSpec):
    """A virtual private cloud: the network that subnets and security groups live in."""


class VPCStatus(CommonStatus):
    """What is known of a VPC."""


VPC = Kind(
    names=Names("VPC", "vpcs", "vpc", "aruvpc"),
    spec=VPCSpec,
    status=VPCStatus,
    collection=Collection("/projects/{project}/providers/Aruba.Network/vpcs"),
    # Both flags are sent: the API's own default would make this the account's default VPC (api §8.2).
    fixed={"default": False, "preset": False},
    changes=(Put(("tags",), body=("default",)),),
    sample={"projectReference": {"name": "shop-prod", "namespace": "default"}},
    full_sample={
        "tenant": "ARU-000001",
        "region": "ITBG-Bergamo",
        "tags": ["shop"],
        "projectReference": {"name": "shop-prod", "namespace": "default"},
    },
)
