"""What we write on the objects themselves: names of annotations and labels, and how their values are read.

Values that speak of one object's past carry its UID and are ignored under another, so a copied manifest tells nothing
(design §5.2).
"""

from __future__ import annotations

import base64
import hashlib
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import NamedTuple

from hooks.aruba.engine.values import Mark
from hooks.meta.objects import ObjectMeta
from hooks.meta.times import format_precise, parse_duration, parse_time

OWNER_REFERENCES = "arubacloud.com/owner-references"
CREATE_PENDING = "arubacloud.com/create-pending"
RESOURCE_TENANT = "arubacloud.com/resource-tenant"
RESOURCE_PATH = "arubacloud.com/resource-path"
RESOURCE_NAME = "arubacloud.com/resource-name"
DELETE_POLICY = "arubacloud.com/delete-policy"
ON_EXTERNAL_DELETE = "arubacloud.com/on-external-delete"
DRIFT_POLICY = "arubacloud.com/drift-policy"
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


POLICIES = MappingProxyType(
    {
        DELETE_POLICY: ("delete", "orphan"),
        ON_EXTERNAL_DELETE: ("recreate", "report"),
        DRIFT_POLICY: ("correct", "report"),
    }
)
"""What each policy may say; the last is the cautious word, which is taken for an unreadable one."""


def policy(meta: ObjectMeta, annotation: str, default: str) -> str:
    """The word of a policy that counts."""
    value = meta.annotations.get(annotation, default)
    return value if value in POLICIES[annotation] else POLICIES[annotation][-1]


def unreadable(meta: ObjectMeta) -> list[str]:
    """A sentence for each policy that nobody can read."""
    found = [(key, meta.annotations[key], words) for key, words in POLICIES.items() if key in meta.annotations]
    told = [
        f"the annotation {key}: {value[:40]!r} is neither {' nor '.join(words)}, so {words[-1]} is assumed"
        for key, value, words in found
        if value not in words
    ]
    timeout = meta.annotations.get(TIMEOUT)
    if timeout is not None and _duration(timeout) is None:
        told.append(f"the annotation {TIMEOUT}: {timeout[:40]!r} is no duration such as 30m, so the default is taken")
    return told


def reconcile_at(meta: ObjectMeta) -> str:
    """Any text; a change of it asks for a fresh pass. Cut, since it is repeated in status."""
    return meta.annotations.get(RECONCILE_AT, "")[:128]


def timeout(meta: ObjectMeta) -> timedelta | None:
    """The time-out that the object asks for, None where it asks for none that can be read."""
    return _duration(meta.annotations.get(TIMEOUT, ""))


def _duration(text: str) -> timedelta | None:
    try:
        return parse_duration(text) if text else None
    except ValueError:
        return None


def cloud_name(meta: ObjectMeta) -> str:
    """The name of the cloud resource."""
    return meta.annotations.get(RESOURCE_NAME) or meta.name
