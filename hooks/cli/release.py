"""`release`: lets go of objects without the cloud being touched: no finalizer, no ownership, no create mark.

For whoever has lost the cloud account, moves objects to another cluster, or has switched the operator off for good. It
shows first and acts only when told to; each write is fenced by the uid and version that the decision was made on.
"""

from __future__ import annotations

import difflib
import sys
from argparse import ArgumentParser, Namespace

from hooks.aruba.kinds import discover
from hooks.aruba.model.catalog import Catalog
from hooks.aruba.model.kind import Kind
from hooks.aruba.model.phases import GROUP
from hooks.cli.checks.holders import Holder, holders
from hooks.cli.cluster import OURS, Cluster, add_kubeconfig, meta, with_cluster
from hooks.cli.releasing import Release, let_go
from hooks.kube.wire import path_of
from hooks.meta.outcomes import Trouble

HEAD = """\
The cloud is never called: what the objects stand for stays there as it is.
Stop the operator first, or it puts all of this back: kubectl delete compositecontroller PLURAL.arubacloud.com
(that deletes no object and no resource; applying metacontroller/ again switches it on again).
"""


def add_arguments(parser: ArgumentParser) -> None:
    add_kubeconfig(parser)
    parser.add_argument("kind", metavar="KIND", nargs="?", help="as for kubectl: VPC, vpc, vpcs, aruvpc")
    parser.add_argument("objects", metavar="NS/NAME", nargs="*", help="which objects")
    parser.add_argument("--all", action="store_true", help="all objects of KIND; without KIND, of every kind")
    parser.add_argument("-n", "--namespace", default="", help="with --all: only in this namespace")
    parser.add_argument("--yes", action="store_true", help="do it; otherwise it is only shown")
    parser.add_argument("--force", action="store_true", help="even where an operator is there that would undo it")


def run(args: Namespace) -> int:
    """0, 1 when some object could not be released, 2 for a call that cannot be understood."""
    catalog = discover()
    try:
        kinds = _kinds(catalog, args.kind)
        paths = _paths(kinds, args)
    except ValueError as fault:
        print(f"release: {fault}", file=sys.stderr)
        return 2

    async def work(cluster: Cluster) -> int:
        print(HEAD if len(kinds) > 1 else HEAD.replace("PLURAL", kinds[0].names.plural))
        done = [await _kind(cluster, kind, paths, args) for kind in kinds]
        shown, refused = sum(d[0] for d in done), [name for d in done for name in d[1]]
        print(_summary(shown, refused, args.yes))
        return 1 if refused else 0

    return with_cluster("release", args.kubeconfig, work)


def _kinds(catalog: Catalog, word: str | None) -> list[Kind]:
    """The kind that a word stands for, all of them without one. Raises ValueError."""
    if word is None:
        return list(catalog)
    words = {name.lower(): kind for kind in catalog for name in (*kind.names, kind.names.singular)}
    kind = words.get(word.lower().removesuffix(f".{GROUP}"))
    if kind is not None:
        return [kind]
    near = difflib.get_close_matches(word.lower(), words, n=1)
    hint = f"did you mean {near[0]}?" if near else f"the kinds are {', '.join(map(str, catalog))}"
    raise ValueError(f"there is no kind {word!r}: {hint}")


def _paths(kinds: list[Kind], args: Namespace) -> list[tuple[str, str]]:
    """Namespace and name of each object that was named. Raises ValueError for too little or too much."""
    if args.all == bool(args.objects):
        raise ValueError("name objects as NS/NAME, or say --all" if not args.all else "say either NS/NAME or --all")
    if args.namespace and not args.all:
        raise ValueError("--namespace goes with --all; an object is named as NS/NAME")
    path_of(OURS, kinds[0].names.plural, args.namespace)
    found = []
    for text in args.objects:
        namespace, _, name = text.partition("/")
        try:
            path_of(OURS, kinds[0].names.plural, namespace, name)
        except ValueError:
            namespace = ""
        if not namespace:
            raise ValueError(f"{text!r} is not NS/NAME, such as default/shop-net")
        found.append((namespace, name))
    return list(dict.fromkeys(found))


async def _kind(cluster: Cluster, kind: Kind, paths: list[tuple[str, str]], args: Namespace) -> tuple[int, list[str]]:
    """How many objects of a kind were looked at, and the names of those that could not be released."""
    if args.all:
        listed = await cluster.items(path_of(OURS, kind.names.plural, args.namespace))
        if isinstance(listed, Trouble):
            print(f"{kind}: {listed.text}")
            return 0, [f"every {kind}"]
        paths = [(str(meta(item)["namespace"]), str(meta(item)["name"])) for item in listed or ()]
    if not paths:
        return 0, []
    operators = await holders(cluster, kind)
    refused = []
    for namespace, name in paths:
        if not await _one(cluster, kind, (namespace, name), operators, args):
            refused.append(f"{kind} {namespace}/{name}")
    return len(paths), refused


async def _one(cluster: Cluster, kind: Kind, where: tuple[str, str], operators: list[Holder], args: Namespace) -> bool:
    release = Release(kind, path_of(OURS, kind.names.plural, *where), () if args.force else tuple(operators))
    report = await let_go(cluster, release, act=args.yes)
    print(f"{kind} {'/'.join(where)}: {report.text}")
    for line in report.lines:
        print(f"  {line}")
    return report.fine


def _summary(shown: int, refused: list[str], acted: bool) -> str:
    if refused:
        return f"\nNot released: {', '.join(refused)}"
    if not shown:
        return "\nThere is no such object."
    return "\nDone." if acted else "\nNothing was changed: run it again with --yes to do this."
