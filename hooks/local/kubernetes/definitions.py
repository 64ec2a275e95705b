"""CustomResourceDefinitions at work: what one makes is served at once, what one takes away is cleaned up.

A controller, told of each write by the store.
"""

from __future__ import annotations

from dataclasses import replace

from hooks.local.kubernetes.crd import CLEANUP, TABLE, resources_of
from hooks.local.kubernetes.lifecycle import Lifecycle, Options
from hooks.local.kubernetes.objects import Object, deleting, finalizers, key_of, with_metadata
from hooks.local.kubernetes.resources import VERBS, Served
from hooks.local.kubernetes.store import Change


class Definitions:
    """The controller of CRDs."""

    def __init__(self, served: Served, life: Lifecycle) -> None:
        self._served = served
        self._life = life
        self._going: set[str] = set()

    def observe(self, table: str, change: Change) -> None:
        if table == TABLE:
            self._definition_changed(change)
        elif change.verb == "DELETED" and table in self._going:
            self._finish(table)

    def _definition_changed(self, change: Change) -> None:
        name = key_of(change.new)[1]
        if change.verb == "DELETED":
            self._going.discard(name)
            self._served.drop(change.new["spec"]["group"], change.new["spec"]["names"]["plural"])
        elif deleting(change.new):
            self._empty(name, change.new)
        elif change.old is None or change.old["spec"] != change.new["spec"]:
            self._serve(change.new)

    def _serve(self, definition: Object) -> None:
        spec = definition["spec"]
        self._served.drop(spec["group"], spec["names"]["plural"])
        for resource in resources_of(definition):
            self._served.add(resource)
        accepted = _accepted(definition, self._life.now())
        if accepted != definition:
            self._life.store.put(TABLE, accepted)

    def _empty(self, name: str, definition: Object) -> None:
        """Delete what the CRD made, once; creates are refused from now on."""
        if name in self._going:
            return
        self._going.add(name)
        made = self._served.of_table(name)
        for resource in made:
            self._served.add(replace(resource, verbs=tuple(verb for verb in VERBS if verb != "create")))
        if made:
            for obj in list(self._life.store.objects(name)):
                self._life.delete(made[0], key_of(obj), Options(), {})
        self._finish(name)

    def _finish(self, name: str) -> None:
        definition = self._life.store.get(TABLE, ("", name))
        if definition is None or next(self._life.store.objects(name), None) is not None:
            return
        rest = [one for one in finalizers(definition) if one != CLEANUP]
        if rest == finalizers(definition):
            return
        left = with_metadata(definition, finalizers=rest or None)
        if rest:
            self._life.store.put(TABLE, left)
        else:
            self._life.store.remove(TABLE, left)


def _accepted(definition: Object, now: str) -> Object:
    """The definition with the status that Kubernetes' own controllers would give it."""
    spec = definition["spec"]
    status: Object = definition.get("status") or {}
    names: Object = {"listKind": f"{spec['names']['kind']}List", "singular": spec["names"]["kind"].lower()}
    stored = next(version["name"] for version in spec["versions"] if version["storage"])
    return {
        **definition,
        "status": {
            **status,
            "acceptedNames": {**names, **spec["names"]},
            "storedVersions": list(dict.fromkeys([*(status.get("storedVersions") or []), stored])),
            "conditions": status.get("conditions")
            or [
                _condition("NamesAccepted", "NoConflicts", "no conflicts found", now),
                _condition("Established", "InitialNamesAccepted", "the initial names have been accepted", now),
            ],
        },
    }


def _condition(kind: str, reason: str, message: str, now: str) -> Object:
    return {"type": kind, "status": "True", "reason": reason, "message": message, "lastTransitionTime": now}
