"""A Vault for the house: secrets by tenant, and whatever may be wrong with it, in virtual time."""

from __future__ import annotations

from typing import Any

from hooks.aruba.credentials.access import Access, Denied, Down, Lease, Missing, Refused

ENVIRON = {
    "ARUBA_VAULT_ENABLED": "true",
    "ARUBA_VAULT_ADDRESS": "http://vault.test:8200",
    "ARUBA_ROLE_ID": "role-of-the-tests",
    "ARUBA_ROLE_SECRET": "secret-of-the-tests",
    "ARUBA_CLIENT_ID": "",
    "ARUBA_CLIENT_SECRET": "",
}
"""Settings of Vault mode, with no pair to fall back to."""


class FakeVault:
    """Plays `hooks.aruba.credentials.vault`. `secrets` maps tenants to pairs; `down` and `refuses` are its troubles."""

    def __init__(self, **secrets: tuple[str, str]) -> None:
        self.secrets = {name.replace("_", "-"): pair for name, pair in secrets.items()}
        self.denied: set[str] = set()
        self.down = ""
        self.refuses = ""
        self.asked: list[str] = []
        """Every call, by what it was: `login`, `renew`, `valid`, or the tenant that was read."""
        self.ended: set[str] = set()
        """Tokens that are not good any more."""
        self.lease = 3600.0

    def login(self, access: Access) -> Lease:
        self._call("login")
        if self.refuses:
            raise Refused(self.refuses)
        return Lease(f"token-{self.asked.count('login')}", self.lease, True)

    def renew(self, access: Access, lease: Lease) -> Lease | None:
        self._call("renew")
        return None if lease.token in self.ended else lease

    def valid(self, access: Access, token: str) -> bool:
        self._call("valid")
        return token not in self.ended

    def read(self, access: Access, token: str, tenant: str) -> tuple[str, str]:
        self._call(tenant)
        if tenant in self.denied or token in self.ended:
            raise Denied(f"no permission to read {access.place(tenant)}")
        if tenant not in self.secrets:
            raise Missing(f"there is no secret {access.place(tenant)}")
        return self.secrets[tenant]

    @property
    def reads(self) -> list[str]:
        """The tenants that were read, in order."""
        return [one for one in self.asked if one not in ("login", "renew", "valid")]

    def _call(self, what: str) -> None:
        self.asked.append(what)
        if self.down:
            raise Down(self.down)


def of_vault(vault: FakeVault, **environ: str) -> dict[str, Any]:
    """Options for `living`, with the clients that the secrets name known to the simulated cloud by whoever opens it."""
    return {"vault": vault, "environ": {**ENVIRON, **environ}}
