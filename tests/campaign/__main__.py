"""Long fault schedules: `make campaign SEEDS=100`, or `python -m tests.campaign --seed 17` for one seed's whole story.

One line a seed, then the failing ones with the command that runs each again. Exit 1 when there is one.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import sys
from concurrent.futures import ProcessPoolExecutor

import looptime

from tests.campaign.trial import SETS, Result, trial


def run(seed: int) -> Result:
    """One trial on a loop of its own, in virtual time. What Metacontroller says of lost watches is no news here."""
    logging.getLogger("hooks.local").setLevel(logging.ERROR)
    with asyncio.Runner(loop_factory=looptime.new_event_loop) as runner:
        return runner.run(trial(seed))


def alone(seed: int) -> int:
    """One seed with everything that happened to it."""
    result = run(seed)
    print("\n".join([*result.story, *result.problems, str(result)]))
    return int(bool(result.problems))


def many(first: int, count: int, jobs: int) -> int:
    """Seeds side by side; results in the order of the seeds."""
    failed: list[int] = []
    with ProcessPoolExecutor(jobs) as pool:
        for result in pool.map(run, range(first, first + count)):
            print(result, flush=True)
            if result.problems:
                failed.append(result.seed)
    for seed in failed:
        print(f"again: {os.path.relpath(sys.executable)} -m tests.campaign --seed {seed}")
    print(f"campaign: {count} seeds over sets {', '.join(SETS)}, {len(failed)} failed")
    return int(bool(failed))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.campaign", description="Seeded fault schedules.")
    parser.add_argument("--seeds", type=int, default=20, help="how many seeds to run")
    parser.add_argument("--first", type=int, default=1, help="the first of them")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many side by side")
    parser.add_argument("--seed", type=int, help="run this one alone and tell its whole story")
    given = parser.parse_args()
    return alone(given.seed) if given.seed is not None else many(given.first, given.seeds, given.jobs)


if __name__ == "__main__":
    sys.exit(main())
