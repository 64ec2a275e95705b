"""`python -m hooks COMMAND` and the console script `aruba-hooks`: finds the command's module and runs it.

A command is a module of `hooks.cli` with `add_arguments(parser)` and `run(args) -> int`; only the one that is asked for
is imported.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from importlib import import_module
from keyword import iskeyword
from types import MappingProxyType

COMMANDS = MappingProxyType(
    {
        "serve": "the webhooks that Metacontroller calls",
        "local": "the whole stack on this machine, to try with kubectl",
        "demo": "the life of a full stack, from apply to Active to gone",
        "simulator": "an Aruba Cloud on this machine, with its token endpoint",
        "controllers": "CompositeControllers for hooks that ask who is calling, or speak TLS",
        "generate": "write CRDs, controllers, RBAC, samples and reference pages",
        "doctor": "check a cluster's installation, one line a check, with the fix",
        "release": "let go of objects without touching the cloud",
        "import": "write manifests that adopt what a live project holds",
        "plan": "what applying manifests would do, call by call",
        "graph": "the objects and their references as a picture's source",
        "new-kind": "begin the file of a further resource kind",
    }
)
"""Name and one line of help; the module is the name with underscores, one more where Python keeps the name."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; argparse itself exits with 2 on a wrong call."""
    words = list(sys.argv[1:] if argv is None else argv)
    parser = ArgumentParser(prog="aruba-hooks", description="The operator for Aruba Cloud, as Metacontroller webhooks")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    subparsers = {name: commands.add_parser(name, help=text, description=text) for name, text in COMMANDS.items()}
    chosen = next((word for word in words if not word.startswith("-")), "")
    if chosen not in COMMANDS:
        parser.parse_args(words)
        return 2
    module = import_module(f"hooks.cli.{chosen.replace('-', '_')}{'_' * iskeyword(chosen)}")
    module.add_arguments(subparsers[chosen])
    return int(module.run(parser.parse_args(words)))


if __name__ == "__main__":
    sys.exit(main())
