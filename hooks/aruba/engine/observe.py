"""One look at the cloud, as fresh as the object's own times ask for, and none where none is due (design §5.5, §8)."""

from __future__ import annotations

from datetime import datetime, timedelta

from hooks.aruba.engine import schedule
from hooks.aruba.engine.foreign import adoptee, namesake
from hooks.aruba.engine.notes import cloud_name, is_owner_tag
from hooks.aruba.engine.obstacles import FRESH, doubted, expected, obstructed
from hooks.aruba.engine.ports import CloudPort
from hooks.aruba.engine.story import Known, Observed
from hooks.aruba.engine.values import Cloud, Mark, Memory, Origin, Wish
from hooks.aruba.model.failure import Failure
from hooks.aruba.model.live import Live
from hooks.aruba.model.phases import TIMED, Phase, Reason
from hooks.aruba.model.states import Standing, States, standing
from hooks.aruba.model.wire import Listing
from hooks.meta.deadline import Deadline
from hooks.meta.times import parse_time

RECENT = timedelta(seconds=60)
"""How old a look may be that proves absence before the first attempt: nothing of ours can have appeared since."""

TOGETHER = timedelta(seconds=0.3)
"""Points of several objects that lie this close share one read; it is less than a point's own margin."""

DELETE_SHOWS = timedelta(seconds=60)
"""How long a resource may look untouched after its DELETE was taken, before that is sent again."""

CLASSES = {
    Standing.CHANGING: Cloud.CHANGING,
    Standing.READY: Cloud.SETTLED,
    Standing.FAILED: Cloud.FAILED,
    Standing.LEAVING: Cloud.LEAVING,
    Standing.GONE: Cloud.ABSENT,
    Standing.UNKNOWN: Cloud.STRANGE,
}


async def observe(known: Known, cloud: CloudPort, deadline: Deadline) -> Observed:
    """Look by recorded ID, or else by owner tag, or by the ID that is to be adopted."""
    stays = known.wish in (Wish.RELEASE, Wish.ORPHAN) or known.policies.suspended or known.memory is Memory.GONE
    if stays or _held(known):
        return Observed(Cloud.UNASKED)
    if known.barred:  # at its end, for what is wanted is held
        return Observed(Cloud.ABSENT if _nothing_made(known) else Cloud.UNASKED)
    untried = known.mark in (Mark.MISSING, Mark.INTENT) and known.memory in (Memory.NEW, Memory.ANNOUNCED)
    lost = known.origin is Origin.TAKEN and known.past.announced
    if known.adopts and known.path is not None and untried and (known.wish is Wish.KEEP or lost):
        return await adoptee(known, known.path, known.adopts, cloud, deadline)
    if known.memory is Memory.NEW and known.mark in (Mark.MISSING, Mark.INTENT):
        # Nothing was tried: while it is wanted the intent comes first, and at its end there is nothing to look for.
        return Observed(Cloud.ABSENT if known.wish is Wish.DELETE else Cloud.UNASKED)
    if known.path is None:
        return Observed(Cloud.ABSENT if known.mark is Mark.INTENT else Cloud.UNASKED)
    if known.past.resource_id:
        seen = await _by_id(known, known.path, cloud, deadline)
        another = known.named.lower() not in ("", known.past.resource_id.lower())
        if seen.cloud is Cloud.ABSENT and known.wish is Wish.KEEP and another:
            return await adoptee(known, known.path, known.named, cloud, deadline)
        return seen
    return await _by_tag(known, known.path, cloud, deadline)


def _held(known: Known) -> bool:
    """Nothing may be asked: validation failed, or nothing is there and a pause after a refusal is not over."""
    if known.wish is not Wish.KEEP:
        return False
    untried = not known.past.resource_id and known.mark in (Mark.MISSING, Mark.INTENT)
    if known.violations or (known.unfit and untried) or known.memory is Memory.REJECTED:
        return True
    return not known.due and not known.past.resource_id and known.mark is Mark.INTENT


def _nothing_made(known: Known) -> bool:
    """No attempt was ever made for it, by us or by the Go operator, so that it can go without a look."""
    tried = known.mark in (Mark.YOUNG, Mark.OLD) or (known.mark is Mark.MISSING and known.memory is not Memory.NEW)
    lost = known.origin is Origin.TAKEN and known.past.announced
    return not (known.past.resource_id or tried or lost)


async def _by_id(known: Known, path: str, cloud: CloudPort, deadline: Deadline) -> Observed:
    since = id_floor(known)
    if since is None:
        return Observed(Cloud.UNASKED)
    resource_id, leaving = known.past.resource_id, known.past.asked_to_delete
    if not leaving:
        shown = await cloud.item(known.tenant, path, resource_id, since, deadline, proof=False)
        if isinstance(shown, Failure):
            return Observed(Cloud.SILENT, None, shown)
        if shown.live is not None:
            return _classify(known, shown.live)._replace(namesakes=_twins(known, shown.namesakes))
    # An end that nobody asked for is not believed of a reading from before the project is asked.
    floor = since if expected(known) else max(since, known.now - FRESH)
    proven = await cloud.item(known.tenant, path, resource_id, floor, deadline, proof=True)
    if isinstance(proven, Failure):
        return Observed(Cloud.SILENT, None, proven)
    if proven.live is None:
        doubt = await doubted(known, cloud, resource_id, deadline)
        return Observed(Cloud.SILENT, None, doubt) if doubt is not None else Observed(Cloud.ABSENT)
    seen = _classify(known, proven.live)
    return seen._replace(cloud=Cloud.LEAVING) if leaving and _still_leaving(known, seen) else seen


def _twins(known: Known, rows: tuple[Live, ...] | None) -> tuple[Live, ...] | None:
    """Those that another object made and that stay: a namesake that nobody made for an object is nobody's business."""
    if rows is None:
        return None
    made = (row for row in rows if any(map(is_owner_tag, row.tags)))
    return tuple(row for row in made if _standing(known, row) not in (Standing.LEAVING, Standing.GONE))


def _still_leaving(known: Known, seen: Observed) -> bool:
    """A cloud that took our DELETE may go on showing the resource as it was, for a while."""
    start = known.past.started
    return seen.cloud is Cloud.SETTLED and start is not None and known.now - start < DELETE_SHOWS


def id_floor(known: Known) -> datetime | None:
    """The earliest start of a read that may be used; None when the next look is not due yet."""
    if known.asked_anew:
        return known.now
    deleting = known.wish is Wish.DELETE and not known.past.asked_to_delete
    if deleting and known.past.next_attempt is not None:
        return known.now if known.due else None  # a refusal is looked at afresh before the DELETE is repeated
    late = known.past.phase == Phase.FAILED and known.past.change_taken
    if known.past.phase in TIMED or late or known.wish is Wish.DELETE:
        if deleting and _ready(known):
            return _not_before_active(known, known.now - known.policy.listing_age)
        start = known.past.started
        if start is None:
            return known.now
        floor = appointment(schedule.points(start, known.now, known.kind.states is States.EXISTS)[0])
        return None if floor is None else max(floor, start)
    strayed = known.past.condition(Phase.FAILED).get("reason") == Reason.POST_FAILED
    if not _ready(known) or (strayed and known.past.phase == Phase.FAILED):
        return known.now - timedelta(seconds=schedule.STEADY)
    age = known.policy.listing_age
    appointed = schedule.at_rest(age, known.path or "", known.parent.metadata.uid, known.now)[0]
    return _not_before_active(known, appointed - age * schedule.SHARED)


def _not_before_active(known: Known, floor: datetime) -> datetime:
    """A reading from before the object became Active would show it as it was: another replica may still have one."""
    active = known.past.condition(Phase.ACTIVE)
    since = parse_time(active.get("lastTransitionTime")) if active.get("status") == "True" else None
    return floor if since is None else max(floor, since)


def _ready(known: Known) -> bool:
    """At the last look it was settled, so any recent listing will do to know that it is there."""
    shown = known.past.cloud_state
    if not shown and known.kind.states is States.SHOWN:
        return False
    return known.past.confirmed and standing(known.kind.states, shown) is Standing.READY


async def _by_tag(known: Known, path: str, cloud: CloudPort, deadline: Deadline) -> Observed:
    since = tag_floor(known)
    if since is None:
        return Observed(Cloud.UNASKED)
    proof = known.mark in (Mark.INTENT, Mark.OLD)
    listing = await cloud.listing(known.tenant, path, since, deadline, proof=proof)
    if isinstance(listing, Listing) and not listing.rows and known.mark is Mark.OLD:
        listing = await cloud.listing(known.tenant, path, max(since, known.now - FRESH), deadline, proof=proof)
    if isinstance(listing, Failure):
        untried = known.wish is Wish.DELETE and known.mark is Mark.INTENT
        return Observed(Cloud.ABSENT) if untried else Observed(Cloud.SILENT, None, listing)
    rows = [row for row in listing.rows if _standing(known, row) is not Standing.GONE]
    ours = [row for row in rows if known.tag in row.tags]
    if ours:
        return _of_ours(known, ours)
    other = _of_its_name(known, rows)
    if other is not None:
        return other
    if not proof or not listing.complete:
        return Observed(Cloud.UNSEEN)
    if not listing.rows and known.mark is Mark.OLD:
        doubt = await doubted(known, cloud, "", deadline)
        if doubt is not None:
            return Observed(Cloud.SILENT, None, doubt)
    return await obstructed(known, path, rows, cloud, deadline) or Observed(Cloud.ABSENT)


def _of_its_name(known: Known, rows: list[Live]) -> Observed | None:
    """Before the first attempt a namesake counts; later one that the Go operator may have made."""
    namesakes = [row for row in rows if row.name == cloud_name(known.parent.metadata)]
    if known.origin is Origin.TAKEN and known.past.announced:
        left = [row for row in namesakes if not any(map(is_owner_tag, row.tags))]
        return namesake(known, left, taken_over=True) if left else None
    if known.wish is Wish.KEEP and known.mark is Mark.INTENT and namesakes:
        return namesake(known, namesakes)
    return None


def tag_floor(known: Known) -> datetime | None:
    """Presence may come from any listing, absence only from one that began when nothing could be under way."""
    if known.asked_anew:
        return known.now
    if known.mark is Mark.INTENT:
        return max((known.past.started or known.now) - TOGETHER, known.now - RECENT)
    if known.mark is Mark.MISSING or known.pending.at is None:
        return known.now
    if known.mark is Mark.YOUNG:
        return appointment(schedule.points(known.pending.at, known.now)[0])
    # The phase may have begun long after the attempt: the resource was there, and is gone. What was read before does
    # not speak of now, neither for presence nor for absence.
    return max(known.pending.at + known.policy.window, known.past.started or known.now, known.now - RECENT)


def appointment(point: datetime | None) -> datetime | None:
    """The point less a little, so that objects made together are served by one listing."""
    return None if point is None else point - TOGETHER


def _of_ours(known: Known, ours: list[Live]) -> Observed:
    standing_ones = [row for row in ours if _standing(known, row) is not Standing.LEAVING]
    if len(standing_ones) > 1:
        return Observed(Cloud.AMBIGUOUS, standing_ones[0])
    return _classify(known, (standing_ones or ours)[0])


def _classify(known: Known, live: Live) -> Observed:
    others = [tag for tag in live.tags if is_owner_tag(tag) and tag != known.tag]
    mine = known.tag in live.tags
    if others and not mine and known.origin is not Origin.ADOPTED:
        return Observed(Cloud.FOREIGN, live)
    return Observed(CLASSES[_standing(known, live)], live)


def _standing(known: Known, live: Live) -> Standing:
    return standing(known.kind.states, live.state)
