"""`serve`: the webhooks, in a cluster or outside one. The container's entry point."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path

import uvloop

from hooks.edge import CannotListen
from hooks.settings import Watched


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at (default: loopback only)")
    parser.add_argument("--port", type=port, default=8080, help="port of the hooks; 0 takes any free one")
    parser.add_argument("--metrics-port", type=port, help="serve /metrics and health on a port of their own as well")
    parser.add_argument("--tls-dir", type=Path, help="serve the hooks by TLS: a directory with tls.crt and tls.key")
    parser.add_argument("--client-ca-file", type=Path, help="let in only callers with a certificate of this CA")
    parser.add_argument("--config-dir", type=Path, help="the mounted ConfigMap: one file per key")
    parser.add_argument("--secret-dir", type=Path, help="the mounted Secret: one file per key")
    parser.add_argument("--kubeconfig", type=Path, help="how to reach the cluster; inside one, leave it out")


def whole(least: int, most: int) -> Callable[[str], int]:
    """A whole number within bounds, for argparse, which makes a message of the ValueError."""

    def number(text: str) -> int:
        if not least <= int(text) <= most:
            raise ValueError(text)
        return int(text)

    return number


port = whole(0, 65_535)


def run(args: Namespace) -> int:
    """0 after an orderly stop; 2, with one line per fault on stderr, when it cannot serve.

    Faults of mounted files are waited out: they may be put right while the process lives.
    """
    if args.client_ca_file is not None and args.tls_dir is None:
        print("serve: --client-ca-file needs --tls-dir: certificates are shown by TLS only", file=sys.stderr)
        return 2
    settings = Watched(args.config_dir, args.secret_dir, os.environ)
    for line in settings.faults:
        print(line, file=sys.stderr)
    if settings.current is None and args.config_dir is None and args.secret_dir is None:
        return 2
    from hooks import stack  # noqa: PLC0415 - an error in the settings is told before the whole house is loaded

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        try:
            code = runner.run(stack.serve(settings, args))
        except CannotListen as fault:
            print(fault, file=sys.stderr)
            return 2
    if threading.active_count() > 1:  # a look-up that Vault never answers must not keep the process from ending
        sys.stderr.flush()
        os._exit(code)
    return code
