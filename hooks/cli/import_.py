"""`import`: manifests that adopt what a live project holds, for whoever begins with a cloud that is not empty.

It only reads. What cannot be adopted as it is gets no manifest, and is named with the reason.
"""

from __future__ import annotations

import asyncio
import os
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

import uvloop

from hooks import stack
from hooks.aruba.importing import Found, Import, Place, Survey, sift, survey
from hooks.aruba.importing.names import NAMESPACE
from hooks.aruba.kinds import discover
from hooks.aruba.model.catalog import Catalog
from hooks.aruba.model.failure import Failure
from hooks.aruba.model.wire import Reading
from hooks.cli.importing.patient import Patient
from hooks.cli.importing.text import CannotWrite, stream, write
from hooks.clock import SystemClock
from hooks.settings import Settings, Watched

STDOUT = "-"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--project", required=True, metavar="ID", help="ID of the project in the cloud")
    parser.add_argument("--namespace", default="default", help="namespace of the objects (default: default)")
    parser.add_argument("--tenant", default="", help="tenant that the objects name (default: they name none)")
    parser.add_argument("--take-over", action="store_true", help="also what objects of a cluster made that is no more")
    parser.add_argument("--output", default=STDOUT, metavar="DIR", help="a file for each object there; - is stdout")
    parser.add_argument("--force", action="store_true", help="write over files that are there already")
    parser.add_argument("--config-dir", type=Path, help="the ConfigMap's settings: one file per key")
    parser.add_argument("--secret-dir", type=Path, help="the Secret's settings: one file per key")


def run(args: Namespace) -> int:
    """0; 1 when something was left out; 2 when nothing could be read or written, with one line on stderr."""
    if not NAMESPACE.fullmatch(args.namespace):
        return _refused(f"--namespace {args.namespace!r} is no name of a namespace: small letters, digits and hyphens")
    settings = Watched(args.config_dir, args.secret_dir, os.environ)
    if settings.current is None or settings.faults:
        for line in settings.faults:
            print(line, file=sys.stderr)
        return 2
    for line in settings.warnings:
        _told(line)
    catalog = discover()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        found = runner.run(_look(catalog, settings.current, args))
    if isinstance(found, str):
        return _refused(found)
    made = sift(catalog, found.found, Place(args.namespace, args.tenant, args.take_over))
    try:
        _put_out(made, found, args)
    except CannotWrite as fault:
        return _refused(str(fault))
    for line in [*found.doubts, *map(str, made.left)]:
        print(line, file=sys.stderr)
    return 1 if made.left or found.doubts else 0


def _refused(text: str) -> int:
    print(f"import: {text}", file=sys.stderr)
    return 2


def _put_out(made: Import, found: Survey, args: Namespace) -> None:
    if args.output == STDOUT:
        _print(stream(made, found, args.project))
        return
    count = write(made, found, args.project, Path(args.output), force=args.force)
    print(f"{count} manifests are in {args.output}: kubectl apply -f {args.output}", file=sys.stderr)


def _print(text: str) -> None:
    """Raises CannotWrite when the reader has left, such as `head`."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError as fault:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the end of the process would try again
        raise CannotWrite("whoever reads the output stopped before its end") from fault


async def _look(catalog: Catalog, settings: Settings, args: Namespace) -> Survey | str:
    """All that the project holds, or why it could not be read, in a sentence."""
    async with stack.pool() as http, Patient(settings, http, SystemClock(), args.tenant, _told) as cloud:
        kind = catalog["Project"]
        reading = await cloud.item(kind.collection.path, args.project)
        if not isinstance(reading, Reading):
            return f"project {args.project}: {reading.text}"
        if reading.live is None:
            return (
                f"project {args.project} is not there: it does not exist, or these credentials do not see it. "
                "Check --project, which is the ID and not the name, and the API key"
            )
        found = await survey(catalog, Found(kind, kind.collection.path, reading.live), cloud.listing, cloud.item)
        return found.text if isinstance(found, Failure) else found


def _told(text: str) -> None:
    print(f"import: {text}", file=sys.stderr)
