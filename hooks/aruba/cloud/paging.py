"""A whole collection, page by page, and how far it can be believed (api §5.1, cases 39).

`listings` reads with it. Pages are asked for by offset: links in answers are never followed, wherever they lead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property
from typing import Any, NamedTuple

from hooks.aruba.cloud.paths import project
from hooks.aruba.cloud.problem import read_json
from hooks.aruba.cloud.session import Session
from hooks.aruba.cloud.stamps import stamp
from hooks.aruba.cloud.wire import Answer
from hooks.aruba.model.failure import Cause, Failure
from hooks.aruba.model.live import Live
from hooks.clock import Clock
from hooks.meta.deadline import Deadline

PAGE = 100
MOST_PAGES = 500
PAGE_PATIENCE = 10.0
"""Seconds that a page waits at most for its place in the rate: all pages before it would be lost."""
ROUNDS = 3
"""How often a collection of several pages is read at most until two readings are alike."""


@dataclass(frozen=True)
class Read:
    """A collection as it was read, in how many pages; `started` is a stamp.

    `counted`: as many came as `total` said, which stayed the same, or up to an empty page where none was said.
    `missing`: the answer was a 404, as some collections give when they are empty.
    """

    by_id: Mapping[str, Live]
    """By ID in lower case: IDs do not differ in case (cases 40)."""
    pages: int
    counted: bool
    started: timedelta
    confirmed: bool = False
    missing: bool = False

    @cached_property
    def rows(self) -> tuple[Live, ...]:
        return tuple(self.by_id.values())

    @cached_property
    def by_name(self) -> Mapping[str, tuple[Live, ...]]:
        """Looked up by every object of the collection, so made once."""
        named: dict[str, list[Live]] = {}
        for row in self.rows:
            named.setdefault(row.name, []).append(row)
        return {name: tuple(rows) for name, rows in named.items()}

    @property
    def conclusive(self) -> bool:
        """Whether absence counts: things may slip between pages, so several must have been read twice alike."""
        return self.counted and (self.pages <= 1 or self.confirmed)

    def find(self, resource_id: str) -> Live | None:
        return self.by_id.get(resource_id.lower())


class Page(NamedTuple):
    """One answer; `length` counts what can be no resource too, and `total` is None when it does not say."""

    rows: tuple[Live, ...]
    length: int
    total: int | None
    more: bool = False
    missing: bool = False


class Pager:
    """Reads collections with one session."""

    def __init__(self, session: Session, clock: Clock, size: int = PAGE) -> None:
        self._session = session
        self._clock = clock
        self._size = size

    async def read(self, path: str, deadline: Deadline, *, proof: bool) -> Read | Failure:
        """The collection once; with `proof`, again until two readings are alike, where one does not suffice."""
        first = await self._once(path, deadline)
        for _ in range(ROUNDS - 1):
            if isinstance(first, Failure) or not proof or first.conclusive:
                break
            second = await self._once(path, deadline)
            if isinstance(second, Failure):
                return second
            if first.counted and second.counted and first.by_id.keys() == second.by_id.keys():
                return replace(second, started=first.started, confirmed=True)
            first = second
        return first

    async def _once(self, path: str, deadline: Deadline) -> Read | Failure:
        started = stamp(self._clock)
        rows: dict[str, Live] = {}
        totals: set[int | None] = set()
        last: tuple[Live, ...] = ()
        offset = 0
        for number in range(1, MOST_PAGES + 1):
            page = await self._page(path, offset, deadline)
            if isinstance(page, Failure):
                return page
            totals.add(page.total)
            before = len(rows)
            rows |= {row.id.lower() or f"?{offset + at}": row for at, row in enumerate(page.rows)}
            offset += page.length
            if page.length and (len(rows) == before or page.rows == last):  # the same page whatever is asked
                return Read(rows, number, False, started)
            last = page.rows
            if not _goes_on(page, offset):
                counted = totals == {len(rows)} or (totals == {None} and offset == len(rows) and not page.more)
                closing = number > 1 and not page.length and offset < self._size
                return Read(rows, number - closing, counted, started, missing=page.missing)
        return Read(rows, MOST_PAGES, False, started)

    async def _page(self, path: str, offset: int, deadline: Deadline) -> Page | Failure:
        params = {"limit": str(self._size), "offset": str(offset)}
        answer = await self._session.read(path, deadline, params, PAGE_PATIENCE)
        if isinstance(answer, Failure):
            return Page((), 0, offset, missing=True) if answer.cause is Cause.GONE else answer
        page = _read(answer)
        rows = page.rows if isinstance(page, Page) else ()
        for row in rows[:1] if project(path) else rows:  # that something is inside a project is seen by one of it
            self._session.saw(f"{path}/{row.id}")
        return page


def _read(answer: Answer) -> Page | Failure:
    """A page; nothing at all means an empty collection only where the status says so (204)."""
    body = read_json(answer.body)
    if answer.status == 204:
        return Page((), 0, 0)
    if not isinstance(body, Mapping) or not _lists(body):
        return Failure(Cause.TECHNICAL, f"the answer to a list (HTTP {answer.status}) is not a list")
    values = body.get("values")
    values = values if isinstance(values, list) else []
    rows = tuple(Live(row) for row in values if isinstance(row, dict))
    return Page(rows, len(values), _total(body), bool(body.get("next")))


def _lists(body: Mapping[str, Any]) -> bool:
    """Whether this is a page: rows, or null as some write none, or at least their number."""
    values = body.get("values")
    return isinstance(values, list) or (values is None and ("values" in body or _total(body) is not None))


def _total(body: Mapping[str, Any]) -> int | None:
    """Both spellings of it (api §5.1)."""
    totals = (body.get("total"), body.get("totalCount"))
    return next((total for total in totals if isinstance(total, int) and not isinstance(total, bool)), None)


def _goes_on(page: Page, offset: int) -> bool:
    """Whether there is another page: a server may cut pages shorter than asked, so a short one ends nothing.

    Without a total only an empty page is the end: a server that gives the same page whatever is asked shows by it.
    """
    return page.length > 0 and (page.total is None or offset < page.total)
