"""Everything the cloud makes up, from one seeded source, so that a run can be repeated to the letter."""

from __future__ import annotations

from ipaddress import IPv4Network

from hooks.clock import Random, seeded

# Documentation ranges (RFC 5737) and, when they are used up, the benchmarking range (RFC 2544): nobody's addresses.
_PUBLIC = tuple(IPv4Network(net) for net in ("203.0.113.0/24", "198.51.100.0/24", "192.0.2.0/24", "198.18.0.0/15"))


class Ids:
    """One seeded `Random` for ids, tokens and trace ids; counters for addresses."""

    def __init__(self, seed: int) -> None:
        self._random: Random = seeded(seed)
        self._addresses = 0
        self._interfaces = 0

    def hex(self, digits: int) -> str:
        return f"{self._random.getrandbits(digits * 4):0{digits}x}"

    def resource(self) -> str:
        """24 hex characters, as the cloud's database makes them."""
        return self.hex(24)

    def trace(self) -> str:
        """A W3C trace context."""
        return f"00-{self.hex(32)}-{self.hex(16)}-00"

    def mac(self) -> str:
        self._interfaces += 1
        low = f"{self._interfaces:06x}"
        return f"fa:16:3e:{low[0:2]}:{low[2:4]}:{low[4:6]}"

    def public_address(self) -> str:
        """The next public address; none is given out twice."""
        index = self._addresses
        self._addresses += 1
        for network in _PUBLIC:
            usable = network.num_addresses - 2
            if index < usable:
                return str(network[index + 1])
            index -= usable
        raise RuntimeError("the simulated cloud has no public address left")
