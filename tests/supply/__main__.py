"""`python -m tests.supply COMMAND`: the three commands, each in its module; only the one asked for is imported."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

ROOT = Path(__file__).parents[2]


def _sbom(args: Namespace) -> int:
    from tests.supply.bom import write

    return write(ROOT, args.output, os.environ)


def _audit(args: Namespace) -> int:
    from tests.supply.audit import audit

    return audit(ROOT, os.environ)


def _image(args: Namespace) -> int:
    from tests.supply.image import build

    return build(ROOT, args.tag, args.base)


def main() -> int:
    parser = ArgumentParser(prog="python -m tests.supply", description="What the operator is shipped with")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    sbom = commands.add_parser("sbom", help="write a CycloneDX bill of materials of the image")
    sbom.add_argument("--output", type=Path, default=ROOT / "dist" / "sbom.cdx.json", metavar="FILE")
    sbom.set_defaults(run=_sbom)
    commands.add_parser("audit", help="check pins, licences, known vulnerabilities").set_defaults(run=_audit)
    image = commands.add_parser("image", help="build the container image")
    image.add_argument("tag", metavar="NAME[:TAG]")
    image.add_argument("--base", metavar="IMAGE", help="another base image, for example one pinned by digest")
    image.set_defaults(run=_image)
    args = parser.parse_args()
    return int(args.run(args))


if __name__ == "__main__":
    sys.exit(main())
