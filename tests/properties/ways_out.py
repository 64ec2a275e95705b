"""The two ways out of a state: to Active in a world that allows it, and to gone; walked pass by pass.

What a person must do first is done only when the object's own message says so, in the words that `FIXES` names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from hooks.aruba.engine.notes import ADOPTION_POLICY, DELETE_POLICY, MODE, PROTECTION, RESOURCE_ID, SUSPEND
from hooks.aruba.model.live import last_segment
from tests.properties.ways_moves import heal
from tests.properties.ways_ports import step
from tests.properties.ways_user import FIXED, deleted, parts
from tests.properties.ways_world import REST, SPECS, Object, World, ref

PASSES, SECONDS = 90, 3 * 3600.0
"""How long a way may be."""


class Fix(NamedTuple):
    """What a person does, and the words by which the message must ask for it."""

    words: str
    do: Callable[[World], None]


def put_right(world: World) -> None:
    assert world.subject is not None
    if f"correct or remove the annotation {RESOURCE_ID}" in str(world.status["message"]):
        unclaimed(world)
        return
    if "NameFits" in str(world.status["message"]):
        world.annotations.pop("arubacloud.com/resource-name", None)
    if "overlaps" in str(world.status["message"]):
        world.subject["spec"]["cidr"] = "10.20.2.0/24"
    world.subject["spec"]["tenant"] = "t-100"
    for field in (FIXED.get(world.kind, "tags"), "tags"):
        world.subject["spec"][field] = SPECS[world.kind][field]
    world.edited()


def another_value(world: World) -> None:
    """Another spec than the one that the cloud refused; of a server, one that asks for no change."""
    assert world.subject is not None
    row = world.known()
    if world.kind == "CloudServer" and row is not None:
        links = [last_segment(link["uri"]).removeprefix("of-") for link in row["properties"]["linkedResources"]]
        world.subject["spec"]["dataVolumeReferences"] = [
            ref(one) for one in links if one in ("data-a", "data-b")
        ] or None
        world.subject["spec"]["elasticIPReference"] = ref("eip-a") if "eip-a" in links else None
    else:
        world.subject["spec"]["tags"] = ["white", str(world.subject["metadata"]["generation"]) + "-th"]
    world.edited()


def old_value(world: World) -> None:
    """What the cloud has, where the schema lets it be written (a size); what the platform moved, it moves back."""
    row = world.known()
    if row is None or world.subject is None:
        return
    spec = world.subject["spec"]
    row["region"] = spec.get("region", row["region"])
    if "sizeGb" in row["properties"]:
        spec["sizeGB"] = row["properties"]["sizeGb"]
    if world.kind == "CloudServer":
        spec["tags"] = [tag for tag in row["tags"] if not tag.startswith("k8s-")]
    world.edited()


def another_name(world: World) -> None:
    world.annotations["arubacloud.com/resource-name"] = "unit-b"
    world.touched()


def make_again(world: World) -> None:
    world.annotations["arubacloud.com/on-external-delete"] = "recreate"
    world.touched()


def put_back(world: World) -> None:
    """The policy that lets the difference be put right."""
    world.annotations.pop("arubacloud.com/drift-policy", None)
    world.touched()


def only_one(world: World) -> None:
    named = str(world.status["message"])
    mine = sorted(world.mine(), key=lambda row: row["id"] not in named)
    world.rows = [row for row in world.rows if row not in mine[1:]]


def repaired(world: World) -> None:
    """The platform's own people."""
    known = world.known()
    for row in (*world.mine(), *((known,) if known else ())):
        row["state"] = REST.get(row["kind"], "Active")


def emptied(world: World) -> None:
    """Only what the message names."""
    named = str(world.status["message"])
    world.rows = [row for row in world.rows if not (row.get("inside") and row["id"] in named)]


def given_up(world: World) -> None:
    """A user that the message names is deleted."""
    if "kin-a" in str(world.status["message"]):
        parts(world)


def unclaimed(world: World) -> None:
    """What is found by its name would be found again, where the message asks for no other one."""
    world.annotations.pop(RESOURCE_ID, None)
    if "and set another arubacloud.com/resource-name" in str(world.status["message"]):
        world.annotations["arubacloud.com/resource-name"] = "unit-b"
    world.touched()


def taken(world: World) -> None:
    """Nobody else manages it any more."""
    world.annotations[ADOPTION_POLICY] = "always"
    world.touched()


def one_named(world: World) -> None:
    """One of those that the message tells of."""
    named = str(world.status["message"])
    world.annotations[RESOURCE_ID] = next(row["id"] for row in world.rows if row["id"] in named)
    world.touched()


def resumed(world: World) -> None:
    world.annotations.pop(SUSPEND, None)
    world.touched()


def managed(world: World) -> None:
    world.annotations.pop(MODE, None)
    world.touched()


def unblocked(world: World) -> None:
    """What the message asks for, of the child that it names or of the object itself."""
    named, kin = str(world.status["message"]), world.others.get("kin-a")
    if kin is not None and "kin-a is protected" in named:
        kin["metadata"]["annotations"].pop(PROTECTION, None)
    elif kin is not None and "kin-a" in named:
        kin["metadata"].setdefault("annotations", {})[DELETE_POLICY] = "delete"
    elif "It is protected" in named:
        world.annotations.pop(PROTECTION, None)
    world.touched()


def brought_home(world: World) -> None:
    for row in world.rows:
        row.pop("strayed", None)


FIXES = {
    "IntentionValidationFailed": Fix("validation failed: [", put_right),
    "ValidationFailed": Fix("Correct the spec", another_value),
    "ChangeRefused": Fix("Cannot be changed once created", old_value),
    "AlreadyExists": Fix("set the annotation arubacloud.com/resource-name", another_name),
    "Ambiguous": Fix("delete all but one in the cloud", only_one),
    "ExternallyDeleted": Fix("arubacloud.com/on-external-delete: recreate", make_again),
    "PostValidationFailed": Fix("the cloud says that it belongs to", brought_home),
    "CloudFailed": Fix("It is looked at again", repaired),
    "Drifted": Fix("arubacloud.com/drift-policy", put_back),
    "DeleteRefused": Fix("Still inside", emptied),
    "SnapshotsExist": Fix("snapshot", emptied),
    "InUse": Fix("Still used by", given_up),
    "Adopted by another": Fix("remove the annotation arubacloud.com/resource-id from one of the two", unclaimed),
    "A stranger's": Fix("if nobody manages it any more", taken),
    "Several": Fix("set the annotation arubacloud.com/resource-id to the one that is meant", one_named),
    "Suspended": Fix("until arubacloud.com/suspend is gone", resumed),
    "Observing": Fix("arubacloud.com/mode: observe", managed),
    "DeletionBlocked": Fix("The deletion waits", unblocked),
}
"""By the reason that such a message has first; a time-out or a pause may have another word beside the same text."""
ASKING = frozenset({"Drifted", "InUse", "Timeout", "Observing", "Suspended"})
"""What a person may act on although it is not Stalled."""
PASSING = frozenset(
    {
        "ApiUnreachable",
        "Forbidden",
        "CredentialsUnavailable",
        "Throttled",
        "TenantUnreadable",
        "KubernetesRefused",
        "UnknownState",
        "DependencyInUse",
        "WaitingForReferences",
        "DependencyFailed",
    }
)
"""What cannot be true for long in a world that allows everything."""
LONGEST = 360.0
"""How long one of these may stand there: the longest pause after such a failure, and a look."""


def _held_by_schema(world: World) -> bool:
    row, field = world.known(), FIXED.get(world.kind)
    if row is None or field is None or world.subject is None:
        return False
    shown = {
        "region": row["region"],
        "type": row["properties"].get("type"),
        "zone": row["properties"].get("dataCenter"),
        "flavorName": (row["properties"].get("flavor") or {}).get("name"),
    }[field]
    return bool(world.subject["spec"][field] != shown)


PERSON: dict[str, Callable[[World], bool]] = {
    "AlreadyExists": lambda world: bool(world.status.get("resourceID")),
    "ChangeRefused": _held_by_schema,
}
"""Where no way to Active is promised, but Stalled and a true message: the recorded resource is another object's by
now, or the value was edited while the creation was under way and the schema holds it since (delete, create anew).
"""


Seen = Callable[[World], bool]


def to_active(world: World, seen: Seen) -> str:
    """Walk on until Active, Ready and true; the fault when that does not come. `seen` ends a walk on known ground."""

    def there() -> bool:
        held = PERSON.get(str(world.ready().get("reason")))
        return active(world) or (world.stalled() and held is not None and held(world))

    return _walk(world, seen, there, "Active")


def to_gone(world: World, seen: Seen) -> str:
    """Delete it, if that is not under way, and walk on until the finalizer goes; nothing of it may be left."""
    if not world.deleting and not deleted(world):
        step(world)  # which brings the finalizer
        deleted(world)
    orphan = world.subject is not None and world.annotations.get(DELETE_POLICY) == "orphan"
    kept = _to_stay(world)
    fault = _walk(world, seen, lambda: world.subject is None, "gone")
    left = [row for row in world.mine() if world.subject is None and not row.get("twin")]
    lost = kept - {row["id"] for row in world.rows}
    if lost:
        return f"what was to stay is gone: {lost}"
    return f"gone, but left behind: {left}" if left and not orphan else fault


def _to_stay(world: World) -> set[str]:
    """What nobody is deleting, and this object's end must not take along: all that it did not make."""
    if world.subject is None or world.annotations.get(DELETE_POLICY) == "delete":
        return set()
    orphan, mine = world.annotations.get(DELETE_POLICY) == "orphan", {row["id"] for row in world.mine()}
    rows = [row for row in world.rows if row["state"] != "Deleting" and not row.get("lingers")]
    return {row["id"] for row in rows if row.get("foreign") or (orphan and row["id"] in mine)}


def _walk(world: World, seen: Seen, there: Callable[[], bool], goal: str) -> str:
    fixed: list[str] = []
    began, since, word = world.now, world.now, ""
    for _ in range(PASSES):
        heal(world)
        if there() or seen(world):
            return ""
        fixed += _fixed(world, fixed)
        step(world)
        if word != str(world.ready().get("reason")):
            word, since = str(world.ready().get("reason")), world.now
        if word in PASSING and world.now - since > LONGEST:
            return f"still {told(world)}, though the world has allowed all for {world.now - since:.0f} s"
        world.now = max(world.now + 0.01, world.appointed)
        if world.now - began > SECONDS:
            break
    return f"not {goal} after {world.now - began:.0f} s: {told(world)} (done: {', '.join(fixed) or 'nothing'})"


def _fixed(world: World, before: list[str]) -> list[str]:
    """A person acts on what the message says, once it says so of the newest spec and says that one must act; not for
    ever.
    """
    newest = world.subject is not None and world.subject["metadata"]["generation"]
    suspended = world.suspended()
    if newest not in (world.ready().get("observedGeneration"), suspended.get("observedGeneration")):
        return []
    urgent = world.stalled() or suspended or world.ready().get("reason") in ASKING
    message = str(world.status.get("message"))
    for name, fix in FIXES.items():
        if urgent and fix.words in message and before.count(name) < 3:
            fix.do(world)
            return [name]
    return []


def active(world: World) -> bool:
    """Active, Ready for this generation, and true: the cloud has it at rest, with the tags that were asked for."""
    if world.subject is None:
        return False
    ready, row = world.ready(), world.known()
    fulfilled = (world.status.get("phase"), ready.get("status")) == ("Active", "True")
    if not fulfilled or ready.get("observedGeneration") != world.subject["metadata"]["generation"] or row is None:
        return False
    return row["state"] == REST.get(world.kind, "Active") and _as_asked(world, row)


def _as_asked(world: World, row: Object) -> bool:
    assert world.subject is not None
    spec = world.subject["spec"]
    if world.kind == "CloudServer":
        return _attached(world, spec, row)
    tags = {tag for tag in row["tags"] if not tag.startswith("k8s-")}
    return tags == set(spec["tags"]) and spec.get("sizeGB") in (None, row["properties"].get("sizeGb"))


def _attached(world: World, spec: Object, row: Object) -> bool:
    """What is on its way out is not wanted any more."""
    links = {last_segment(link["uri"]) for link in row["properties"]["linkedResources"]}
    address = spec.get("elasticIPReference")
    wanted = [*(spec.get("dataVolumeReferences") or ()), *([address] if address else [])]
    staying = [one for one in wanted if "deletionTimestamp" not in world.others[one["name"]]["metadata"]]
    return {f"of-{one['name']}" for one in staying} <= links


def told(world: World) -> str:
    status, ready = world.status, world.ready()
    return f"{status.get('phase')}/{ready.get('reason')} ({status.get('message')})"
