"""One HTTP exchange under a deadline: the only place of this room that touches the HTTP client.

Sessions and the token endpoint send through the same `Wire`, so that pool, bounds and figures are shared.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import NamedTuple

from hooks.aruba.cloud.errors import busy, unanswered
from hooks.aruba.cloud.work import Work, patiently
from hooks.aruba.model.failure import Cause, Failure
from hooks.clock import Clock
from hooks.http import URL, AsyncClient, HTTPError, InvalidURL, Request, Response, StreamError, Timeout
from hooks.meta.deadline import Deadline

SHORTEST = 0.3
"""Seconds that must be left for a request to be started."""
CONNECT = 5.0
PATIENCE = 2.0
"""Seconds that a request waits at most for its turn."""
OVERTIME = 10.0
"""Seconds after which an exchange that nobody waits for any more is ended by force."""
LARGEST = 32 * 1024 * 1024

Observer = Callable[[str, str, int, float], None]
"""Told of every exchange: method, collection, status (0 without an answer), seconds."""


def ignore(method: str, collection: str, status: int, seconds: float) -> None:
    """The observer when nobody counts."""


class Message(NamedTuple):
    """A request as it leaves; `label` names it in figures.

    After `leave_by`, in seconds of `Clock.monotonic`, it does not leave any more.
    """

    method: str
    url: str
    label: str
    headers: Mapping[str, str]
    params: Mapping[str, str] | None = None
    content: bytes | None = None
    data: Mapping[str, str] | None = None
    leave_by: float | None = None

    def __repr__(self) -> str:
        return f"Message({self.method} {self.url})"


class Answer(NamedTuple):
    """What came back; `whole` is False when the body broke off."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    whole: bool = True

    @property
    def good(self) -> bool:
        return 200 <= self.status < 300


class Wire:
    """The shared HTTP client with its bounds. Reads and writes have one each: polls never hold up a create."""

    def __init__(
        self, http: AsyncClient, clock: Clock, agent: str, in_flight: int = 50, observe: Observer = ignore
    ) -> None:
        self._http = http
        self._clock = clock
        self._agent = agent
        self._observe = observe
        self._reads = asyncio.Semaphore(in_flight)
        self._writes = asyncio.Semaphore(in_flight)
        self.work = Work()

    async def exchange(self, message: Message, deadline: Deadline) -> Answer | Failure:
        """Send once. The exchange goes on by itself when the deadline passes or the caller is cancelled."""
        turn = self._reads if message.method == "GET" else self._writes
        if not await self._turn(turn, deadline):
            return busy("too many requests to the cloud are under way")
        now = self._clock.monotonic()
        left = deadline.remaining(now)
        refusal = _too_late(message, now, left)
        if refusal is not None:
            turn.release()
            return refusal
        task = self.work.start(self._send(message, left))
        task.add_done_callback(lambda _: turn.release())
        answer = await patiently(task, left)
        host = URL(message.url).host
        return answer or Failure(Cause.TECHNICAL, f"{host} did not answer {message.method} in the time of this pass")

    async def _turn(self, turn: asyncio.Semaphore, deadline: Deadline) -> bool:
        if not turn.locked():
            return await turn.acquire()
        left = deadline.remaining(self._clock.monotonic()) - SHORTEST
        try:
            async with asyncio.timeout(min(PATIENCE, left)):
                return await turn.acquire()
        except TimeoutError:
            return False

    async def _send(self, message: Message, left: float) -> Answer | Failure:
        began = self._clock.monotonic()
        answer: Answer | Failure
        try:
            async with asyncio.timeout(left + OVERTIME):
                answer = await self._exchange(self._request(message, left))
        except (HTTPError, InvalidURL, StreamError, TimeoutError) as cause:
            answer = unanswered(cause, URL(message.url).host)
        self._observe(message.method, message.label, answer.status, self._clock.monotonic() - began)
        return answer

    def _request(self, message: Message, left: float) -> Request:
        """Built without the client's defaults: no cookie of one credential may go out with another's call."""
        start = min(left - 0.1, self._start(message))
        times = Timeout(left - 0.1, connect=min(CONNECT, start), pool=min(PATIENCE, start))
        return Request(
            message.method,
            message.url,
            params=message.params,
            headers={"accept-encoding": "gzip, deflate", "user-agent": self._agent} | dict(message.headers),
            content=message.content,
            data=message.data,
            extensions={"timeout": times.as_dict()},
        )

    def _start(self, message: Message) -> float:
        """Seconds that each wait before a request leaves may take: for the pool, the connection, its encryption."""
        if message.leave_by is None:
            return CONNECT
        return max(0.1, (message.leave_by - self._clock.monotonic()) / 3)

    async def _exchange(self, request: Request) -> Answer:
        response = await self._http.send(request, stream=True, follow_redirects=False, auth=None)
        try:
            body = await _body(response)
        except (HTTPError, StreamError):
            return Answer(response.status_code, response.headers, b"", whole=False)
        finally:
            await response.aclose()
        return Answer(response.status_code, response.headers, body)


def _too_late(message: Message, now: float, left: float) -> Failure | None:
    """Why a request that has its turn does not leave."""
    if message.leave_by is not None and now > message.leave_by:
        return busy("the request was held up for too long, so it was not sent", 1.0)
    return busy("no time is left in this pass for another request") if left < SHORTEST else None


async def _body(response: Response) -> bytes:
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > LARGEST:
            raise StreamError(f"an answer of more than {LARGEST} bytes")
    return bytes(body)
