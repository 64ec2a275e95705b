"""The token endpoint: one call, and what its answer means (api §2.1).

`token.TokenSource` asks when it needs a token. The secret leaves this module only in the request.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from hooks.aruba.cloud.errors import classify, without
from hooks.aruba.cloud.problem import read_json
from hooks.aruba.cloud.wire import Answer, Message, Wire
from hooks.aruba.credentials.credential import Credential
from hooks.aruba.model.failure import Cause, Failure
from hooks.clock import Clock
from hooks.http import URL
from hooks.meta.deadline import Deadline
from hooks.meta.text import one_line

MARGIN = 60.0
"""A token is renewed in the background when less than this, or than a tenth of its life, is left."""
SHORTEST_LIFE = 5.0
"""No token is replaced sooner because of its lifetime: one that lives shorter must not cost a call per request."""
UNTOLD_LIFE = 300.0
CALL_TIME = 10.0
"""Seconds that one call may take."""

_USABLE = re.compile(r"[\x21-\x7e]+")


class Token(NamedTuple):
    """`renew` and `end` are in the seconds of `Clock.monotonic`."""

    value: str
    renew: float
    end: float

    def __repr__(self) -> str:
        return f"Token(renew={self.renew}, end={self.end})"


class TokenEndpoint:
    """Asks for tokens with one credential. Every failure it gives says that nothing was sent to the API."""

    def __init__(self, url: str, credential: Credential, wire: Wire, clock: Clock) -> None:
        self._url = url
        self._credential = credential
        self._wire = wire
        self._clock = clock
        self._basic = False

    async def ask(self) -> Token | Failure:
        """A new token. The way of naming the client that worked last is tried first."""
        missing = self._missing()
        if missing:
            text = f"{missing} must not be empty: without it no token can be asked for"
            return Failure(Cause.CREDENTIALS, text, sent=False)
        answer = await self._call(self._basic)
        if isinstance(answer, Answer) and _client_refused(answer):
            other = await self._call(not self._basic)
            if isinstance(other, Answer) and other.good:
                self._basic, answer = not self._basic, other
        return self._read(answer)

    def silent(self, words: str) -> Failure:
        """The failure of an endpoint that gives no proper answer."""
        return Failure(Cause.TECHNICAL, f"token endpoint {self._host}: {words}", sent=False)

    def _missing(self) -> str:
        parts = {"client-id": self._credential.client_id, "client-secret": self._credential.client_secret}
        return " and ".join(name for name, value in parts.items() if not value.strip())

    async def _call(self, basic: bool) -> Answer | Failure:
        """Body parameters are what Aruba documents, HTTP Basic what its Go SDK tries first."""
        client_id, client_secret = self._credential.client_id, self._credential.client_secret
        form, headers = {"grant_type": "client_credentials"}, {"accept": "application/json"}
        if basic:
            headers["authorization"] = f"Basic {self._credential.basic}"
        else:
            form |= {"client_id": client_id, "client_secret": client_secret}
        deadline = Deadline(self._clock.monotonic() + CALL_TIME)
        return await self._wire.exchange(Message("POST", self._url, "token", headers, data=form), deadline)

    def _read(self, answer: Answer | Failure) -> Token | Failure:
        if isinstance(answer, Failure):
            return self.silent(answer.text)
        if not answer.good:
            return self._refusal(answer)
        body = read_json(answer.body)
        value = body.get("access_token") if isinstance(body, Mapping) else None
        if not isinstance(value, str) or not _USABLE.fullmatch(value):
            return self.silent(f"answered {answer.status} without a usable access token")
        return _dated(value, body.get("expires_in"), self._clock.monotonic())

    def _refusal(self, answer: Answer) -> Failure:
        """Refused as a client, or anything else, which says nothing about the credential."""
        failure = classify(answer.status, answer.headers, answer.body, self._clock.now())
        failure = without(failure, self._credential.forms)
        if answer.status in (400, 401, 403):
            text = f"{self._host} refuses the API key: check client-id and client-secret ({failure.text})"
            return failure._replace(cause=Cause.CREDENTIALS, text=one_line(text), sent=False)
        cause = Cause.THROTTLED if failure.cause is Cause.THROTTLED else Cause.TECHNICAL
        return failure._replace(cause=cause, text=self.silent(failure.text).text, sent=False)

    @property
    def _host(self) -> str:
        return URL(self._url).host


def _client_refused(answer: Answer) -> bool:
    """Whether the other way of naming the client may help."""
    body = read_json(answer.body)
    error = body.get("error") if isinstance(body, Mapping) else None
    return answer.status == 401 or (answer.status == 400 and error == "invalid_client")


def _dated(value: str, expires_in: Any, now: float) -> Token:
    """A token with its times. A lifetime that is missing or unreadable is taken as a short one (cases 76)."""
    try:
        told = float(expires_in)
    except (TypeError, ValueError, OverflowError):
        told = UNTOLD_LIFE
    life = min(told, 1e9) if told > SHORTEST_LIFE else SHORTEST_LIFE
    return Token(value, now + life - min(MARGIN, life / 10), now + life)
