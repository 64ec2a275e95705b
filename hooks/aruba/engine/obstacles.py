"""What keeps a look from being believed, and what in the cloud stands against a creation. `observe` asks.

A resource that is not found may be behind a gateway that has lost its way; a name that is free may still be refused,
because of a neighbour or of something that the spec points at (design §5.7, cases 14, 27, 55).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from types import MappingProxyType

from hooks.aruba.engine.ports import CloudPort
from hooks.aruba.engine.story import Known, Observed
from hooks.aruba.engine.values import Cloud, Mark, Violation, Wish
from hooks.aruba.model.failure import Cause, Failure
from hooks.aruba.model.kind import Pointer, rule
from hooks.aruba.model.live import Live
from hooks.aruba.model.states import Standing, standing
from hooks.aruba.model.wire import Around
from hooks.meta.deadline import Deadline

LATELY = timedelta(seconds=60)
"""How old a look at what a spec points at may be."""
FRESH = timedelta(seconds=2)
"""How old an answer of the project may be that makes a 404 believed; passes woken together share it."""
DOUBTS = MappingProxyType({Around.GONE: 1, Around.LAST: 2, Around.NOTHING: 2})
"""How many propagation windows a deletion waits before it believes in the loss of its whole project."""


def expected(known: Known) -> bool:
    """Its end was asked for, and the cloud agreed."""
    return known.wish is Wish.DELETE and known.past.asked_to_delete and known.past.next_attempt is None


async def doubted(
    known: Known, cloud: CloudPort, resource_id: str, deadline: Deadline, sent: datetime | None = None
) -> Failure | None:
    """Why absence is not believed yet. Nothing is made again while a whole tenant looks empty; a deletion, which
    could leave something behind for ever, looks twice, a window apart. What we asked to go is expected to be gone;
    `sent`: when this pass sent a DELETE, whatever became of it; what was seen before proves nothing then.
    """
    if expected(known):
        return None
    around = await cloud.around(known.tenant, known.path or "", resource_id, sent or known.now - FRESH, deadline)
    if isinstance(around, Failure):
        return around
    if around is Around.STANDS or _believed(known, around, resource_id, sent is not None):
        return None
    if _looked_twice(known, around):
        return None
    return _alone(known) if around is Around.GONE else _blind(known)


def _believed(known: Known, around: Around, resource_id: str, asked: bool) -> bool:
    """Of what is wanted: that its project is gone, and the loss of a last project. Of what is to go: only the end of a
    last project that a DELETE was sent for, or that no answer ever told of.
    """
    if known.wish is Wish.DELETE:
        return around is Around.LAST and (asked or known.past.asked_to_delete or not resource_id)
    return around in (Around.GONE, Around.LAST)


def _looked_twice(known: Known, around: Around) -> bool:
    since = known.past.missing
    return known.wish is Wish.DELETE and since is not None and known.now - since >= DOUBTS[around] * known.policy.window


def _blind(known: Known) -> Failure:
    text = (
        f"neither {_what(known)} nor any other project is found, as if the whole tenant were empty; nothing is made "
        f"again and nothing forgotten"
    )
    return Failure(Cause.BLIND, text, title="Nothing is visible")


def _alone(known: Known) -> Failure:
    text = f"{_what(known)} is not found, others are; looked for once more before that is believed"
    return Failure(Cause.BLIND, text, title="The project is not found")


def _what(known: Known) -> str:
    ids = known.kind.collection.ids(known.path or "")
    return f"project {ids.get('project') or known.past.resource_id}"


async def obstructed(
    known: Known, path: str, rows: Iterable[Live], cloud: CloudPort, deadline: Deadline
) -> Observed | None:
    """What stands against a first creation, None when nothing does."""
    if known.wish is not Wish.KEEP or known.mark is not Mark.INTENT or known.resolved.spec is None:
        return None
    for sibling in known.kind.siblings:
        for row in rows:
            text = sibling.test(known.resolved.spec, row) if _stays(known, row) else None
            if text:
                return Observed(Cloud.FOREIGN, row, obstacle=Violation(rule(sibling.test), text))
    for pointer in known.kind.pointers:
        found = await _pointed(known, pointer, path, cloud, deadline)
        if found is not None:
            return found
    return None


def _stays(known: Known, row: Live) -> bool:
    return standing(known.kind.states, row.state) not in (Standing.LEAVING, Standing.GONE)


async def _pointed(known: Known, pointer: Pointer, path: str, cloud: CloudPort, deadline: Deadline) -> Observed | None:
    uri = pointer.path(known.resolved.spec)
    if uri is None:
        return None
    name = f"{pointer.field.split('.')[0].capitalize()}MustExist"
    within = pointer.within.format_map(known.kind.collection.ids(path))
    collection, _, resource_id = uri.rstrip("/").rpartition("/")
    if collection.lower() != within.lower() or not resource_id:
        text = f"spec.{pointer.field} {uri!r} is not of the form {within}/<id>"
        return Observed(Cloud.FOREIGN, obstacle=Violation(name, text))
    seen = await cloud.item(known.tenant, within, resource_id, known.now - LATELY, deadline, proof=True)
    if isinstance(seen, Failure):
        return Observed(Cloud.SILENT, None, seen)
    if seen.live is None:
        text = f"spec.{pointer.field} {uri!r} is not there in the cloud"
        return Observed(Cloud.FOREIGN, obstacle=Violation(name, text))
    return None
