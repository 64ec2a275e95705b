"""How one object is let go of: what is removed, who would put it back, and the fenced write. Used by `release`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from hooks.aruba.engine.notes import (
    ADOPTING,
    CREATE_PENDING,
    OWNER,
    OWNER_REFERENCES,
    RESOURCE_PATH,
    RESOURCE_TENANT,
    USES,
)
from hooks.aruba.model.kind import Kind
from hooks.aruba.model.phases import GROUP
from hooks.cli.checks.holders import Holder
from hooks.cli.cluster import Cluster, meta
from hooks.kube.answers import Raw
from hooks.meta.outcomes import Patched, Stale, Trouble

MANAGER = "aruba-hooks-release"
ANNOTATIONS = (OWNER_REFERENCES, CREATE_PENDING, ADOPTING, RESOURCE_TENANT, RESOURCE_PATH)
ATTEMPTS = 2


class Release(NamedTuple):
    """Which object, and whom it must not be released from under."""

    kind: Kind
    path: str
    holders: tuple[Holder, ...]


class Parts(NamedTuple):
    """What of ours, or of the Go operator's, an object carries, and the finalizers of others."""

    finalizers: tuple[str, ...]
    annotations: tuple[str, ...]
    labels: tuple[str, ...]
    others: tuple[str, ...]
    deleting: bool

    @property
    def leaves(self) -> bool:
        """Whether the object is gone once these are removed."""
        return self.deleting and not self.others

    def lines(self) -> Iterator[str]:
        for word, names in (("finalizer", self.finalizers), ("annotation", self.annotations), ("label", self.labels)):
            yield from (f"{word:<10}  {name}" for name in names)


class Report(NamedTuple):
    """How it went, in a sentence and in detail."""

    fine: bool
    text: str
    lines: tuple[str, ...] = ()


def parts(kind: Kind, item: Raw) -> Parts:
    """Read an object's metadata."""
    data = meta(item)
    own = {
        f"metacontroller.io/compositecontroller-{kind.names.plural}.{GROUP}",
        f"{kind.names.singular}.{GROUP}/finalizer",
    }
    finalizers = [str(name) for name in data.get("finalizers") or ()]
    return Parts(
        finalizers=tuple(name for name in finalizers if name in own),
        annotations=tuple(name for name in ANNOTATIONS if name in (data.get("annotations") or {})),
        labels=tuple(sorted(name for name in data.get("labels") or {} if name.startswith((OWNER, USES)))),
        others=tuple(name for name in finalizers if name not in own),
        deleting=bool(data.get("deletionTimestamp")),
    )


async def let_go(cluster: Cluster, release: Release, act: bool) -> Report:
    """Release one object, or say what that would be. A write that meets a newer object is thought over once more."""
    seen = ""
    for _ in range(ATTEMPTS):
        item = await cluster.get(release.path)
        if item is None:
            return Report(True, "gone meanwhile") if seen else Report(False, "there is no such object")
        if isinstance(item, Trouble):
            return Report(False, item.text)
        uid = str(meta(item).get("uid", ""))
        if seen and uid != seen:
            return Report(True, "gone meanwhile; another object has its name now, and is left alone")
        report, seen = await _attempt(cluster, release, item, act), uid
        if report is not None:
            return report
    return Report(False, "it was changed by somebody else twice: something still acts on it; stop that, then run again")


async def _attempt(cluster: Cluster, release: Release, item: Raw, act: bool) -> Report | None:
    """None when the object has moved on since it was read."""
    found = parts(release.kind, item)
    lines = tuple(found.lines())
    if not lines:
        return Report(True, f"nothing to remove; {_after(found)}")
    if release.holders and not found.leaves:
        return Report(False, _refusal(release.holders[0]), lines)
    if not act:
        return Report(True, f"would be released; {_after(found)}{_late(release)}", lines)
    answer = await cluster.patch(release.path, _change(item, found), MANAGER)
    if isinstance(answer, Patched):
        return Report(True, f"released; {_after(found)}{_late(release)}", lines)
    return None if isinstance(answer, Stale) else Report(False, answer.text)


def _refusal(holder: Holder) -> str:
    """Somebody would put everything back, or delete in the cloud what an object held by others stands for."""
    return f"refused, since {holder.name} would take it up again at once: {holder.stop}, or say --force"


def _late(release: Release) -> str:
    return "; what the operator has already begun may still reach the cloud" if release.holders else ""


def _after(found: Parts) -> str:
    if found.leaves:
        return "it is being deleted, and gone with that"
    if found.deleting:
        return f"it is being deleted, and stays until its other finalizers go: {', '.join(found.others)}"
    return "it stays as an object that nobody acts on"


def _change(item: Raw, found: Parts) -> dict[str, Any]:
    """Fenced by uid and version: the list of finalizers is replaced whole, so it must be the one that was read."""
    data = meta(item)
    change: dict[str, Any] = {"uid": data.get("uid"), "resourceVersion": data.get("resourceVersion")}
    if found.finalizers:
        change["finalizers"] = list(found.others)
    for member, names in (("annotations", found.annotations), ("labels", found.labels)):
        if names:
            change[member] = dict.fromkeys(names)
    return {"metadata": change}
