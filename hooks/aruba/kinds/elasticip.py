"""ElasticIP: a public address, bound from the server's side (api §8.7)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from hooks.aruba.model.kind import Collection, Kind, Names, Put
from hooks.aruba.model.live import Live, holders
from hooks.aruba.model.marks import At, Column, Seen
from hooks.aruba.model.schema import CommonStatus, RegionalSpec

OLD_PERIODS = {"hourly": "Hour", "monthly": "Month", "yearly": "Year"}


def billing_period(live: Live) -> Any:
    """Addresses made before May 2026 still show the older words (cases 37)."""
    shown = live.get("billingPlan.billingPeriod")
    return OLD_PERIODS.get(str(shown).lower(), shown)


def holder(live: Live) -> str | None:
    """What holds this resource, as `<collection>/<id>`."""
    return ", ".join(holders(live)) or None


class ElasticIPSpec(RegionalSpec):
    """A public IPv4 address."""

    billingPeriod: Annotated[Literal["Hour", "Month"], At("billingPlan.billingPeriod"), Seen(billing_period)] = "Hour"
    """How the address is billed."""


class ElasticIPStatus(CommonStatus):
    """What is known of an ElasticIP."""

    address: Annotated[str | None, At("address"), Column("Address")] = None
    """The public address."""
    usedBy: Annotated[str | None, Seen(holder), Column("Used By", priority=1)] = None
    """What the address is bound to, as collection and ID."""


ELASTIC_IP = Kind(
    names=Names("ElasticIP", "elasticips", "eip", "arueip"),
    spec=ElasticIPSpec,
    status=ElasticIPStatus,
    collection=Collection("/projects/{project}/providers/Aruba.Network/elasticIps"),
    changes=(Put(("tags", "billingPeriod"), body=("billingPlan",)),),
    recreate=False,
    sample={"projectReference": {"name": "shop-prod", "namespace": "default"}},
    full_sample={
        "tenant": "ARU-000001",
        "region": "ITBG-Bergamo",
        "tags": ["shop"],
        "billingPeriod": "Hour",
        "projectReference": {"name": "shop-prod", "namespace": "default"},
    },
)
