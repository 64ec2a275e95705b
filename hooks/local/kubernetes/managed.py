"""Who owns which field: `metadata.managedFields`, kept on every write and asked by server-side apply.

`lifecycle` calls `recorded` for ordinary writes; `apply` works on the same `Owners`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from hooks.local.kubernetes.fieldsets import FieldPath, decode, encode, leaves, ownable, schema_of
from hooks.local.kubernetes.objects import Object, metadata, with_metadata
from hooks.local.kubernetes.resources import Resource


@dataclass(frozen=True, slots=True)
class Owner:
    """One entry: a manager's fields, by one kind of write, through one version and part."""

    manager: str
    operation: str
    api_version: str
    part: str
    time: str
    fields: frozenset[FieldPath]

    @property
    def key(self) -> tuple[str, str, str, str]:
        return self.operation, self.manager, self.api_version, self.part

    def without(self, paths: set[FieldPath]) -> Owner:
        return replace(self, fields=self.fields - paths) if self.fields & paths else self

    def entry(self) -> Object:
        entry: Object = {
            "manager": self.manager,
            "operation": self.operation,
            "apiVersion": self.api_version,
            "time": self.time,
            "fieldsType": "FieldsV1",
            "fieldsV1": encode(self.fields),
        }
        return {**entry, "subresource": self.part} if self.part else entry

    def described(self) -> str:
        """As a conflict names it."""
        text = f'"{self.manager}"' + (f' with subresource "{self.part}"' if self.part else "")
        return f"{text} using {self.api_version} at {self.time}" if self.operation == "Update" else text


def owners_of(obj: Object | None) -> list[Owner]:
    entries = metadata(obj).get("managedFields") or [] if obj else []
    return [_owner(entry) for entry in entries if entry.get("fieldsV1") is not None]


def _owner(entry: Object) -> Owner:
    return Owner(
        manager=entry.get("manager", "unknown"),
        operation=entry.get("operation", "Update"),
        api_version=entry.get("apiVersion", ""),
        part=entry.get("subresource", ""),
        time=entry.get("time", ""),
        fields=frozenset(decode(entry["fieldsV1"])),
    )


def with_owners(obj: Object, owners: list[Owner]) -> Object:
    alive = sorted((owner for owner in owners if owner.fields), key=lambda owner: (owner.operation, owner.time))
    return with_metadata(obj, managedFields=[owner.entry() for owner in alive] or None)


def recorded(resource: Resource, new: Object, old: Object | None, manager: str, part: str, now: str) -> Object:
    """The new object with what this manager changed put under its name, and taken from the others."""
    schema = schema_of(resource)
    after = leaves(ownable(resource, new, part), schema)
    before = leaves(ownable(resource, old, part), schema) if old else {}
    if old and "managedFields" not in metadata(new):
        new = with_metadata(new, managedFields=metadata(old).get("managedFields"))
    changed = {path for path, value in after.items() if path not in before or differs(before[path], value)}
    removed = {path for path in before if path not in after}
    if not changed and not removed:
        return new if _whole(new) else with_owners(new, owners_of(new))
    mine = Owner(manager, "Update", resource.api_version, part, now, frozenset())
    owners = {owner.key: owner.without(changed | removed) for owner in owners_of(new)}
    known = next((owner for owner in owners_of(new) if owner.key == mine.key), mine)
    fields = (known.fields - removed) | changed
    owners[mine.key] = replace(known, fields=fields, time=now)
    return with_owners(new, list(owners.values()))


def _whole(obj: Object) -> bool:
    """Whether all entries can be read; a client resets them by sending an empty one."""
    return len(owners_of(obj)) == len(metadata(obj).get("managedFields") or [])


def differs(one: Any, other: Any) -> bool:
    return bool(one != other or type(one) is not type(other))
