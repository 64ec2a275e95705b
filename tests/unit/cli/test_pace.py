"""`doctor` on Metacontroller's flags, held against the number of objects and how often they are gone through."""

from __future__ import annotations

import pytest

from hooks.cli.checks.finding import Finding, Level
from hooks.cli.checks.pace import Load, flags_of, pace
from hooks.cli.checks.workloads import Workload
from tests.unit.cli import installed
from tests.unit.cli.installed import Installed

WORKERS = ("--workers=20",)


def engine(*args: str) -> Workload:
    return Workload("StatefulSet", installed.engine(args=args))


def judged(args: tuple[str, ...], objects: int, period: float | None = 300.0) -> list[Finding]:
    """So many objects, over three kinds."""
    return pace(engine(*args), {kind: Load(objects // 3, period) for kind in ("VPC", "Subnet", "KeyPair")})


def rate(qps: float, burst: int) -> tuple[str, ...]:
    return f"--client-go-qps={qps}", f"--client-go-burst={burst}", *WORKERS


@pytest.mark.parametrize(
    ("args", "objects", "level", "words"),
    [
        (WORKERS, 0, Level.WARN, "5 times a second, its default: everything is slower"),
        (WORKERS, 1500, Level.WARN, "its default, and the resync of 1500 objects alone takes 5.0"),
        (
            WORKERS,
            1503,
            Level.FAIL,
            "its default, but the resync of 1503 objects alone takes 5.0: it falls behind for good",
        ),
        (rate(10, 20), 30, Level.WARN, "at most 10 times a second: everything is slower"),
        (rate(15, 30), 4998, Level.FAIL, "at most 15 times a second, but the resync of 4998 objects alone takes 16.7"),
        (rate(30, 60), 4998, Level.WARN, "at most 30 times a second, and the resync of 4998 objects alone takes 16.7"),
        (rate(100, 10), 4998, Level.WARN, "10 requests at once, less than the 100 of each second"),
        (rate(100, 200), 4998, Level.OK, "100 requests a second, 20 workers a kind, for 4998 objects that need 33.3"),
        (rate(-1, 1), 30000, Level.WARN, "20 workers have 0.30 s for each pass over the 10000 VPC objects"),
        (rate(-1, 1), 4998, Level.OK, "any number of requests a second"),
        (rate(0, 0), 1503, Level.FAIL, "at most 5 times a second"),
        (rate(100, 200)[:2], 6000, Level.WARN, "5 workers have 0.38 s for each pass over the 2000"),
        (rate(100, 200)[:2], 300, Level.OK, "5 workers a kind"),
    ],
)
def test_the_flags_against_the_objects(args: tuple[str, ...], objects: int, level: Level, words: str) -> None:
    (found,) = judged(args, objects)
    assert found.level is level, found
    assert words in found.what


@pytest.mark.parametrize(
    ("args", "objects", "flags"),
    [
        ((), 30, "--client-go-qps=100 --client-go-burst=200"),
        ((), 4998, "--client-go-qps=100 --client-go-burst=200"),
        (rate(20, 40), 15000, "--client-go-qps=200 --client-go-burst=400"),
        (rate(400, 800), 36000, "--workers=80"),
    ],
)
def test_what_it_tells_to_give_is_enough(args: tuple[str, ...], objects: int, flags: str) -> None:
    found = judged(args, objects)[0]
    assert found.fix == f"give it {flags}"
    again = judged((*args, *(word for one in judged(args, objects) for word in one.fix.split()[2:])), objects)
    assert [finding.level for finding in again] == [Level.OK], again


def test_kinds_without_a_period_of_their_own_go_by_the_flush() -> None:
    assert judged(WORKERS, 9030, None)[0].level is Level.FAIL
    assert judged(WORKERS, 8400, None)[0].level is Level.WARN
    assert judged(("--cache-flush-interval=1m", *WORKERS), 330)[0].level is Level.FAIL
    assert judged(("--cache-flush-interval=0", *WORKERS), 90000, None)[0].what.endswith("slower than it need be")


@pytest.mark.parametrize("flag", ["--client-go-qps=many", "--client-go-burst=1.5", "--workers=", "--client-go-qps=nan"])
def test_a_flag_that_cannot_be_read_is_named(flag: str) -> None:
    (found,) = judged((flag,), 9)
    assert found.level is Level.FAIL
    assert flag in found.what


def test_flags_are_read_in_both_ways_and_of_the_engine_alone() -> None:
    raw = installed.engine(args=("-client-go-qps", "70", "--workers", "9", "--workers=8", "--cache-flush-interval=1h"))
    raw["spec"]["template"]["spec"]["containers"].insert(0, {"image": "proxy:1", "args": ["--workers=99"]})
    flags = flags_of(Workload("StatefulSet", raw))
    assert (flags.qps, flags.burst, flags.workers, flags.flush) == (70, 10, 8, 3600)


async def test_doctor_counts_objects_and_reads_periods_itself() -> None:
    world = Installed()
    many = [installed.custom("VPC", f"v-{n}") for n in range(600)]
    world.paths[f"{installed.KINDS}/vpcs"] = {"items": many}
    world.paths[installed.STATEFULSETS] = {"items": [installed.engine(args=rate(20, 40))]}
    assert [f for f in await world.examined() if f.level is not Level.OK] == []
    for item in world.paths[installed.COMPOSITES]["items"]:
        item["spec"]["resyncPeriodSeconds"] = 20
    found = [f for f in await world.examined() if f.level is not Level.OK]
    assert [f.level for f in found] == [Level.FAIL, Level.WARN]
    assert "resync of 600 objects alone takes 30.0" in found[0].what


async def test_without_a_metacontroller_in_sight_nothing_is_said_of_its_pace() -> None:
    world = Installed()
    world.paths[installed.STATEFULSETS] = {"items": []}
    assert not [f for f in await world.examined() if "requests a second" in f.what or "at most" in f.what]


# readiness: where it is asked

METRICS = f"{installed.SERVICE}-metrics"
METRICS_READYZ = installed.READYZ.replace(f"{installed.NAME}:8080", f"{installed.NAME}-metrics:8081")


async def test_readiness_is_asked_for_where_no_caller_is_shut_out() -> None:
    """The hooks' own port may want a certificate, or let in nobody but Metacontroller."""
    world = Installed()
    world.paths[installed.READYZ] = installed.status(503, "error trying to reach service: tls: certificate required")
    assert [f.level for f in await world.examined() if "do not answer" in f.what] == [Level.FAIL]
    world.paths[METRICS] = {"spec": {"ports": [{"port": 8081}]}}
    world.paths[METRICS_READYZ] = installed.readiness()
    findings = await world.examined()
    assert [f for f in findings if f.level is not Level.OK] == []
    assert any(f"{installed.NAMESPACE}/{installed.NAME}-metrics are ready" in f.what for f in findings)
    assert not [asked for asked in world.asked[-40:] if asked.endswith(f"{installed.NAME}:8080/proxy/readyz")]


async def test_without_that_service_the_hooks_port_is_asked() -> None:
    world = Installed()
    told = [str(f) for f in await world.examined()]
    assert f"ok    hooks at Service {installed.NAMESPACE}/{installed.NAME} are ready" in told


async def test_what_is_wrong_is_told_from_there_as_well() -> None:
    world = Installed()
    world.paths[METRICS] = {"spec": {"ports": [{"port": 8081}]}}
    world.paths[METRICS_READYZ] = (503, {"ready": False, "reasons": ["draining"], "notes": [], "peers": {}})
    (found,) = [f for f in await world.examined() if f.level is not Level.OK]
    assert "draining" in found.what
