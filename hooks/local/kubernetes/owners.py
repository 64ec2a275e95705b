"""Garbage collection: what is owned only by objects that are gone is deleted.

A controller, told of each write by the store. Only owners by `ownerReferences` count, as in Kubernetes.
"""

from __future__ import annotations

from collections.abc import Iterator

from hooks.local.kubernetes.lifecycle import Lifecycle, Options
from hooks.local.kubernetes.objects import Object, deleting, finalizers, key_of, metadata, with_metadata
from hooks.local.kubernetes.resources import Resource, Served
from hooks.local.kubernetes.store import Change

FOREGROUND = "foregroundDeletion"
ORPHAN = "orphan"


class Owners:
    """The garbage collector."""

    def __init__(self, served: Served, life: Lifecycle) -> None:
        self._served = served
        self._life = life
        self._owned: dict[str, set[tuple[str, tuple[str, str]]]] = {}
        """UID of an owner to the table and key of what it owns."""

    def observe(self, table: str, change: Change) -> None:
        self._index(table, change)
        uid = metadata(change.new)["uid"]
        if change.verb == "DELETED":
            for resource, dependent in list(self._dependents(uid)):
                self._bereave(resource, dependent, uid)
            self._owned.pop(uid, None)
            self._release(change.new)
        elif deleting(change.new) and change.old is not None:
            self._marked(table, change.new, uid)

    def _index(self, table: str, change: Change) -> None:
        place = (table, key_of(change.new))
        for reference in metadata(change.old or {}).get("ownerReferences") or ():
            places = self._owned.get(reference["uid"], set())
            places.discard(place)
            if not places:
                self._owned.pop(reference["uid"], None)
        if change.verb != "DELETED":
            for reference in metadata(change.new).get("ownerReferences") or ():
                self._owned.setdefault(reference["uid"], set()).add(place)

    def _dependents(self, uid: str) -> Iterator[tuple[Resource, Object]]:
        for table, key in sorted(self._owned.get(uid, ())):
            found = self._life.store.get(table, key)
            made = self._served.of_table(table)
            if found is not None and made:
                yield made[0], found

    def _bereave(self, resource: Resource, dependent: Object, uid: str) -> None:
        rest = [one for one in metadata(dependent)["ownerReferences"] if one["uid"] != uid]
        if rest:
            self._life.store.put(resource.table, with_metadata(dependent, ownerReferences=rest))
        else:
            self._life.delete(resource, key_of(dependent), Options(), {})

    def _marked(self, table: str, owner: Object, uid: str) -> None:
        if ORPHAN in finalizers(owner):
            for resource, dependent in list(self._dependents(uid)):
                rest = [one for one in metadata(dependent)["ownerReferences"] if one["uid"] != uid]
                self._life.store.put(resource.table, with_metadata(dependent, ownerReferences=rest or None))
            self._take_off(table, owner, ORPHAN)
        elif FOREGROUND in finalizers(owner):
            for resource, dependent in list(self._dependents(uid)):
                if not deleting(dependent):
                    self._life.delete(resource, key_of(dependent), Options(), {})
            if not self._owned.get(uid):
                self._take_off(table, owner, FOREGROUND)

    def _release(self, gone: Object) -> None:
        """An owner that waits in the foreground may go with its last dependent."""
        for reference in metadata(gone).get("ownerReferences") or ():
            if not self._owned.get(reference["uid"]):
                self._release_owner(reference["uid"])

    def _release_owner(self, uid: str) -> None:
        for resource in self._served.tables():
            for obj in list(self._life.store.objects(resource.table)):
                if metadata(obj)["uid"] == uid and deleting(obj) and FOREGROUND in finalizers(obj):
                    self._take_off(resource.table, obj, FOREGROUND)

    def _take_off(self, table: str, obj: Object, finalizer: str) -> None:
        current = self._life.store.get(table, key_of(obj))
        if current is None or finalizer not in finalizers(current):
            return
        rest = [one for one in finalizers(current) if one != finalizer]
        left = with_metadata(current, finalizers=rest or None)
        if rest:
            self._life.store.put(table, left)
        else:
            self._life.store.remove(table, left)
