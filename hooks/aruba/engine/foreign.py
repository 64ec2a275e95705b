"""Looks at what this object did not make: the resource that it is to adopt, or one of its name. For `observe`.

Nothing is adopted by accident: an ID is named, or a policy asks for it; what is being deleted is waited for.
"""

from __future__ import annotations

from datetime import timedelta

from hooks.aruba.engine.notes import RESOURCE_ID, is_owner_tag
from hooks.aruba.engine.obstacles import FRESH, doubted
from hooks.aruba.engine.ports import CloudPort
from hooks.aruba.engine.story import Known, Observed
from hooks.aruba.engine.values import Cloud, Violation, Wish
from hooks.aruba.model.failure import Failure
from hooks.aruba.model.live import Live
from hooks.aruba.model.states import Standing, standing
from hooks.meta.deadline import Deadline

RECENT = timedelta(seconds=15)
"""How old a look may be that shows what is to be adopted."""


async def adoptee(known: Known, path: str, resource_id: str, cloud: CloudPort, deadline: Deadline) -> Observed:
    """The resource that the annotation resource-id names, where the references lead to. That it is not there, or that
    somebody's tag is on it, is said of a fresh reading.
    """
    try:
        seen = await cloud.item(known.tenant, path, resource_id, known.now - RECENT, deadline, proof=False)
        if not isinstance(seen, Failure) and (seen.live is None or any(map(is_owner_tag, seen.live.tags))):
            seen = await cloud.item(known.tenant, path, resource_id, known.now - FRESH, deadline, proof=True)
    except ValueError:  # an ID that can be no part of a URL
        return _nowhere(known, resource_id, path)
    if isinstance(seen, Failure):
        return Observed(Cloud.SILENT, None, seen)
    if seen.live is None or _standing(known, seen.live) is Standing.GONE:
        doubt = await doubted(known, cloud, resource_id, deadline)
        return Observed(Cloud.SILENT, None, doubt) if doubt is not None else _nowhere(known, resource_id, path)
    if _standing(known, seen.live) is Standing.LEAVING:
        return Observed(Cloud.LEAVING, None)
    return Observed(Cloud.ADOPTABLE, seen.live)


def _nowhere(known: Known, resource_id: str, path: str) -> Observed:
    text = f"no {known.kind} with ID {resource_id[:64]!r} is at {path}: correct or remove the annotation {RESOURCE_ID}"
    return Observed(Cloud.FOREIGN, None, obstacle=Violation("ResourceMustExist", text))


def namesake(known: Known, rows: list[Live], taken_over: bool = False) -> Observed:
    """Before the first attempt a resource of the same name is somebody else's, unless a policy says otherwise; one that
    is leaving is waited for. `taken_over`: the Go operator asked for it, and nobody wrote down the answer.
    """
    staying = [row for row in rows if _standing(known, row) is not Standing.LEAVING]
    if not staying:
        return Observed(Cloud.LEAVING, None)
    adoption = "if-unowned" if taken_over else known.policies.adoption
    free = [row for row in staying if adoption == "always" or not any(map(is_owner_tag, row.tags))]
    if adoption not in ("if-unowned", "always") or not free:
        return Observed(Cloud.FOREIGN, staying[0])
    if len(staying) > 1:  # at its end no choice is made either: it is let go of
        several = Cloud.AMBIGUOUS if known.wish is Wish.KEEP else Cloud.FOREIGN
        return Observed(several, staying[0], several=tuple(row.id for row in staying))
    return Observed(Cloud.ADOPTABLE, staying[0])


def _standing(known: Known, live: Live) -> Standing:
    return standing(known.kind.states, live.state)
