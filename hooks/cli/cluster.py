"""A cluster as the commands see that a person runs by hand: doctor, release and graph.

Unlike the hooks they read any kind of object, and they find the kubeconfig where kubectl finds it. What the other side
does is a value here too: an object, None where there is none, or `Trouble` in the server's words.
"""

from __future__ import annotations

import asyncio
import os
import sys
from argparse import ArgumentParser
from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from hooks.aruba.model.kind import Kind
from hooks.aruba.model.phases import API_VERSION
from hooks.clock import Clock, SystemClock
from hooks.http import AsyncClient, InvalidURL, Response
from hooks.kube import Unusable, connect
from hooks.kube.answers import Raw, body, refused_precondition, stale, trouble
from hooks.kube.wire import JSON, MERGE_PATCH, Wire, path_of
from hooks.meta.deadline import Deadline
from hooks.meta.outcomes import Patched, Stale, Trouble

OURS = f"/apis/{API_VERSION}"
CONTROLLERS = "/apis/metacontroller.k8s.io/v1alpha1"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1"
PATIENCE = 15.0
"""Seconds for one request."""
PAGE = "500"


class Cluster:
    """Reads any path, writes by fenced merge patches alone."""

    def __init__(self, client: AsyncClient, clock: Clock) -> None:
        self._wire = Wire(client, clock, None)
        self._clock = clock
        self.server = str(client.base_url).rstrip("/")

    async def ask(self, method: str, path: str, **request: Any) -> Response | Trouble:
        """The answer as it came, whatever its status."""
        deadline = Deadline(self._clock.monotonic() + PATIENCE)
        return await self._wire.ask(method, path, deadline, what="", **request)

    async def get(self, path: str) -> Raw | Trouble | None:
        """The JSON at a path; None for a 404, be it that the object is not there or that its kind is not served."""
        answer = await self.ask("GET", path)
        if isinstance(answer, Trouble):
            return answer
        if answer.status_code == 404:
            return None
        return body(answer) if answer.status_code == 200 else trouble(answer)

    async def items(self, path: str, selector: str = "") -> list[Raw] | Trouble | None:
        """All objects of a collection, or none at all; None where it is not served."""
        found: list[Raw] = []
        query = {"limit": PAGE} | ({"labelSelector": selector} if selector else {})
        while True:
            answer = await self.ask("GET", path, query=query)
            if isinstance(answer, Trouble):
                return answer
            if answer.status_code != 200:
                return None if answer.status_code == 404 else trouble(answer)
            page = body(answer)
            found += [item for item in page.get("items") or () if isinstance(item, dict)]
            token = (page.get("metadata") or {}).get("continue")
            if not token:
                return found
            query["continue"] = str(token)

    async def post(self, path: str, content: Mapping[str, Any]) -> Raw | Trouble | None:
        """What the server makes of a review; None where such reviews are not served."""
        answer = await self.ask("POST", path, content=content, media=JSON)
        if isinstance(answer, Trouble):
            return answer
        if answer.status_code == 404:
            return None
        return body(answer) if answer.is_success else trouble(answer)

    async def patch(self, path: str, change: Mapping[str, Any], manager: str) -> Patched | Stale | Trouble:
        """A merge patch that carries the uid and the resourceVersion which its author was shown."""
        query = {"fieldManager": manager}
        answer = await self.ask("PATCH", path, query=query, content=change, media=MERGE_PATCH)
        if isinstance(answer, Trouble):
            return answer
        if answer.status_code == 200:
            return Patched(body(answer))
        return stale(answer) if answer.status_code == 404 or refused_precondition(answer) else trouble(answer)

    async def objects(self, kinds: Iterable[Kind], namespace: str = "") -> dict[str, list[Raw] | Trouble | None]:
        """What there is of each kind, by the kind's name, in one namespace or in all."""
        wanted = list(kinds)
        paths = [path_of(OURS, kind.names.plural, namespace) for kind in wanted]
        found = await asyncio.gather(*(self.items(path) for path in paths))
        return {kind.names.kind: items for kind, items in zip(wanted, found, strict=True)}


def meta(item: Raw) -> Raw:
    """An object's metadata, empty where it has none."""
    found = item.get("metadata")
    return found if isinstance(found, dict) else {}


def path_name(item: Raw) -> str:
    """`namespace/name`, or the name alone."""
    return "/".join(str(meta(item)[part]) for part in ("namespace", "name") if meta(item).get(part))


def at(item: Any, *steps: str | int) -> Any:
    """What lies at these steps into foreign JSON, None where the way ends early."""
    for step in steps:
        if isinstance(step, int):
            item = item[step] if isinstance(item, list) and len(item) > step else None
        else:
            item = item.get(step) if isinstance(item, dict) else None
    return item


def add_kubeconfig(parser: ArgumentParser) -> None:
    """The option that all these commands share."""
    parser.add_argument(
        "--kubeconfig", type=Path, help="default: $KUBECONFIG, then ~/.kube/config, then the pod's service account"
    )


def kubeconfig(given: Path | None, environ: Mapping[str, str]) -> Path | None:
    """The file to use, None for the pod's own service account. Raises `Unusable` where kubectl would merge files."""
    if given is not None:
        return given
    named = [Path(part) for part in environ.get("KUBECONFIG", "").split(os.pathsep) if part]
    if len(named) > 1:
        raise Unusable("KUBECONFIG names several files, which are not merged here: pass --kubeconfig FILE")
    usual = Path(environ.get("HOME") or "/") / ".kube" / "config"
    return named[0] if named else usual if usual.is_file() else None


def with_cluster(command: str, given: Path | None, work: Callable[[Cluster], Awaitable[int]]) -> int:
    """The exit code of `work`; 2, with one line on stderr, when there is no way to any cluster."""

    async def whole() -> int:
        async with connect(kubeconfig(given, os.environ)) as client:
            return await work(Cluster(client, SystemClock()))

    try:
        code = asyncio.run(whole())
        sys.stdout.flush()
    except (Unusable, InvalidURL) as fault:
        print(f"{command}: {fault}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # whoever read along, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return code
