"""`make bench`: figures, one `NAME VALUE UNIT` a line, and `bench: done` as the last.

Virtual time measures the operator's pace, not this machine's; only the micro figures are real time, and their ratios
compare within one run.
"""

from __future__ import annotations

import asyncio
import sys

import looptime

from tests.bench.figures import Figure
from tests.bench.life import whole_life
from tests.bench.rest import at_rest


async def figures() -> list[Figure]:
    return [*await whole_life(), *await at_rest()]


def main() -> int:
    with asyncio.Runner(loop_factory=looptime.new_event_loop) as runner:
        for figure in runner.run(figures()):
            print(figure)
    print("bench: done")
    return 0


if __name__ == "__main__":
    sys.exit(main())
