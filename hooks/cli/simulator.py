"""`aruba-hooks simulator`: the Aruba Cloud simulator and its token endpoint on a loopback port."""

from __future__ import annotations

import argparse
import json
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import uvicorn
import uvloop

from hooks.clock import SystemClock
from hooks.simulator import ADMIN, Simulator, load_timings, token_path

_HOST = "127.0.0.1"
_KEEP_ALIVE = 120  # seconds; longer than any client keeps an idle connection, so that none is cut as it is used
_GRACE = 3  # seconds for calls under way when the command is stopped; the whole stop takes less than 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=int, default=0, metavar="P", help="0 (the default) takes any free one")
    parser.add_argument("--timings", default="fast", metavar="T", help="fast, realistic, or a YAML file")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="what all ids and tokens follow from")
    parser.add_argument("--ready-file", type=Path, metavar="F", help="written as JSON when everything answers")


def run(args: argparse.Namespace) -> int:
    """Serve until SIGTERM or SIGINT; 2 when the timings or the port cannot be used."""
    try:
        timings = load_timings(args.timings)
        listener = _listen(args.port)
    except (ValueError, OSError) as problem:
        sys.stderr.write(f"simulator: {problem}\n")
        return 2
    simulator = Simulator(SystemClock(), seed=args.seed, timings=timings)
    # uvicorn repeats the signal that stopped it to whoever listened before: to nobody, so that the exit is clean.
    for stop in (signal.SIGTERM, signal.SIGINT):
        signal.signal(stop, lambda *_: None)
    server = _Server(_config(simulator), lambda: _announce(listener, args.ready_file))
    uvloop.run(server.serve(sockets=[listener]))
    return 0


class _Server(uvicorn.Server):
    """Says when it answers."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()


def _config(simulator: Simulator) -> uvicorn.Config:
    return uvicorn.Config(
        simulator.app,
        http="httptools",
        lifespan="off",
        access_log=False,
        proxy_headers=False,
        log_config=_logging(),
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=_GRACE,
    )


def _listen(port: int) -> socket.socket:
    """Made with the protocol's number: without it asyncio leaves Nagle's algorithm on, 40 ms an answer."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((_HOST, port))
    return listener


def _announce(listener: socket.socket, ready_file: Path | None) -> None:
    base = f"http://{_HOST}:{listener.getsockname()[1]}"
    answers = {"cloud": base, "token": base + token_path(), "admin": base + ADMIN, "pid": os.getpid()}
    if ready_file is not None:
        draft = ready_file.with_name(f"{ready_file.name}.{os.getpid()}")
        draft.write_text(json.dumps(answers), encoding="utf-8")
        draft.replace(ready_file)
    logging.getLogger("uvicorn.error").info("simulated cloud answers at %s", base)


class JsonLines(logging.Formatter):
    """One JSON object a line."""

    default_time_format = "%Y-%m-%dT%H:%M:%S"
    default_msec_format = "%s.%03d"

    def format(self, record: logging.LogRecord) -> str:
        line = {"time": self.formatTime(record), "level": record.levelname.lower(), "message": record.getMessage()}
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line)


def _logging() -> dict[str, object]:
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": f"{__name__}.JsonLines"}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json", "stream": "ext://sys.stderr"}},
        "loggers": {"uvicorn": {"handlers": ["stderr"], "level": "INFO", "propagate": False}},
    }
