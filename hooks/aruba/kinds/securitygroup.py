"""SecurityGroup: a set of rules that servers are bound to (api §8.4)."""

from __future__ import annotations

from typing import Annotated

from hooks.aruba.model.kind import Collection, Kind, Names, Put
from hooks.aruba.model.marks import To
from hooks.aruba.model.schema import CommonStatus, Ref, RegionalSpec


class SecurityGroupSpec(RegionalSpec):
    """A security group of a VPC."""

    vpcReference: Annotated[Ref, To("VPC")]
    """The VPC that this group belongs to."""


class SecurityGroupStatus(CommonStatus):
    """What is known of a SecurityGroup."""


SECURITY_GROUP = Kind(
    names=Names("SecurityGroup", "securitygroups", "sg", "arusg"),
    spec=SecurityGroupSpec,
    status=SecurityGroupStatus,
    collection=Collection("/projects/{project}/providers/Aruba.Network/vpcs/{vpc}/securityGroups"),
    located=False,
    fixed={"default": False},
    changes=(Put(("tags",), body=("default",), metadata=("name", "tags")),),
    sample={
        "vpcReference": {"name": "shop-net", "namespace": "default"},
        "projectReference": {"name": "shop-prod", "namespace": "default"},
    },
    full_sample={
        "tenant": "ARU-000001",
        "region": "ITBG-Bergamo",
        "tags": ["shop"],
        "vpcReference": {"name": "shop-net", "namespace": "default"},
        "projectReference": {"name": "shop-prod", "namespace": "default"},
    },
)
