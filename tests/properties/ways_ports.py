"""The engine's port to Kubernetes onto a `World`, and one pass by Metacontroller's rules over the real `reconcile`."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping
from typing import Any

from hooks.aruba.engine.notes import DELETE_POLICY, OWNER, PROTECTION, USES
from hooks.aruba.engine.ports import Ports
from hooks.aruba.engine.reconcile import reconcile
from hooks.aruba.engine.story import Policy
from hooks.contract.replies import Busy, FinalizeReply, Reply
from hooks.contract.requests import Parent, Related, SyncCall
from hooks.meta.deadline import Deadline
from hooks.meta.outcomes import Patched, Stale, Trouble
from tests.properties.ways_cloud import Clock, CloudSide, Weather
from tests.properties.ways_world import CATALOG, FINALIZER, Object, World, stamp

FINE = Weather()


class KubeSide:
    """The Kubernetes API; a write of the subject makes a new version of it."""

    def __init__(self, world: World, weather: Weather, used: set[str]) -> None:
        self._world = world
        self._weather = weather
        self._used = used

    async def annotate(
        self,
        plural: str,
        namespace: str,
        name: str,
        *,
        uid: str,
        resource_version: str,
        annotations: Mapping[str, str | None],
        labels: Mapping[str, str | None],
        deadline: Deadline,
    ) -> Patched | Stale | Trouble:
        self._used.add("patch")
        subject = self._world.subject
        if self._weather.patch != "good":
            return _trouble(self._weather.patch)
        if name in self._world.others:
            other = self._world.others[name]["metadata"]
            other["annotations"] = {**(other.get("annotations") or {}), **annotations}
            return Patched(_copy(self._world.others[name]))
        if subject is None or subject["metadata"]["resourceVersion"] != resource_version:
            return Stale("another version")
        for part, changes in (("annotations", annotations), ("labels", labels)):
            kept = {**subject["metadata"][part], **changes}
            subject["metadata"][part] = {key: value for key, value in kept.items() if value is not None}
        self._world.touched()
        return Patched(_copy(subject))

    async def read(self, plural: str, namespace: str, name: str, deadline: Deadline) -> Object | Trouble | None:
        self._used.add("look")
        if self._weather.look != "good":
            return _trouble(self._weather.look)
        subject = self._world.subject
        if subject is not None and subject["metadata"]["name"] == name:
            return _copy(subject)
        return self._world.others.get(name)

    async def labelled(self, plural: str, selector: str, deadline: Deadline) -> list[Object] | Trouble:
        self._used.add("family")
        if self._weather.family != "good":
            return _unread(self._weather.family)
        kinds = [kind.names.kind for kind in CATALOG if kind.names.plural == plural]
        found = [o for o in self._world.others.values() if o["kind"] in kinds]
        return [_copy(o) for o in found if _selected(o, selector)]

    async def delete(
        self, plural: str, namespace: str, name: str, uid: str, deadline: Deadline
    ) -> Stale | Trouble | None:
        item = self._world.others.get(name)
        if item is not None:
            item["harmed"] = _against_its_will(self._world, item["metadata"])
            item["metadata"].setdefault("deletionTimestamp", stamp(self._world.now))
        return None

    async def unfinalize(
        self,
        plural: str,
        namespace: str,
        name: str,
        *,
        uid: str,
        resource_version: str,
        finalizers: list[str],
        deadline: Deadline,
    ) -> Patched | Stale | Trouble:
        raise AssertionError("nothing here was made by the Go operator")

    async def space(self, name: str, deadline: Deadline) -> Object | Trouble | None:
        self._used.add("family")
        return _unread(self._weather.family) if self._weather.family != "good" else {"metadata": {"name": name}}

    async def leaving(self, plural: str, deadline: Deadline) -> bool | Trouble:
        self._used.add("family")
        return _unread(self._weather.family) if self._weather.family != "good" else False

    def tell(self, raw: Object, kind: str, warning: bool, reason: str, message: str) -> None:
        """Events are not what is searched here."""


def _selected(item: Object, selector: str) -> bool:
    """`key=value`, or `key in (a,b)`; an empty one selects all."""
    labels = item["metadata"].get("labels") or {}
    if " in (" in selector:
        key, _, values = selector.partition(" in (")
        return labels.get(key) in values.rstrip(")").split(",")
    key, _, value = selector.partition("=")
    return not selector or labels.get(key) == value


def _against_its_will(world: World, meta: Object) -> bool:
    """What is protected goes only without its resource, or where the deletion was under way before that was said."""
    said = meta.get("annotations") or {}
    begun = world.ready().get("reason") == "ChildrenExist"
    orphan = said.get(DELETE_POLICY) == "orphan" and world.annotations.get(DELETE_POLICY) == "orphan"
    return said.get(PROTECTION) == "true" and not begun and not orphan


def _copy(item: Object) -> Object:
    """As it is now: later writes put new values into an object and its metadata, and change none."""
    return {**item, "metadata": dict(item["metadata"])}


def _unread(weather: str) -> Trouble:
    return Trouble("no", lasting=weather == "forbidden")


def _trouble(weather: str) -> Stale | Trouble:
    return Stale("another version") if weather == "stale" else Trouble("no", lasting=weather == "forbidden")


def step(world: World, weather: Weather = FINE) -> set[str]:
    """One pass, and what Metacontroller makes of its answer; the sorts of calls that were made."""
    used: set[str] = set()
    subject, before = world.subject, world.version
    if subject is None:
        return used
    if not subject["metadata"]["finalizers"] and not world.deleting:
        subject["metadata"]["finalizers"] = [FINALIZER]
        world.touched()
    call = SyncCall(parent=Parent.model_validate(subject), related=_related(world), finalizing=world.deleting)
    ports = Ports(CloudSide(world, weather, used), KubeSide(world, weather, used), Clock(world))
    deadline = Deadline(world.now + 28.0)
    reply = _run(reconcile(CATALOG[world.kind], CATALOG, call, ports, Policy(), deadline))
    world.appointed = world.now + 1.0
    if weather.answer == "good":
        _answered(world, reply)
    if world.version != before:
        world.appointed = world.now  # what is written wakes the next pass
    return used


def _answered(world: World, reply: Reply) -> None:
    subject = world.subject
    assert subject is not None
    if isinstance(reply, Busy):
        world.appointed = world.now + reply.retry_after
        return
    world.appointed = world.now + (reply.resyncAfterSeconds or 30.0)
    if isinstance(reply, FinalizeReply) and reply.finalized:
        world.subject = None
        return
    told = reply.status | {"observedGeneration": subject["metadata"]["generation"]}
    if told != subject.get("status"):
        subject["status"] = told
        world.touched()


def _related(world: World) -> Related:
    """What `customize` asks for: what the spec refers to; at the end, what names the subject by a label."""
    found: Related = {}
    for item in world.others.values():
        labels = item["metadata"].get("labels") or {}
        by_label = any(key.startswith((OWNER, USES)) for key in labels)
        if by_label == world.deleting:
            meta = item["metadata"]
            group = found.setdefault(f"{item['kind']}.arubacloud.com/v1alpha1", {})
            group[f"{meta['namespace']}/{meta['name']}"] = item
    return found


def _run(coroutine: Coroutine[Any, Any, Reply]) -> Reply:
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value  # type: ignore[no-any-return]
    raise AssertionError("a pass waited for something that this world does not have")
