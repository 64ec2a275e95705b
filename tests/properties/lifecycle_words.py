"""Every message true: what an object says, by `Ready.reason`, held against the simulated cloud and the other objects.

Each check yields what is untrue. `lifecycle_truth` asks them once the world is at rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

from hooks.meta.times import parse_duration
from hooks.simulator.resource import BROKEN
from tests.properties.lifecycle import strange
from tests.properties.lifecycle_case import Case, leaving
from tests.properties.lifecycle_fulfilled import bound
from tests.world.judge import condition, owner_tags

Object = dict[str, Any]
WAITS = re.compile(r"(\w+) default/([\w-]+) (does not exist|is being deleted|has failed|is (\w+))")
VALUES = re.compile(r"spec\.([\w.]+): wanted (.+?), the cloud has (.+?)(?=; spec\.|\. [A-Z]|\.?$)")
ALSO = re.compile(r"the cloud also has (.+?) at spec\.(\w+), not by us; it is left alone[^;]*")
UNREADABLE = re.compile(r"the annotation arubacloud\.com/([\w-]+): '(.*?)' is (?:neither|no) [^;]*")
RULE = re.compile(r"\[(\w+)\] ")
NAMED = re.compile(r"\(([0-9a-f]{24})\)")
MEMBER = re.compile(r"([A-Z]\w+) default/([\w-]+) \((\w+)\)")
TAG = re.compile(r"[A-Za-z0-9-]{4,30}")
POLICIES = {"drift-policy": ("correct", "report"), "on-external-delete": ("recreate", "report")}
RECREATED = ("VPC", "Subnet", "SecurityGroup", "SecurityRule", "KeyPair")


def _available(case: Case) -> Iterator[str]:
    if leaving(case.item) or case.ready["status"] != "True" or case.status["phase"] != "Active":
        yield "it is not Active and Ready"
    if case.resource is None:
        yield "its resource does not live"
    elif not case.resource.settled:
        yield f"its resource is {case.resource.state}"
    if found := case.differences():
        yield f"it differs: {found}"
    yield from _columns(case)
    yield from _noted(case)


def _columns(case: Case) -> Iterator[str]:
    """What stands beside the phase: the cloud's own state, who holds it, its address and that of its server."""
    if case.resource is None:
        return
    holders = [one.id for one in case.resource.bound("CloudServer")]
    real = {"cloudState": case.resource.state, "address": case.resource.properties.get("address")}
    if case.kind in ("ElasticIP", "BlockStorage"):
        real["usedBy"] = ", ".join(f"cloudServers/{one}" for one in holders) or None
    if case.kind == "CloudServer":
        addresses = [one.properties["address"] for one in case.resource.bound("ElasticIP")]
        real = {"publicIP": addresses[0] if addresses else None}
        volumes = {case.resource.hidden["boot"].id} | bound(case.resource, "dataVolumeReferences")
        ours = volumes & {str(item.get("status", {}).get("resourceID")) for item in case.objects.values()}
        if not set(case.status.get("volumeIDs", ())) <= ours:
            yield f"status.volumeIDs is {case.status.get('volumeIDs')} and should be among {ours}"
    for field, value in real.items() if case.kind != "Project" else ():
        if case.status.get(field) != value:
            yield f"status.{field} is {case.status.get(field)} and should be {value}"


def _noted(case: Case) -> Iterator[str]:
    """What is told beside: things attached by somebody else, and policies that nobody can read."""
    for also in ALSO.finditer(case.message):
        there = bound(case.resource, also[2]) if case.resource is not None else set()
        if not set(also[1].split(", ")) <= there - case.ids(also[2], case.item["spec"].get(also[2])):
            yield f"{also[1]} is not attached beyond the spec"
    for odd in UNREADABLE.finditer(case.message):
        if case.annotation(odd[1]) != odd[2] or odd[2] in POLICIES.get(odd[1], ()):
            yield f"that annotation is {case.annotation(odd[1])!r}"
    if rest := UNREADABLE.sub("", ALSO.sub("", case.message)).strip("; "):
        yield f"{rest!r} is nothing that can be checked"


def _waits(case: Case) -> Iterator[str]:
    found = list(WAITS.finditer(case.message))
    if not found:
        yield "it names nothing that it waits for"
    for match in found:
        other = case.objects.get((match[1], match[2]))
        phase = str((other or {}).get("status", {}).get("phase") or "Pending")
        true = {
            "does not exist": other is None,
            "is being deleted": other is not None and leaving(other),
            "has failed": phase == "Failed",
        }.get(match[3], phase == match[4])
        if not true:
            yield f"{match[1]} {match[2]} is {'not there' if other is None else phase}"


def _fails_with(case: Case) -> Iterator[str]:
    yield from _waits(case)
    if "has failed" not in case.message:
        yield "nothing has failed"


def _refuses_change(case: Case) -> Iterator[str]:
    if case.status["phase"] != "Active" or condition(case.item, "ChangeRefused").get("status") != "True":
        yield "it is not Active with a condition ChangeRefused"
    if condition(case.item, "Stalled")["status"] != "True":
        yield "nobody is asked to act"
    yield from _values(case)


def _drifted(case: Case) -> Iterator[str]:
    if case.annotation("drift-policy") not in ("report", "perhaps"):
        yield "drift is to be corrected"
    yield from _values(case)


def _values(case: Case) -> Iterator[str]:
    """The values named are the real ones."""
    real, named = case.differences(), {match[1]: match for match in VALUES.finditer(case.message)}
    if not named:
        yield "it names no values"
    for field, match in named.items():
        wanted, actual = real.get(field, (None, None))
        if field not in real:
            yield f"spec.{field} does not differ"
        elif (match[2], match[3]) != (_shown(wanted), _shown(actual)):
            yield f"spec.{field} is {_shown(wanted)} here and {_shown(actual)} there"
    if missing := set(real) - set(named):
        yield f"{missing} differ too"


def _shown(value: Any) -> str:
    return "[" + ", ".join(sorted(value)) + "]" if isinstance(value, set) else str(value)


def _invalid(case: Case) -> Iterator[str]:
    """The cloud's last word about it was a refusal."""
    if not case.refused:
        yield "the last write about it was not refused"


def _intention(case: Case) -> Iterator[str]:
    spec = case.item["spec"]
    broken = {
        "TagsFit": any(not TAG.fullmatch(tag) for tag in spec.get("tags") or ()),
        "HourlyOnly": spec.get("billingPeriod") != "Hour",
        "NoDuplicates": len(spec.get("subnetReferences", ())) > 1 and _twice(spec["subnetReferences"]),
        "CidrMustNotOverlap": any(one.id in case.message for one in case.living.values() if one.kind.name == "Subnet"),
    }
    rules = RULE.findall(case.message)
    if not rules:
        yield "it names no rule"
    for rule in rules:
        if not broken.get(rule, False):
            yield f"{rule} is not broken"


def _twice(refs: list[Object]) -> bool:
    names = [one["name"] for one in refs]
    return len(set(names)) < len(names)


def _taken(case: Case) -> Iterator[str]:
    """Somebody else's of this name, or its own that carries another's tag."""
    named = [one for one in case.living.values() if one.id in case.message]
    if not named:
        yield "what it names does not live"
    for one in named:
        recorded = one is case.resource and strange(one.tags)
        if not recorded and (one.name != case.name or owner_tags({"tags": one.tags or []})):
            yield f"{one.id} is no stranger of that name"


def _gone(case: Case) -> Iterator[str]:
    policy = case.annotation("on-external-delete") or ("recreate" if case.kind in RECREATED else "report")
    if case.resource is not None:
        yield "its resource lives"
    if policy == "recreate":
        yield "it is to be made again"


def _failed(case: Case) -> Iterator[str]:
    if case.resource is None or case.resource.state not in BROKEN or case.resource.state not in case.message:
        yield f"its resource is {None if case.resource is None else case.resource.state}"


def _unknown(case: Case) -> Iterator[str]:
    if case.resource is None or repr(case.resource.state) not in case.message:
        yield f"its resource is {None if case.resource is None else case.resource.state}"


def _going(case: Case) -> Iterator[str]:
    if case.resource is None or case.resource.state != "Deleting":
        yield f"its resource is {None if case.resource is None else case.resource.state}"


def _late(case: Case) -> Iterator[str]:
    """Without progress for the time-out, and still not what was waited for."""
    text = case.annotation("timeout")
    limit = parse_duration(text) if text == "3m" else timedelta(minutes=10)
    began = datetime.fromisoformat(case.status.get("phaseStartTime", "2999-01-01T00:00:00Z"))
    if case.now - began <= limit:
        yield f"it began at {began}"
    resource = case.resource
    known = resource is not None and resource.settled and repr(resource.state) not in case.message
    if not leaving(case.item) and known and not case.differences():
        yield "all is as it should be"


def _kept(case: Case) -> Iterator[str]:
    """What stands in the way of its end lives, and has no object."""
    recorded = {item.get("status", {}).get("resourceID") for item in case.objects.values()}
    named = NAMED.findall(case.message)
    held = case.resource is not None and case.resource.bound("CloudServer")
    if not leaving(case.item) or not (named or held):
        yield "it names nothing that is in its way"
    for one in named:
        if one not in case.living or one in recorded:
            yield f"{one} is not in its way"


def _kin(case: Case) -> Iterator[str]:
    named = MEMBER.findall(case.message)
    if not leaving(case.item) or not named:
        yield "it names nobody"
    for kind, name, phase in named:
        other = case.objects.get((kind, name))
        if other is None or str(other.get("status", {}).get("phase") or "Pending") != phase:
            yield f"{kind} {name} is not {phase}"


TRUTHS: dict[str, Callable[[Case], Iterator[str]]] = {
    "Available": _available,
    "WaitingForReferences": _waits,
    "DependencyFailed": _fails_with,
    "ChangeRefused": _refuses_change,
    "Drifted": _drifted,
    "ValidationFailed": _invalid,
    "IntentionValidationFailed": _intention,
    "AlreadyExists": _taken,
    "ExternallyDeleted": _gone,
    "CloudFailed": _failed,
    "UnknownState": _unknown,
    "BeingDeleted": _going,
    "Deleting": _going,
    "Timeout": _late,
    "DeleteRefused": _kept,
    "SnapshotsExist": _kept,
    "InUse": _kin,
    "ChildrenExist": _kin,
}
"""What may be said at rest, and the check of each; everything else passes by itself once nothing is in the way."""
