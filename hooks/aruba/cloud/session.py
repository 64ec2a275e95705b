"""All calls made with one credential: its token, its rate, its pause, and which projects lately held something.

`client.Cloud` keeps one session for each credential; readings and listings send through it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from cachetools import LRUCache

from hooks.aruba.cloud.endpoint import TokenEndpoint
from hooks.aruba.cloud.errors import busy, without
from hooks.aruba.cloud.paths import checked, label, project
from hooks.aruba.cloud.rate import Rate
from hooks.aruba.cloud.token import TokenSource
from hooks.aruba.cloud.verdict import failed, unauthorized, unmade, worth_another
from hooks.aruba.cloud.wire import PATIENCE, SHORTEST, Answer, Message, Wire
from hooks.aruba.credentials.credential import Credential
from hooks.aruba.model.failure import Cause, Failure
from hooks.aruba.model.wire import Call
from hooks.clock import Clock, Random
from hooks.meta.deadline import Deadline

UNTOLD_PAUSE = 5.0
"""Seconds of pause after a 429 that names none."""
FURNISHED_FOR = 900.0
"""Seconds for which a project that showed a resource cannot have gone: the cloud deletes none with contents."""
SILENCE = 10.0
"""A GET that waited so long in vain shows that its project does not answer."""
UNHEARD = 20.0
"""Seconds for which a project that did not answer is not asked again: others need the places (cases 52)."""
READ_TIME = 15.0
"""Seconds that one GET may take, however long its asker would wait."""
_PROJECTS = 1024


class Origin(NamedTuple):
    """Where a session sends: gateway and token endpoint, both complete URLs."""

    gateway: str
    token: str


class _Errand(NamedTuple):
    """One call, until when it may take, and how long it would wait for its place in the rate.

    No attempt leaves after `leave_by`, in seconds of `Clock.monotonic`, whatever it had to wait for.
    """

    call: Call
    deadline: Deadline
    params: Mapping[str, str] = MappingProxyType({})
    patience: float = PATIENCE
    leave_by: float | None = None


class Session:
    """One credential at work. Nothing here raises for what the other side does."""

    def __init__(
        self, credential: Credential, origin: Origin, wire: Wire, clock: Clock, chance: Random, rate: float
    ) -> None:
        self._gateway = origin.gateway.rstrip("/")
        self._secrets = credential.forms
        self._wire = wire
        self._clock = clock
        self._chance = chance
        self._rate = Rate(clock, rate)
        self._tokens = TokenSource(TokenEndpoint(origin.token, credential, wire, clock), wire.work, clock)
        self._furnished: LRUCache[str, float] = LRUCache(_PROJECTS)
        self._shown: LRUCache[str, float] = LRUCache(_PROJECTS)
        self._ended: LRUCache[str, bool] = LRUCache(_PROJECTS)
        self._silent: LRUCache[str, float] = LRUCache(_PROJECTS)

    async def ready(self, deadline: Deadline) -> Failure | None:
        """Have a token and a place at hand, for the write that comes next."""
        token = self._held() or await self._tokens.get(deadline)
        if isinstance(token, Failure):
            return token
        failure = await self._place(deadline, PATIENCE)
        if failure is None:
            self._rate.keep()
        return failure

    async def read(
        self, path: str, deadline: Deadline, params: Mapping[str, str] | None = None, patience: float = PATIENCE
    ) -> Answer | Failure:
        """GET, with one quick second try where the first met a network or a gateway in trouble."""
        errand = _Errand(Call("GET", path), self._bounded(deadline), params or {}, patience)
        answer = await self._heard(errand)
        if not isinstance(answer, Failure) or not worth_another(answer):
            return answer
        pause = self._chance.uniform(0.1, 0.3)
        if deadline.remaining(self._clock.monotonic()) < pause + 2 * SHORTEST:
            return answer
        await self._clock.sleep(pause)
        return await self._run(errand._replace(deadline=self._bounded(deadline)))

    async def _heard(self, errand: _Errand) -> Answer | Failure:
        """The GET, unless its project did not answer a moment ago; one asker at a time tries whether it does again."""
        inside, began = project(errand.call.path), self._clock.monotonic()
        if inside and self._silent.get(inside, began) > began:
            return Failure(Cause.TECHNICAL, f"project {inside} did not answer a moment ago", sent=False, retry_after=5)
        if inside in self._silent:
            self._silent[inside] = began + READ_TIME
        answer = await self._run(errand)
        now = self._clock.monotonic()
        if isinstance(answer, Failure) and answer.status == 0 and answer.sent and now - began >= SILENCE:
            self._silent[inside] = now + UNHEARD
        elif inside:
            self._silent.pop(inside, None)
        return answer

    async def write(self, call: Call, deadline: Deadline, leave_by: float | None = None) -> Answer | Failure:
        """Send once more only when no connection was made: then nobody can have seen it (cases 41)."""
        errand = _Errand(call, deadline, leave_by=leave_by)
        if call.method == "DELETE":
            self._ended[call.path.rpartition("/")[2]] = True
        answer = await self._run(errand)
        return await self._run(errand) if isinstance(answer, Failure) and unmade(answer) else answer

    def furnished(self, project_id: str) -> bool:
        """Whether a resource inside this project was shown lately."""
        at = self._furnished.get(project_id)
        return at is not None and self._clock.monotonic() - at <= FURNISHED_FOR

    def saw(self, path: str) -> None:
        """A resource was shown, or made, at this path or in this collection."""
        inside = project(path)
        if inside:
            seen = self._shown if path.endswith(f"/{inside}") else self._furnished
            seen[inside] = self._clock.monotonic()

    def alone(self, project_id: str) -> bool:
        """Whether this project was shown lately, nothing in it, and no other: they do not all go at once.

        Without an ID: whether at most one was shown, and nothing in it.
        """
        since = self._clock.monotonic() - FURNISHED_FOR
        lately = {name for name, at in self._shown.items() if at >= since}
        if any(self.furnished(name) for name in (*lately, project_id)):
            return False
        others = {name for name in lately if name != project_id and name not in self._ended}
        return project_id in lately and not others if project_id else len(others) <= 1

    def _bounded(self, deadline: Deadline) -> Deadline:
        return deadline.within(self._clock.monotonic(), READ_TIME)

    def _held(self) -> Failure | None:
        left = self._rate.paused
        text = "the cloud asked for a pause of all calls with this API key"
        return Failure(Cause.THROTTLED, text, retry_after=left, sent=False) if left else None

    async def _place(self, deadline: Deadline, patience: float) -> Failure | None:
        """Wait for the next place in the rate, if that is soon enough."""
        left = deadline.remaining(self._clock.monotonic()) - SHORTEST
        wait = self._rate.take(min(patience, left))
        if wait is None:
            return busy("the rate limit for calls with this API key is used up", self._rate.wait())
        if wait:
            await self._clock.sleep(wait)
        return None

    async def _run(self, errand: _Errand) -> Answer | Failure:
        """One call with the token at hand, and once more with another if that one was refused (cases 77)."""
        checked(errand.call.path)
        token = self._held() or await self._tokens.get(errand.deadline)
        if isinstance(token, Failure):
            return token
        answer, sent = await self._attempt(errand, token), [token]
        if unauthorized(answer):
            other = await self._tokens.replace(token, errand.deadline)
            if isinstance(other, Failure):
                return other
            if other is not None:
                answer = await self._attempt(errand, other)
                sent.append(other)
                if unauthorized(answer):
                    self._tokens.refused_again()
        return self._judged(errand.call, answer, sent)

    async def _attempt(self, errand: _Errand, token: str) -> Answer | Failure:
        call = errand.call
        kept = call.method != "GET" and self._rate.use_kept()
        failure = self._held() or (None if kept else await self._place(errand.deadline, errand.patience))
        if failure is not None:
            return failure
        headers = {"accept": "application/json", "authorization": f"Bearer {token}"}
        content = None if call.body is None else json.dumps(call.body, allow_nan=False).encode()
        if content is not None:
            headers["content-type"] = "application/json"
        query = {"api-version": call.version} | dict(errand.params)
        url, name = self._gateway + call.path, label(call.path)
        message = Message(call.method, url, name, headers, query, content, leave_by=errand.leave_by)
        return await self._wire.exchange(message, errand.deadline)

    def _judged(self, call: Call, answer: Answer | Failure, sent: list[str]) -> Answer | Failure:
        """The answer if it is a good one, the failure that it is otherwise; what both teach is remembered."""
        if isinstance(answer, Answer) and answer.good and (answer.whole or call.method != "GET"):
            if call.method == "POST":
                self.saw(call.path)
            return answer
        failure = without(failed(answer, self._clock.now()), (*self._secrets, *sent))
        if failure.status == 429:
            pause = UNTOLD_PAUSE if failure.retry_after is None else failure.retry_after
            failure = failure._replace(retry_after=pause)
            self._rate.pause(pause)
        return failure
