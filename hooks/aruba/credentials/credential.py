"""An API key with its secret, and what any source of them must be able to do.

`hooks.aruba.cloud` asks; the sources beside this module answer.
"""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Protocol
from urllib.parse import quote_plus

from hooks.aruba.model.failure import Cause, Failure


@dataclass(frozen=True)
class Credential:
    """One pair, always replaced as a whole (cases 79). Its secret never shows in a text of it."""

    client_id: str
    client_secret: str = field(repr=False)

    @cached_property
    def key(self) -> str:
        """What tokens, limits and listings are kept under: another secret is another key."""
        return blake2b(self.client_secret.encode(), key=blake2b(self.client_id.encode()).digest()).hexdigest()[:32]

    @property
    def basic(self) -> str:
        """The pair as HTTP Basic carries it."""
        pair = f"{quote_plus(self.client_id)}:{quote_plus(self.client_secret)}"
        return b64encode(pair.encode()).decode()

    @property
    def forms(self) -> tuple[str, ...]:
        """Every form in which the secret leaves, to be blotted out of what comes back."""
        return self.client_secret, quote_plus(self.client_secret), self.basic


class Credentials(Protocol):
    """Where the credential of a tenant comes from. Asked before every call, so a source keeps what is costly."""

    async def credential(self, tenant: str) -> Credential | Failure:
        """The pair now in force, or why there is none; never raises for what the source does."""

    def refused(self, tenant: str, credential: Credential) -> None:
        """The token endpoint or the API does not take this pair: look for another before the next answer."""


def unavailable(text: str) -> Failure:
    """The failure of a call that was not made, since there is nothing to make it with."""
    return Failure(Cause.CREDENTIALS, text, sent=False)
