"""What is said about Vault between the rooms that use it: how to get in, what a login gave, and how a call may fail."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


@dataclass(frozen=True)
class Access:
    """How to reach Vault and log in there; `auth` is approle, kubernetes or token, `auth_path` where it is mounted."""

    address: str
    kv_mount: str = "kv"
    kv_prefix: str = ""
    namespace: str = ""
    auth: str = "approle"
    auth_path: str = "approle"
    role_id: str = field(default="", repr=False)
    role_secret: str = field(default="", repr=False)
    role: str = ""
    jwt_file: str = ""
    token_file: str = ""
    ca_file: str = ""

    def place(self, tenant: str) -> str:
        """Where the secret of a tenant is, for people; Vault's own URL has `data/` behind the mount."""
        inside = f" in namespace {self.namespace}" if self.namespace else ""
        return f"{self.kv_mount}/{self.below(tenant)}{inside}"

    def below(self, tenant: str) -> str:
        """The secret's path below its mount."""
        return f"{self.kv_prefix}/{tenant}" if self.kv_prefix else tenant


class Lease(NamedTuple):
    """A token of Vault's; `seconds` is what it still lives, 0 for ever."""

    token: str
    seconds: float
    renewable: bool

    def __repr__(self) -> str:
        return f"Lease(seconds={self.seconds}, renewable={self.renewable})"


class Down(Exception):
    """No usable answer: it may be in order a moment later."""


class Refused(Exception):
    """What we log in with is not taken, or cannot be read."""


class Unreadable(Refused):
    """The file with what we log in with cannot be read: nothing was sent, so nothing is used up by another try."""


class Denied(Exception):
    """This token may not read this path."""


class Missing(Exception):
    """There is nothing to read, or not what is needed."""
