"""Names of Kubernetes objects from those of cloud resources, which hold anything and need not be unique (api §1)."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from hooks.aruba.importing.found import Found, Key

LONGEST = 63
SHORTEST_TAIL = 6
"""Characters of an ID that tell two namesakes apart: IDs differ at their end first."""

_LABEL = r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"
_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
NAMESPACE = re.compile(rf"(?=.{{1,63}}$){_LABEL}")


def name_all(found: Sequence[Found]) -> dict[Key, str]:
    """A name for each, unique within its kind, and the same at every import: all namesakes get a part of their ID."""
    proposed = {one.key: proposal(one) for one in found}
    names, tail = proposed, SHORTEST_TAIL
    while clashing := _clashing(names):
        longest = max(len(resource_id) for _, resource_id in clashing)
        names = {key: _tailed(proposed[key], key, tail) if key in clashing else name for key, name in names.items()}
        if tail > longest:
            break
        tail += SHORTEST_TAIL
    return names


def proposal(found: Found) -> str:
    """The cloud's name if it will do, else what is left of it in small letters, digits and hyphens."""
    name = found.live.name
    if _NAME.fullmatch(name) and len(name) <= LONGEST:
        return name
    plain = unicodedata.normalize("NFKD", name.lower()).encode("ascii", "ignore").decode()
    words = re.sub(r"[^a-z0-9]+", "-", plain)[:LONGEST].strip("-")
    return words or _tailed(found.kind.names.singular, found.key, LONGEST)


def _tailed(base: str, key: Key, length: int) -> str:
    tail = re.sub(r"[^a-z0-9]", "", key[1])[-min(length, LONGEST // 2) :]
    return f"{base[: LONGEST - 1 - len(tail)].strip('-.')}-{tail}"


def _clashing(names: dict[Key, str]) -> set[Key]:
    taken = Counter((kind, names[kind, resource_id]) for kind, resource_id in names)
    return {key for key, name in names.items() if taken[key[0], name] > 1}
