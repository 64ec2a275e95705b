"""Throw-away certificates, as files that a pod mounts and as contexts that a caller has."""

from __future__ import annotations

import ssl
from pathlib import Path

import trustme


def trusting(*cas: trustme.CA, own: trustme.CA | None = None) -> ssl.SSLContext:
    """A caller that trusts these CAs and, if asked, shows a certificate of `own`."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    for ca in cas:
        ca.configure_trust(made)
    if own is not None:
        own.issue_cert("metacontroller.test").configure_cert(made)
    return made


def install(ca: trustme.CA, folder: Path) -> None:
    """A certificate for this machine, as a mounted Secret holds it."""
    made = ca.issue_cert("127.0.0.1")
    (folder / "tls.key").write_bytes(made.private_key_pem.bytes())
    (folder / "tls.crt").write_bytes(b"".join(blob.bytes() for blob in made.cert_chain_pems))
