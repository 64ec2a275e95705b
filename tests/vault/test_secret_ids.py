"""The operator's secret_id: rotated in a mounted file, revoked, used up (cases 73)."""

from __future__ import annotations

from pathlib import Path

import pytest

from hooks.aruba.credentials import vault
from hooks.aruba.credentials.aside import Threads
from hooks.aruba.credentials.credential import Credential
from hooks.aruba.credentials.tenants import Ages, Tenants
from hooks.aruba.credentials.vaulted import AFTER_A_REFUSAL, Found, Vaulted
from hooks.aruba.model.failure import Cause, Failure
from hooks.settings import Watched
from hooks.stack.sources import sources
from tests.vault.ahead import Ahead
from tests.vault.front import Front
from tests.vault.place import Place

pytestmark = pytest.mark.real_time
PAIR = Credential("id-100", "secret-100")


def mounted(folder: Path, place: Place, address: str, secret_id: str, key: str = "role-secret") -> Watched:
    """Settings as a Pod has them: the secret_id in a file, the rest in the environment."""
    (folder / key).write_text(secret_id)
    environ = {**place.environ(address, ""), "ARUBA_CREDENTIALS_AGE": "10s"}
    watched = Watched(None, folder, environ)
    assert watched.current is not None, watched.faults
    return watched


def current(watched: Watched):
    watched.refresh()
    return watched.current


@pytest.mark.parametrize("key", ["role-secret", "secret-id"])
async def test_case_73_a_rotated_secret_id_counts_without_a_restart(
    place: Place, before: Front, tmp_path: Path, key: str
) -> None:
    clock, told, one = Ahead(), [], place.secret_id()
    watched = mounted(tmp_path, place, before.url, one, key)
    source = sources(lambda: current(watched), clock, told=lambda *how: told.append(how[0]))
    assert await source.credential("t-100") == PAIR
    (tmp_path / key).write_text(place.secret_id())
    place.revoke(one)
    place.call("POST", "auth/token/revoke", {"token": before.seen[-1].token})
    assert await source.credential("t-200") == Credential("id-200", "secret-200")
    assert set(told) == {Found.OK}
    assert before.logins == 2


def test_case_73_a_new_secret_id_is_used_at_once_although_the_old_token_lives(place: Place, before: Front) -> None:
    """Whoever rotates sees within one look whether the new one is good, while the old one can still be put back."""
    ways = [place.access(before.url), place.access(before.url), place.access(before.url, "mistyped")]
    held = Vaulted(vault, lambda: ways[0], Ahead())
    assert held.look("t-100").found is Found.OK
    del ways[0]
    assert held.look("t-100").found is Found.OK
    assert before.logins == 2
    del ways[0]
    assert held.look("t-100").found is Found.REFUSED


async def test_case_73_a_revoked_secret_id_is_told_and_its_uses_are_not_burnt(
    place: Place, before: Front, tmp_path: Path
) -> None:
    clock, told, one = Ahead(), [], place.secret_id()
    place.revoke(one)
    watched = mounted(tmp_path, place, before.url, one)
    source = sources(lambda: current(watched), clock, told=lambda *how: told.append(how))
    for _ in range(50):
        failure = await source.credential("t-100")
        assert isinstance(failure, Failure)
        assert failure.cause is Cause.CREDENTIALS
    assert f"tenant t-100: Vault at {before.url}: the login at auth/{place.path} is refused: invalid" in failure.text
    assert one not in failure.text
    assert told[0][0] is Found.REFUSED
    assert before.logins == 1
    (tmp_path / "role-secret").write_text(place.secret_id())
    clock.off += 60
    assert await source.credential("t-100") == PAIR


def test_case_73_logins_with_what_was_refused_become_rare(place: Place, before: Front) -> None:
    clock, one = Ahead(), place.secret_id()
    place.revoke(one)
    way = place.access(before.url, one)
    held = Vaulted(vault, lambda: way, clock)
    for _ in range(1800):
        assert held.look("t-100").found is Found.REFUSED
        clock.off += 2
    least, most = AFTER_A_REFUSAL
    assert 3600 / most <= before.logins <= 3600 / most + 6
    assert least < most


async def test_case_73_pairs_in_hand_go_on_while_the_login_is_refused(place: Place, before: Front) -> None:
    clock, one = Ahead(), place.secret_id()
    way = place.access(before.url, one)
    tenants = Tenants(Vaulted(vault, lambda: way, clock).look, lambda: Ages(10, 100), clock, Threads())
    assert await tenants.credential("t-100") == PAIR
    place.revoke(one)
    place.call("POST", "auth/token/revoke", {"token": before.seen[-1].token})
    clock.off += 50
    assert await tenants.credential("t-100") == PAIR
    clock.off += 60
    ended = await tenants.credential("t-100")
    assert isinstance(ended, Failure)
    assert "the login at" in ended.text


def test_case_73_a_secret_id_for_one_login_serves_as_long_as_its_token(place: Place, before: Front) -> None:
    one = place.secret_id(num_uses=1)
    way = place.access(before.url, one)
    held = Vaulted(vault, lambda: way, Ahead())
    assert {held.look(tenant).found for tenant in ("t-100", "t-200") * 10} == {Found.OK}
    place.call("POST", "auth/token/revoke", {"token": before.seen[-1].token})
    assert held.look("t-100").found is Found.REFUSED
