"""What the rooms saw of those that the process depends on: figures for `/metrics`, and their state for `/readyz`."""

from __future__ import annotations

from collections.abc import Callable

from hooks.aruba.credentials.vaulted import Found
from hooks.aruba.model.catalog import Catalog
from hooks.clock import Clock
from hooks.edge import Peer
from hooks.settings import Settings
from hooks.telemetry import Telemetry

OK, TIMED_OUT = 200, 408
KUBERNETES, CLOUD, TOKENS, VAULT = "kubernetes", "cloud", "token endpoint", "vault"


class Sights:
    """`current` reads the settings anew; `peers` are by the name under which `/readyz` lists them."""

    def __init__(self, catalog: Catalog, telemetry: Telemetry, clock: Clock, current: Callable[[], Settings]) -> None:
        self._kinds = {kind.collection.name: kind.names.kind for kind in catalog}
        self._metrics, self._log = telemetry.metrics, telemetry.log
        self._clock = clock
        self._current = current
        vault = [VAULT] if current().vault_enabled else []
        self.peers = {name: Peer(clock) for name in (KUBERNETES, CLOUD, TOKENS, *vault)}

    def kubernetes(self, verb: str, resource: str, status: int, seconds: float) -> None:
        """One call to the Kubernetes API."""
        self._metrics.kubernetes(verb, resource, status, seconds)
        _note(self.peers[KUBERNETES], status)

    def cloud(self, method: str, collection: str, status: int, seconds: float) -> None:
        """One call to the cloud, or to its token endpoint."""
        self._metrics.cloud(method, collection, status, seconds)
        if collection == "token":
            _note(self.peers[TOKENS], status, secret=True)
            mode = "vault" if self._current().vault_enabled else "single"
            self._metrics.credential(mode, "ok" if status == OK else "refused" if status else "unreachable")
            return
        _note(self.peers[CLOUD], status)
        if method == "POST" and collection in self._kinds:
            self._metrics.create(self._kinds[collection], _created(status))

    def vault(self, outcome: str, text: str) -> None:
        """One look-up. What is wrong with one tenant's secret is told on its objects; Vault itself has answered."""
        self._metrics.credential("vault", outcome)
        peer = self.peers.setdefault(VAULT, Peer(self._clock))
        if outcome in (Found.DOWN, Found.REFUSED):
            peer.failed(text)
        else:
            peer.ok()
        if outcome != Found.OK:
            self._log.warning("no credentials from Vault", outcome=outcome, error=text)


def _created(status: int) -> str:
    """How an attempt to create ended, by its HTTP status (0: no answer)."""
    if 200 <= status < 300:
        return "made"
    return "refused" if 400 <= status < 500 and status != TIMED_OUT else "unknown"


def _note(peer: Peer, status: int, secret: bool = False) -> None:
    """What an answer says of the other side; `secret`: it was asked with the credentials themselves."""
    if status == 0:
        peer.failed("no answer")
    elif status >= 500:
        peer.failed(f"answered {status}")
    elif secret and 400 <= status < 500:
        peer.failed(f"refused the credentials ({status})")
    else:
        peer.ok()
