"""Kubeconfig files, as far as the hooks take them (docs/decisions/0004). Used by `config`.

What they do not take is refused with its name, never passed over: half of a configuration would
reach the wrong server or show the wrong face.
"""

from __future__ import annotations

import base64
import binascii
from pathlib import Path
from typing import Any, NamedTuple

import yaml


class Unusable(Exception):
    """There is no way to the API server; the text says why and what would help."""


class Access(NamedTuple):
    """Where the server is and how both sides prove who they are: a token or the file that holds it, the rest PEM."""

    server: str
    token: str | Path = ""
    authority: str = ""
    certificate: bytes = b""
    key: bytes = b""
    insecure: bool = False


def read_kubeconfig(file: Path) -> Access:
    """The access of the file's current context. Raises `Unusable`."""
    whole = _load(file)
    context = _named(whole, "contexts", "context", whole.get("current-context"), file)
    cluster = _named(whole, "clusters", "cluster", context.get("cluster"), file)
    user = _named(whole, "users", "user", context.get("user"), file) if context.get("user") else {}
    _refuse(file, cluster, ("proxy-url", "tls-server-name"))
    _refuse(file, user, ("exec", "auth-provider", "username", "password", "as", "as-groups", "as-uid"))
    server = cluster.get("server")
    if not isinstance(server, str) or not server.startswith(("https://", "http://")):
        raise Unusable(f"{file}: the cluster has no server URL")
    return Access(
        server.rstrip("/"),
        token=_token(file, user),
        authority=_material(file, cluster, "certificate-authority").decode("utf-8", "replace"),
        certificate=_material(file, user, "client-certificate"),
        key=_material(file, user, "client-key"),
        insecure=cluster.get("insecure-skip-tls-verify") is True,
    )


def _load(file: Path) -> dict[str, Any]:
    try:
        whole = yaml.safe_load(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as fault:
        raise Unusable(f"{file}: cannot be read as a kubeconfig: {type(fault).__name__}") from None
    if not isinstance(whole, dict):
        raise Unusable(f"{file}: is not a kubeconfig")
    return whole


def _named(whole: dict[str, Any], group: str, member: str, name: object, file: Path) -> dict[str, Any]:
    if not name:
        raise Unusable(f"{file}: no {member} is chosen (current-context)")
    for entry in whole.get(group) or ():
        if isinstance(entry, dict) and entry.get("name") == name:
            found = entry.get(member)
            return found if isinstance(found, dict) else {}
    raise Unusable(f"{file}: {group} has no entry named {name!r}")


def _refuse(file: Path, part: dict[str, Any], members: tuple[str, ...]) -> None:
    for member in members:
        if part.get(member):
            raise Unusable(
                f"{file}: {member!r} is not supported here: use a token, a tokenFile or a client certificate"
            )


def _token(file: Path, user: dict[str, Any]) -> str | Path:
    """As kubectl does it: a file, when it is named, wins over the text."""
    if user.get("tokenFile"):
        return _path(file, str(user["tokenFile"]))
    return str(user.get("token") or "")


def _path(file: Path, named: str) -> Path:
    """A path in a kubeconfig is relative to the file that names it."""
    return file.parent / named


def _material(file: Path, part: dict[str, Any], member: str) -> bytes:
    """The bytes of a member given inline (`…-data`, base64) or as a path; inline wins, as for kubectl."""
    try:
        if part.get(f"{member}-data"):
            return base64.b64decode(str(part[f"{member}-data"]), validate=True)
        return _path(file, str(part[member])).read_bytes() if part.get(member) else b""
    except (OSError, binascii.Error) as fault:
        raise Unusable(f"{file}: {member} cannot be read: {fault}") from None
