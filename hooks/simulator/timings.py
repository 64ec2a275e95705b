"""How long each transition of each kind takes: `fast`, `realistic`, or a file of the user's.

Read by the lifecycle; loaded by the command line and by tests. There are no official figures (api §13.2).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import yaml

from hooks.meta.times import parse_duration
from hooks.simulator.transitions import AfterReads, AfterSeconds, AtOnce, Progress

Paces = Mapping[str, Mapping[str, Progress]]

# `createBootable` is the create of a volume with an image; `action` a server's power, address, subnet and group
# changes, `attach` its volume changes.
OPERATIONS = ("create", "createBootable", "update", "delete", "action", "attach")
_FALLBACK = {"createBootable": "create", "attach": "action", "action": "update"}


@dataclass(frozen=True)
class Timings:
    """Pace of every operation by CR kind."""

    paces: Paces

    def pace(self, kind: str, operation: str) -> Progress:
        """A more special operation that is not listed goes at the pace of the more general one."""
        given = self.paces.get(kind, {})
        while operation not in given and operation in _FALLBACK:
            operation = _FALLBACK[operation]
        return given.get(operation, AtOnce())


def _table(**kinds: Mapping[str, float]) -> Timings:
    paces = {kind: MappingProxyType({op: _after(s) for op, s in given.items()}) for kind, given in kinds.items()}
    return Timings(MappingProxyType(paces))


def _after(seconds: float) -> Progress:
    return AfterSeconds(seconds) if seconds > 0 else AtOnce()


_AT_ONCE = {"create": 0.0, "update": 0.0, "delete": 0.0}

FAST = _table(
    Project=_AT_ONCE,
    KeyPair=_AT_ONCE,
    VPC={"create": 0.4, "update": 0.2, "delete": 0.4},
    Subnet={"create": 0.4, "update": 0.2, "delete": 0.4},
    SecurityGroup={"create": 0.4, "update": 0.2, "delete": 0.4},
    SecurityRule={"create": 0.2, "update": 0.2, "delete": 0.2},
    ElasticIP={"create": 0.3, "update": 0.2, "delete": 0.3},
    BlockStorage={"create": 0.4, "createBootable": 0.6, "update": 0.3, "delete": 0.4},
    Snapshot={"create": 0.4, "update": 0.2, "delete": 0.4},
    CloudServer={"create": 0.8, "update": 0.3, "delete": 0.6, "action": 0.3, "attach": 0.4},
)

REALISTIC = _table(
    Project=_AT_ONCE,
    KeyPair={"create": 0.5, "delete": 1.0},
    VPC={"create": 5.0, "update": 1.0, "delete": 5.0},
    Subnet={"create": 5.0, "update": 1.0, "delete": 5.0},
    SecurityGroup={"create": 5.0, "update": 1.0, "delete": 5.0},
    SecurityRule={"create": 2.0, "update": 1.0, "delete": 2.0},
    ElasticIP={"create": 3.0, "update": 1.0, "delete": 3.0},
    BlockStorage={"create": 5.0, "createBootable": 15.0, "update": 3.0, "delete": 5.0},
    Snapshot={"create": 5.0, "update": 1.0, "delete": 5.0},
    CloudServer={"create": 30.0, "update": 3.0, "delete": 20.0, "action": 3.0, "attach": 4.0},
)

_NAMED = MappingProxyType({"fast": FAST, "realistic": REALISTIC})
_READS = re.compile(r"(\d+) reads?")


def load_timings(given: str) -> Timings:
    """`fast`, `realistic`, or the path of a YAML file `{VPC: {create: 5s, update: 1s, delete: 5s}, …}`.

    A value is a duration (`5s`, `1m30s`, `500ms`, `0`) or `3 reads`. Kinds that the file leaves out run as `fast`.
    Raises ValueError that names the key and the value which cannot be used, or the file that cannot be read.
    """
    if given in _NAMED:
        return _NAMED[given]
    try:
        content = yaml.safe_load(Path(given).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as problem:
        raise ValueError(
            f"timings {given!r}: not fast, not realistic, and no readable YAML file: {problem}"
        ) from problem
    if not isinstance(content, dict):
        raise ValueError(f"timings {given!r}: a mapping of kinds is expected, not {content!r}")
    return Timings({**FAST.paces, **{kind: _kind(kind, paces) for kind, paces in content.items()}})


def _kind(kind: object, paces: object) -> Mapping[str, Progress]:
    if not isinstance(kind, str) or kind not in FAST.paces:
        raise ValueError(f"timings: {kind!r} is no kind; known are {', '.join(FAST.paces)}")
    if not isinstance(paces, dict):
        raise ValueError(f"timings: {kind}: {paces!r} is no mapping of operations")
    given = {str(operation): _pace(f"{kind}.{operation}", operation, value) for operation, value in paces.items()}
    return {**{op: pace for op, pace in FAST.paces[kind].items() if _FALLBACK.get(op) not in given}, **given}


def _pace(key: str, operation: object, value: object) -> Progress:
    if operation not in OPERATIONS:
        raise ValueError(f"timings: {key}: no such operation (value {value!r}); known are {', '.join(OPERATIONS)}")
    text = str(value).strip()
    if reads := _READS.fullmatch(text):
        return AfterReads(int(reads[1]))
    try:
        return _after(parse_duration(text).total_seconds())
    except ValueError as problem:
        raise ValueError(f"timings: {key}: {problem}") from problem
