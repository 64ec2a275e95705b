"""Reading and choosing a subnet's addresses: its CIDR, its DHCP settings, the addresses it hands out."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import AddressValueError, IPv4Address, IPv4Network, NetmaskValueError

from hooks.simulator.errors import dependency
from hooks.simulator.network.errors import NOT_PRIVATE, OVERLAP
from hooks.simulator.resource import Json, Resource
from hooks.simulator.validation import Reader

_PRIVATE = tuple(IPv4Network(net) for net in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"))
_POOL = IPv4Network("192.168.0.0/16")
_LONGEST_PREFIX = 29
_RESERVED = 10  # lowest addresses that a default DHCP range leaves alone


def network_of(text: str | None) -> IPv4Network | None:
    """An IPv4 network in CIDR form, without host bits."""
    try:
        return IPv4Network(text) if text and "/" in text else None
    except (AddressValueError, NetmaskValueError, ValueError):
        return None


def address_of(text: str | None) -> IPv4Address | None:
    try:
        return IPv4Address(text) if text else None
    except AddressValueError:
        return None


def taken(siblings: Iterable[Resource]) -> list[IPv4Network]:
    """The networks of other subnets."""
    return [IPv4Network(one.properties["network"]["address"]) for one in siblings]


def read_network(properties: Reader, others: list[IPv4Network], *, required: bool) -> IPv4Network | None:
    """The asked-for network: private, and free in this VPC."""
    text = properties.inner("network").text("address", required=required)
    if not text:
        return None
    network = network_of(text)
    if network is None or network.prefixlen > _LONGEST_PREFIX or not any(network.subnet_of(net) for net in _PRIVATE):
        properties.note("Network.Address", NOT_PRIVATE)
        return None
    if any(network.overlaps(other) for other in others):
        properties.note("Network.Address", OVERLAP)
    return network


def free_network(others: list[IPv4Network]) -> IPv4Network:
    """The first /24 of 192.168/16 that nobody uses: what a Basic subnet without a network gets."""
    for network in _POOL.subnets(new_prefix=24):
        if not any(network.overlaps(other) for other in others):
            return network
    raise dependency("no free network in vpc")


def default_range(network: IPv4Network) -> Json:
    """Nearly all of the network, as the platform chooses when a DHCP server is asked for without a range."""
    spare = _RESERVED if network.num_addresses > 2 * _RESERVED else 2
    return _range(network[spare], network.num_addresses - spare - 1)


def _range(start: IPv4Address, count: int) -> Json:
    return {"start": str(start), "count": count, "last": str(start + count - 1)}


def read_dhcp(properties: Reader, network: IPv4Network | None) -> Json | None:
    """The DHCP settings that were sent, or None; what does not fit the network is noted."""
    if "dhcp" not in properties or network is None:
        return None
    dhcp = properties.inner("dhcp")
    settings: Json = {"enabled": dhcp.flag("enabled") or False}
    if "range" in dhcp and (given := _read_range(dhcp.inner("range"), network)):
        settings["range"] = given
    settings["routes"] = [_read_route(Reader(item, dhcp.findings), network) for item in dhcp.items("routes")]
    settings["dns"] = dhcp.items("dns")
    if not all(isinstance(server, str) and address_of(server) for server in settings["dns"]):
        dhcp.note("Dhcp.Dns", "IPv4 addresses are expected")
    return settings


def _read_range(given: Reader, network: IPv4Network) -> Json | None:
    start, count = address_of(given.text("start", required=True)), given.number("count", required=True)
    if start is None or count is None or count < 1 or start not in network or int(start) + count - 1 > int(network[-1]):
        given.note("Dhcp.Range", "start and count must lie inside the network")
        return None
    return _range(start, count)


def _read_route(given: Reader, network: IPv4Network) -> Json:
    address, gateway = given.text("address", required=True), given.text("gateway", required=True)
    route = network_of(address)
    if route is None or not route.subnet_of(network) or address_of(gateway) is None:
        given.note("Dhcp.Routes", "a CIDR inside the network and an IPv4 gateway are expected")
    return {"address": address or "", "gateway": gateway or ""}


def lease(subnet: Resource) -> str:
    """The next address of a subnet: from its DHCP range if it has one; after the last comes the first again."""
    network = IPv4Network(subnet.properties["network"]["address"])
    pool = (subnet.properties.get("dhcp") or {}).get("range") or default_range(network)
    given = int(subnet.hidden.get("leases", 0))
    subnet.hidden["leases"] = given + 1
    return str(IPv4Address(pool["start"]) + given % int(pool["count"]))
