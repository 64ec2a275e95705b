"""One webhook on the wire: the POST, its total time-out, and what counts as an answer (mc §2.1, §2.6)."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Callable
from datetime import UTC, datetime

from hooks.clock import Clock
from hooks.http import AsyncClient, HTTPError, InvalidURL, Response
from hooks.local.metacontroller.api import Object
from hooks.local.metacontroller.declaration import Webhook
from hooks.local.metacontroller.errors import Busy, HookError

__all__ = ["Hook"]

INTEGER = re.compile(r"[+-]?[0-9]+")
HTTP_DATE = "%a, %d %b %Y %H:%M:%S GMT"


class Hook:
    """A webhook of one controller. `count` is told of every call that leaves."""

    def __init__(self, webhook: Webhook, client: AsyncClient, clock: Clock, count: Callable[[], None]) -> None:
        self._webhook = webhook
        self._client = client
        self._clock = clock
        self._count = count

    async def call(self, body: Object) -> bytes:
        """The body of a 200; `Busy` for a 429, `HookError` for everything else.

        A time-out only hangs up: the webhook may go on working, and the retry can run beside it.
        """
        self._count()
        try:
            async with asyncio.timeout(self._webhook.timeout):
                answer = await self._client.post(self._webhook.url, json=body, timeout=None, follow_redirects=True)
        except TimeoutError:
            raise HookError(f"http error: no answer from {self._webhook.url} in {self._webhook.timeout:g} s") from None
        except (HTTPError, InvalidURL, ValueError) as lost:  # ValueError: no JSON can be made of it
            raise HookError(f"http error: {lost}") from lost
        if answer.status_code == 429:
            raise Busy(self._wait(answer))
        if answer.status_code != 200:
            raise HookError(f"unsupported status code: {answer.status_code} body: {answer.text}")
        return answer.content

    def _wait(self, answer: Response) -> int:
        """Whole seconds of Retry-After: a date, rounded up, or an integer; whatever else counts as 0."""
        text = answer.headers.get("Retry-After", "").strip()
        if INTEGER.fullmatch(text):
            return int(text)
        try:
            moment = datetime.strptime(text, HTTP_DATE).replace(tzinfo=UTC)
        except ValueError:
            return 0
        return math.ceil((moment - self._clock.now()).total_seconds())
