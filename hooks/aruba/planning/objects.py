"""A shadow of the cluster: its objects in memory, written to as the API server would be, and to be applied to."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from typing import Any

from hooks.aruba.engine.resolve import related
from hooks.aruba.model.catalog import Catalog
from hooks.aruba.model.kind import Kind
from hooks.aruba.model.phases import API_VERSION
from hooks.contract.replies import RelatedRule
from hooks.contract.requests import Parent, Related
from hooks.meta.deadline import Deadline
from hooks.meta.outcomes import Patched, Stale, Trouble

Raw = dict[str, Any]
Key = tuple[str, str, str]
"""Plural, namespace, name."""
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
ONE, SOME = re.compile(r"([^ =]+)=(.*)"), re.compile(r"([^ ]+) in \((.*)\)")


class Objects:
    """The engine's Kubernetes port, and what Metacontroller would do with its answers. `told` collects Events."""

    def __init__(self, catalog: Catalog, found: Iterable[Raw], spaces: Mapping[str, Raw]) -> None:
        self._catalog = catalog
        self._plurals = {kind.names.kind: kind.names.plural for kind in catalog}
        self._items: dict[Key, Raw] = {}
        self._spaces = dict(spaces)
        self._writes = 0
        self.told: list[tuple[str, str]] = []
        for item in found:
            self._items[self.key(item)] = deepcopy(item)

    def key(self, item: Raw) -> Key:
        meta = item["metadata"]
        return self._plurals[item["kind"]], str(meta.get("namespace") or "default"), str(meta["name"])

    def get(self, key: Key) -> Raw | None:
        return self._items.get(key)

    def apply(self, manifest: Raw, made: str) -> Key:
        """As `kubectl apply` would: what the manifest says is laid over what is there. `made` is the present time."""
        key = self.key(manifest)
        given = deepcopy(manifest["metadata"])
        old = self._items.get(key)
        if old is None:
            meta = given | {"namespace": key[1], "uid": f"planned-{len(self._items)}", "generation": 1}
            self._items[key] = {**deepcopy(manifest), "metadata": {**meta, "creationTimestamp": made}, "status": None}
        else:
            meta, before = dict(old["metadata"]), _applied_before(old)
            for part in ("annotations", "labels"):
                meta[part] = _laid(meta.get(part), given.get(part), (before.get("metadata") or {}).get(part))
            spec = _laid(old.get("spec"), deepcopy(manifest.get("spec")), before.get("spec"))
            meta["generation"] = int(meta.get("generation") or 1) + (spec != old.get("spec"))
            self._items[key] = {**old, "metadata": meta, "spec": spec}
        self._touch(key)
        return key

    def concerned(self, applied: Iterable[Key]) -> list[Key]:
        """The objects applied, and all that refer to one of them, directly or not."""
        found = dict.fromkeys(applied)
        for _ in range(len(self._items)):
            more = [key for key in self._items if key not in found and any(k in found for k in self._refers(key))]
            if not more:
                break
            found.update(dict.fromkeys(more))
        return list(found)

    def _refers(self, key: Key) -> Iterator[Key]:
        item = self._items[key]
        for field in self._catalog[item["kind"]].references:
            value = (item.get("spec") or {}).get(field.name)
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, dict) and field.to is not None:
                    yield self._plurals[field.to.kind], str(one.get("namespace")), str(one.get("name"))

    def related(self, kind: Kind, parent: Parent) -> Related:
        """What Metacontroller would show with the object."""
        groups: Related = {}
        for rule in related(kind, self._catalog, parent):
            if rule.resource == "namespaces":
                groups["Namespace.v1"] = {name: self._spaces[name] for name in rule.names or () if name in self._spaces}
                continue
            for key, item in self._items.items():
                group = groups.setdefault(f"{item['kind']}.{API_VERSION}", {}) if key[0] == rule.resource else None
                if group is not None and _chosen(rule, key, item):
                    group[f"{key[1]}/{key[2]}"] = item
        return groups

    def answered(self, key: Key, status: Raw) -> bool:
        """The status is written; whether that changed anything."""
        item = self._items[key]
        if item.get("status") == status:
            return False
        self._items[key] = {**item, "status": status}
        self._touch(key)
        return True

    def _touch(self, key: Key) -> None:
        self._writes += 1
        item = self._items[key]
        self._items[key] = {**item, "metadata": {**item["metadata"], "resourceVersion": f"planned-{self._writes}"}}

    # the engine's port

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
        item = self._items.get((plural, namespace, name))
        if item is None or item["metadata"].get("resourceVersion") != resource_version:
            return Stale("the object has changed since")
        meta = dict(item["metadata"])
        for part, changes in (("annotations", annotations), ("labels", labels)):
            kept = {**(meta.get(part) or {}), **changes}
            meta[part] = {key: value for key, value in kept.items() if value is not None}
        self._items[plural, namespace, name] = {**item, "metadata": meta}
        self._touch((plural, namespace, name))
        return Patched(self._items[plural, namespace, name])

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
        return Patched(self._items[plural, namespace, name])

    async def read(self, plural: str, namespace: str, name: str, deadline: Deadline) -> Raw | Trouble | None:
        return self._items.get((plural, namespace, name))

    async def space(self, name: str, deadline: Deadline) -> Raw | Trouble | None:
        return self._spaces.get(name)

    async def leaving(self, plural: str, deadline: Deadline) -> bool | Trouble:
        return False

    async def labelled(self, plural: str, selector: str, deadline: Deadline) -> list[Raw] | Trouble:
        return [item for key, item in self._items.items() if key[0] == plural and _matches(selector, item)]

    async def delete(
        self, plural: str, namespace: str, name: str, uid: str, deadline: Deadline
    ) -> Stale | Trouble | None:
        return Trouble("a plan deletes nothing")

    def tell(self, raw: Raw, kind: str, warning: bool, reason: str, message: str) -> None:
        self.told.append((reason, message))


def _applied_before(item: Raw) -> Raw:
    """The manifest that `kubectl apply` wrote down the last time; empty where it did not, or nobody can read it."""
    try:
        found = json.loads((item["metadata"].get("annotations") or {}).get(LAST_APPLIED, ""))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _laid(old: Raw | None, new: Raw | None, before: Raw | None) -> Raw:
    """The new over the old; what was applied before and is applied no more goes."""
    kept = {name: value for name, value in (old or {}).items() if name not in (before or {}) or name in (new or {})}
    return {**kept, **(new or {})}


def _chosen(rule: RelatedRule, key: Key, item: Raw) -> bool:
    labels = item["metadata"].get("labels") or {}
    wanted = (rule.labelSelector or {}).get("matchLabels") or {}
    named = rule.names is None or (key[2] in rule.names and rule.namespace in (None, key[1]))
    return named and all(labels.get(label) == value for label, value in wanted.items())


def _matches(selector: str, item: Raw) -> bool:
    labels = item["metadata"].get("labels") or {}
    if not selector:
        return True
    if found := SOME.fullmatch(selector):
        return labels.get(found[1]) in found[2].split(",")
    return (found := ONE.fullmatch(selector)) is not None and labels.get(found[1]) == found[2]
