"""SecurityRule: one allowance of a security group; the cloud spells "any" in its own way (api §8.5)."""

from __future__ import annotations

import re
from ipaddress import ip_network
from typing import Annotated, Any, Literal

from hooks.aruba.model.kind import Body, Check, Collection, Kind, Lay, Names, Pointer, Put
from hooks.aruba.model.live import Live, last_segment
from hooks.aruba.model.marks import At, Column, To
from hooks.aruba.model.schema import CommonStatus, Ref, RegionalSpec, Schema

PORTLESS = frozenset({"ANY", "ICMP"})
PORTS = re.compile(r"(\d{1,5})(?:-(\d{1,5}))?")


class Target(Schema):
    """The other side of a rule."""

    type: Annotated[Literal["Ip", "SecurityGroup"], At("target.kind")]
    """Ip: an address range. SecurityGroup: the members of a group of the same VPC."""
    value: Annotated[str, At("target.value")]
    """A CIDR such as 0.0.0.0/0, or the cloud URI of a security group."""


class SecurityRuleSpec(RegionalSpec):
    """A rule of a security group."""

    protocol: Annotated[Literal["TCP", "UDP", "ICMP", "ALL"], At("protocol"), Column("Protocol")]
    """Protocol; ALL stands for any."""
    port: Annotated[str, At("port")] = ""
    """A port (80), a range (80-90) or ALL. The cloud takes none for ICMP and ALL, so it is not sent there."""
    direction: Annotated[Literal["Ingress", "Egress"], At("direction"), Column("Direction")]
    """Ingress for incoming traffic, Egress for outgoing."""
    target: Target
    """The other side of the traffic."""
    securityGroupReference: Annotated[Ref, To("SecurityGroup")]
    """The SecurityGroup that this rule belongs to."""
    vpcReference: Annotated[Ref, To("VPC")]
    """The VPC of that group."""


class SecurityRuleStatus(CommonStatus):
    """What is known of a SecurityRule."""


def port_fits(spec: SecurityRuleSpec) -> str | None:
    """A TCP or UDP rule needs a port; ICMP and ALL must not carry one (cases 24)."""
    anything = spec.port.upper() in ("ALL", "*", "")
    if spec.protocol in ("ICMP", "ALL"):
        return (
            None if anything else f"spec.port {spec.port!r} means nothing with {spec.protocol}: leave it out or say ALL"
        )
    if spec.port.upper() in ("ALL", "*"):
        return None
    found = PORTS.fullmatch(spec.port)
    if found is None:
        return f"spec.port {spec.port!r} is not a port, a range such as 80-90, or ALL"
    first, last = int(found[1]), int(found[2] or found[1])
    if not 1 <= first <= last <= 65535:
        return f"spec.port {spec.port!r} is not within 1-65535, lower end first"
    return None


def target_fits(spec: SecurityRuleSpec) -> str | None:
    """An Ip target is a CIDR, as the cloud would say only at creation."""
    if spec.target.type != "Ip":
        return None
    try:
        ip_network(spec.target.value, strict=False)
    except ValueError:
        return f"spec.target.value {spec.target.value!r} is not an address range such as 0.0.0.0/0"
    return None


def target_group(spec: SecurityRuleSpec) -> str | None:
    """The cloud path of the group that the rule speaks of."""
    return spec.target.value if spec.target.type == "SecurityGroup" else None


def write(properties: Body) -> Body:
    """ALL is ANY to the cloud, port ALL is `*`, and ANY and ICMP carry no port (behaviour §5 W13)."""
    sent = dict(properties)
    sent["protocol"] = _protocol(sent.get("protocol"))
    port = _port(sent.pop("port", None), sent["protocol"])
    return sent if port is None else {**sent, "port": port}


def read(live: Live) -> Live:
    """The answer in the same words: upper case, and a port that may come as an object (api §8.5)."""
    properties = dict(live.body.get("properties") or {})
    port = properties.get("port")
    protocol = _protocol(properties.get("protocol"))
    properties["port"] = _port(port.get("value") if isinstance(port, dict) else port, protocol)
    properties["protocol"] = protocol
    target = properties.get("target")
    if isinstance(target, dict):
        properties["target"] = {**target, "value": _target(target.get("kind"), target.get("value"))}
    return Live({**live.body, "properties": properties})


def plain(values: dict[str, Any]) -> dict[str, Any]:
    """A spec's values in the cloud's words, so that ALL equals ANY and no drift is seen."""
    protocol = _protocol(values.get("protocol"))
    target = _target(values.get("target.type"), values.get("target.value"))
    return {**values, "protocol": protocol, "port": _port(values.get("port"), protocol), "target.value": target}


def _target(kind: Any, value: Any) -> Any:
    """A group by its ID alone, a range without host bits: both may come back spelled otherwise."""
    if str(kind).lower() == "securitygroup":
        return last_segment(value)
    try:
        return str(ip_network(value, strict=False)) if isinstance(value, str) else value
    except ValueError:
        return value


def _protocol(text: Any) -> Any:
    upper = text.upper() if isinstance(text, str) else text
    return "ANY" if upper == "ALL" else upper


def _port(text: Any, protocol: Any) -> Any:
    if protocol in PORTLESS or text in (None, ""):
        return None
    return "*" if str(text).upper() in ("ALL", "*") else str(text)


SECURITY_RULE = Kind(
    names=Names("SecurityRule", "securityrules", "sr", "arusr"),
    spec=SecurityRuleSpec,
    status=SecurityRuleStatus,
    collection=Collection(
        "/projects/{project}/providers/Aruba.Network/vpcs/{vpc}/securityGroups/{securitygroup}/securityRules"
    ),
    located=False,
    # No location and no properties in a PUT: either is refused or has no effect (api §8.5).
    changes=(Put(("tags",), metadata=("name", "tags")),),
    checks=(Check(("protocol", "port"), port_fits), Check(("target.type", "target.value"), target_fits)),
    pointers=(
        Pointer(target_group, "/projects/{project}/providers/Aruba.Network/vpcs/{vpc}/securityGroups", "target.value"),
    ),
    lay=Lay(write, read, plain),
    sample={
        "protocol": "TCP",
        "port": "443",
        "direction": "Ingress",
        "target": {"type": "Ip", "value": "0.0.0.0/0"},
        "securityGroupReference": {"name": "shop-web", "namespace": "default"},
        "vpcReference": {"name": "shop-net", "namespace": "default"},
        "projectReference": {"name": "shop-prod", "namespace": "default"},
    },
    full_sample={
        "tenant": "ARU-000001",
        "region": "ITBG-Bergamo",
        "tags": ["shop"],
        "protocol": "TCP",
        "port": "8000-8100",
        "direction": "Ingress",
        "target": {"type": "Ip", "value": "10.20.0.0/16"},
        "securityGroupReference": {"name": "shop-web", "namespace": "default"},
        "vpcReference": {"name": "shop-net", "namespace": "default"},
        "projectReference": {"name": "shop-prod", "namespace": "default"},
    },
)
