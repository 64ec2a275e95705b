"""Direct mode: one pair from the settings (files or environment) serves every tenant; the tenant is only a label."""

from __future__ import annotations

from collections.abc import Callable

from hooks.aruba.credentials.credential import Credential
from hooks.aruba.model.failure import Failure


class Direct:
    """`current` returns the pair now in force, id before secret, from one reading: a rotated file counts at once."""

    def __init__(self, current: Callable[[], tuple[str, str]]) -> None:
        self._current = current

    async def credential(self, tenant: str) -> Credential | Failure:
        client_id, client_secret = self._current()
        return Credential(client_id.strip(), client_secret.strip())

    def refused(self, tenant: str, credential: Credential) -> None:
        """Nothing is kept here, so there is nothing to forget."""
