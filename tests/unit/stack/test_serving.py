"""Where the hooks of `serve` may be reached from, by who can be told apart; nothing is bound here."""

from __future__ import annotations

from argparse import Namespace

import pytest

from hooks.edge import Certificates
from hooks.settings import Watched
from hooks.stack.serving import Door

EVERYWHERE, HERE = "0.0.0.0", "127.0.0.1"  # noqa: S104 - only looked at
TOKEN = {"ARUBA_HOOK_TOKEN": "a-token-of-the-test-1"}
NONE = {"ARUBA_HOOK_AUTH": "none"}


def door(tmp_path, host=EVERYWHERE, client_ca=None, tls=False, **environ):
    pair = {"ARUBA_CLIENT_ID": "id", "ARUBA_CLIENT_SECRET": "secret"}
    certificates = Certificates(tmp_path, client_ca) if tls else None
    return Door(Watched(None, None, {**pair, **environ}), Namespace(host=host, client_ca_file=client_ca), certificates)


@pytest.mark.parametrize(
    ("environ", "wanted"),
    [({}, HERE), (TOKEN, EVERYWHERE), (NONE, EVERYWHERE)],
)
def test_without_a_token_it_is_this_machine_only_unless_the_settings_say_otherwise(tmp_path, environ, wanted):
    made = door(tmp_path, **environ)
    assert made.host == wanted
    reasons = made.reasons()
    assert bool(reasons) == (wanted == HERE)
    for way_out in ("hook-token", "--client-ca-file", "ARUBA_HOOK_AUTH=none"):
        assert all(way_out in reason for reason in reasons)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.9", "::1", "localhost"])
def test_who_asks_for_this_machine_gets_it_and_is_ready(tmp_path, host):
    made = door(tmp_path, host)
    assert (made.host, made.reasons(), made.notes()) == (host, (), ())
    assert made.authorise({}) is None


def test_client_certificates_open_it_too(tmp_path):
    made = door(tmp_path, client_ca=tmp_path / "ca.pem", tls=True)
    assert made.host == EVERYWHERE
    assert made.authorise({}) is None, "the handshake has judged already"


def test_a_token_in_clear_is_told_and_serves(tmp_path):
    assert door(tmp_path, **TOKEN).notes() == ("hook-token travels unencrypted: give --tls-dir",)
    assert door(tmp_path, HERE, **TOKEN).notes() == ()
