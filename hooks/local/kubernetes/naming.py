"""Object metadata under Kubernetes' rules: what it may hold, how names and labels look, what may never change.

Called by `lifecycle` for every kind.
"""

from __future__ import annotations

import re

from hooks.local.kubernetes.errors import Fault, immutable, invalid_value, plain_fault
from hooks.local.kubernetes.objects import Object, deleting, finalizers, metadata
from hooks.local.kubernetes.resources import Resource

_TEXT: Object = {"type": "string"}
_TEXTS: Object = {"type": "object", "additionalProperties": _TEXT}
_WHOLE: Object = {"type": "integer"}
_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_WORD = "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?"
_OWNER: Object = {
    "type": "object",
    "required": ["apiVersion", "kind", "name", "uid"],
    "properties": {
        **dict.fromkeys(("apiVersion", "kind", "name", "uid"), _TEXT),
        "controller": {"type": "boolean"},
        "blockOwnerDeletion": {"type": "boolean"},
    },
}
METADATA: Object = {
    "type": "object",
    "description": "Standard object's metadata.",
    "properties": {
        "name": _TEXT,
        "generateName": _TEXT,
        "namespace": _TEXT,
        "uid": _TEXT,
        "resourceVersion": _TEXT,
        "selfLink": _TEXT,
        "generation": _WHOLE,
        "creationTimestamp": {**_TEXT, "format": "date-time", "nullable": True},
        "deletionTimestamp": {**_TEXT, "format": "date-time", "nullable": True},
        "deletionGracePeriodSeconds": {**_WHOLE, "nullable": True},
        "labels": {**_TEXTS, "nullable": True},
        "annotations": {**_TEXTS, "nullable": True},
        "finalizers": {"type": "array", "nullable": True, "items": _TEXT, "x-kubernetes-list-type": "set"},
        "ownerReferences": {
            "type": "array",
            "nullable": True,
            "items": _OWNER,
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["uid"],
        },
        "managedFields": {
            "type": "array",
            "nullable": True,
            "x-kubernetes-list-type": "atomic",
            "items": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        },
    },
}
"""`ObjectMeta` as a structural schema."""


def name_faults(resource: Resource, name: str) -> list[Fault]:
    if not name:
        return [plain_fault("metadata.name", "FieldValueRequired", "name or generateName is required")]
    label = resource.qualified == "namespaces"
    if len(name) > (63 if label else 253):
        return [invalid_value("metadata.name", name, f"must be no more than {63 if label else 253} characters")]
    if re.fullmatch(_LABEL if label else _SUBDOMAIN, name):
        return []
    return [invalid_value("metadata.name", name, _LABEL_RULE if label else _SUBDOMAIN_RULE)]


_LABEL_RULE = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with"
    f" an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '{_LABEL}')"
)
_SUBDOMAIN_RULE = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and"
    f" end with an alphanumeric character (e.g. 'example.com', regex used for validation is '{_SUBDOMAIN}')"
)
_VALUE_RULE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and"
    " end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is"
    f" '{_WORD}')"
)
_KEY_RULE = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric"
    " character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is"
    " '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)


def _key_ok(key: str) -> bool:
    prefix, slash, name = key.rpartition("/")
    plain = re.fullmatch(_WORD, name) and 0 < len(name) <= 63
    return bool(plain and (not slash or re.fullmatch(_SUBDOMAIN, prefix)))


def text_faults(obj: Object) -> list[Fault]:
    """Labels, annotations and finalizers that are not well formed."""
    meta = metadata(obj)
    faults = []
    for key, value in (meta.get("labels") or {}).items():
        if not _key_ok(key):
            faults.append(invalid_value("metadata.labels", key, _KEY_RULE))
        if len(value) > 63:
            faults.append(invalid_value("metadata.labels", value, "must be no more than 63 characters"))
        elif not re.fullmatch(_WORD, value):
            faults.append(invalid_value("metadata.labels", value, _VALUE_RULE))
    for key in meta.get("annotations") or {}:
        if not _key_ok(key):
            faults.append(invalid_value("metadata.annotations", key, _KEY_RULE))
    faults += [invalid_value("metadata.finalizers", name, _KEY_RULE) for name in finalizers(obj) if not _key_ok(name)]
    return faults


def update_faults(new: Object, old: Object) -> list[Fault]:
    """What no update may do to metadata."""
    fixed = ("name", "namespace", "uid")
    after, before = metadata(new), metadata(old)
    faults = [immutable(f"metadata.{name}", after[name]) for name in fixed if after.get(name) != before.get(name)]
    added = [name for name in finalizers(new) if name not in finalizers(old)]
    if deleting(old) and added:
        listed = ", ".join(f'"{name}"' for name in added)
        rule = "no new finalizers can be added if the object is being deleted"
        detail = f"{rule}, found new finalizers []string{{{listed}}}"
        faults.append(plain_fault("metadata.finalizers", "FieldValueForbidden", detail))
    return faults
