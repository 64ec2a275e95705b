"""`demo`: the whole life of a full stack on this machine, through the real kubectl, and one summary at the end.

It runs `local` as a process of its own and sees it only from outside: objects through kubectl, figures through the
simulated cloud's own call list and state. Non-interactive; exit 0 only if everything held.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from pathlib import Path

from hooks.cli.demo import story, tenants
from hooks.cli.demo.world import DemoFailed
from hooks.clock import SystemClock, unpredictable


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--timings", default="fast", help="fast, realistic, or a YAML file (default: fast)")
    parser.add_argument("--tenants", choices=("vault",), help="two tenants whose API keys are in a real OpenBao")
    parser.add_argument("--seed", type=int, help="order of the manifests, and the cloud's IDs (default: by chance)")


def run(args: Namespace) -> int:
    """0 if everything became Active, everything went, nothing was made twice and nothing was left."""
    seed = unpredictable().randrange(10_000) if args.seed is None else args.seed
    with tempfile.TemporaryDirectory(prefix="aruba-demo-") as folder:
        try:
            if args.tenants:
                return asyncio.run(tenants.play(Path(folder), args.timings, seed, SystemClock(), unpredictable()))
            return asyncio.run(story.play(Path(folder), args.timings, seed, SystemClock()))
        except DemoFailed as fault:
            sys.stdout.flush()
            sys.stderr.write(f"demo: {fault}\n")
            return 1
