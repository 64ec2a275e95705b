"""What we write on the objects themselves: names of annotations and labels, and how their values are read.

Values that speak of one object's past carry its UID and are ignored under another, so a copied manifest tells nothing
(design §5.2).
"""

from __future__ import annotations

import base64
import hashlib
from datetime import datetime, timedelta
from typing import NamedTuple

from hooks.aruba.engine.values import Mark
from hooks.meta.objects import ObjectMeta
from hooks.meta.times import format_precise, parse_duration, parse_time

OWNER_REFERENCES = "arubacloud.com/owner-references"
CREATE_PENDING = "arubacloud.com/create-pending"
RESOURCE_TENANT = "arubacloud.com/resource-tenant"
RESOURCE_PATH = "arubacloud.com/resource-path"
RESOURCE_NAME = "arubacloud.com/resource-name"
RESOURCE_ID = "arubacloud.com/resource-id"
ADOPTION_POLICY = "arubacloud.com/adoption-policy"
ADOPTING = "arubacloud.com/adopting"
DELETE_POLICY = "arubacloud.com/delete-policy"
ON_EXTERNAL_DELETE = "arubacloud.com/on-external-delete"
DRIFT_POLICY = "arubacloud.com/drift-policy"
MODE = "arubacloud.com/mode"
SUSPEND = "arubacloud.com/suspend"
PROTECTION = "arubacloud.com/deletion-protection"
RECONCILE_AT = "arubacloud.com/reconcile-at"
TIMEOUT = "arubacloud.com/timeout"
USES = "arubacloud.com/uses-"
OWNER = "arubacloud.com/owner-"
TAG = "k8s-"
BASE32 = frozenset("abcdefghijklmnopqrstuvwxyz234567")


def owner_tag(uid: str) -> str:
    """The tag on a resource that this object created: `k8s-` and 16 of `[a-z0-9]`, from the UID alone."""
    digest = base64.b32encode(hashlib.sha256(uid.encode()).digest()).decode().lower()
    return TAG + digest[:16]


def uses(uid: str) -> str:
    """The label of whoever refers to the object of this UID: `uses-`, eight letters that follow from it, and the UID.

    The letters keep several of them in one order: kubectl's printer takes the digits of UIDs for numbers, finds some of
    them in a circle, and `kubectl diff` would show lines changing places (docs/decisions/0012).
    """
    letters = "".join(chr(ord("a") + byte % 26) for byte in hashlib.sha256(uid.encode()).digest()[:8])
    return f"{USES}{letters}-{uid}"


def is_owner_tag(tag: str) -> bool:
    """Whether a tag is some object's owner tag."""
    rest = tag.removeprefix(TAG)
    return rest != tag and len(rest) == 16 and set(rest) <= BASE32


class Pending(NamedTuple):
    """The create-pending annotation: `present` without `at` is the intent, `at` the time of an attempt."""

    present: bool
    at: datetime | None

    def mark(self, now: datetime, window: timedelta) -> Mark:
        if not self.present:
            return Mark.MISSING
        if self.at is None:
            return Mark.INTENT
        return Mark.YOUNG if now - self.at < window else Mark.OLD


def pending(meta: ObjectMeta) -> Pending:
    """Read the mark. An unreadable value counts as missing, which is the cautious reading."""
    value = recorded(meta, CREATE_PENDING)
    if value == "none":
        return Pending(True, None)
    at = parse_time(value)
    return Pending(at is not None, at)


def intent(meta: ObjectMeta, tenant: str) -> dict[str, str | None]:
    """The annotations that say: about to create, nothing tried yet."""
    return {CREATE_PENDING: f"none {meta.uid}", RESOURCE_TENANT: f"{tenant} {meta.uid}"}


def attempt(meta: ObjectMeta, now: datetime, tenant: str, path: str) -> dict[str, str | None]:
    """The annotations that say: a create is being attempted at this time, under this tenant, in this collection.

    They travel together with the mark, so that an attempt is looked for where it was made even when a reference or
    the tenant is edited afterwards, or the status is lost.
    """
    return {
        CREATE_PENDING: f"{format_precise(now)} {meta.uid}",
        RESOURCE_TENANT: f"{tenant} {meta.uid}",
        RESOURCE_PATH: f"{path} {meta.uid}",
    }


def remark(meta: ObjectMeta, now: datetime, path: str | None) -> dict[str, str | None]:
    """The mark anew, after it was lost: as if something had been attempted just now, where it was last known to be."""
    mark: dict[str, str | None] = {CREATE_PENDING: f"{format_precise(now)} {meta.uid}"}
    return mark if path is None else {**mark, RESOURCE_PATH: f"{path} {meta.uid}"}


def untried(meta: ObjectMeta) -> dict[str, str | None]:
    """The mark after an attempt that provably made nothing."""
    return {CREATE_PENDING: f"none {meta.uid}"}


def recorded(meta: ObjectMeta, annotation: str) -> str | None:
    """The value of an annotation of ours that carries the UID; None where it is missing or another object's."""
    value, found, uid = meta.annotations.get(annotation, "").rpartition(" ")
    return value if found and uid == meta.uid else None


def reconcile_at(meta: ObjectMeta) -> str:
    """Any text; a change of it asks for a fresh pass. Cut, since it is repeated in status."""
    return meta.annotations.get(RECONCILE_AT, "")[:128]


def duration(text: str) -> timedelta | None:
    """A Go duration; None where it cannot be read."""
    try:
        return parse_duration(text) if text else None
    except ValueError:
        return None


def adoptee(meta: ObjectMeta) -> str:
    """The ID that the annotation resource-id names: of the one resource that this object is to stand for."""
    return meta.annotations.get(RESOURCE_ID, "").strip()


def wanting(meta: ObjectMeta, resource_id: str) -> dict[str, str | None]:
    """The annotation that says: this object is about to adopt this resource, and looks whether another one has it."""
    return {ADOPTING: f"{resource_id} {meta.uid}"}


def adopted(meta: ObjectMeta, resource_id: str, tenant: str, path: str) -> dict[str, str | None]:
    """The annotations that say: this object stands for this resource, in this collection, under this tenant."""
    return {
        ADOPTING: None,
        RESOURCE_ID: resource_id,
        RESOURCE_TENANT: f"{tenant} {meta.uid}",
        RESOURCE_PATH: f"{path} {meta.uid}",
    }


def predecessor(singular: str) -> str:
    """The finalizer of the Go operator, whose objects go on under our hooks (behaviour §1.0)."""
    return f"{singular}.arubacloud.com/finalizer"


def cloud_name(meta: ObjectMeta) -> str:
    """The name of the cloud resource."""
    return meta.annotations.get(RESOURCE_NAME) or meta.name
