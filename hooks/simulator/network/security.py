"""Security groups and their rules (api §8.4, §8.5)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from hooks.simulator.collection import Collection
from hooks.simulator.network import addresses, defaults, responses
from hooks.simulator.network.errors import location_invalid, unremovable
from hooks.simulator.network.vpc import VPC
from hooks.simulator.resource import Json, Kind, Resource
from hooks.simulator.rules import Draft, Rules
from hooks.simulator.validation import Reader, last_segment
from hooks.simulator.world import World

SECURITY_GROUP = Kind("SecurityGroup", "securityGroups", "securityGroup", VPC, "Aruba.Network")
SECURITY_RULE = Kind("SecurityRule", "securityRules", "securityRule", SECURITY_GROUP, "Aruba.Network")

_PORT = re.compile(r"\*|(\d{1,5})(?:-(\d{1,5}))?")
_ANYWHERE = {"kind": "Ip", "value": "0.0.0.0/0"}
_PRESET: tuple[Json, ...] = (
    {"direction": "Egress", "protocol": "ANY", "target": _ANYWHERE},
    {"direction": "Ingress", "protocol": "TCP", "port": "22", "target": _ANYWHERE},
)


class SecurityGroupRules(Rules):
    kind = SECURITY_GROUP
    filters = False
    deleted_flag = "ignoreDeletedStatus"
    parts = ("SecurityRule",)

    def __init__(self, rules: Collection) -> None:
        self._rules = rules

    def draft(self, world: World, draft: Draft) -> Json:
        draft.properties.flag("preset")
        return {"default": draft.properties.flag("default") or False}

    def created(self, world: World, resource: Resource, draft: Draft) -> None:
        defaults.claim(world, resource)
        if not draft.properties.flag("preset"):
            return
        for number, properties in enumerate(_PRESET):
            body = {"metadata": {"name": f"preset-{number}"}, "properties": properties}
            rule = self._rules.make(resource, body, {}, resource.owner)
            rule.hidden["unremovable"] = properties["direction"] == "Egress"

    def replace(self, world: World, resource: Resource, metadata: Reader, properties: Reader) -> None:
        default = properties.flag("default")
        properties.check()
        if default is not None:
            resource.properties["default"] = default
            defaults.claim(world, resource)

    def removable(self, world: World, resource: Resource, query: Mapping[str, str]) -> None:
        """Like the last subnet, the last group may go though it is the default one."""
        defaults.guard(world, resource, query, "newDefaultSecurityGroup", last_may_go=True)
        super().removable(world, resource, query)

    def blocks(self, part: Resource) -> bool:
        """A rule that nobody can remove goes with its group."""
        return not part.hidden.get("unremovable")

    def remove(self, world: World, resource: Resource, query: Mapping[str, str]) -> None:
        defaults.hand_over(world, resource, query.get("newDefaultSecurityGroup"))

    def properties(self, world: World, resource: Resource) -> Json:
        return responses.security_group(world, resource)


class SecurityRuleRules(Rules):
    kind = SECURITY_RULE
    filters = False
    deleted_flag = "ignoreDeletedStatus"

    def draft(self, world: World, draft: Draft) -> Json:
        properties = draft.properties
        protocol = properties.choice("protocol", ("ANY", "TCP", "UDP", "ICMP"))
        return {
            "direction": properties.choice("direction", ("Ingress", "Egress")),
            "protocol": protocol,
            "port": _read_port(properties, protocol),
            "target": _read_target(world, draft),
        }

    def replace(self, world: World, resource: Resource, metadata: Reader, properties: Reader) -> None:
        """Name and tags only; a location, even an empty one, is refused (F10)."""
        if "location" in metadata:
            raise location_invalid()

    def removable(self, world: World, resource: Resource, query: Mapping[str, str]) -> None:
        if resource.hidden.get("unremovable"):
            raise unremovable()

    def properties(self, world: World, resource: Resource) -> Json:
        return responses.security_rule(world, resource)

    def extras(self, resource: Resource) -> Json:
        return {"data": {"private": {"unremovable": bool(resource.hidden.get("unremovable"))}}}

    def changed_answer(self, body: Json) -> Json:
        """A PUT answers with the port as an object (api §8.5)."""
        port = body["properties"]["port"]
        body["properties"]["port"] = port and {"value": port}
        return body


def _read_port(properties: Reader, protocol: str | None) -> str | None:
    """TCP and UDP need one: a number, a range, or `*`; ANY and ICMP must not have one (F12)."""
    port = properties.text("port")
    if protocol in ("ANY", "ICMP") and "port" in properties:
        properties.note("port", f"port must be empty for protocol {protocol}")
    if protocol in ("TCP", "UDP") and not (port and _valid(port)):
        properties.note("port", "a port from 1 to 65535, a range, or * is expected")
    return port


def _valid(port: str) -> bool:
    match = _PORT.fullmatch(port)
    if match is None or port == "*":
        return match is not None
    low = int(match[1])
    return 1 <= low <= int(match[2] or low) <= 65535


def _read_target(world: World, draft: Draft) -> Json:
    """`Ip` comes back as `IP` (F15)."""
    target = draft.properties.inner("target")
    kind, value = target.choice("kind", ("Ip", "SecurityGroup")), target.text("value", required=True)
    if kind == "Ip" and value and addresses.network_of(value) is None:
        target.note("Target.Value", f"'{value}' is not a CIDR")
    if kind == "SecurityGroup" and value and not _sibling(world, draft, value):
        target.note("Target.Value", "a security group of the same VPC is expected")
    return {"kind": "IP" if kind == "Ip" else kind, "value": value}


def _sibling(world: World, draft: Draft, uri: str) -> bool:
    group = world.store.find(last_segment(uri))
    own = draft.parent.parent if draft.parent else None
    return group is not None and group.kind is SECURITY_GROUP and world.readable(group) and group.parent is own
