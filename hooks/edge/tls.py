"""TLS from mounted files, read again when they change; and client certificates, where a CA for them is given.

Each handshake takes the certificate that is in force then, so that a renewed Secret counts without a restart. Files
that cannot be used change nothing, and are told in `/readyz`; before there were any that can, no handshake succeeds.
"""

from __future__ import annotations

import ssl
from pathlib import Path

CERTIFICATE, KEY = "tls.crt", "tls.key"


class Certificates:
    """`directory` holds `tls.crt` and `tls.key`; callers must show a certificate of `client_ca`, if one is given."""

    def __init__(self, directory: Path, client_ca: Path | None = None) -> None:
        self._files = (directory / CERTIFICATE, directory / KEY, *([client_ca] if client_ca else []))
        self._client_ca = client_ca
        self._stamp: object = None
        self._current: ssl.SSLContext | None = None
        self.faults: tuple[str, ...] = ()
        """What is wrong with the files as they are now, a line each."""
        self.refresh()

    @property
    def missing(self) -> tuple[str, ...]:
        """The faults, as long as nothing can be served because of them."""
        self.refresh()
        return self.faults if self._current is None else ()

    def refresh(self) -> None:
        """Read the files again if any of them changed."""
        stamp = tuple(map(_stamped, self._files))
        if stamp == self._stamp:
            return
        self._stamp = stamp
        try:
            self._current = self._made()
            self.faults = ()
        except OSError as fault:  # ssl's own errors are OSErrors too
            self.faults = (_told(fault, self._files),)

    def context(self) -> ssl.SSLContext:
        """For the listening socket: it hands each handshake to the context in force."""
        front = _plain()
        if self._client_ca is not None:
            front.verify_mode = ssl.CERT_REQUIRED  # of a handshake handed on, only this one is asked
        front.sni_callback = self._handed_on
        return front

    def _handed_on(self, connection: ssl.SSLObject, _name: str | None, _front: ssl.SSLContext) -> int | None:
        self.refresh()
        if self._current is None:
            return ssl.ALERT_DESCRIPTION_INTERNAL_ERROR
        connection.context = self._current
        return None

    def _made(self) -> ssl.SSLContext:
        made = _plain()
        made.load_cert_chain(certfile=self._files[0], keyfile=self._files[1])
        if self._client_ca is not None:
            made.verify_mode = ssl.CERT_REQUIRED
            made.load_verify_locations(self._client_ca)
        return made


def _plain() -> ssl.SSLContext:
    """TLS 1.2 or newer; without tickets, which would let a client go on whose certificate is not taken any more."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    made.options |= ssl.OP_NO_TICKET
    made.num_tickets = 0
    return made


def _stamped(file: Path) -> object:
    try:
        stat = file.stat()
    except OSError as fault:
        return fault.errno
    return stat.st_mtime_ns, stat.st_ino, stat.st_size


def _told(fault: OSError, files: tuple[Path, ...]) -> str:
    absent = [file.name for file in files if not file.is_file()]
    if absent:
        return f"TLS files missing: {', '.join(absent)} in {files[0].parent}"
    reason = getattr(fault, "reason", None) or fault.strerror or type(fault).__name__
    return f"TLS files cannot be used: {reason} ({', '.join(file.name for file in files)})"
