"""The machine's clock, which a test may put forward: the operator's pauses are over at once, Vault's times are not."""

from __future__ import annotations

from hooks.clock import SystemClock


class Ahead(SystemClock):
    """`off` is in seconds."""

    off = 0.0

    def monotonic(self) -> float:
        return super().monotonic() + self.off
