"""Logged in to Vault, and staying so: the life of the operator's own token there, and one look-up of a tenant.

Blocking, and safe in several threads at once; `tenants` calls `look` in worker threads. Nothing runs in the background:
a token is renewed by whoever needs it when it gets old, and a new login follows where that is refused (cases 72).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple, Protocol

from hooks.aruba.credentials.access import Access, Denied, Down, Lease, Missing, Refused, Unreadable
from hooks.aruba.credentials.credential import Credential
from hooks.clock import Clock
from hooks.meta.text import hide

RENEW_AT = 1 / 3
"""What is left of a token's life when it is renewed."""
MARGIN = 0.5
"""Seconds before its end at which a token is not used any more."""
AFTER_A_REFUSAL = (10.0, 300.0)
"""Seconds between two logins with what was refused, growing: each may use up a number of uses (cases 73)."""
BELIEVED_FOR = 300.0
"""Seconds after a login in which a refused read is believed of a token that Vault knows."""
AFTER_SILENCE = 3.0
"""Seconds for which a Vault that does not answer, or a file that cannot be read, is not tried again."""


class Found(StrEnum):
    """How a look-up ended, for metrics too. MISSING and DENIED are of this tenant alone; the rest is not."""

    OK = "found"
    MISSING = "missing"
    DENIED = "denied"
    REFUSED = "login-refused"
    DOWN = "unreachable"


class Look(NamedTuple):
    """The pair that was read, or why there is none."""

    found: Found
    credential: Credential | None
    text: str = ""


class Vault(Protocol):
    """The calls to Vault, as `vault` makes them."""

    def login(self, access: Access) -> Lease: ...

    def renew(self, access: Access, lease: Lease) -> Lease | None: ...

    def valid(self, access: Access, token: str) -> bool: ...

    def read(self, access: Access, token: str, tenant: str) -> tuple[str, str]: ...


class _Held(NamedTuple):
    """A lease with its times in seconds of `Clock.monotonic`; `end` is None for one that lasts."""

    access: Access
    lease: Lease
    since: float
    renew: float | None
    end: float | None


class Vaulted:
    """`current` returns how to reach Vault as the settings stand now: a rotated secret_id counts at the next login."""

    def __init__(self, vault: Vault, current: Callable[[], Access], clock: Clock) -> None:
        self._vault = vault
        self._current = current
        self._clock = clock
        self._turn = threading.Lock()
        self._held: _Held | None = None
        self._fault: Refused | Down | None = None
        self._of: Access | None = None
        self._until = clock.monotonic()
        self._pause = AFTER_A_REFUSAL[0]

    def look(self, tenant: str) -> Look:
        """Read the secret of a tenant; never raises for what Vault does."""
        access = self._current()
        try:
            return Look(Found.OK, Credential(*self._read(access, tenant)))
        except Missing as fault:
            return Look(Found.MISSING, None, self._told(access, str(fault)))
        except Denied as fault:
            advice = "check the policy of the role, kv-mount and kv-prefix"
            return Look(Found.DENIED, None, self._told(access, f"{fault}: {advice}"))
        except Refused as fault:
            return Look(Found.REFUSED, None, self._told(access, str(fault)))
        except Down as fault:
            return Look(Found.DOWN, None, self._told(access, f"it cannot be used: {fault}"))

    def _told(self, access: Access, text: str) -> str:
        """For people, without what was sent, should the other side have repeated it."""
        held = self._held
        sent = (access.role_secret, access.role_id, held.lease.token if held is not None else "")
        return f"Vault at {access.address}: {hide(text, sent)}"

    def _read(self, access: Access, tenant: str) -> tuple[str, str]:
        """Forbidden means an ended token, or a policy given to the role since the login, as well as a policy that
        refuses: log in once more, then believe it.
        """
        held = self._token(access, "")
        try:
            return self._vault.read(access, held.lease.token, tenant)
        except Denied as denied:
            recent = self._clock.monotonic() - held.since < BELIEVED_FOR
            if recent and self._vault.valid(access, held.lease.token):
                raise
            other = self._token(access, held.lease.token)
            if other.lease.token == held.lease.token:
                raise self._same(denied, access, held.lease.token) from None
            return self._vault.read(access, other.lease.token, tenant)

    def _same(self, denied: Denied, access: Access, token: str) -> Denied | Refused:
        """The file still holds the token that may not read this: what is wrong with it?"""
        if self._vault.valid(access, token):
            return denied
        return Refused("the token in vault-token-file is not valid any more")

    def _token(self, access: Access, refused: str) -> _Held:
        """A login for this access, other than one that was refused. However many ask, one of them logs in."""
        with self._turn:
            now, held = self._clock.monotonic(), self._held
            if held is None or held.access != access or held.lease.token == refused or _over(held, now):
                return self._logged_in(access, now)
            if held.renew is None or now < held.renew:
                return held
            try:
                return self._renewed(held, now)
            except (Refused, Down):  # it serves while it lives; who else waits must not try in turn
                self._held = held._replace(renew=self._clock.monotonic() + AFTER_SILENCE)
                return self._held

    def _logged_in(self, access: Access, now: float) -> _Held:
        if access != self._of:
            self._fault, self._of, self._pause = None, access, AFTER_A_REFUSAL[0]
        if self._fault is not None and now < self._until:
            raise self._fault
        try:
            lease = self._vault.login(access)
        except (Refused, Down) as fault:
            self._fault = fault  # its pause begins when it ends: those who waited for it must not try in turn
            brief = isinstance(fault, Down | Unreadable)
            self._until = self._clock.monotonic() + (AFTER_SILENCE if brief else self._pause)
            if not brief:
                self._pause = min(2 * self._pause, AFTER_A_REFUSAL[1])
            raise
        self._fault, self._pause = None, AFTER_A_REFUSAL[0]
        self._held = _dated(access, lease, now)
        return self._held

    def _renewed(self, held: _Held, now: float) -> _Held:
        """Renewed, or logged in again where that gains nothing: at its longest life a token cannot be lengthened."""
        lease = self._vault.renew(held.access, held.lease) if held.lease.renewable else None
        if lease is None or (held.end is not None and now + lease.seconds <= held.end + 1):
            return self._logged_in(held.access, now)
        self._held = _dated(held.access, lease, now)._replace(since=held.since)
        return self._held


def _over(held: _Held, now: float) -> bool:
    return held.end is not None and now >= held.end - MARGIN


def _dated(access: Access, lease: Lease, now: float) -> _Held:
    """A token without a lifetime lasts; one from a file is looked at again at each use, since an agent replaces it."""
    if access.auth == "token":
        return _Held(access, lease, now, now, None)
    if lease.seconds <= 0:
        return _Held(access, lease, now, None, None)
    return _Held(access, lease, now, now + lease.seconds * (1 - RENEW_AT), now + lease.seconds)
