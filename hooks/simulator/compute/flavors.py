"""The catalogue of server flavours (api §10.3): `CSO<vCPU>A<RAM GB>`."""

from __future__ import annotations

from hashlib import sha256

from hooks.simulator.resource import Json

_SIZES = "1A2 1A4 2A4 2A8 4A8 4A16 8A16 8A32 12A24 16A32 16A64 24A48 32A64"
FLAVORS = frozenset(f"CSO{size}" for size in _SIZES.split())
_NOT_FOR_WINDOWS = "CSO1A2"


def flavor(name: str) -> Json:
    """As a server shows it; the id is a GUID that follows from the name."""
    cpu, ram = name.removeprefix("CSO").split("A")
    digest = sha256(name.encode()).hexdigest()
    guid = "-".join((digest[:8], digest[8:12], digest[12:16], digest[16:20], digest[20:32]))
    return {"id": guid, "name": name, "category": "cloudServer", "cpu": int(cpu), "ram": int(ram), "hd": 0}


def carries(name: str, image: str | None) -> bool:
    return not (image or "").startswith("WS") or name != _NOT_FOR_WINDOWS
