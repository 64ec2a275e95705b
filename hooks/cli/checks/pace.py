"""Is Metacontroller given enough for the number of objects? Its own defaults are made for far fewer (mc §7)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, TypeVar

from hooks.cli.checks.finding import Finding, fail, ok, warn
from hooks.cli.checks.workloads import Workload
from hooks.meta.times import parse_duration

QPS, BURST, WORKERS, FLUSH = 5.0, 10, 5, 1800.0
"""What it does without a word: requests a second, at once, passes at a time for each kind, seconds of a resync."""
AMPLE_QPS, AMPLE_WORKERS = 100, 20
"""What is recommended where nothing calls for more."""
BRISK = 20.0
"""Requests a second below which a few objects that come up together already wait for it."""
HEADROOM = 2
"""Beside the resync each object has its own appointments, about as often while `listing-age` is as long: measured, two
looks a period.
"""
PASS = 1.0
"""Seconds that a pass may well take which asks the cloud."""
Number = TypeVar("Number", int, float)
_FLAG = re.compile(r"--?([a-z-]+)(?:=(.*))?")


class Load(NamedTuple):
    """Objects of one kind, and how often Metacontroller goes through them all, in seconds; None: when it flushes."""

    objects: int
    period: float | None


class Flags(NamedTuple):
    """As Metacontroller takes them; `untold`: the rate is its default; `unread`: those that it would not start with."""

    qps: float = QPS
    burst: int = BURST
    workers: int = WORKERS
    flush: float = FLUSH
    untold: bool = True
    unread: tuple[str, ...] = ()


def pace(workload: Workload, loads: Mapping[str, Load]) -> list[Finding]:
    """Whether requests a second, requests at once and workers do for so many objects of each kind."""
    flags = flags_of(workload)
    if flags.unread:
        return [fail(f"Metacontroller ({workload}) has flags without a usable value: {', '.join(flags.unread)}", _FIX)]
    told = [_requests(flags, loads), _workers(flags, loads)]
    faults = [finding for finding in told if finding is not None]
    if faults:
        return faults
    count, need = sum(load.objects for load in loads.values()), _need(flags, loads)
    rate = f"{flags.qps:g}" if flags.qps > 0 else "any number of"
    size = f"{rate} requests a second, {flags.workers} workers a kind"
    return [ok(f"Metacontroller's pace: {size}, for {count} objects that need {HEADROOM * need:.1f} at rest")]


_FIX = "give each a number, such as --client-go-qps=100 --client-go-burst=200 --workers=20"


def flags_of(workload: Workload) -> Flags:
    """Read from command and arguments; the last of two counts, and 0 is as good as none, as for client-go."""
    said = dict(_said(workload))
    unread: list[str] = []

    def read(name: str, otherwise: Number, parse: Callable[[str], Number]) -> Number:
        try:
            found = parse(said[name]) if name in said else otherwise
        except ValueError:
            unread.append(f"--{name}={said[name]}")
            return otherwise
        return found or otherwise

    qps, burst = read("client-go-qps", QPS, _finite), read("client-go-burst", BURST, int)
    workers, flush = read("workers", WORKERS, int), read("cache-flush-interval", FLUSH, _seconds)
    return Flags(qps, burst, workers, flush, "client-go-qps" not in said, tuple(unread))


def _said(workload: Workload) -> Iterator[tuple[str, str]]:
    """Flags with their values, in both ways to write them; those of containers beside it are not its own."""
    own = [item for item in workload.containers if "metacontroller" in f"{item.get('image')} {item.get('name')}"]
    for container in own or workload.containers:
        words = [str(word) for part in ("command", "args") for word in container.get(part) or ()]
        for word, following in zip(words, [*words, ""][1:], strict=True):
            found = _FLAG.fullmatch(word)
            if found is not None:
                yield found[1], following if found[2] is None else found[2]


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def _seconds(text: str) -> float:
    """Without a flush there is only what each controller asks for."""
    return parse_duration(text).total_seconds() or math.inf


def _need(flags: Flags, loads: Mapping[str, Load]) -> float:
    """Requests a second that the resync costs: one for each object, before its status is compared."""
    return sum(load.objects / _period(flags, load) for load in loads.values())


def _period(flags: Flags, load: Load) -> float:
    return min(load.period or math.inf, flags.flush)


def _requests(flags: Flags, loads: Mapping[str, Load]) -> Finding | None:
    if flags.qps < 0:  # client-go's word for no limit
        return None
    count, need = sum(load.objects for load in loads.values()), _need(flags, loads)
    fix = f"give it {_wanted(need)}"
    told = f"Metacontroller asks the Kubernetes API at most {flags.qps:g} times a second"
    told += ", its default" if flags.untold else ""
    at_rest = f"the resync of {count} objects alone takes {need:.1f}"
    if flags.qps < need:
        return fail(f"{told}, but {at_rest}: it falls behind for good", fix)
    if flags.qps < HEADROOM * need:
        return warn(f"{told}, and {at_rest}, their own appointments as much again: nothing is left for changes", fix)
    if flags.qps < BRISK:
        return warn(f"{told}: everything is slower than it need be", fix)
    if flags.burst < flags.qps:
        what = f"Metacontroller may send {flags.burst} requests at once, less than the {flags.qps:g} of each second"
        return warn(f"{what}: a wave of changes waits", fix)
    return None


def _wanted(need: float) -> str:
    """Flags with four times the need, in steps of fifty."""
    qps = max(AMPLE_QPS, 50 * math.ceil(2 * HEADROOM * need / 50))
    return f"--client-go-qps={qps} --client-go-burst={2 * qps}"


def _workers(flags: Flags, loads: Mapping[str, Load]) -> Finding | None:
    """The kind whose passes have the least time, if all of a period are to end within it."""
    passes = {kind: HEADROOM * load.objects / _period(flags, load) for kind, load in loads.items()}
    kind = max(passes, key=passes.__getitem__, default="")
    if not kind or passes[kind] * PASS <= flags.workers:
        return None
    wanted = max(AMPLE_WORKERS, 10 * math.ceil(passes[kind] * PASS / 10))
    what = f"Metacontroller's {flags.workers} workers have {flags.workers / passes[kind]:.2f} s for each pass"
    what += f" over the {loads[kind].objects} {kind} objects, and a pass that asks the cloud may take longer"
    return warn(what, f"give it --workers={wanted}")
