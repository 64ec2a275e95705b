"""What an answer, or the lack of one, means for the session that asked: a failure, and one that allows another try?"""

from __future__ import annotations

from datetime import datetime

from hooks.aruba.cloud.errors import classify
from hooks.aruba.cloud.wire import Answer
from hooks.aruba.model.failure import Cause, Failure
from hooks.meta.text import one_line

_WORTH_ANOTHER = (0, 502, 503, 504)


def failed(answer: Answer | Failure, now: datetime) -> Failure:
    """The failure that an answer is, when it is not a good one."""
    if isinstance(answer, Failure):
        return answer
    if answer.good:
        return Failure(Cause.TECHNICAL, f"the answer (HTTP {answer.status}) broke off")
    failure = classify(answer.status, answer.headers, answer.body, now)
    if answer.status == 401:
        return failure._replace(text=one_line(f"the access token is not accepted: {failure.text}"))
    return failure if answer.whole or failure.cause is not Cause.GONE else failure._replace(cause=Cause.TECHNICAL)


def unauthorized(answer: Answer | Failure) -> bool:
    """The token was refused, and with it provably the request."""
    return isinstance(answer, Answer) and answer.status == 401


def unmade(failure: Failure) -> bool:
    """No connection came about."""
    return failure.cause is Cause.TECHNICAL and failure.status == 0 and not failure.sent


def worth_another(failure: Failure) -> bool:
    """A network or a gateway in trouble, which a read may ask again at once."""
    again = failure.cause is Cause.TECHNICAL and failure.status in _WORTH_ANOTHER
    return again and failure.retry_after is None
