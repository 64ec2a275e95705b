"""`controllers`: the CompositeControllers for an installation whose hooks ask who is calling, or speak TLS.

Those in metacontroller/ speak plain HTTP to a Service inside the cluster; what this prints takes their place.
"""

from __future__ import annotations

import ssl
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path
from urllib.parse import quote, urlsplit

from hooks.aruba.kinds import discover
from hooks.cli.serve import whole
from hooks.manifests import composite_controllers, metacontroller_secrets
from hooks.manifests.controllers import BASE_URL, RESYNC_PERIOD, SecretKey, Trust
from hooks.manifests.text import manifest

TOKEN = "token"  # noqa: S105 - the key's name


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--base-url", default=BASE_URL, help=f"where Metacontroller reaches the hooks ({BASE_URL})")
    parser.add_argument("--ca-file", type=Path, help="PEM of the CA that signed the hooks' certificate")
    parser.add_argument(
        "--bearer-secret",
        type=_secret,
        metavar="NAMESPACE/NAME[:KEY]",
        help=f"the Secret with the one token that Metacontroller sends (key: {TOKEN})",
    )
    parser.add_argument(
        "--client-secret",
        type=_secret,
        metavar="NAMESPACE/NAME",
        help="the Secret with tls.crt and tls.key that Metacontroller shows to the hooks",
    )
    parser.add_argument(
        "--edition", default="", help="any text; change it after a Secret changed, since Metacontroller reads it once"
    )
    parser.add_argument("--resync-period", type=whole(1, 86_400), default=RESYNC_PERIOD, help="seconds (default: 300)")


def run(args: Namespace) -> int:
    """Print the manifests. 2, with a line that says why, for what cannot work."""
    fault = _fault(args)
    if fault:
        print(f"controllers: {fault}", file=sys.stderr)
        return 2
    ca = args.ca_file.read_text("ascii") if args.ca_file else ""
    bearer = args.bearer_secret and args.bearer_secret._replace(key=args.bearer_secret.key or TOKEN)
    trust = Trust(ca, bearer, args.client_secret, quote(args.edition, safe=""))
    items = composite_controllers(
        discover(), base_url=args.base_url.rstrip("/"), resync_period=args.resync_period, trust=trust
    )
    if bearer or args.client_secret:
        items.append(metacontroller_secrets())
    sys.stdout.write(manifest(items))
    return 0


def _fault(args: Namespace) -> str:
    parts = urlsplit(args.base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        return f"--base-url {args.base_url!r}: expected a URL such as {BASE_URL}"
    if (args.ca_file or args.client_secret) and parts.scheme != "https":
        return "--ca-file and --client-secret mean TLS: give a --base-url that begins with https"
    return _unfit(args.ca_file) if args.ca_file else ""


def _unfit(file: Path) -> str:
    try:
        ssl.create_default_context(cafile=file)
        file.read_text("ascii")
    except (OSError, UnicodeDecodeError) as wrong:
        return f"--ca-file {file}: expected certificates in PEM: {type(wrong).__name__}"
    return ""


def _secret(text: str) -> SecretKey:
    path, _, key = text.partition(":")
    namespace, _, name = path.partition("/")
    if not namespace or not name or "/" in name:
        raise ArgumentTypeError(f"{text!r}: expected NAMESPACE/NAME")
    return SecretKey(namespace, name, key)
