"""The network family's collections (api §8.2 to §8.5, §8.7)."""

from __future__ import annotations

from hooks.simulator.collection import Collection
from hooks.simulator.network.elasticip import ElasticIpRules
from hooks.simulator.network.security import SecurityGroupRules, SecurityRuleRules
from hooks.simulator.network.subnet import SubnetRules
from hooks.simulator.network.vpc import VpcRules
from hooks.simulator.world import World


def collections(world: World) -> list[Collection]:
    rules = Collection(world, SecurityRuleRules())
    groups = Collection(world, SecurityGroupRules(rules))
    subnets = Collection(world, SubnetRules())
    vpcs = Collection(world, VpcRules(subnets, groups))
    return [vpcs, subnets, groups, rules, Collection(world, ElasticIpRules())]
