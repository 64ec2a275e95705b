"""Whose credentials a process works with, as its settings stand now: one pair for all, or each tenant's from Vault."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from hooks.aruba.credentials import vault as hvac_vault
from hooks.aruba.credentials.access import Access
from hooks.aruba.credentials.aside import Aside, Threads
from hooks.aruba.credentials.credential import Credential, Credentials
from hooks.aruba.credentials.direct import Direct
from hooks.aruba.credentials.tenants import Ages, Tenants, untold
from hooks.aruba.credentials.vaulted import Vault, Vaulted
from hooks.aruba.model.failure import Failure
from hooks.clock import Clock
from hooks.settings import Settings


class VaultPort(NamedTuple):
    """What calls Vault, and what sees to it that nobody is held up by that."""

    vault: Vault
    aside: Aside


class Sources:
    """Asks the source that the settings name, at each call: a file that changes switches without a restart."""

    def __init__(self, current: Callable[[], Settings], direct: Credentials, tenants: Credentials) -> None:
        self._current = current
        self._direct = direct
        self._tenants = tenants

    async def credential(self, tenant: str) -> Credential | Failure:
        return await self._source().credential(tenant)

    def refused(self, tenant: str, credential: Credential) -> None:
        self._source().refused(tenant, credential)

    def _source(self) -> Credentials:
        return self._tenants if self._current().vault_enabled else self._direct


def sources(
    current: Callable[[], Settings],
    clock: Clock,
    told: Callable[[str, str], None] = untold,
    vault: VaultPort | None = None,
) -> Sources:
    """`current` reads the settings anew; `told` learns how each look-up in Vault ended."""
    port = vault or VaultPort(hvac_vault, Threads())

    def pair() -> tuple[str, str]:
        now = current()
        return now.client_id, now.client_secret

    vaulted = Vaulted(port.vault, lambda: access(current()), clock)
    return Sources(current, Direct(pair), Tenants(vaulted.look, lambda: ages(current()), clock, port.aside, told))


def access(settings: Settings) -> Access:
    """How the settings say to reach Vault."""
    return Access(
        address=settings.vault_address,
        kv_mount=settings.kv_mount,
        kv_prefix=settings.kv_prefix,
        namespace=settings.role_namespace,
        auth=settings.vault_auth,
        auth_path=settings.auth_path,
        role_id=settings.role_id,
        role_secret=settings.role_secret,
        role=settings.vault_role,
        jwt_file=settings.vault_jwt_file,
        token_file=settings.vault_token_file,
        ca_file=settings.vault_ca_file,
    )


def ages(settings: Settings) -> Ages:
    """How long a pair is good without another look, and without a good one."""
    return Ages(settings.credentials_age.total_seconds(), settings.credentials_kept.total_seconds())
