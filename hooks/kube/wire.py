"""One request to the API server: its path, its time limit, what its answer teaches. Used by `client` and `events`."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from hooks.clock import Clock
from hooks.http import AsyncClient, HTTPError, InvalidURL, Response
from hooks.kube.clock import ServerClock
from hooks.meta.deadline import Deadline
from hooks.meta.outcomes import Trouble

Observe = Callable[[str, str, int, float], None]
"""Verb, resource, status (0: no answer), seconds."""

MERGE_PATCH = "application/merge-patch+json"
JSON = "application/json"

_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?")


def path_of(prefix: str, plural: str, namespace: str, name: str | None = None) -> str:
    """The path of an object, or without a name of a collection; without a namespace, of all namespaces or the cluster.

    Raises ValueError for what cannot be a name: names come from a request's body, and a slash would lead elsewhere
    and an empty name to the whole collection.
    """
    parts = [*(("namespaces", namespace) if namespace else ()), plural, *(() if name is None else (name,))]
    if not all(_NAME.fullmatch(part) for part in parts):
        raise ValueError("that is not the name of a Kubernetes object")
    return "/".join([prefix, *parts])


class Wire:
    """Sends requests within a deadline. What the other side or the network does never raises."""

    def __init__(self, client: AsyncClient, clock: Clock, observe: Observe | None) -> None:
        self._client = client
        self._clock = clock
        self._observe = observe
        self.time = ServerClock(clock)

    async def ask(
        self,
        method: str,
        path: str,
        deadline: Deadline,
        *,
        what: str,
        query: Mapping[str, str] | None = None,
        content: Mapping[str, Any] | None = None,
        media: str = JSON,
    ) -> Response | Trouble:
        """The answer, whatever its status; Trouble when there was none. `what` names the resource for the metrics."""
        left = deadline.remaining(self._clock.monotonic())
        if left <= 0:
            return Trouble("no time was left to ask the Kubernetes API")
        began, sent = self._clock.monotonic(), self._clock.now()
        answer: Response | Trouble
        try:
            async with asyncio.timeout(left):
                answer = await self._client.request(
                    method,
                    path,
                    params=dict(query or {}),
                    content=None if content is None else json.dumps(content, allow_nan=False).encode(),
                    headers={"Accept": JSON, **({} if content is None else {"Content-Type": media})},
                    timeout=left,
                )
        except TimeoutError:
            answer = Trouble(f"the Kubernetes API did not answer within {left:.0f} s")
        except (HTTPError, InvalidURL, OSError) as fault:
            answer = Trouble(f"the Kubernetes API could not be reached: {type(fault).__name__}")
        self._note(method, what, answer, began)
        if isinstance(answer, Response):
            self.time.learn(answer.headers.get("Date"), sent)
        return answer

    def _note(self, method: str, what: str, answer: Response | Trouble, began: float) -> None:
        if self._observe is not None:
            status = answer.status_code if isinstance(answer, Response) else 0
            self._observe(method, what, status, self._clock.monotonic() - began)
