"""The life of an object: created, changed, marked for deletion, gone. The only writer of the store.

Follows apiserver's generic registry: what a write may touch, when the generation moves, which version must match,
when a write changes nothing. `writes` calls it with the client's intent; the controllers (`namespaces`, `owners`,
`definitions`) call it for their own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID

from hooks.clock import Clock, Random
from hooks.local.kubernetes import errors
from hooks.local.kubernetes.decode import Decoder, Strictness
from hooks.local.kubernetes.managed import recorded
from hooks.local.kubernetes.naming import name_faults, text_faults, update_faults
from hooks.local.kubernetes.objects import (
    Key,
    Object,
    deleting,
    finalizers,
    metadata,
    timestamp,
    with_metadata,
)
from hooks.local.kubernetes.resources import Resource
from hooks.local.kubernetes.store import Store

Part = Literal["", "status"]
_LETTERS = "bcdfghjklmnpqrstvwxz2456789"


@dataclass(frozen=True, slots=True)
class Options:
    """How a client wants its write done; `warnings` collects what it should be told."""

    dry_run: bool = False
    manager: str = "unknown"
    strictness: Strictness = "Ignore"
    warnings: list[str] = field(default_factory=list)


Change = Callable[[Object], Object]
"""From the object as its version shows it to what the client wants."""
Record = Callable[[Object, Object | None], Object]
"""Puts the managed fields on the new object; given the old one."""


class Lifecycle:
    """All writes of one API."""

    def __init__(self, store: Store, clock: Clock, dice: Random) -> None:
        self.store = store
        self._clock = clock
        self._dice = dice
        self._decoder = Decoder()

    def now(self) -> str:
        return timestamp(self._clock.now())

    def get(self, resource: Resource, key: Key) -> Object:
        """The stored object. Raises ApiError 404."""
        found = self.store.get(resource.table, key)
        if found is None:
            raise errors.not_found(resource, key[1])
        return found

    # creating

    def create(
        self, resource: Resource, namespace: str, body: Object, options: Options, record: Record | None = None
    ) -> Object:
        """Store a new object. Raises ApiError 400, 404 (no such namespace), 403 (it is going), 409, 422."""
        new = self._decoder.decode(resource, body, options.strictness, options.warnings)
        new = self._born(resource, namespace, new)
        new = resource.born(new) if resource.born else new
        name = metadata(new).get("name", "")
        if namespace:
            self._check_namespace(resource, namespace, name)
        if resource.status and resource.custom:
            new.pop("status", None)
            new = resource.schema.fill(new)  # defaults are applied to what is read, so a default status shows at once
        self._refuse(resource, name, [*name_faults(resource, name), *text_faults(new), *self._wrong(resource, new)])
        if self.store.get(resource.table, (namespace, name)) is not None:
            raise errors.already_exists(resource, name)
        new = record(new, None) if record else recorded(resource, new, None, options.manager, "", self.now())
        return self._write(resource, new, options)

    def _born(self, resource: Resource, namespace: str, new: Object) -> Object:
        meta = metadata(new)
        if meta.get("resourceVersion"):
            raise errors.bad_request("resourceVersion should not be set on objects to be created")
        if meta.get("namespace", namespace) != namespace:
            raise errors.bad_request("the namespace of the object does not match the namespace on the URL")
        prefix = meta.get("generateName")
        name = meta.get("name") or (prefix and prefix[:58] + "".join(self._dice.choices(_LETTERS, k=5)))
        return with_metadata(
            new,
            name=name or None,
            namespace=namespace or None,
            uid=str(UUID(int=self._dice.getrandbits(128), version=4)),
            creationTimestamp=self.now(),
            generation=1 if resource.generations else None,
            deletionTimestamp=None,
            deletionGracePeriodSeconds=None,
        )

    def _check_namespace(self, resource: Resource, namespace: str, name: str) -> None:
        found = self.store.get("namespaces", ("", namespace))
        if found is None:
            raise errors.missing_namespace(namespace)
        if deleting(found):
            raise errors.terminating(resource, name, namespace)

    # changing

    def update(
        self,
        resource: Resource,
        key: Key,
        change: Change,
        options: Options,
        part: Part = "",
        record: Record | None = None,
    ) -> Object:
        """Store what `change` makes of an object, if that is allowed. Raises ApiError 400, 404, 409, 422."""
        old = self.get(resource, key)
        new = self._decoder.decode(resource, change(resource.shown(old)), options.strictness, options.warnings)
        self._check_version(resource, new, old)
        old = resource.shown(old)
        new = _prepared(resource, _kept(new, old), old, part)
        faults = [*update_faults(new, old), *text_faults(new), *self._wrong(resource, new, old)]
        self._refuse(resource, key[1], faults)
        new = record(new, old) if record else recorded(resource, new, old, options.manager, part, self.now())
        return self._replace(resource, new, old, options)

    def _check_version(self, resource: Resource, new: Object, old: Object) -> None:
        wanted = metadata(new).get("resourceVersion")
        if wanted and wanted != metadata(old)["resourceVersion"]:
            raise errors.modified(resource, metadata(old)["name"])

    def _wrong(self, resource: Resource, new: Object, old: Object | None = None) -> list[errors.Fault]:
        return resource.schema.validate(new, old) or list(resource.check(new, old) if resource.check else ())

    def _refuse(self, resource: Resource, name: str, faults: list[errors.Fault]) -> None:
        if faults:
            raise errors.invalid(resource, name, faults)

    def _replace(self, resource: Resource, new: Object, old: Object, options: Options) -> Object:
        if deleting(new) and not held(new):
            return self._remove(resource, resource.write(new) if resource.write else new, options)
        return old if new == old else self._write(resource, new, options)

    def _write(self, resource: Resource, new: Object, options: Options) -> Object:
        if options.dry_run:
            return new
        stored = self.store.put(resource.table, resource.write(new) if resource.write else new)
        return resource.shown(stored)

    # deleting

    def delete(
        self, resource: Resource, key: Key, options: Options, preconditions: Object, hold: str = ""
    ) -> tuple[Object, bool]:
        """Mark an object for deletion, or remove it when nothing holds it: its last state, and whether it is gone.

        `hold` is a finalizer to put on, for the garbage collector. Raises ApiError 404, 409.
        """
        old = self.get(resource, key)
        if key[1] in resource.protected:
            raise errors.forbidden(resource, key[1], f"this {resource.singular} may not be deleted")
        self._check_preconditions(resource, old, preconditions)
        holds = [name for name in (resource.cleanup, hold) if name and not deleting(old)]
        doomed = with_metadata(old, finalizers=list(dict.fromkeys([*finalizers(old), *holds])) or None)
        if not held(doomed):
            return self._remove(resource, old, options), True
        return (resource.shown(old) if deleting(old) else self._mark(resource, doomed, options)), False

    def _mark(self, resource: Resource, doomed: Object, options: Options) -> Object:
        marked = self._doomed(doomed)
        return resource.shown(marked if options.dry_run else self.store.put(resource.table, marked))

    def _doomed(self, old: Object) -> Object:
        generation = metadata(old).get("generation")
        return with_metadata(
            old,
            deletionTimestamp=self.now(),
            deletionGracePeriodSeconds=0,
            generation=generation + 1 if generation else None,
        )

    def _check_preconditions(self, resource: Resource, old: Object, wanted: Object) -> None:
        meta = metadata(old)
        for name, label in (("uid", "UID"), ("resourceVersion", "ResourceVersion")):
            if wanted.get(name) not in (None, meta[name]):
                raise errors.precondition_failed(resource, meta["name"], label, wanted[name], meta[name])

    def _remove(self, resource: Resource, obj: Object, options: Options) -> Object:
        return resource.shown(obj if options.dry_run else self.store.remove(resource.table, obj))


def held(obj: Object) -> bool:
    """Whether something must still happen before the object may go: a finalizer, or a namespace's own."""
    if finalizers(obj):
        return True
    return obj.get("kind") == "Namespace" and bool((obj.get("spec") or {}).get("finalizers"))


def _kept(new: Object, old: Object) -> Object:
    """What the server owns in metadata, and what a client may leave out because the server knows it."""
    before, after = metadata(old), metadata(new)
    kept = {name: after.get(name) or before.get(name) for name in ("name", "namespace", "uid")}
    owned = ("resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds")
    return with_metadata(new, **kept, **{name: before.get(name) for name in owned})


def _prepared(resource: Resource, new: Object, old: Object, part: Part) -> Object:
    """Only the part that this write may touch, and the generation it leads to."""
    if part == "status":
        touched = {name: value for name, value in old.items() if name != "status"}
        if "status" in new:
            touched["status"] = new["status"]
        return with_metadata(touched, managedFields=metadata(new).get("managedFields"))
    if resource.status:
        new = {name: value for name, value in new.items() if name != "status"}
        if "status" in old:
            new["status"] = old["status"]
    if resource.generations and _body(resource, new) != _body(resource, old):
        new = with_metadata(new, generation=metadata(old).get("generation", 0) + 1)
    return new


def _body(resource: Resource, obj: Object) -> Object:
    """What the generation counts: neither metadata nor a status with a part of its own."""
    uncounted = {"apiVersion", "kind", "metadata", *(["status"] if resource.status else [])}
    return {name: value for name, value in obj.items() if name not in uncounted}
