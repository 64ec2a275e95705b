"""BlockStorage: a volume, bootable or for data; it grows and never shrinks (api §8.8)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from hooks.aruba.kinds.elasticip import OLD_PERIODS, holder
from hooks.aruba.model.kind import Check, Collection, Holder, Kind, Names, Put
from hooks.aruba.model.live import Live
from hooks.aruba.model.marks import At, Column, Grows, Seen, Word
from hooks.aruba.model.schema import CommonStatus, RegionalSpec


def billing_period(live: Live) -> Any:
    """As for addresses, older words still come back (cases 37)."""
    shown = live.get("billingPeriod")
    return OLD_PERIODS.get(str(shown).lower(), shown)


class BlockStorageSpec(RegionalSpec):
    """A block storage volume."""

    zone: Annotated[str, At("dataCenter"), Word()] = "ITBG-1"
    """Data centre of the volume, for example ITBG-1."""
    sizeGB: Annotated[int, At("sizeGb"), Grows(), Field(ge=1, le=16384), Column("Size", priority=1, type="integer")] = (
        20
    )
    """Size in GB; it may be raised later, never lowered."""
    billingPeriod: Annotated[Literal["Hour", "Month"], At("billingPeriod"), Seen(billing_period)] = "Hour"
    """How the volume is billed."""
    type: Annotated[Literal["Standard", "Performance"] | None, At("type")] = None
    """Class of the disk; left out, the platform chooses."""
    bootable: Annotated[bool | None, At("bootable")] = None
    """Whether a server can start from this volume."""
    image: Annotated[str | None, At("image"), Word()] = None
    """Image to put on a bootable volume, for example LU24-001."""


class BlockStorageStatus(CommonStatus):
    """What is known of a BlockStorage."""

    sizeGB: Annotated[int | None, At("sizeGb")] = None
    """Size of the volume in the cloud; spec.sizeGB may be lowered down to it, after a growth that was refused."""
    usedBy: Annotated[str | None, Seen(holder), Column("Used By", priority=1)] = None
    """What the volume is attached to, as collection and ID."""


def image_when_bootable(spec: BlockStorageSpec) -> str | None:
    """A bootable volume without an image starts nothing (behaviour §1.8)."""
    if spec.bootable and not spec.image:
        return "spec.image is needed on a bootable volume, for example LU24-001"
    if spec.image and not spec.bootable:
        return f"spec.image {spec.image!r} needs spec.bootable: true"
    return None


def hourly_only(spec: BlockStorageSpec) -> str | None:
    """The API's own words: "Only Hour is a valid value" (api §8.8, cases 37)."""
    if spec.billingPeriod == "Hour":
        return None
    return f"spec.billingPeriod {spec.billingPeriod} is not possible for a volume: the cloud takes Hour only"


BLOCK_STORAGE = Kind(
    names=Names("BlockStorage", "blockstorages", "bs", "arubs"),
    spec=BlockStorageSpec,
    status=BlockStorageStatus,
    collection=Collection("/projects/{project}/providers/Aruba.Storage/blockStorages"),
    changes=(Put(("tags", "sizeGB", "billingPeriod"), body=("sizeGb", "billingPeriod", "dataCenter")),),
    checks=(Check(("bootable", "image"), image_when_bootable), Check(("billingPeriod",), hourly_only)),
    # A snapshot whose volume is gone can never be deleted again (api §8.8, cases 31).
    held_by=(Holder("Aruba.Storage/snapshots", "volume"),),
    recreate=False,
    sample={"sizeGB": 20, "projectReference": {"name": "shop-prod", "namespace": "default"}},
    full_sample={
        "tenant": "ARU-000001",
        "region": "ITBG-Bergamo",
        "zone": "ITBG-1",
        "tags": ["shop"],
        "sizeGB": 40,
        "billingPeriod": "Hour",
        "type": "Performance",
        "bootable": True,
        "image": "LU24-001",
        "projectReference": {"name": "shop-prod", "namespace": "default"},
    },
)
