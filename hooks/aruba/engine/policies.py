"""Who decides what happens to the resource: the user's words, from the object, its Namespace or the settings.

The nearest word counts. One that nobody can read is taken as the cautious one, wherever it stands, and is reported.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from types import MappingProxyType
from typing import Any, NamedTuple

from hooks.aruba.engine import notes
from hooks.aruba.engine.values import Origin
from hooks.meta.objects import ObjectMeta

WORDS = MappingProxyType(
    {
        notes.ADOPTION_POLICY: ("always", "if-unowned", "never"),
        notes.DELETE_POLICY: ("delete", "orphan"),
        notes.ON_EXTERNAL_DELETE: ("recreate", "report"),
        notes.DRIFT_POLICY: ("correct", "report"),
        notes.MODE: ("manage", "observe"),
        notes.SUSPEND: ("false", "true"),
        notes.PROTECTION: ("false", "true"),
    }
)
"""What each policy may say; the last is the cautious word."""

NOBODY: Mapping[str, str] = MappingProxyType({})


class Policies(NamedTuple):
    """The words that count; empty where nobody says anything."""

    adoption: str = ""
    deletion: str = ""
    deletion_here: str = ""
    """The object's own word: only that one may have an adopted resource deleted."""
    loss: str = ""
    drift: str = ""
    observing: bool = False
    suspended: bool = False
    protected: bool = False
    timeout: timedelta | None = None
    unreadable: tuple[str, ...] = ()
    """A sentence for each word that nobody can read."""


def policies(meta: ObjectMeta, space: Mapping[str, str], defaults: Mapping[str, str]) -> Policies:
    """`space` are the annotations of the object's Namespace, `defaults` the words of the settings by annotation."""
    found = {key: _nearest(key, meta.annotations, space, defaults) for key in WORDS}
    timeout = meta.annotations.get(notes.TIMEOUT) or space.get(notes.TIMEOUT) or ""
    return Policies(
        adoption=found[notes.ADOPTION_POLICY],
        deletion=found[notes.DELETE_POLICY],
        deletion_here=_nearest(notes.DELETE_POLICY, meta.annotations),
        loss=found[notes.ON_EXTERNAL_DELETE],
        drift=found[notes.DRIFT_POLICY],
        observing=found[notes.MODE] == "observe",
        suspended=found[notes.SUSPEND] == "true",
        protected=found[notes.PROTECTION] == "true",
        timeout=notes.duration(timeout),
        unreadable=(*_unreadable(meta.annotations, "the annotation"), *_unreadable(space, "on its Namespace,")),
    )


def _nearest(key: str, *places: Mapping[str, str]) -> str:
    for place in places:
        if key in place:
            return place[key] if place[key] in WORDS[key] else WORDS[key][-1]
    return ""


def _unreadable(annotations: Mapping[str, str], where: str) -> list[str]:
    told = [
        f"{where} {key}: {annotations[key][:40]!r} is neither {' nor '.join(words)}, so {words[-1]} is assumed"
        for key, words in WORDS.items()
        if key in annotations and annotations[key] not in words
    ]
    timeout = annotations.get(notes.TIMEOUT)
    if timeout is not None and notes.duration(timeout) is None:
        told.append(f"{where} {notes.TIMEOUT}: {timeout[:40]!r} is no duration such as 30m, so the default is taken")
    return told


def of_namespace(raw: Mapping[str, Any] | None) -> Mapping[str, str]:
    """The annotations of a Namespace, as far as they are text."""
    found = ((raw or {}).get("metadata") or {}).get("annotations")
    return {str(k): v for k, v in found.items() if isinstance(v, str)} if isinstance(found, Mapping) else NOBODY


def stays(words: Policies, came: Origin) -> bool:
    """Whether the resource is to outlive its object."""
    word = words.deletion_here if came is Origin.ADOPTED else words.deletion
    return (word or ("orphan" if came is Origin.ADOPTED else "delete")) == "orphan"
