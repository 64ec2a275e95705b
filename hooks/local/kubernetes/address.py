"""Kubernetes paths taken apart: `/apis/<group>/<version>/namespaces/<ns>/<plural>/<name>/<part>`. For `app`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Address:
    """What a path names; empty where it stops short of it."""

    group: str
    version: str
    namespace: str
    plural: str
    name: str
    part: str


def parse(path: str) -> Address | None:
    """The address of a resource or of one object; None for every other path."""
    steps = [step for step in path.split("/") if step]
    match steps:
        case ["api", version, *rest]:
            return _resource("", version, rest)
        case ["apis", group, version, *rest]:
            return _resource(group, version, rest)
    return None


def _resource(group: str, version: str, rest: list[str]) -> Address | None:
    match rest:
        case ["namespaces", namespace, plural, *below] if not (group == "" and plural in ("status", "finalize")):
            return _object(group, version, namespace, plural, below)
        case [plural, *below]:
            return _object(group, version, "", plural, below)
    return None


def _object(group: str, version: str, namespace: str, plural: str, below: list[str]) -> Address | None:
    match below:
        case []:
            return Address(group, version, namespace, plural, "", "")
        case [name]:
            return Address(group, version, namespace, plural, name, "")
        case [name, part]:
            return Address(group, version, namespace, plural, name, part)
    return None
