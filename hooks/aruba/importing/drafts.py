"""Specs in the making: everything that was found by its ID, so that references find names and gaps find their fill."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from hooks.aruba.engine.notes import ADOPTION_POLICY, RESOURCE_ID, RESOURCE_NAME
from hooks.aruba.engine.plan import lay_in
from hooks.aruba.importing.found import Found, Key
from hooks.aruba.importing.names import name_all
from hooks.aruba.importing.reading import references, values, vocabulary
from hooks.aruba.model.live import last_segment
from hooks.aruba.model.phases import API_VERSION

AGREED = ("region", "zone")
"""What an object and those it refers to must say alike (`engine.validate`); children are often shown without it."""


class Place(NamedTuple):
    """Where the objects will live, and which tenant they name; an empty one is not named.

    `take_over`: what objects of another cluster made is adopted too, since those objects are no more.
    """

    namespace: str
    tenant: str = ""
    take_over: bool = False


class Draft(NamedTuple):
    """`values` by dotted field, `leads` from a reference's field to what it leads to."""

    found: Found
    name: str
    values: dict[str, Any]
    leads: dict[str, tuple[Key, ...]]


Drafts = Mapping[Key, Draft]


def draft_all(found: Sequence[Found]) -> dict[Key, Draft]:
    """A draft of each, with the values that only its relatives know."""
    names = name_all(found)
    words = {str(kind): vocabulary(kind) for kind in {str(one.kind): one.kind for one in found}.values()}
    paths = {one.live.id.lower(): one.item for one in found}
    drafts = {
        one.key: Draft(one, names[one.key], _values(one, words[str(one.kind)], paths), references(one)) for one in found
    }
    for draft in drafts.values():  # owners come first, so a region goes down the whole line
        _agree(draft, drafts)
    for user in drafts.values():
        for key in _led(user):
            if key in drafts:
                _fill(drafts[key], user, spelling=False)
    return drafts


def _values(one: Found, words: tuple[str, ...], paths: Mapping[str, str]) -> dict[str, Any]:
    """As the cloud says them; what points at a resource by its path gets the path that we know."""
    said = values(one.kind, one.live, words)
    for pointer in one.kind.pointers:
        shown = said.get(pointer.field)
        if isinstance(shown, str) and "/" in shown and last_segment(shown) in paths:
            said[pointer.field] = paths[last_segment(shown)]
    return said


def _agree(draft: Draft, drafts: Drafts) -> None:
    for key in _led(draft):
        if key in drafts:
            _fill(draft, drafts[key], spelling=True)


def _led(draft: Draft) -> list[Key]:
    return [key for keys in draft.leads.values() for key in keys]


def _fill(draft: Draft, other: Draft, *, spelling: bool) -> None:
    """Take over what is not said, or, with `spelling`, what differs by the case of its letters only."""
    for name in AGREED:
        theirs, own = other.values.get(name), draft.values.get(name)
        same = spelling and str(own).casefold() == str(theirs).casefold()
        if theirs is not None and name in draft.found.kind.by_name and (own is None or same):
            draft.values[name] = theirs


def manifest(draft: Draft, drafts: Drafts, place: Place) -> dict[str, Any]:
    """The object as it will be applied; every reference leads to another draft."""
    live = draft.found.live
    annotations = {RESOURCE_ID: live.id}
    if live.name and live.name != draft.name:
        annotations[RESOURCE_NAME] = live.name
    if draft.found.owner_tags:  # another object's tag is respected unless the object says otherwise
        annotations[ADOPTION_POLICY] = "always"
    return {
        "apiVersion": API_VERSION,
        "kind": draft.found.kind.names.kind,
        "metadata": {"name": draft.name, "namespace": place.namespace, "annotations": annotations},
        "spec": _spec(draft, drafts, place),
    }


def _spec(draft: Draft, drafts: Drafts, place: Place) -> dict[str, Any]:
    """In the order of the declaration."""
    spec: dict[str, Any] = {}
    for field in draft.found.kind.fields:
        refs = [{"name": drafts[key].name, "namespace": place.namespace} for key in draft.leads.get(field.name, ())]
        if refs:
            spec[field.name] = sorted(refs, key=lambda ref: ref["name"]) if field.many else refs[0]
        elif field.name == "tenant" and place.tenant:
            spec["tenant"] = place.tenant
        elif field.name in draft.values:
            lay_in(spec, field.name, draft.values[field.name])
    return spec
