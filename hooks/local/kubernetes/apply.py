"""Server-side apply: a configuration laid over the live object, with a say for those who own its fields.

`writes` calls `Application` for content type apply-patch. Source: Kubernetes, "Server-Side Apply", and the rules of
structured-merge-diff's `merge.Updater`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from hooks.local.kubernetes.errors import ApiError
from hooks.local.kubernetes.fieldsets import (
    FieldPath,
    granular,
    item_step,
    leaves,
    ownable,
    readable,
    schema_of,
)
from hooks.local.kubernetes.managed import Owner, differs, owners_of, with_owners
from hooks.local.kubernetes.objects import Object, metadata, with_metadata
from hooks.local.kubernetes.resources import Resource
from hooks.local.kubernetes.structural import member


@dataclass(frozen=True, slots=True)
class Application:
    """One manager's configuration of one object."""

    resource: Resource
    config: Object
    manager: str
    force: bool
    part: str
    now: str

    @property
    def _schema(self) -> Object:
        return schema_of(self.resource)

    def _wanted(self) -> set[FieldPath]:
        pruned, _ = self.resource.schema.prune(self.config)
        return set(leaves(ownable(self.resource, pruned, self.part), self._schema))

    def _mine(self, wanted: set[FieldPath]) -> Owner:
        version = self.resource.api_version
        return Owner(self.manager, "Apply", version, self.part, self.now, frozenset(wanted))

    def merged(self, live: Object) -> Object:
        """What the object becomes. Raises ApiError 409 when another manager disagrees and `force` is not set."""
        wanted = self._wanted()
        known, others = self._split(live)
        kept = {path for owner in others for path in owner.fields}
        gone = (known.fields if known else frozenset()) - wanted - kept
        laid = lay(live, self.config, self._schema)
        if not self.force:
            self._refuse_conflicts(laid, live, wanted, others)
        rest: Object = without(laid, self._schema, gone)
        return with_metadata(rest, managedFields=metadata(live).get("managedFields"))

    def _split(self, live: Object | None) -> tuple[Owner | None, list[Owner]]:
        mine = self._mine(set())
        owners = owners_of(live)
        own = [owner for owner in owners if (owner.key[:2], owner.part) == (mine.key[:2], mine.part)]
        return own[0] if own else None, [owner for owner in owners if owner not in own]

    def _changed(self, new: Object, live: Object) -> set[FieldPath]:
        before = leaves(ownable(self.resource, live, self.part), self._schema)
        after = leaves(ownable(self.resource, new, self.part), self._schema)
        return {path for path, value in after.items() if path not in before or differs(before[path], value)}

    def _refuse_conflicts(self, laid: Object, live: Object, wanted: set[FieldPath], others: list[Owner]) -> None:
        contested = self._changed(laid, live) & wanted
        found = [(owner, path) for owner in others for path in sorted(owner.fields & contested)]
        if found:
            raise conflicts(found)

    def record(self, new: Object, old: Object | None) -> Object:
        """The managed fields after this application."""
        wanted = self._wanted()
        known, others = self._split(old)
        changed = self._changed(new, old) if old else set()
        mine = self._mine(wanted)
        if known and known.fields == mine.fields and known.api_version == mine.api_version and not changed:
            mine = replace(mine, time=known.time)
        taken = changed & wanted
        bare = with_metadata(new, managedFields=None)
        return with_owners(bare, [mine, *(owner.without(taken) for owner in others)])


def conflicts(found: list[tuple[Owner, FieldPath]]) -> ApiError:
    """The API server's words for fields that others own."""
    causes = [
        {
            "reason": "FieldManagerConflict",
            "message": f"conflict with {owner.described()}",
            "field": readable(path),
        }
        for owner, path in found
    ]
    return ApiError(409, "Conflict", _conflict_text(found), {"causes": causes})


def _conflict_text(found: list[tuple[Owner, FieldPath]]) -> str:
    if len(found) == 1:
        owner, path = found[0]
        return f"Apply failed with 1 conflict: conflict with {owner.described()}: {readable(path)}"
    by_owner: dict[str, list[str]] = {}
    for owner, path in found:
        by_owner.setdefault(owner.described(), []).append(f"- {readable(path)}")
    parts = [f"conflicts with {name}:\n" + "\n".join(paths) for name, paths in sorted(by_owner.items())]
    return f"Apply failed with {len(found)} conflicts: " + "\n".join(parts)


def lay(live: Any, config: Any, schema: Object) -> Any:
    """`config` over `live`: maps and keyed lists are merged, everything else is replaced."""
    if isinstance(config, dict) and isinstance(live, dict) and schema.get("x-kubernetes-map-type") != "atomic":
        laid = {name: lay(live.get(name), value, member(schema, name) or {}) for name, value in config.items()}
        return {**live, **laid}
    if isinstance(config, list) and isinstance(live, list) and granular(schema):
        return _lay_list(live, config, schema)
    return config


def _lay_list(live: list[Any], config: list[Any], schema: Object) -> list[Any]:
    items = {item_step(item, schema): item for item in live}
    for item in config:
        step = item_step(item, schema)
        items[step] = lay(items.get(step), item, schema.get("items") or {})
    return list(items.values())


def without(value: Any, schema: Object, gone: frozenset[FieldPath], path: FieldPath = ()) -> Any:
    """A copy without the paths that are gone; what is emptied by that goes too."""
    if not gone:
        return value
    if isinstance(value, dict) and schema.get("x-kubernetes-map-type") != "atomic":
        kept = {}
        for name, item in value.items():
            here = (*path, f"f:{name}")
            rest = without(item, member(schema, name) or {}, gone, here)
            if here not in gone and (rest or not item or rest == item):
                kept[name] = rest
        return kept
    if isinstance(value, list) and granular(schema):
        pairs = [(item, (*path, item_step(item, schema))) for item in value]
        return [without(item, schema.get("items") or {}, gone, here) for item, here in pairs if here not in gone]
    return value
