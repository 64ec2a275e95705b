"""`plan`: what applying manifests would do in Aruba Cloud, call by call, from cluster and cloud as they are.

It reads both and sends nothing: the engine itself plays on shadows of them (hooks.aruba.planning).
"""

from __future__ import annotations

import asyncio
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import uvloop
import yaml
from pydantic import ValidationError

from hooks import stack
from hooks.aruba.kinds import discover
from hooks.aruba.model.catalog import Catalog
from hooks.aruba.model.phases import API_VERSION, GROUP
from hooks.aruba.planning import Objects, Outcome, Planned, Resources, play
from hooks.aruba.planning.play import ShadowClock
from hooks.cli.cluster import Cluster, add_kubeconfig, kubeconfig
from hooks.cli.importing.patient import Patient
from hooks.clock import SystemClock
from hooks.http import InvalidURL
from hooks.kube import Unusable, connect
from hooks.meta.outcomes import Trouble
from hooks.meta.times import format_time
from hooks.settings import Settings, Watched

Raw = dict[str, Any]
SUFFIXES = (".yaml", ".yml", ".json")


class Refused(Exception):
    """Why no plan can be made, in a sentence."""


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "-f",
        "--filename",
        action="append",
        required=True,
        metavar="FILE",
        help="manifests, or a folder of them; - is stdin",
    )
    parser.add_argument("-n", "--namespace", default="default", help="for objects that name none (default: default)")
    add_kubeconfig(parser)
    parser.add_argument("--config-dir", type=Path, help="the ConfigMap's settings: one file per key")
    parser.add_argument("--secret-dir", type=Path, help="the Secret's settings: one file per key")


def run(args: Namespace) -> int:
    """0 when all that is applied would become Ready, 1 when something would not, 2 when no plan can be made."""
    settings = Watched(args.config_dir, args.secret_dir, os.environ)
    if settings.current is None or settings.faults:
        for line in settings.faults:
            print(f"plan: {line}", file=sys.stderr)
        return 2
    catalog = discover()
    try:
        manifests = list(read(catalog, args.filename, args.namespace))
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            planned, outcomes = runner.run(_plan(catalog, settings.current, manifests, args))
    except (Refused, Unusable, InvalidURL, OSError) as fault:
        print(f"plan: {fault}", file=sys.stderr)
        return 2
    for line in told(planned, outcomes):
        print(line)
    return 0 if all(one.ready for one in outcomes) else 1


def read(catalog: Catalog, names: Iterable[str], namespace: str) -> Iterator[Raw]:
    """The objects of our kinds in these files. Raises `Refused` for what no API server would take."""
    for name, text in _texts(names):
        try:
            documents = list(yaml.safe_load_all(text))
        except yaml.YAMLError as fault:
            raise Refused(f"{name} is no YAML: {' '.join(str(fault).split())}") from fault
        for item in documents:
            if isinstance(item, dict) and str(item.get("apiVersion", "")).startswith(f"{GROUP}/"):
                yield _checked(catalog, item, name, namespace)


def _texts(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each file with its text; of a folder, as kubectl does, those that end in a way which says manifest."""
    for name in names:
        given = Path(name)
        inside = sorted(path for path in given.iterdir() if path.suffix in SUFFIXES) if given.is_dir() else [given]
        for path in inside:
            try:
                yield str(path), sys.stdin.read() if name == "-" else path.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as fault:
                raise Refused(f"{path} cannot be read: {fault}") from fault


def _checked(catalog: Catalog, item: Raw, file: str, namespace: str) -> Raw:
    kind = catalog.get(str(item.get("kind")))
    meta = item.get("metadata")
    if kind is None or item["apiVersion"] != API_VERSION:
        raise Refused(f"{file}: {item['apiVersion']} {item.get('kind')} is no kind of this operator")
    if not isinstance(meta, dict) or not meta.get("name"):
        raise Refused(f"{file}: a {kind} has no metadata.name")
    try:
        kind.spec.model_validate(item.get("spec") or {})
    except ValidationError as fault:
        first = fault.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise Refused(f"{file}: {kind} {meta['name']}: spec.{where}: {first['msg']}") from fault
    return {**item, "metadata": {**meta, "namespace": meta.get("namespace") or namespace}}


async def _plan(
    catalog: Catalog, settings: Settings, manifests: list[Raw], args: Namespace
) -> tuple[list[Planned], list[Outcome]]:
    clock = SystemClock()
    async with connect(kubeconfig(args.kubeconfig, os.environ)) as client, stack.pool() as http:
        objects = await shadow(catalog, Cluster(client, clock), manifests)
        async with Patient(settings, http, clock, "", _tell) as cloud:
            time = ShadowClock(clock.now())
            keys = [objects.apply(item, format_time(time.now())) for item in manifests]
            resources = Resources(catalog, cloud.of, time)
            policy = stack.policy(settings)
            return await play(catalog, objects, resources, time, policy, objects.concerned(keys))


async def shadow(catalog: Catalog, cluster: Cluster, manifests: list[Raw]) -> Objects:
    """What is in the cluster; kinds that are not installed yet have no objects."""
    found: list[Raw] = []
    for name, items in (await cluster.objects(catalog)).items():
        if isinstance(items, Trouble):
            raise Refused(f"{name}: {items.text}")
        found += [{"apiVersion": API_VERSION, "kind": name, **item} for item in items or ()]
    spaces = {str(item["metadata"].get("namespace")) for item in (*found, *manifests)}
    known = {name: await cluster.get(f"/api/v1/namespaces/{name}") for name in sorted(spaces)}
    return Objects(catalog, found, {name: raw for name, raw in known.items() if isinstance(raw, dict)})


def told(planned: list[Planned], outcomes: list[Outcome]) -> Iterator[str]:
    """One line for each thing that would happen; then what would not become Ready, and a sum."""
    for one in planned:
        sent = f"{one.call.method} {one.call.path}  " if one.call is not None else "(no call)  "
        yield f"{one.kind} {one.path}: {sent}{one.what}"
    for end in outcomes:
        if not end.ready:
            yield f"{end.kind} {end.path}: would stay {end.phase or 'Pending'}: {end.message}"
    calls = sum(one.call is not None for one in planned)
    ready = sum(end.ready for end in outcomes)
    yield f"calls: {calls}, adoptions: {len(planned) - calls}; {ready} of {len(outcomes)} objects would be Ready"


def _tell(text: str) -> None:
    print(f"plan: {text}", file=sys.stderr)
