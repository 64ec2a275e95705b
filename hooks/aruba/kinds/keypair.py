"""KeyPair: an SSH public key; the cloud never changes one and may show no state for it (api §8.6)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from hooks.aruba.model.kind import Collection, Kind, Names
from hooks.aruba.model.marks import At
from hooks.aruba.model.schema import CommonStatus, RegionalSpec
from hooks.aruba.model.states import States


class KeyPairSpec(RegionalSpec):
    """An SSH public key for logging in on servers."""

    value: Annotated[str, At("value"), Field(min_length=1)]
    """The public key in OpenSSH form."""


class KeyPairStatus(CommonStatus):
    """What is known of a KeyPair."""


KEY_PAIR = Kind(
    names=Names("KeyPair", "keypairs", "kp", "arukp"),
    spec=KeyPairSpec,
    status=KeyPairStatus,
    collection=Collection("/projects/{project}/providers/Aruba.Compute/keyPairs"),
    states=States.SHOWN_OR_EXISTS,
    sample={
        "value": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLE ops",
        "projectReference": {"name": "shop-prod", "namespace": "default"},
    },
    full_sample={
        "tenant": "ARU-000001",
        "region": "ITBG-Bergamo",
        "tags": ["shop"],
        "value": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLE ops",
        "projectReference": {"name": "shop-prod", "namespace": "default"},
    },
)
