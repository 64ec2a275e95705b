"""From an answer, or from none, to a `Failure`: the one classifier of the house (design §7, api §5.5, cases 7).

Everything that sends asks it. It only names the class; what a class does is decided by the engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime

from hooks.aruba.cloud.problem import Problem, Wrong, read
from hooks.aruba.model.failure import Cause, Failure
from hooks.http import ConnectError, ConnectTimeout, PoolTimeout
from hooks.meta.text import LIMIT, hide, one_line

LONGEST_PAUSE = 600.0

_BY_STATUS = {
    401: Cause.CREDENTIALS,
    403: Cause.FORBIDDEN,
    405: Cause.SEMANTIC,
    408: Cause.TECHNICAL,
    409: Cause.CONFLICT,
    413: Cause.SEMANTIC,
    414: Cause.SEMANTIC,
    415: Cause.SEMANTIC,
    425: Cause.TECHNICAL,
    429: Cause.THROTTLED,
}
_BARE = {400: Cause.NOT_READY, 422: Cause.SEMANTIC}
NEVER_SENT = (ConnectError, ConnectTimeout, PoolTimeout)


def classify(status: int, headers: Mapping[str, str], body: bytes, now: datetime | None = None) -> Failure:
    """The failure that an answer other than 2xx is. The HTTP code counts, not the one in the body.

    `now` is needed for a `Retry-After` given as a date by a server that does not send its own.
    """
    seen = {name.lower(): value for name, value in headers.items()}
    problem = read(seen.get("content-type", ""), body)
    detail = _detail(problem)
    tail = f" (HTTP {status}, trace {problem.trace})" if problem.trace else f" (HTTP {status})"
    said = f"{problem.title}: {detail}" if detail else problem.title
    return Failure(
        _cause(status, problem),
        one_line(said, LIMIT - len(tail)) + tail,
        status=status,
        title=problem.title,
        detail=detail,
        trace=problem.trace,
        retry_after=_retry_after(seen, now),
        sent=not 400 <= status < 500 or status == 408,
    )


def unanswered(cause: Exception, host: str) -> Failure:
    """The failure that a request without an answer is, in the words of its cause."""
    words = one_line(str(cause)) or type(cause).__name__
    busy = isinstance(cause, PoolTimeout)
    text = f"all connections to {host} are in use" if busy else f"{host}: {words}"
    sent = not isinstance(cause, NEVER_SENT)
    return Failure(Cause.BUSY if busy else Cause.TECHNICAL, one_line(text), sent=sent)


def busy(text: str, retry_after: float | None = None) -> Failure:
    """Our own limits forbid the request: nothing was sent."""
    return Failure(Cause.BUSY, text, retry_after=retry_after, sent=False)


def without(failure: Failure, secrets: Iterable[str]) -> Failure:
    """The failure with these secrets blotted out, should the other side have repeated one."""
    told = tuple(secrets)
    text, title, detail = (hide(part, told) for part in (failure.text, failure.title, failure.detail))
    return failure._replace(text=text, title=title, detail=detail)


def _detail(problem: Problem) -> str:
    """The detail with the field errors behind it, as upstream writes them (behaviour §2.1)."""
    if not problem.errors:
        return problem.detail
    wrong = "Validation: " + "; ".join(str(entry) for entry in problem.errors)
    return one_line(f"{one_line(problem.detail, 300)} | {wrong}" if problem.detail else wrong)


def _cause(status: int, problem: Problem) -> Cause:
    if status in (404, 410):
        return Cause.GONE if problem.own else Cause.TECHNICAL
    if not 400 <= status < 500:
        return Cause.TECHNICAL
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if problem.errors:
        return _by_fields(problem.errors)
    return _BARE.get(status, Cause.TRANSIENT)


def _by_fields(errors: tuple[Wrong, ...]) -> Cause:
    """One entry about the request itself decides; a state passes (F6), and so does trouble with the account (F24)."""
    fields = [entry.field.lower() for entry in errors]
    if not all(field.startswith("ecommerce.") or field == "status" for field in fields):
        return Cause.SEMANTIC
    return Cause.NOT_READY if all(field == "status" for field in fields) else Cause.ACCOUNT


def _retry_after(headers: Mapping[str, str], now: datetime | None) -> float | None:
    """Seconds, bounded; a date is measured against the server's own clock where it shows it."""
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return min(float(text[:6]), LONGEST_PAUSE)
    until, at = _date(text), _date(headers.get("date", "")) or now
    if until is None or at is None:
        return None
    return min(max((until - at).total_seconds(), 0.0), LONGEST_PAUSE)


def _date(text: str) -> datetime | None:
    try:
        at = parsedate_to_datetime(text)
    except ValueError:
        return None
    return at if at.tzinfo else None
