"""What a reader of a manifest should know about the resource behind it. `sieve` asks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hooks.aruba.importing.found import Found, Key
from hooks.aruba.model.live import dig
from hooks.aruba.model.states import Standing, standing
from hooks.meta.text import one_line


def remarks(one: Found, known: Mapping[Key, Found]) -> tuple[str, ...]:
    """Sentences for comment lines, none for what is as usual."""
    return tuple(one_line(text) for text in (*_origin(one, known), *_condition(one)))


def _origin(one: Found, known: Mapping[Key, Found]) -> Iterator[str]:
    """The platform makes a default VPC, and with `preset` what lies in it. It does not say so of each: the rules of a
    default group carry no flag of their own (api §8.2, §8.5).
    """
    above = _above(one, known)
    if one.live.get("default") is True:
        yield f"the default {one.kind}: the platform may have made it by itself"
    elif one.live.get("default") is None and above is not None and above.live.get("default") is True:
        yield f"it lies in the default {above.kind}: the platform may have made it by itself"
    if one.live.meta("managedBy"):
        yield f"the cloud says that it is managed by {one.live.meta('managedBy')}"


def _above(one: Found, known: Mapping[Key, Found]) -> Found | None:
    """The owner; none for what lies in the project itself, where most things are."""
    owner = one.kind.owner
    if owner is None or owner.to is None or len(one.kind.collection.placeholders) == 1:
        return None
    placeholder = one.kind.collection.placeholders[-1]
    return known.get((owner.to.kind, one.kind.collection.ids(one.path).get(placeholder, "").lower()))


def _condition(one: Found) -> Iterator[str]:
    if dig(one.live.body, "data.private.unremovable") is True:
        yield "the cloud refuses to delete it"
    if one.owner_tags:
        yield f"made by an object of this operator (tag {', '.join(one.owner_tags)}), which must be there no more"
    if standing(one.kind.states, one.live.state) in (Standing.CHANGING, Standing.UNKNOWN):
        yield f"the cloud reports {one.live.state or 'no state yet'}"
