"""Namespaces at work: one that is deleted takes its contents along and goes when the last of them is gone.

A controller, told of each write by the store.
"""

from __future__ import annotations

from hooks.local.kubernetes.lifecycle import Lifecycle, Options
from hooks.local.kubernetes.objects import Object, deleting, finalizers, key_of
from hooks.local.kubernetes.resources import Served
from hooks.local.kubernetes.store import Change

TABLE = "namespaces"
INITIAL = ("default", "kube-system")


class Namespaces:
    """The controller of namespaces."""

    def __init__(self, served: Served, life: Lifecycle) -> None:
        self._served = served
        self._life = life
        self._going: set[str] = set()

    def observe(self, table: str, change: Change) -> None:
        where, name = key_of(change.new)
        if table == TABLE:
            self._namespace_changed(name, change)
        elif change.verb == "DELETED" and where in self._going:
            self._finish(where)

    def _namespace_changed(self, name: str, change: Change) -> None:
        if change.verb == "DELETED":
            self._going.discard(name)
        elif deleting(change.new) and name not in self._going:
            self._going.add(name)
            self._life.store.put(TABLE, {**change.new, "status": {"phase": "Terminating"}})
            self._empty(name)
            self._finish(name)

    def _empty(self, name: str) -> None:
        for resource in self._served.tables():
            if resource.namespaced:
                for obj in list(self._life.store.objects(resource.table, name)):
                    if self._life.store.get(resource.table, key_of(obj)) is not None:
                        self._life.delete(resource, key_of(obj), Options(), {})

    def _contents(self, name: str) -> bool:
        tables = (resource.table for resource in self._served.tables() if resource.namespaced)
        return any(next(self._life.store.objects(table, name), None) is not None for table in tables)

    def _finish(self, name: str) -> None:
        found = self._life.store.get(TABLE, ("", name))
        if found is None or not _kept_by_us(found) or self._contents(name):
            return
        emptied = {**found, "spec": {**found["spec"], "finalizers": []}}
        if finalizers(emptied):
            self._life.store.put(TABLE, emptied)
        else:
            self._life.store.remove(TABLE, emptied)


def _kept_by_us(namespace: Object) -> bool:
    return bool((namespace.get("spec") or {}).get("finalizers"))
