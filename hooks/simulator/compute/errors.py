"""The compute service's own refusals."""

from __future__ import annotations

from hooks.simulator.errors import Refusal, dependency, invalid


def boot_volume_in_use() -> Refusal:
    """What any PUT on a server gets (F9), and a create with a boot disk that has a server already."""
    return dependency("BootVolume in use")


def version_required() -> Refusal:
    return invalid(("api-version", "api-version 1.1 is required"))


NO_FLAVOR = "Product not found in catalog"
NOT_BOOTABLE = "volume is not bootable"
OTHER_ZONE = "volume is in another dataCenter"
OTHER_VPC = "not in this vpc"
WINDOWS_TOO_SMALL = "flavor is too small for this image"
