"""`local`: everything on this machine, for hands-on use with the real kubectl, until it is stopped."""

from __future__ import annotations

import asyncio
import os
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

import uvloop

from hooks.edge import told_to_stop
from hooks.kube import Unusable
from hooks.local.guard import NotOurs
from hooks.stack.local import LocalOptions, local

TRY = """\
The operator is up: a small Kubernetes API, the webhooks and a simulated Aruba Cloud, all on this machine.

  export KUBECONFIG={kubeconfig}
  export PATH={bin}:$PATH

Try, in another terminal:

  kubectl apply -f {sample}
  kubectl get aruba -w
  kubectl delete project shop-prod

The simulated cloud answers at {cloud}; what it holds: {admin}/state
Stop with Ctrl-C: nothing is kept.
"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--state-dir", type=Path, required=True, help="where kubeconfig and endpoints.json are written")
    parser.add_argument("--timings", default="fast", help="fast, realistic, or a YAML file (default: fast)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the simulated cloud's IDs")
    parser.add_argument("--kubernetes", default="builtin", help="builtin, or the kubeconfig of an empty test cluster")
    parser.add_argument(
        "--metacontroller",
        choices=("builtin", "external"),
        default="builtin",
        help="external: start this, apply Metacontroller's CRDs with the kubeconfig, then start Metacontroller",
    )
    parser.add_argument("--ready-file", type=Path, help="written as JSON when everything answers")


def run(args: Namespace) -> int:
    """0 after an orderly stop; 2, with a line that says what to do, when it cannot start."""
    options = LocalOptions(
        args.state_dir, args.timings, args.seed, args.kubernetes, args.metacontroller, args.ready_file
    )
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            return runner.run(_stay_up(options))
    except (ValueError, OSError, Unusable, NotOurs) as fault:
        sys.stderr.write(f"local: {fault}\n")
        return 2


async def _stay_up(options: LocalOptions) -> int:
    async with told_to_stop() as stop, local(options, os.environ) as endpoints:
        sys.stdout.write(_welcome(endpoints))
        sys.stdout.flush()
        await stop.wait()
    return 0


def _welcome(endpoints: dict[str, Any]) -> str:
    sample = Path(__file__).parent / "first-steps.yaml"
    return TRY.format(**endpoints, bin=Path(sys.executable).parent, sample=sample)
