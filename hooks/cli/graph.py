"""`graph`: all objects, who owns them and what they refer to, as the source of a Mermaid or Graphviz picture."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from hooks.aruba.engine.resolve import references
from hooks.aruba.kinds import discover
from hooks.aruba.model.catalog import Catalog
from hooks.cli.cluster import OURS, Cluster, add_kubeconfig, at, meta, with_cluster
from hooks.cli.drawing import MISSING, UNREAD, Edge, Key, Picture, write
from hooks.kube.answers import Raw
from hooks.kube.wire import path_of
from hooks.meta.outcomes import Trouble


def add_arguments(parser: ArgumentParser) -> None:
    add_kubeconfig(parser)
    parser.add_argument("-n", "--namespace", default="", help="only the objects of this namespace, and what they use")
    parser.add_argument("--format", choices=("mermaid", "dot"), default="mermaid", help="default: mermaid")


def run(args: Namespace) -> int:
    """0 with the whole picture on stdout, 1 when something could not be read, 2 without a usable cluster."""

    async def work(cluster: Cluster) -> int:
        picture = await gather(cluster, discover(), args.namespace)
        for line in picture.unread:
            print(f"graph: {line}", file=sys.stderr)
        if picture.nodes or not picture.unread:
            print(write(picture, args.format))
        return 1 if picture.unread else 0

    try:
        path_of(OURS, "projects", args.namespace)
    except ValueError:
        print(f"graph: --namespace {args.namespace!r} cannot be the name of a namespace", file=sys.stderr)
        return 2
    return with_cluster("graph", args.kubeconfig, work)


async def gather(cluster: Cluster, catalog: Catalog, namespace: str = "") -> Picture:
    """Everything of ours, and whatever it refers to."""
    found = await cluster.objects(catalog, namespace)
    nodes: dict[Key, str] = {}
    edges: list[Edge] = []
    troubles: dict[str, list[str]] = {}
    for kind, items in found.items():
        if isinstance(items, Trouble):
            troubles.setdefault(items.text, []).append(kind)
    unread = [f"{', '.join(kinds)}: {text}" for text, kinds in troubles.items()]
    for kind, items in found.items():
        for item in items if isinstance(items, list) else ():
            key = Key(kind, str(meta(item).get("namespace", "")), str(meta(item).get("name", "")))
            nodes[key] = _phase(item)
            edges += _edges(catalog, key, item)
    for end in sorted({end for edge in edges for end in edge[:2]} - set(nodes)):
        outside = bool(namespace) and end.namespace != namespace
        nodes[end] = await _elsewhere(cluster, catalog, end) if outside else _absent(found[end.kind])
    return Picture(dict(sorted(nodes.items())), sorted(edges), unread)


def _phase(item: Raw) -> str:
    return str(at(item, "status", "phase") or "no status yet")


def _edges(catalog: Catalog, key: Key, item: Raw) -> Iterator[Edge]:
    kind, spec = catalog[key.kind], item.get("spec")
    for field, ref in references(kind, spec if isinstance(spec, dict) else {}):
        target = Key(field.to.kind if field.to is not None else "", ref.namespace, ref.name)
        if kind.owner is not None and field.name == kind.owner.name:
            yield Edge(target, key)
        else:
            yield Edge(key, target, field.name.removesuffix("s").removesuffix("Reference"))


def _absent(listed: list[Raw] | Trouble | None) -> str:
    return UNREAD if isinstance(listed, Trouble) else MISSING


async def _elsewhere(cluster: Cluster, catalog: Catalog, key: Key) -> str:
    """The phase of an object that is referred to in another namespace."""
    try:
        path = path_of(OURS, catalog[key.kind].names.plural, key.namespace, key.name)
    except ValueError:
        return MISSING
    item = await cluster.get(path)
    return _absent(None) if item is None else UNREAD if isinstance(item, Trouble) else _phase(item)
