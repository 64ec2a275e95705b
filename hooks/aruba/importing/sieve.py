"""What is written and what is left out: only what the engine would find in order, and just as it is in the cloud.

Each object is shown to the engine's own reading, validation and comparison as if it and what it refers to were Active.
So an object that passes is adopted without a write, and one that would not be is left out with the engine's words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from pydantic import ValidationError

from hooks.aruba.engine.compare import compare
from hooks.aruba.engine.findings import Comparison
from hooks.aruba.engine.recall import recall
from hooks.aruba.engine.resolve import resolve
from hooks.aruba.engine.validate import validate
from hooks.aruba.importing.drafts import Draft, Place, draft_all, manifest
from hooks.aruba.importing.found import Found, Key
from hooks.aruba.importing.remarks import remarks
from hooks.aruba.model.catalog import Catalog
from hooks.aruba.model.kind import Kind
from hooks.aruba.model.phases import API_VERSION, GROUP, VERSION, Phase
from hooks.aruba.model.states import Standing, standing
from hooks.contract.requests import Parent, Related
from hooks.meta.text import one_line

_ANY_TIME = datetime.min.replace(tzinfo=UTC)
"""Nothing that is shown here is being deleted, so no age is ever reckoned."""


class Adopted(NamedTuple):
    """A manifest, and what a reader should know about it."""

    found: Found
    manifest: dict[str, Any]
    remarks: tuple[str, ...]


class Left(NamedTuple):
    """A resource that gets no manifest, and why."""

    found: Found
    why: str

    def __str__(self) -> str:
        return f"{self.found} is left out: {self.why}"


class Import(NamedTuple):
    """Both in the order of their needs: what is referred to comes first."""

    adopted: tuple[Adopted, ...]
    left: tuple[Left, ...]


def sift(catalog: Catalog, found: Sequence[Found], place: Place) -> Import:
    """Manifests for what was found."""
    drafts = draft_all([one for one in found if not _unsound(one, place)])
    known = {one.key: one for one in found}
    adopted: dict[Key, Adopted] = {}
    left: list[Left] = []
    shown: Related = {}
    for one in in_order(catalog, found):
        why = _unsound(one, place) or _stranded(drafts[one.key], adopted, known)
        item = {} if why else manifest(drafts[one.key], drafts, place)
        why = why or _misshapen(one.kind, item) or _uneven(one, item, shown)
        if why:
            left.append(Left(one, one_line(why)))
            continue
        adopted[one.key] = Adopted(one, item, remarks(one, known))
        group = shown.setdefault(f"{one.kind}.{GROUP}/{VERSION}", {})
        group[f"{place.namespace}/{item['metadata']['name']}"] = _stored(one, item)
    return Import(tuple(adopted.values()), tuple(left))


def in_order(catalog: Catalog, found: Sequence[Found]) -> list[Found]:
    """What is referred to first; within a kind by name."""
    depths = {str(kind): _depth(catalog, kind) for kind in catalog}
    return sorted(found, key=lambda one: (depths[str(one.kind)], str(one.kind), one.live.name, one.live.id))


def _depth(catalog: Catalog, kind: Kind, below: tuple[str, ...] = ()) -> int:
    """How many kinds must be there before this one; a kind that refers to itself counts once."""
    names = {field.to.kind for field in kind.references if field.to is not None} - {str(kind), *below}
    return max((1 + _depth(catalog, catalog[name], (*below, str(kind))) for name in names), default=0)


def _unsound(one: Found, place: Place) -> str:
    """What is going away, has failed, or belongs to somebody, is nothing to begin with."""
    state = standing(one.kind.states, one.live.state)
    if state in (Standing.LEAVING, Standing.GONE):
        return "it is being deleted in the cloud"
    if state is Standing.FAILED:
        return f"the cloud reports {one.live.state}" + (f": {one.live.trouble}" if one.live.trouble else "")
    if one.owner_tags and not place.take_over:
        return (
            f"it carries the tag {one.owner_tags[0]}, so an object of this operator made it: go on with that object, "
            "or say --take-over if it is no more"
        )
    return ""


def _stranded(draft: Draft, adopted: Mapping[Key, Adopted], known: Mapping[Key, Found]) -> str:
    """A reference that can lead nowhere."""
    for name, keys in draft.leads.items():
        for key in keys:
            if key in known and key not in adopted:
                return f"it refers to {known[key]}, which is left out"
            if key not in adopted:
                return f"it refers to {key[0]} {key[1]}, which this project does not list"
        if len(keys) > 1 and not draft.found.kind.by_name[name].many:
            named = ", ".join(str(known[key]) for key in keys)
            return f"spec.{name} can name one only, and the cloud shows {named}"
    return ""


def _misshapen(kind: Kind, item: Mapping[str, Any]) -> str:
    """What the schema would refuse."""
    try:
        kind.spec.model_validate(item["spec"])
    except ValidationError as error:
        return "; ".join(
            _told(entry["type"], ".".join(map(str, entry["loc"])), entry["msg"]) for entry in error.errors()
        )
    return ""


def _told(fault: str, name: str, text: str) -> str:
    return (
        f"the cloud does not show spec.{name}, which has to be said" if fault == "missing" else f"spec.{name}: {text}"
    )


def _uneven(one: Found, item: Mapping[str, Any], shown: Related) -> str:
    """What the engine would find fault with, or want to change, once this object is applied."""
    parent = Parent.model_validate(_stored(one, item))
    resolved = resolve(one.kind, parent, shown, _ANY_TIME)
    broken = validate(one.kind, parent, resolved)
    if broken:
        return "; ".join(violation.text for violation in broken)
    return _differences(compare(one.kind, resolved, recall(parent), one.live, one.path))


def _differences(found: Comparison) -> str:
    told = [violation.text for violation in found.strays]
    told += [f"spec.{one.field} would say {one.wanted}, the cloud has {one.actual}" for one in found.refused]
    told += [f"spec.{name} cannot say what the cloud has" for call in found.calls for name in call.fields]
    told += [f"spec.{extra.field} cannot say all that the cloud has" for extra in found.extra]
    return "; ".join(told)


def _stored(one: Found, item: Mapping[str, Any]) -> dict[str, Any]:
    """The object as Kubernetes will keep it, defaults filled in, once it is Active."""
    spec = one.kind.spec.model_validate(item["spec"]).model_dump(mode="json", exclude_none=True)
    return {
        "apiVersion": API_VERSION,
        "kind": str(one.kind),
        "metadata": {**item["metadata"], "uid": one.live.id},
        "spec": spec,
        "status": {"phase": Phase.ACTIVE, "resourceID": one.live.id},
    }
