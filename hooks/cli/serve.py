"""`serve`: the webhooks, in a cluster or outside one. The container's entry point."""

from __future__ import annotations

import asyncio
import os
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

import uvloop

from hooks.edge import CannotListen
from hooks.settings import Watched


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at (default: loopback only)")
    parser.add_argument("--port", type=port, default=8080, help="port of the hooks; 0 takes any free one")
    parser.add_argument("--metrics-port", type=port, help="serve /metrics on a port of its own as well")
    parser.add_argument("--config-dir", type=Path, help="the mounted ConfigMap: one file per key")
    parser.add_argument("--secret-dir", type=Path, help="the mounted Secret: one file per key")
    parser.add_argument("--kubeconfig", type=Path, help="how to reach the cluster; inside one, leave it out")


def port(text: str) -> int:
    """A TCP port; argparse makes `invalid port value` of the ValueError."""
    number = int(text)
    if not 0 <= number <= 65_535:
        raise ValueError(text)
    return number


def run(args: Namespace) -> int:
    """0 after an orderly stop; 2, with one line per fault on stderr, when the settings will not do."""
    settings = Watched(args.config_dir, args.secret_dir, os.environ)
    for line in settings.faults:
        print(line, file=sys.stderr)
    if settings.current is None:
        return 2
    from hooks import stack  # noqa: PLC0415 - an error in the settings is told before the whole house is loaded

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        try:
            return runner.run(stack.serve(settings, args))
        except CannotListen as fault:
            print(fault, file=sys.stderr)
            return 2
