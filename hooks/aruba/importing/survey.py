"""Everything of a project that there is a kind for: from the project down, collection by collection, GETs only.

The command hands in how a collection and a resource are read, so that patience and deadlines are its own business.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from hooks.aruba.importing.found import Found
from hooks.aruba.model.catalog import Catalog
from hooks.aruba.model.failure import Failure
from hooks.aruba.model.kind import Kind
from hooks.aruba.model.live import Live
from hooks.aruba.model.paths import segment
from hooks.aruba.model.states import Standing, standing
from hooks.aruba.model.wire import Listing, Reading

Lister = Callable[[str], Awaitable[Listing | Failure]]
"""Reads the collection at a path."""
Getter = Callable[[str, str], Awaitable[Reading | Failure]]
"""Reads one resource: the path of its collection, and its ID."""


class Survey(NamedTuple):
    """`doubts` are sentences about what could not be read with certainty."""

    found: tuple[Found, ...]
    doubts: tuple[str, ...] = ()


async def survey(catalog: Catalog, root: Found, lister: Lister, getter: Getter) -> Survey | Failure:
    """The root and all that lies in it, owners before what they own. The first failure ends it: half a project would
    be taken for a whole one.
    """
    rows: dict[str, list[Found]] = {root.kind.names.kind: [root]}
    doubts: list[str] = []
    for kind in sorted(catalog, key=lambda one: len(one.collection.placeholders)):
        owner = kind.owner
        for above in rows.get(owner.to.kind, ()) if owner is not None and owner.to is not None else ():
            path = kind.collection.at(above.ids)
            listing = await lister(path)
            if isinstance(listing, Failure):
                return listing._replace(text=f"{kind.names.plural} at {path}: {listing.text}")
            if not listing.complete:
                doubts.append(f"the cloud's list of {kind.names.plural} at {path} may not be complete: import again")
            for live in listing.rows:
                if not _usable(live.id):
                    doubts.append(f"{Found(kind, path, live)} is left out: the cloud shows no usable ID for it")
                elif standing(kind.states, live.state) is not Standing.GONE:
                    rows.setdefault(kind.names.kind, []).append(
                        Found(kind, path, await _whole(kind, path, live, getter))
                    )
    return Survey(tuple(found for some in rows.values() for found in some), tuple(doubts))


def _usable(resource_id: str) -> bool:
    try:
        return bool(segment(resource_id))
    except ValueError:
        return False


async def _whole(kind: Kind, path: str, live: Live, getter: Getter) -> Live:
    """The row, or the whole answer where the row lacks what a spec must say: a listing may show less."""
    lacks = any(f.compared and not f.optional and f.read(live) is None for f in kind.fields)
    reading = await getter(path, live.id) if lacks else None
    return reading.live if isinstance(reading, Reading) and reading.live is not None else live
