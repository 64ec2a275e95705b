"""The network service's own refusals, in its words (api §5.5)."""

from __future__ import annotations

from hooks.simulator.errors import Refusal, dependency, invalid


def default_kept(what: str) -> Refusal:
    """The default VPC, subnet or group goes only when another takes its place."""
    return dependency(f"cannot delete default {what}")


def location_invalid() -> Refusal:
    return invalid(("Location", "Location Invalid"))


def unremovable() -> Refusal:
    return dependency("security rule is unremovable")


OVERLAP = "subnet.cidr overlaps with an existing subnet"
NOT_PRIVATE = "a CIDR inside 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16 is expected"
