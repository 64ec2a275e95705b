"""Elastic IPs (api §8.7): an address that others bind; it is known once the IP is NotUsed."""

from __future__ import annotations

from datetime import datetime

from hooks.simulator.network import responses
from hooks.simulator.project.rules import PROJECT
from hooks.simulator.resource import Json, Kind, Resource
from hooks.simulator.rules import Draft, Rules
from hooks.simulator.validation import PERIODS, Reader
from hooks.simulator.world import World

ELASTIC_IP = Kind("ElasticIP", "elasticIps", "elasticIp", PROJECT, "Aruba.Network", settled="NotUsed")


class ElasticIpRules(Rules):
    kind = ELASTIC_IP
    regional = True
    filters = False
    deleted_flag = "ignoreDeletedStatus"

    def draft(self, world: World, draft: Draft) -> Json:
        return {"address": None, "billingPlan": {"billingPeriod": _read_period(draft.properties, "Hour")}}

    def completed(self, world: World, resource: Resource, when: datetime) -> None:
        resource.properties["address"] = world.ids.public_address()

    def replace(self, world: World, resource: Resource, metadata: Reader, properties: Reader) -> None:
        period = _read_period(properties, resource.properties["billingPlan"]["billingPeriod"])
        properties.check()
        resource.properties["billingPlan"] = {"billingPeriod": period}

    def properties(self, world: World, resource: Resource) -> Json:
        return responses.elastic_ip(world, resource)


def _read_period(properties: Reader, default: str) -> str | None:
    return properties.inner("billingPlan").choice("billingPeriod", PERIODS, default)
